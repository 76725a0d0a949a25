// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bridge/cell_format.h"

#include "core/base/text.h"

#include <QtCore/QLocale>

#include <algorithm>
#include <cmath>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr QChar kMinus(0x2212);

QString withTrueMinus(QString text)
{
    text.replace(u'-', kMinus);
    return text;
}

QString notANumber(double value)
{
    if (std::isnan(value))
        return u"NaN"_s;
    return value > 0 ? u"∞"_s : kMinus + u"∞"_s;
}

QString scientific(double value, int digits)
{
    QString text = QLocale::c().toString(value, 'e', digits - 1);
    const qsizetype e = text.indexOf(u'e');
    QString mantissa = text.left(e);
    QString exponent = text.mid(e + 1);
    if (mantissa.contains(u'.')) {
        while (mantissa.endsWith(u'0'))
            mantissa.chop(1);
        if (mantissa.endsWith(u'.'))
            mantissa.chop(1);
    }
    const bool small = exponent.startsWith(u'-');
    exponent.remove(0, 1);
    while (exponent.size() > 1 && exponent.startsWith(u'0'))
        exponent.remove(0, 1);
    if (small)
        exponent.prepend(u'-');
    return withTrueMinus(mantissa) + u'e' + exponent;
}

} // namespace

QString toQString(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

std::string toStdString(const QString& text)
{
    return text.toUtf8().toStdString();
}

QString countText(Index count)
{
    return withTrueMinus(QLocale().toString(static_cast<qlonglong>(count)));
}

QString countedText(Index count, const QString& one, const QString& many)
{
    return countText(count) + u' ' + (count == 1 ? one : many);
}

QString shapeText(const std::vector<Index>& shape)
{
    QStringList parts;
    for (const Index extent : shape)
        parts.append(countText(extent));
    return parts.join(u" × "_s);
}

QString numberText(double value, int digits)
{
    if (!std::isfinite(value))
        return notANumber(value);
    if (value == 0)
        return u"0"_s;
    const double size = std::abs(value);
    if (size >= 1e15 || size < 1e-4)
        return scientific(value, digits);
    if (value == std::round(value))
        return withTrueMinus(QLocale().toString(value, 'f', 0));
    const int order = static_cast<int>(std::floor(std::log10(size)));
    const int decimals = std::clamp(digits - 1 - order, 0, 12);
    QString text = QLocale().toString(value, 'f', decimals);
    const QString point = QLocale().decimalPoint();
    if (decimals > 0 && text.contains(point)) {
        while (text.endsWith(u'0'))
            text.chop(1);
        if (text.endsWith(point))
            text.chop(point.size());
    }
    return withTrueMinus(text);
}

QString sizeText(Index bytes)
{
    return toQString(byteText(bytes));
}

NumberLook lookOf(const Values& values, NumberLook before)
{
    if (!isFloat(values.type()))
        return {-1, true};
    double largest = 0;
    bool whole = true;
    const Index most = std::min<Index>(values.size(), 2048);
    for (Index i = 0; i < most; ++i) {
        const double value = values.number(i);
        if (values.isMissing(i) || !std::isfinite(value))
            continue;
        largest = std::max(largest, std::abs(value));
        whole = whole && value == std::round(value);
    }
    if (whole)
        return before.known ? before : NumberLook{-1, true};
    const int order = static_cast<int>(std::floor(std::log10(std::max(largest, 1e-300))));
    const int decimals = std::clamp(order >= 0 ? 4 - order : 3 - order, 1, 8);
    return {before.known ? std::max(before.decimals, decimals) : decimals, true};
}

QString cellNumber(const Values& values, Index i, NumberLook look)
{
    if (!isFloat(values.type()))
        return groupedText(toQString(values.text(i)));
    const double value = values.number(i);
    if (!std::isfinite(value))
        return notANumber(value);
    if (value == 0)
        return u"0"_s;
    const double size = std::abs(value);
    if (size >= 1e15)
        return scientific(value, 4);
    if (look.decimals < 0)
        return value == std::round(value) ? withTrueMinus(QLocale().toString(value, 'f', 0))
                                          : numberText(value);
    if (size < 0.5 * std::pow(10.0, -look.decimals))
        return numberText(value, 2); // lined up it would read as nothing
    return withTrueMinus(QLocale().toString(value, 'f', look.decimals));
}

QString cellText(const ColumnValues& column, Index i, NumberLook look)
{
    if (column.isMissing(i))
        return {};
    if (column.kind == ColumnKind::Categorical)
        return toQString(column.text(i));
    const DType type = column.values.type();
    if (isReal(type) && type != DType::Bool)
        return cellNumber(column.values, i, look);
    return toQString(column.text(i));
}

QString groupedText(const QString& exact)
{
    const qsizetype first = exact.startsWith(u'-') ? 1 : 0;
    qsizetype end = first;
    while (end < exact.size() && exact.at(end).isDigit())
        ++end;
    if (end == first)
        return exact;
    const QString mark = QLocale().groupSeparator();
    QString text = exact;
    for (qsizetype at = end - 3; at > first; at -= 3)
        text.insert(at, mark);
    return withTrueMinus(text);
}

QString errorSentence(const Error& error)
{
    return toQString(error.message());
}

QString errorText(const Error& error)
{
    QString text = errorSentence(error);
    if (!error.fix().empty())
        text += u' ' + toQString(error.fix());
    return text;
}

} // namespace cellfolio
