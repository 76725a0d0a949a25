// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/checker.h"

#include "core/base/text.h"
#include "core/query/lexer.h"
#include "core/query/number_nodes.h"
#include "core/query/token_cursor.h"

#include <algorithm>

// The half of the checker that knows which values compare with which. Categories are compared
// once each, here; what is left for the rows is a look-up by code.

namespace cellfolio::query {
namespace {

bool isOrdering(Comparison comparison)
{
    return comparison != Comparison::Equal && comparison != Comparison::NotEqual;
}

bool sameLists(const Values& a, const Values& b)
{
    if (&a == &b)
        return true;
    if (a.size() != b.size())
        return false;
    for (Index k = 0; k < a.size(); ++k) {
        if (a.text(k) != b.text(k))
            return false;
    }
    return true;
}

// The items of a file, one a line.
std::vector<std::string> linesOf(std::string_view text)
{
    std::vector<std::string> lines;
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (!line.empty())
            lines.emplace_back(line);
    }
    return lines;
}

std::optional<Numeral> numberIn(const std::string& text)
{
    std::int64_t whole = 0;
    if (parseInteger(text, whole))
        return whole;
    double real = 0;
    if (!parseNumber(text, real) || real != real)
        return std::nullopt;
    return text.find_first_not_of("0123456789") == std::string::npos ? Numeral(numberOf(text)) : real;
}

} // namespace

Error Checker::mismatch(const Operand& left, const Operand& right) const
{
    const std::string message = left.title + " is " + typeText(left) + ", and " + right.title
                              + " is " + typeText(right) + ".";
    std::string advice;
    if (right.literalText && left.kind() == Operand::Kind::Number)
        advice = "Numbers stand without quotes.";
    else if (left.kind() == Operand::Kind::Truth)
        advice = "Write " + left.title + ", not " + left.title + ", or compare it with true or false.";
    else if (left.kind() == Operand::Kind::Text && right.literalNumber)
        advice = "Text stands in double quotes: " + quotedText(right.title) + ".";
    return fault(ErrorCode::BadExpression, message, right.offset).advise(advice);
}

Result<TestPointer> Checker::compare(const Node& node)
{
    auto left = value(*node.children[0]);
    if (!left)
        return std::move(left).error();
    auto right = value(*node.children[1]);
    if (!right)
        return std::move(right).error();
    if (left->isLiteral() && !right->isLiteral())
        return compared(std::move(*right), turned(node.comparison), std::move(*left));
    return compared(std::move(*left), node.comparison, std::move(*right));
}

Result<TestPointer> Checker::between(const Node& node)
{
    std::vector<TestPointer> parts;
    for (const std::size_t bound : {std::size_t{1}, std::size_t{2}}) {
        auto left = value(*node.children[0]);
        if (!left)
            return std::move(left).error();
        auto right = value(*node.children[bound]);
        if (!right)
            return std::move(right).error();
        if (left->kind() == Operand::Kind::Truth)
            return fault(ErrorCode::BadExpression,
                         left->title + " is " + typeText(*left) + ", which has no order.",
                         left->offset);
        auto test = compared(std::move(*left),
                             bound == 1 ? Comparison::GreaterEqual : Comparison::LessEqual,
                             std::move(*right));
        if (!test)
            return test;
        parts.push_back(std::move(*test));
    }
    TestPointer both =
        junction(JunctionNode::Kind::And, std::move(parts), m_filter->sources);
    return node.negated ? notTest(std::move(both)) : std::move(both);
}

Result<TestPointer> Checker::compared(Operand left, Comparison comparison, Operand right)
{
    if (left.kind() != right.kind())
        return mismatch(left, right);
    const bool categories =
        left.type == Operand::Type::Category || right.type == Operand::Type::Category;
    if (left.type == Operand::Type::Category && right.isLiteral())
        return comparedCategory(left, comparison, right);
    if (categories && isOrdering(comparison)) {
        const Operand& category = left.type == Operand::Type::Category ? left : right;
        const Operand& other = left.type == Operand::Type::Category ? right : left;
        if (!category.ordered || other.type != Operand::Type::Category || !other.ordered
            || !sameLists(*category.categories, *other.categories))
            return fault(ErrorCode::BadExpression,
                         left.title + " and " + right.title
                             + " have no common order: both must be ordered categories with the "
                               "same list.",
                         left.offset);
        return codesTest(left.codes, right.codes, left.categories->size(), comparison);
    }
    left = withoutCategories(std::move(left));
    right = withoutCategories(std::move(right));
    switch (left.kind()) {
    case Operand::Kind::Truth:
        if (isOrdering(comparison))
            return fault(ErrorCode::BadExpression,
                         left.title + " is " + typeText(left) + ", which has no order.",
                         left.offset)
                .advise("Write " + left.title + " or not " + left.title + ".");
        return testsTest(std::move(left.test), comparison, std::move(right.test));
    case Operand::Kind::Number:
        if (right.literalNumber)
            return numberTest(std::move(left.number), comparison,
                              inPrecisionOf(left.precision, *right.literalNumber));
        return numbersTest(std::move(left.number), comparison, std::move(right.number));
    case Operand::Kind::Text:
        break;
    }
    return textsTest(std::move(left.text), comparison, std::move(right.text));
}

