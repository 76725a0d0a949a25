// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/checker.h"

#include "core/base/text.h"
#include "core/query/lexer.h"
#include "core/query/number_nodes.h"

#include <algorithm>

namespace cellfolio::query {

Checker::Checker(const FilterExpression& expression, const FilterContext& context)
    : m_expression(expression), m_context(context)
{
}

Result<std::shared_ptr<const CheckedFilter>> Checker::run()
{
    m_filter->dataset = m_context.dataset;
    m_filter->reading = m_context.reading;
    m_filter->rows = m_context.table->rows;
    if (auto found = findAllGenes(); !found)
        return std::move(found).error();
    auto root = test(m_expression.root());
    if (!root)
        return std::move(root).error();
    m_filter->root = std::move(*root);
    return std::shared_ptr<const CheckedFilter>(m_filter);
}

bool Checker::isObs() const
{
    return m_context.table->firstAxis != Axis::Var;
}

std::string Checker::written(const Node& node) const
{
    std::string text =
        m_expression.text().substr(at(node.offset), at(node.end - node.offset));
    constexpr std::size_t kShown = 60;
    if (text.size() > kShown)
        text = toUtf8(text.substr(0, kShown)) + "…";
    return text;
}

Error Checker::fault(ErrorCode code, const std::string& message, Index offset) const
{
    return Error(code, message).atOffset(offset);
}

Operand Checker::start(const Node& node, Operand::Type type) const
{
    Operand operand;
    operand.type = type;
    operand.offset = node.offset;
    operand.title = written(node);
    return operand;
}

Operand Checker::literal(const Node& node) const
{
    if (node.kind == NodeKind::Number) {
        Operand operand = start(node, Operand::Type::Number);
        operand.literalNumber = node.number;
        operand.number = constantNumber(node.number);
        return operand;
    }
    if (node.kind == NodeKind::Text) {
        Operand operand = start(node, Operand::Type::Text);
        operand.literalText = node.text;
        operand.text = constantText(node.text);
        return operand;
    }
    Operand operand = start(node, Operand::Type::Test);
    operand.literalTruth = node.truth;
    operand.test = constantTest(node.truth);
    return operand;
}

Result<TestPointer> Checker::test(const Node& node)
{
    switch (node.kind) {
    case NodeKind::And:
    case NodeKind::Or:
        return junctionOf(node);
    case NodeKind::Not: {
        auto inner = test(*node.children[0]);
        if (!inner)
            return inner;
        return notTest(std::move(*inner));
    }
    case NodeKind::Compare: return compare(node);
    case NodeKind::Between: return between(node);
    case NodeKind::InList: return inList(node);
    case NodeKind::InFile: return inFile(node);
    case NodeKind::Matches:
    case NodeKind::Contains:
    case NodeKind::StartsWith:
    case NodeKind::EndsWith:
        return matches(node);
    case NodeKind::IsMissing: return missing(node);
    case NodeKind::Selection: return selection(node);
    default:
        break;
    }
    auto operand = value(node);
    if (!operand)
        return std::move(operand).error();
    const Operand::Kind kind = operand->kind();
    if (kind == Operand::Kind::Truth)
        return std::move(withoutCategories(std::move(*operand)).test);
    const std::string example = kind == Operand::Kind::Number ? " > 0" : " == \"…\"";
    return fault(ErrorCode::BadExpression,
                 operand->title + " is " + typeText(*operand) + " and no test by itself.",
                 operand->offset)
        .advise("Compare it, such as " + operand->title + example + ".");
}

Result<TestPointer> Checker::junctionOf(const Node& node)
{
    std::vector<TestPointer> parts;
    for (const auto& child : node.children) {
        auto part = test(*child);
        if (!part)
            return part;
        parts.push_back(std::move(*part));
    }
    return junction(node.kind == NodeKind::And ? JunctionNode::Kind::And : JunctionNode::Kind::Or,
                    std::move(parts), m_filter->sources);
}

Result<TestPointer> Checker::missing(const Node& node)
{
    auto operand = value(*node.children[0]);
    if (!operand)
        return std::move(operand).error();
    TestPointer asked;
    switch (operand->type) {
    case Operand::Type::Category:
        asked = categoryTest(operand->codes,
                             std::vector<std::uint8_t>(at(operand->categories->size()), kNo), kYes);
        break;
    case Operand::Type::Test: asked = missingTest(std::move(operand->test)); break;
    case Operand::Type::Number: asked = missingTest(std::move(operand->number)); break;
    case Operand::Type::Text: asked = missingTest(std::move(operand->text)); break;
    }
    return node.negated ? notTest(std::move(asked)) : std::move(asked);
}

Result<TestPointer> Checker::selection(const Node& node)
{
    if (!m_context.selection)
        return fault(ErrorCode::NotFound, "There are no named selections here.", node.offset);
    auto rows = m_context.selection(node.text);
    if (!rows)
        return std::move(rows).error().atOffset(node.offset);
    if (rows->extent() != m_filter->rows)
        return fault(ErrorCode::BadExpression,
                     "The selection \"" + node.text + "\" is not one of "
                         + m_context.table->path + ".",
                     node.offset);
    return selectionTest(rows->toSet());
}

Result<Operand> Checker::value(const Node& node)
{
    switch (node.kind) {
    case NodeKind::Number:
    case NodeKind::Text:
    case NodeKind::Boolean:
        return literal(node);
    case NodeKind::Column: return column(node);
    case NodeKind::RowName: return rowName(node);
    case NodeKind::Gene:
    case NodeKind::Raw:
    case NodeKind::Layer:
        return gene(node);
    case NodeKind::Obsm: return obsm(node);
    case NodeKind::Negate:
    case NodeKind::Add:
    case NodeKind::Subtract:
    case NodeKind::Multiply:
    case NodeKind::Divide:
    case NodeKind::Call:
        return calculation(node);
    case NodeKind::Aggregate: return aggregate(node);
    default:
        break;
    }
    auto inner = test(node);
    if (!inner)
        return std::move(inner).error();
    Operand operand = start(node, Operand::Type::Test);
    operand.test = std::move(*inner);
    return operand;
}

Result<Operand> Checker::number(const Node& node)
{
    auto operand = value(node);
    if (!operand)
        return operand;
    if (operand->kind() != Operand::Kind::Number)
        return fault(ErrorCode::BadExpression,
                     operand->title + " is " + typeText(*operand) + ", and a number is due here.",
                     operand->offset);
    return withoutCategories(std::move(*operand));
}

Result<Operand> Checker::column(const Node& node)
{
    const Element& table = *m_context.table;
    for (const auto& child : table.children) {
        if (child->kind == ElementKind::Column && child->name == node.text)
            return columnOf(*child, node);
    }
    return unknownColumn(node);
}

Error Checker::unknownColumn(const Node& node) const
{
    const Element& table = *m_context.table;
    std::vector<std::string> names;
    for (const auto& child : table.children) {
        if (child->kind == ElementKind::Column)
            names.push_back(child->name);
    }
    std::vector<std::string> near = nearest(node.text, names);
    std::string advice = near.empty() ? "" : "Did you mean " + columnText(near.front()) + "?";
    const Element* other = isObs() ? m_context.dataset->var() : m_context.dataset->obs();
    if (other != nullptr && other != &table) {
        for (const auto& child : other->children) {
            if (child->kind == ElementKind::Column && child->name == node.text)
                advice = other->path + " has a column of that name: it belongs into "
                       + (isObs() ? "--where-var." : "--where.");
        }
    }
    if (advice.empty())
        advice = "Text stands in double quotes: " + quotedText(node.text) + ".";
    return fault(ErrorCode::NotFound,
                 "\"" + node.text + "\" is not a column of " + table.path + ".", node.offset)
        .at(table.path)
        .advise(std::move(advice))
        .suggest(std::move(near));
}

Result<Operand> Checker::columnOf(const Element& column, const Node& node)
{
    auto opened = ColumnReader::open(m_context.dataset, column, m_context.reading);
    if (!opened)
        return std::move(opened).error().atOffset(node.offset);
    for (const ArrayRef& array : {column.values, column.mask}) {
        if (array && array.length() != m_filter->rows)
            return fault(ErrorCode::Corrupt,
                         column.path + " holds " + counted(array.length(), "value", "values")
                             + ", and the table has " + counted(m_filter->rows, "row", "rows")
                             + ".",
                         node.offset)
                .at(column.path);
    }
    Sources& sources = m_filter->sources;
    const auto masked = [&]() -> std::optional<int> {
        if (!column.mask)
            return std::nullopt;
        return sources.addFixed(column.mask, column.path);
    };
    const auto plainType = [&](DType type) {
        return type == DType::Bool                   ? Operand::Type::Test
             : isReal(type)                          ? Operand::Type::Number
                                                     : Operand::Type::Text;
    };
    Operand operand = start(node, Operand::Type::Text);
    operand.column = &column;
    switch (column.column) {
    case ColumnKind::Numeric:
    case ColumnKind::NullableInteger:
        if (!isReal(column.values.dtype()))
            return fault(ErrorCode::BadExpression,
                         operand.title + " holds " + std::string(nameOf(column.values.dtype()))
                             + " values, which have no order.",
                         node.offset)
                .at(column.path);
        operand.type = Operand::Type::Number;
        operand.precision = column.values.dtype();
        operand.number = fixedNumber(sources.addFixed(column.values, column.path), masked());
        return operand;
    case ColumnKind::Boolean:
    case ColumnKind::NullableBoolean:
        operand.type = Operand::Type::Test;
        operand.test = booleanTest(sources.addFixed(column.values, column.path), masked());
        return operand;
    case ColumnKind::Categorical:
        if (opened->holdsCategories()) {
            auto list = opened->categories(m_context.stop);
            if (!list)
                return std::move(list).error();
            operand.type = Operand::Type::Category;
            operand.codes = sources.addFixed(column.values, column.path);
            operand.categories = std::move(*list);
            operand.ordered = column.ordered;
            m_filter->lists.push_back(std::move(*opened));
            return operand;
        }
        // Too many to be held: read as the values of the rows, which have no order of their own.
        operand.type = plainType(column.dtype.value_or(DType::String));
        break;
    case ColumnKind::String:
    case ColumnKind::NullableString:
        break;
    case ColumnKind::Opaque:
        return fault(ErrorCode::BadExpression, operand.title + " cannot be compared.", node.offset)
            .at(column.path);
    }
    const int source = sources.addColumn(std::move(*opened));
    if (operand.type == Operand::Type::Number)
        operand.number = columnNumber(source);
    else if (operand.type == Operand::Type::Test)
        operand.test = numberTest(columnNumber(source), Comparison::NotEqual, std::int64_t{0});
    else
        operand.text = textOfColumn(source);
    return operand;
}

Result<Operand> Checker::rowName(const Node& node)
{
    Operand operand = start(node, Operand::Type::Text);
    const Element& table = *m_context.table;
    if (!table.index) {
        operand.text = rowNumberText();
        return operand;
    }
    auto opened = ColumnReader::open(m_context.dataset, *table.index, m_context.reading);
    if (!opened)
        return std::move(opened).error().atOffset(node.offset);
    operand.text = textOfColumn(m_filter->sources.addColumn(std::move(*opened)));
    return operand;
}

Result<Operand> Checker::calculation(const Node& node)
{
    std::vector<NumberPointer> arguments;
    for (const auto& child : node.children) {
        auto argument = number(*child);
        if (!argument)
            return argument;
        arguments.push_back(std::move(argument->number));
    }
    Operand operand = start(node, Operand::Type::Number);
    if (node.kind == NodeKind::Negate)
        operand.number = negated(std::move(arguments[0]));
    else if (node.kind == NodeKind::Call)
        operand.number = called(node.function, std::move(arguments));
    else
        operand.number = arithmetic(node.kind, std::move(arguments[0]), std::move(arguments[1]));
    return operand;
}

Result<Operand> Checker::aggregate(const Node& node)
{
    // What the argument itself asks for comes before this one in the list.
    const std::size_t before = m_filter->aggregates.size();
    auto argument = number(*node.children[0]);
    if (!argument)
        return argument;
    AggregateSpec spec;
    spec.kind = node.aggregate;
    if (node.aggregate == Aggregate::Quantile)
        spec.share = toReal(node.number);
    for (std::size_t k = before; k < m_filter->aggregates.size(); ++k)
        spec.level = std::max(spec.level, m_filter->aggregates[k].level + 1);
    spec.argument = std::move(argument->number);
    m_filter->aggregates.push_back(std::move(spec));
    Operand operand = start(node, Operand::Type::Number);
    operand.number = aggregated(static_cast<int>(m_filter->aggregates.size()) - 1);
    return operand;
}

} // namespace cellfolio::query

namespace cellfolio {

Result<Filter> Filter::check(const FilterExpression& expression, const FilterContext& context)
{
    auto checked = query::Checker(expression, context).run();
    if (!checked)
        return std::move(checked).error();
    return Filter(expression, std::move(*checked));
}

} // namespace cellfolio
