// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/text_nodes.h"

#include <re2/re2.h>

namespace cellfolio::query {
namespace {

class ConstantText final : public TextNode
{
public:
    explicit ConstantText(std::string text) : m_text(std::move(text)) {}
    Result<void> evaluate(BlockRows& rows, Texts& out) const override
    {
        out.missing.clear();
        out.text.assign(at(rows.count()), m_text);
        return {};
    }
    void addNeeds(Needs&) const override {}

private:
    std::string m_text;
};

class ColumnText final : public TextNode
{
public:
    explicit ColumnText(int source) : m_source(source) {}
    Result<void> evaluate(BlockRows& rows, Texts& out) const override
    {
        auto column = rows.column(m_source);
        if (!column)
            return std::move(column).error();
        const ColumnValues& from = **column;
        const std::size_t n = at(rows.count());
        out.missing.clear();
        out.owned.clear();
        out.text.resize(n);
        const bool plain = from.values.type() == DType::String && !from.categories;
        if (!plain) {
            out.owned.reserve(n);
            for (Index i = 0; i < rows.count(); ++i)
                out.owned.push_back(from.text(i));
        }
        const std::vector<std::string>& texts = plain ? from.values.texts() : out.owned;
        for (std::size_t i = 0; i < n; ++i)
            out.text[i] = texts[i];
        for (Index i = 0; from.values.hasMissing() && i < rows.count(); ++i) {
            if (!from.isMissing(i))
                continue;
            if (out.missing.empty())
                out.missing.assign(n, 0);
            out.missing[at(i)] = 1;
        }
        return {};
    }
    void addNeeds(Needs& needs) const override
    {
        needs.columns[static_cast<std::size_t>(m_source)] = true;
    }

private:
    int m_source;
};

class CategoryText final : public TextNode
{
public:
    CategoryText(int codes, std::shared_ptr<const Values> categories)
        : m_codes(codes), m_categories(std::move(categories))
    {
        if (m_categories->type() == DType::String)
            return;
        for (Index k = 0; k < m_categories->size(); ++k)
            m_made.push_back(m_categories->text(k));
    }
    Result<void> evaluate(BlockRows& rows, Texts& out) const override
    {
        auto codes = rows.fixed(m_codes);
        if (!codes)
            return std::move(codes).error();
        const std::vector<std::string>& texts =
            m_categories->type() == DType::String ? m_categories->texts() : m_made;
        const std::size_t n = at(rows.count());
        out.text.assign(n, {});
        out.missing.assign(n, 0);
        visitReal(codes->type, [&]<typename T>(const T*) {
            const T* from = reinterpret_cast<const T*>(codes->values);
            for (std::size_t i = 0; i < n; ++i) {
                const double code = toDouble(from[i]);
                if (code >= 0 && code < static_cast<double>(texts.size()))
                    out.text[i] = texts[static_cast<std::size_t>(code)];
                else
                    out.missing[i] = 1;
            }
        });
        return {};
    }
    void addNeeds(Needs& needs) const override
    {
        needs.fixed[static_cast<std::size_t>(m_codes)] = true;
    }

private:
    int m_codes;
    std::shared_ptr<const Values> m_categories;
    std::vector<std::string> m_made;
};

class RowNumberText final : public TextNode
{
public:
    Result<void> evaluate(BlockRows& rows, Texts& out) const override
    {
        out.missing.clear();
        out.owned.clear();
        out.owned.reserve(at(rows.count()));
        rows.positions().forEach(
            [&out](Index position) { out.owned.push_back(std::to_string(position)); });
        out.text.assign(out.owned.begin(), out.owned.end());
        return {};
    }
    void addNeeds(Needs&) const override {}
};

Result<std::shared_ptr<const RE2>> compiled(const std::string& expression, bool ignoreCase)
{
    RE2::Options options(RE2::Quiet);
    options.set_case_sensitive(!ignoreCase);
    // Its automata grow as they run, up to this many bytes.
    options.set_max_mem(std::int64_t{4} << 20);
    auto made = std::make_shared<const RE2>(expression, options);
    if (!made->ok())
        return Error(ErrorCode::BadUsage,
                     "The regular expression is malformed: " + made->error() + ".")
            .advise("The syntax is that of RE2.");
    return made;
}

} // namespace

TextPointer constantText(std::string text)
{
    return std::make_unique<ConstantText>(std::move(text));
}

TextPointer textOfColumn(int source) { return std::make_unique<ColumnText>(source); }

TextPointer categoryText(int codes, std::shared_ptr<const Values> categories)
{
    return std::make_unique<CategoryText>(codes, std::move(categories));
}

TextPointer rowNumberText() { return std::make_unique<RowNumberText>(); }

Result<TextPattern> TextPattern::regular(const std::string& expression, bool ignoreCase)
{
    auto made = compiled(expression, ignoreCase);
    if (!made)
        return std::move(made).error();
    return TextPattern(std::move(*made));
}

Result<TextPattern> TextPattern::plain(NodeKind kind, const std::string& text)
{
    std::string expression = RE2::QuoteMeta(text);
    if (kind == NodeKind::StartsWith)
        expression = "\\A(?:" + expression + ")";
    else if (kind == NodeKind::EndsWith)
        expression = "(?:" + expression + ")\\z";
    return regular(expression, true);
}

bool TextPattern::matches(std::string_view text) const
{
    return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *m_expression);
}

} // namespace cellfolio::query