Result<std::vector<Index>> Checker::codesOf(const Operand& category, const Operand& literal) const
{
    const Values& list = *category.categories;
    std::vector<Index> codes;
    Numbers numbers;
    if (literal.literalNumber)
        fillNumbers(list.type(), list.data(), list.size(), numbers);
    for (Index k = 0; k < list.size(); ++k) {
        bool same = false;
        if (literal.literalText) {
            same = list.text(k) == *literal.literalText;
        } else if (literal.literalTruth) {
            same = (list.integer(k) != 0) == *literal.literalTruth;
        } else if (!numbers.isMissing(at(k))) {
            const Numeral wanted = inPrecisionOf(list.type(), *literal.literalNumber);
            const Numeral here = numbers.form == Numbers::Form::Real   ? Numeral(numbers.real[at(k)])
                              : numbers.form == Numbers::Form::Signed ? Numeral(numbers.whole[at(k)])
                                                                      : Numeral(numbers.large[at(k)]);
            same = compareExactly(here, wanted) == 0;
        }
        if (same)
            codes.push_back(k);
    }
    if (!codes.empty() || literal.literalTruth)
        return codes;
    std::vector<std::string> all;
    for (Index k = 0; k < list.size(); ++k)
        all.push_back(list.text(k));
    std::vector<std::string> near = nearest(literal.literalText.value_or(literal.title), all);
    if (near.empty())
        near.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(3, all.size())));
    for (std::string& name : near)
        name = literal.literalText ? quotedText(name) : name;
    return fault(ErrorCode::NotFound,
                 literal.title + " is not a category of " + category.title + ".", literal.offset)
        .at(category.column->path)
        .advise(near.empty() ? category.title + " has no categories at all."
                             : "Did you mean " + near.front() + "?")
        .suggest(std::move(near));
}

Result<TestPointer> Checker::comparedCategory(const Operand& category, Comparison comparison,
                                              const Operand& literal)
{
    if (isOrdering(comparison) && !category.ordered)
        return fault(ErrorCode::BadExpression,
                     "The categories of " + category.title + " have no order.", category.offset)
            .at(category.column->path)
            .advise("Only ordered categories compare with < and >; use == or in.");
    auto codes = codesOf(category, literal);
    if (!codes)
        return std::move(codes).error();
    std::vector<std::uint8_t> truths(at(category.categories->size()), truthOf(false));
    if (isOrdering(comparison)) {
        const Index wanted = codes->front();
        for (Index k = 0; k < category.categories->size(); ++k)
            truths[at(k)] = truthOf(holds(comparison, compareExactly(k, wanted)));
    } else {
        for (const Index k : *codes)
            truths[at(k)] = truthOf(true);
        if (comparison == Comparison::NotEqual) {
            for (std::uint8_t& truth : truths)
                truth = truthOf(truth == kNo);
        }
    }
    return categoryTest(category.codes, std::move(truths));
}

