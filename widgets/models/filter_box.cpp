// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/filter_box.h"

#include "core/query/lexer.h"
#include "widgets/bridge/cell_format.h"

#include <QtCore/QLocale>

#include <array>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

enum class Kind { Number, Boolean, Text, Category, OrderedCategory };

Kind kindOf(const Element* column)
{
    if (column == nullptr)
        return Kind::Text;
    switch (column->column) {
    case ColumnKind::Numeric:
    case ColumnKind::NullableInteger: return Kind::Number;
    case ColumnKind::Boolean:
    case ColumnKind::NullableBoolean: return Kind::Boolean;
    case ColumnKind::Categorical:
        if (column->dtype == DType::Bool)
            return Kind::Boolean;
        if (column->dtype && isReal(*column->dtype))
            return Kind::Number;
        return column->ordered ? Kind::OrderedCategory : Kind::Category;
    default: return Kind::Text;
    }
}

Error unsuited(const QString& sentence)
{
    return {ErrorCode::BadExpression, toStdString(sentence)};
}

QString quoted(const QString& text)
{
    return toQString(quotedText(toStdString(text)));
}

class Box
{
public:
    Box(const Element* column, const QString& text)
        : m_kind(kindOf(column)), m_text(text.trimmed()),
          m_name(column == nullptr ? u"name"_s : toQString(columnText(column->name)))
    {
    }

    Result<QString> expression() const
    {
        if (m_text.isEmpty())
            return QString();
        if (m_text == "NULL"_L1)
            return m_name + u" is missing"_s;
        if (m_text.size() >= 2 && m_text.startsWith(u'/') && m_text.endsWith(u'/'))
            return regex(m_text.mid(1, m_text.size() - 2));
        for (const QStringView sign : {u"<>", u"!=", u">=", u"<=", u"==", u">", u"<", u"="})
            if (m_text.startsWith(sign))
                return compared(sign.toString(), m_text.mid(sign.size()).trimmed());
        if (const qsizetype dots = m_text.indexOf(".."_L1); dots >= 0 && m_kind != Kind::Text && m_kind != Kind::Boolean) {
            const auto range = between(m_text.left(dots).trimmed(), m_text.mid(dots + 2).trimmed());
            if (range || m_kind == Kind::Number)
                return range ? Result<QString>(*range)
                             : unsuited(u"A range is written 5..10, with numbers on both sides or one."_s);
        }
        return plain();
    }

private:
    Result<QString> regex(const QString& pattern) const
    {
        if (m_kind == Kind::Number || m_kind == Kind::Boolean)
            return unsuited(u"Only text can be searched by /…/; compare numbers with > < or a..b."_s);
        return m_name + u" ~ "_s + quoted(pattern);
    }

    Result<QString> compared(const QString& sign, const QString& value) const
    {
        const QString written = sign == "="_L1 ? u"=="_s : sign == "<>"_L1 ? u"!="_s : sign;
        if (value.isEmpty())
            return unsuited(u"A value is missing behind %1."_s.arg(sign));
        if (value == "NULL"_L1 && (written == "=="_L1 || written == "!="_L1))
            return m_name + (written == "=="_L1 ? u" is missing"_s : u" is not missing"_s);
        if (m_kind == Kind::Number) {
            const auto number = writtenNumber(value);
            if (!number)
                return unsuited(u"“%1” is no number."_s.arg(value));
            return m_name + u' ' + written + u' ' + *number;
        }
        if (m_kind == Kind::Boolean) {
            const auto truth = truthOf(value);
            if (!truth || (written != "=="_L1 && written != "!="_L1))
                return unsuited(u"This column holds true and false: write = true."_s);
            return m_name + u' ' + written + (*truth ? u" true"_s : u" false"_s);
        }
        return m_name + u' ' + written + u' ' + quoted(value);
    }

    std::optional<QString> between(const QString& low, const QString& high) const
    {
        const auto bound = [this](const QString& text) {
            return m_kind == Kind::Number ? writtenNumber(text) : std::optional(quoted(text));
        };
        if (low.isEmpty() && high.isEmpty())
            return std::nullopt;
        if (m_kind == Kind::Category)
            return std::nullopt; // without an order there is no range
        const auto from = low.isEmpty() ? std::nullopt : bound(low);
        const auto to = high.isEmpty() ? std::nullopt : bound(high);
        if ((!low.isEmpty() && !from) || (!high.isEmpty() && !to))
            return std::nullopt;
        if (from && to)
            return m_name + u" between "_s + *from + u" and "_s + *to;
        return from ? m_name + u" >= "_s + *from : m_name + u" <= "_s + *to;
    }

    Result<QString> plain() const
    {
        if (m_kind == Kind::Number) {
            const auto number = writtenNumber(m_text);
            if (!number)
                return unsuited(u"“%1” is no number. Write 5, > 5, 5..10 or NULL."_s.arg(m_text));
            return m_name + u" == "_s + *number;
        }
        if (m_kind == Kind::Boolean) {
            const auto truth = truthOf(m_text);
            if (!truth)
                return unsuited(u"This column holds true and false."_s);
            return m_name + (*truth ? u" == true"_s : u" == false"_s);
        }
        return m_name + u" contains "_s + quoted(m_text);
    }

    // Also while it is being written.
    static std::optional<bool> truthOf(const QString& text)
    {
        static constexpr std::array<QStringView, 3> yes{u"true", u"yes", u"1"};
        static constexpr std::array<QStringView, 3> no{u"false", u"no", u"0"};
        for (const bool truth : {true, false})
            for (const QStringView word : truth ? yes : no)
                if (!text.isEmpty() && word.startsWith(text, Qt::CaseInsensitive))
                    return truth;
        return std::nullopt;
    }

    Kind m_kind;
    QString m_text;
    QString m_name;
};

} // namespace

Result<QString> boxExpression(const Element* column, const QString& text)
{
    return Box(column, text).expression();
}

std::optional<QString> writtenNumber(QString text)
{
    text = text.trimmed();
    text.replace(QChar(0x2212), u'-');
    text.remove(QLocale().groupSeparator());
    bool ok = false;
    QLocale::c().toDouble(text, &ok);
    if (!ok && QLocale().decimalPoint() != "."_L1) {
        text.replace(QLocale().decimalPoint(), "."_L1);
        QLocale::c().toDouble(text, &ok);
    }
    const bool written = !text.isEmpty() && (text.back().isDigit() || text.back() == u'.'); // no "inf"
    return ok && written ? std::optional(text) : std::nullopt;
}

QString boxPlaceholder(const Element* column)
{
    switch (kindOf(column)) {
    case Kind::Number: return u"> < a..b"_s;
    case Kind::Boolean: return u"true, false"_s;
    default: return u"contains"_s;
    }
}

} // namespace cellfolio