Result<TestPointer> Checker::inList(const Node& node)
{
    auto left = value(*node.children[0]);
    if (!left)
        return std::move(left).error();
    std::vector<Operand> items;
    for (std::size_t k = 1; k < node.children.size(); ++k) {
        items.push_back(literal(*node.children[k]));
        if (items.back().kind() != left->kind())
            return mismatch(*left, items.back());
    }
    TestPointer test;
    if (left->type == Operand::Type::Category) {
        std::vector<std::uint8_t> truths(at(left->categories->size()), truthOf(false));
        for (const Operand& item : items) {
            auto codes = codesOf(*left, item);
            if (!codes)
                return std::move(codes).error();
            for (const Index k : *codes)
                truths[at(k)] = truthOf(true);
        }
        test = categoryTest(left->codes, std::move(truths));
    } else if (left->type == Operand::Type::Number) {
        std::vector<Numeral> numbers;
        for (const Operand& item : items)
            numbers.push_back(inPrecisionOf(left->precision, *item.literalNumber));
        test = numberInTest(std::move(left->number), std::move(numbers));
    } else if (left->type == Operand::Type::Text) {
        std::unordered_set<std::string> texts;
        for (const Operand& item : items)
            texts.insert(*item.literalText);
        test = textInTest(std::move(left->text), std::move(texts));
    } else {
        const auto listed = [&items](bool truth) {
            return std::any_of(items.begin(), items.end(), [truth](const Operand& item) {
                return *item.literalTruth == truth;
            });
        };
        // Whatever is known equals itself; so a test against itself settles both and neither.
        auto again = value(*node.children[0]);
        if (!again)
            return std::move(again).error();
        if (listed(true) != listed(false))
            test = testsTest(std::move(left->test), Comparison::Equal, constantTest(listed(true)));
        else
            test = testsTest(std::move(left->test),
                             listed(true) ? Comparison::Equal : Comparison::NotEqual,
                             std::move(again->test));
    }
    return node.negated ? notTest(std::move(test)) : std::move(test);
}

Result<TestPointer> Checker::inFile(const Node& node)
{
    auto left = value(*node.children[0]);
    if (!left)
        return std::move(left).error();
    auto text = m_context.read(node.text);
    if (!text)
        return std::move(text).error().atOffset(node.offset);
    std::vector<std::string> lines = linesOf(*text);
    TestPointer test;
    if (left->kind() == Operand::Kind::Truth)
        return fault(ErrorCode::BadExpression,
                     left->title + " is " + typeText(*left) + ": a list fits names and numbers.",
                     left->offset);
    if (left->kind() == Operand::Kind::Number) {
        std::vector<Numeral> numbers;
        for (std::size_t k = 0; k < lines.size(); ++k) {
            const auto number = numberIn(lines[k]);
            if (!number)
                return fault(ErrorCode::BadExpression,
                             left->title + " is " + typeText(*left) + ", and \"" + lines[k]
                                 + "\" (entry " + std::to_string(k + 1) + " of " + node.text
                                 + ") is none.",
                             node.offset);
            numbers.push_back(inPrecisionOf(
                left->categories ? left->categories->type() : left->precision, *number));
        }
        Operand plain = withoutCategories(std::move(*left));
        test = numberInTest(std::move(plain.number), std::move(numbers));
    } else {
        // A list that someone pasted holds names that this file has not: they match nothing.
        std::unordered_set<std::string> names(lines.begin(), lines.end());
        if (left->type == Operand::Type::Category) {
            std::vector<std::uint8_t> truths;
            for (Index k = 0; k < left->categories->size(); ++k)
                truths.push_back(truthOf(names.count(left->categories->text(k)) > 0));
            test = categoryTest(left->codes, std::move(truths));
        } else {
            test = textInTest(std::move(left->text), std::move(names));
        }
    }
    return node.negated ? notTest(std::move(test)) : std::move(test);
}

Result<TestPointer> Checker::matches(const Node& node)
{
    auto left = value(*node.children[0]);
    if (!left)
        return std::move(left).error();
    if (left->kind() != Operand::Kind::Text)
        return fault(ErrorCode::BadExpression,
                     left->title + " is " + typeText(*left) + ", and only text can be searched.",
                     left->offset)
            .advise(left->kind() == Operand::Kind::Number
                        ? "Compare it with <, ==, between or in."
                        : "");
    auto pattern = node.kind == NodeKind::Matches
                     ? TextPattern::regular(node.text, node.ignoreCase)
                     : TextPattern::plain(node.kind, node.text);
    if (!pattern)
        return std::move(pattern).error().atOffset(node.offset);
    TestPointer test;
    if (left->type == Operand::Type::Category) {
        std::vector<std::uint8_t> truths;
        for (Index k = 0; k < left->categories->size(); ++k)
            truths.push_back(truthOf(pattern->matches(left->categories->text(k))));
        test = categoryTest(left->codes, std::move(truths));
    } else {
        test = patternTest(std::move(left->text), std::move(*pattern));
    }
    return node.negated ? notTest(std::move(test)) : std::move(test);
}

} // namespace cellfolio::query
