// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/filter_rule.h"

#include "core/query/filter_expression.h"
#include "core/query/lexer.h"
#include "core/query/syntax.h"
#include "widgets/bridge/cell_format.h"

#include <QtCore/QFileInfo>
#include <QtCore/QLocale>

#include <algorithm>
#include <cmath>

namespace cellfolio {

using namespace Qt::StringLiterals;
using query::Node;
using query::NodeKind;

namespace {

QString quoted(const QString& text)
{
    return toQString(quotedText(toStdString(text)));
}

QString columnWritten(const QString& name)
{
    return toQString(columnText(toStdString(name)));
}

// How tightly the written rule holds together.
enum class Binding { Or, And, Tight };

struct Written {
    QString text;
    Binding binding = Binding::Tight;
};

QString within(const Written& part, Binding wanted)
{
    return part.binding < wanted ? u'(' + part.text + u')' : part.text;
}

QString literalText(RuleLiteral literal, const QString& value)
{
    return literal == RuleLiteral::Text ? quoted(value) : value;
}

QString listText(const FilterRule& rule)
{
    QStringList items;
    for (const QString& value : rule.values)
        items.append(literalText(rule.literal, value));
    return u'[' + items.join(u", "_s) + u']';
}

Written chosenText(const FilterRule& rule)
{
    const QString subject = rule.subject.text();
    if (rule.values.isEmpty() && rule.kind == FilterRule::Kind::Categories) {
        if (rule.negated)
            return {subject + u" is not missing"_s};
        return {rule.keepsMissing ? subject + u" is missing"_s : subject + u" in []"_s};
    }
    if (rule.values.size() != 1)
        return {subject + (rule.negated ? u" not in "_s : u" in "_s) + listText(rule)};
    const QString& value = rule.values.front();
    if (rule.literal == RuleLiteral::Boolean)
        return {(value == "true"_L1) != rule.negated ? subject : u"not "_s + subject};
    return {subject + (rule.negated ? u" != "_s : u" == "_s) + literalText(rule.literal, value)};
}

Written rangeText(const FilterRule& rule)
{
    const QString subject = rule.subject.text();
    const auto& low = rule.low;
    const auto& high = rule.high;
    if (!low && !high)
        return {subject + (rule.negated ? u" is missing"_s : u" is not missing"_s)};
    if (low && high && low->included && high->included) {
        if (low->text == high->text)
            return {subject + (rule.negated ? u" != "_s : u" == "_s) + low->text};
        return {subject + (rule.negated ? u" not between "_s : u" between "_s) + low->text + u" and "_s + high->text};
    }
    const QString above = low ? subject + (low->included ? u" >= "_s : u" > "_s) + low->text : QString();
    const QString below = high ? subject + (high->included ? u" <= "_s : u" < "_s) + high->text : QString();
    const QString both = low && high ? above + u" and "_s + below : above + below;
    if (rule.negated)
        return {u"not ("_s + both + u')'};
    return {both, low && high ? Binding::And : Binding::Tight};
}

Binding bindingOf(const QString& expression)
{
    const auto parsed = FilterExpression::parse(toStdString(expression));
    if (!parsed)
        return Binding::Or;
    const NodeKind kind = parsed->root().kind;
    return kind == NodeKind::Or ? Binding::Or : kind == NodeKind::And ? Binding::And : Binding::Tight;
}

// Without what keeps the missing.
Written bareText(const FilterRule& rule)
{
    switch (rule.kind) {
    case FilterRule::Kind::Categories:
    case FilterRule::Kind::Names: return chosenText(rule);
    case FilterRule::Kind::Range: return rangeText(rule);
    case FilterRule::Kind::File:
        return {rule.subject.text() + (rule.negated ? u" not in file("_s : u" in file("_s) + quoted(rule.name) + u')'};
    case FilterRule::Kind::Selection:
        return {(rule.negated ? u"not selection("_s : u"selection("_s) + quoted(rule.name) + u')'};
    case FilterRule::Kind::Other: break;
    }
    const Written whole{rule.expression, bindingOf(rule.expression)};
    return rule.negated ? Written{u"not ("_s + rule.expression + u')'} : whole;
}

Written writtenText(const FilterRule& rule, FilterRule::Missing missing)
{
    if (rule.isOpen())
        return {};
    const Written bare = bareText(rule);
    const bool byItself = rule.kind == FilterRule::Kind::Categories && rule.values.isEmpty(); // is missing, or is not
    if (!rule.keepsMissing || missing == FilterRule::Missing::Left || rule.kind == FilterRule::Kind::Selection
        || (byItself && !rule.negated))
        return bare;
    const QString asked = rule.kind == FilterRule::Kind::Other ? u'(' + bare.text + u')' : rule.subject.text();
    return {within(bare, Binding::Tight) + u" or "_s + asked + u" is missing"_s, Binding::Or};
}

Written writtenClause(const FilterClause& clause)
{
    std::vector<Written> parts;
    for (const FilterRule& rule : clause)
        if (Written part = writtenText(rule, FilterRule::Missing::Written); !part.text.isEmpty())
            parts.push_back(std::move(part));
    if (parts.size() <= 1)
        return parts.empty() ? Written() : parts.front();
    QStringList texts;
    for (const Written& part : parts)
        texts.append(part.binding == Binding::And ? u'(' + part.text + u')' : part.text);
    return {texts.join(u" or "_s), Binding::Or};
}

class RuleReader
{
public:
    RuleReader(const FilterExpression& expression, const Element* table) : m_expression(expression), m_table(table)
    {
        if (auto tokens = tokensOf(expression.text()))
            m_tokens = std::move(*tokens);
    }

    FilterClauses clauses() const
    {
        const Node& root = m_expression.root();
        FilterClauses found;
        if (root.kind != NodeKind::And) {
            found.push_back(clause(root));
            return found;
        }
        for (const auto& child : root.children)
            found.push_back(clause(*child));
        joinEnds(found);
        return found;
    }

private:
    QString span(const Node& node) const
    {
        const Index first = withParentheses(node);
        const auto from = static_cast<std::size_t>(first);
        return toQString(std::string_view(m_expression.text()).substr(from, static_cast<std::size_t>(node.end - first)));
    }

    // As it was written.
    QString numeral(const Node& node) const
    {
        const auto from = static_cast<std::size_t>(node.offset);
        return toQString(std::string_view(m_expression.text()).substr(from, static_cast<std::size_t>(node.end) - from));
    }

    // A node begins within the parentheses around its first value: where they were opened.
    Index withParentheses(const Node& node) const
    {
        int open = 0;
        auto token = m_tokens.begin();
        for (auto each = m_tokens.begin(); each != m_tokens.end(); ++each) {
            if (each->offset < node.offset)
                token = each + 1;
            if (each->offset < node.offset || each->end > node.end || each->kind != TokenKind::Symbol)
                continue;
            open += each->text == "(" ? 1 : each->text == ")" ? -1 : 0;
        }
        Index first = node.offset;
        for (; open < 0 && token != m_tokens.begin(); ++open)
            first = (--token)->offset;
        return first;
    }

    FilterRule other(const Node& node) const
    {
        FilterRule rule;
        rule.expression = span(node);
        return rule;
    }

    FilterClause clause(const Node& node) const
    {
        if (node.kind != NodeKind::Or)
            return {rule(node)};
        FilterClause rules;
        for (const auto& child : node.children) {
            if (child->kind == NodeKind::Or)
                for (const FilterRule& inner : clause(*child))
                    rules.push_back(inner);
            else if (!rules.empty() && keeps(*child, rules.back()))
                rules.back().keepsMissing = true;
            else
                rules.push_back(rule(*child));
        }
        return rules;
    }

    // Whether it says "or is missing" of what the rule before speaks of.
    bool keeps(const Node& node, const FilterRule& before) const
    {
        if (node.kind != NodeKind::IsMissing || node.negated || before.keepsMissing)
            return false;
        FilterRule both = before;
        both.keepsMissing = true;
        if (both.isOpen())
            return false; // true of every row: that is no rule of this kind
        const Node& asked = *node.children.front();
        if (before.kind == FilterRule::Kind::Other)
            return span(asked) == (before.negated ? u"not ("_s + before.expression + u')' : before.expression);
        return before.kind != FilterRule::Kind::Selection && subjectOf(asked) == before.subject;
    }

    const Element* columnOf(const RuleSubject& subject) const
    {
        return subject.kind == RuleSubject::Kind::Column && m_table != nullptr
            ? m_table->child(toStdString(subject.name))
            : nullptr;
    }

    static RuleSubject subjectOf(const Node& node)
    {
        RuleSubject subject;
        subject.name = toQString(node.text);
        subject.more = toQString(node.more);
        switch (node.kind) {
        case NodeKind::Column: subject.kind = RuleSubject::Kind::Column; break;
        case NodeKind::RowName: subject.kind = RuleSubject::Kind::Name; break;
        case NodeKind::Gene: subject.kind = RuleSubject::Kind::Gene; break;
        case NodeKind::Raw: subject.kind = RuleSubject::Kind::Raw; break;
        case NodeKind::Layer: subject.kind = RuleSubject::Kind::Layer; break;
        case NodeKind::Obsm:
            subject.kind = RuleSubject::Kind::Obsm;
            subject.numbered = !node.hasText;
            if (subject.numbered)
                subject.name = QString::number(std::get<std::int64_t>(node.number));
            break;
        default: return {};
        }
        return subject;
    }

    // The kind of card its subject has; Other where it has none.
    FilterRule::Kind kindOf(const RuleSubject& subject) const
    {
        switch (subject.kind) {
        case RuleSubject::Kind::None: return FilterRule::Kind::Other;
        case RuleSubject::Kind::Name: return FilterRule::Kind::Names;
        case RuleSubject::Kind::Column: {
            const Element* column = columnOf(subject);
            return column == nullptr ? FilterRule::Kind::Other : ruleKindOf(*column);
        }
        default: return FilterRule::Kind::Range;
        }
    }

    FilterRule started(const Node& node) const
    {
        FilterRule rule;
        rule.subject = subjectOf(node);
        rule.kind = kindOf(rule.subject);
        if (const Element* column = columnOf(rule.subject))
            rule.literal = literalOf(*column);
        return rule;
    }

    std::optional<RuleBound> bound(const Node& node, bool included) const
    {
        if (node.kind != NodeKind::Number)
            return std::nullopt;
        return RuleBound{numeral(node), std::visit([](auto n) { return static_cast<double>(n); }, node.number), included};
    }

    bool takeValue(const Node& node, FilterRule& rule) const
    {
        const RuleLiteral literal = node.kind == NodeKind::Text ? RuleLiteral::Text
            : node.kind == NodeKind::Number                     ? RuleLiteral::Number
                                                                : RuleLiteral::Boolean;
        if (node.kind != NodeKind::Text && node.kind != NodeKind::Number && node.kind != NodeKind::Boolean)
            return false;
        rule.values.append(node.kind == NodeKind::Text ? toQString(node.text) : numeral(node));
        return literal == rule.literal;
    }

    static void tidyBoolean(FilterRule& rule)
    {
        if (rule.kind != FilterRule::Kind::Categories || rule.literal != RuleLiteral::Boolean
            || rule.values != QStringList{u"false"_s})
            return;
        rule.values = QStringList{u"true"_s};
        rule.negated = !rule.negated;
    }

    FilterRule rule(const Node& node) const
    {
        FilterRule found = plain(node);
        tidyBoolean(found);
        return found;
    }

    FilterRule plain(const Node& node) const
    {
        switch (node.kind) {
        case NodeKind::Not: {
            FilterRule inner = rule(*node.children.front());
            inner.negated = !inner.negated;
            return inner;
        }
        case NodeKind::Or:
        case NodeKind::And: return other(node);
        case NodeKind::Selection: {
            FilterRule rule;
            rule.kind = FilterRule::Kind::Selection;
            rule.name = toQString(node.text);
            return rule;
        }
        case NodeKind::Column: {
            FilterRule rule = started(node);
            if (rule.kind != FilterRule::Kind::Categories || rule.literal != RuleLiteral::Boolean)
                return other(node);
            rule.values = QStringList{u"true"_s};
            return rule;
        }
        case NodeKind::Compare: return compared(node);
        case NodeKind::Between: {
            FilterRule rule = started(*node.children[0]);
            rule.low = bound(*node.children[1], true);
            rule.high = bound(*node.children[2], true);
            rule.negated = node.negated;
            return rule.kind == FilterRule::Kind::Range && rule.low && rule.high ? rule : other(node);
        }
        case NodeKind::InList: {
            FilterRule rule = started(*node.children[0]);
            rule.negated = node.negated;
            bool fits = rule.kind == FilterRule::Kind::Categories || rule.kind == FilterRule::Kind::Names;
            for (std::size_t i = 1; i < node.children.size(); ++i)
                fits = takeValue(*node.children[i], rule) && fits;
            return fits ? rule : other(node);
        }
        case NodeKind::InFile: {
            FilterRule rule = started(*node.children[0]);
            const bool fits = rule.kind == FilterRule::Kind::Categories || rule.kind == FilterRule::Kind::Names;
            rule.kind = FilterRule::Kind::File;
            rule.name = toQString(node.text);
            rule.negated = node.negated;
            return fits ? rule : other(node);
        }
        case NodeKind::IsMissing: {
            FilterRule rule = started(*node.children[0]);
            if (rule.kind != FilterRule::Kind::Categories && (rule.kind != FilterRule::Kind::Range || !node.negated))
                return other(node);
            rule.negated = rule.kind == FilterRule::Kind::Categories && node.negated;
            rule.keepsMissing = !node.negated;
            return rule;
        }
        default: return other(node);
        }
    }

    FilterRule compared(const Node& node) const
    {
        FilterRule rule = started(*node.children[0]);
        const query::Comparison sign = node.comparison;
        const bool equals = sign == query::Comparison::Equal || sign == query::Comparison::NotEqual;
        if (rule.kind == FilterRule::Kind::Categories || rule.kind == FilterRule::Kind::Names) {
            rule.negated = sign == query::Comparison::NotEqual;
            return equals && takeValue(*node.children[1], rule) ? rule : other(node);
        }
        if (rule.kind != FilterRule::Kind::Range)
            return other(node);
        const bool included = equals || sign == query::Comparison::LessEqual || sign == query::Comparison::GreaterEqual;
        const auto end = bound(*node.children[1], included);
        if (!end)
            return other(node);
        rule.negated = sign == query::Comparison::NotEqual;
        if (equals || sign == query::Comparison::Greater || sign == query::Comparison::GreaterEqual)
            rule.low = end;
        if (equals || sign == query::Comparison::Less || sign == query::Comparison::LessEqual)
            rule.high = end;
        return rule;
    }

    // x > 5 and x <= 9 is one range.
    static void joinEnds(FilterClauses& clauses)
    {
        const auto half = [](const FilterClause& clause) {
            return clause.size() == 1 && clause.front().kind == FilterRule::Kind::Range && !clause.front().negated
                && clause.front().low.has_value() != clause.front().high.has_value();
        };
        for (std::size_t i = 0; i + 1 < clauses.size(); ++i) {
            if (!half(clauses[i]) || !half(clauses[i + 1]))
                continue;
            FilterRule& first = clauses[i].front();
            const FilterRule& second = clauses[i + 1].front();
            if (!(first.subject == second.subject) || first.keepsMissing != second.keepsMissing
                || first.low.has_value() == second.low.has_value())
                continue;
            (second.low ? first.low : first.high) = second.low ? second.low : second.high;
            clauses.erase(clauses.begin() + static_cast<std::ptrdiff_t>(i + 1));
        }
    }

    const FilterExpression& m_expression;
    const Element* m_table;
    std::vector<Token> m_tokens;
};

bool aggregates(const Node& node)
{
    return node.kind == NodeKind::Aggregate
        || std::any_of(node.children.begin(), node.children.end(), [](const auto& child) { return aggregates(*child); });
}

QString rangeWords(const FilterRule& rule)
{
    const auto shown = [](const RuleBound& bound) {
        return numberText(bound.value, 6) == bound.text ? bound.text : numberText(bound.value, 6);
    };
    QString words = u"any value"_s;
    if (rule.low && rule.high)
        words = rule.low->text == rule.high->text ? shown(*rule.low) : shown(*rule.low) + u" to "_s + shown(*rule.high);
    else if (rule.low)
        words = (rule.low->included ? u"≥ "_s : u"> "_s) + shown(*rule.low);
    else if (rule.high)
        words = (rule.high->included ? u"≤ "_s : u"< "_s) + shown(*rule.high);
    return rule.negated ? u"not "_s + words : words;
}

} // namespace

QString RuleSubject::text() const
{
    switch (kind) {
    case Kind::None: return {};
    case Kind::Column: return columnWritten(name);
    case Kind::Name: return u"name"_s;
    case Kind::Gene: return u"gene("_s + quoted(name) + u')';
    case Kind::Raw: return u"raw("_s + quoted(name) + u')';
    case Kind::Layer: return u"layer("_s + quoted(more) + u", "_s + quoted(name) + u')';
    case Kind::Obsm: return u"obsm("_s + quoted(more) + u", "_s + (numbered ? name : quoted(name)) + u')';
    }
    return {};
}

RuleBound RuleBound::of(double value, bool included)
{
    if (value == std::floor(value) && std::abs(value) < 1e15)
        return {QString::number(static_cast<qint64>(value)), value, included};
    return {QString::number(value, 'g', QLocale::FloatingPointShortest), value, included};
}

bool FilterRule::isOpen() const
{
    switch (kind) {
    case Kind::Categories: return values.isEmpty() && negated && keepsMissing;
    case Kind::Range: return !low && !high && keepsMissing && !negated;
    case Kind::Names: return values.isEmpty();
    case Kind::File:
    case Kind::Selection: return name.isEmpty();
    case Kind::Other: return expression.isEmpty();
    }
    return true;
}

QString FilterRule::text(Missing missing) const
{
    return writtenText(*this, missing).text;
}

QString FilterRule::words(qsizetype categories) const
{
    switch (kind) {
    case Kind::Categories:
        if (isOpen())
            return u"all"_s;
        if (values.isEmpty())
            return negated ? u"not missing"_s : keepsMissing ? u"missing"_s : u"none"_s;
        if (values.size() == 1 && literal != RuleLiteral::Boolean)
            return negated ? u"not "_s + values.front() : values.front();
        if (values.size() == 1)
            return (values.front() == "true"_L1) != negated ? u"true"_s : u"false"_s;
        if (categories >= values.size())
            return u"%1 of %2"_s.arg(countText(Index{negated ? categories - values.size() : values.size()}),
                                     countText(Index{categories}));
        return negated ? u"without %1"_s.arg(countText(Index{values.size()}))
                       : u"%1 chosen"_s.arg(countText(Index{values.size()}));
    case Kind::Range: return isOpen() ? u"any value"_s : rangeWords(*this);
    case Kind::Names:
        return (negated ? u"without "_s : QString()) + countedText(Index{values.size()}, u"name"_s, u"names"_s);
    case Kind::File: return (negated ? u"not in "_s : u"in "_s) + QFileInfo(name).fileName();
    case Kind::Selection: return negated ? u"taken out"_s : u"only these"_s;
    case Kind::Other: return negated ? u"taken out"_s : QString();
    }
    return {};
}

FilterClauses clausesOf(const QString& expression, const Element* table)
{
    const auto parsed = FilterExpression::parse(toStdString(expression));
    if (!parsed)
        return {};
    // Figures over the rows at hand would be others if the parts stood apart.
    if (aggregates(parsed->root())) {
        FilterRule whole;
        whole.expression = expression.trimmed();
        return {{whole}};
    }
    return RuleReader(*parsed, table).clauses();
}

QString textOf(const FilterClauses& clauses)
{
    std::vector<Written> parts;
    for (const FilterClause& clause : clauses)
        if (Written part = writtenClause(clause); !part.text.isEmpty())
            parts.push_back(std::move(part));
    if (parts.size() == 1)
        return parts.front().text;
    QStringList texts;
    for (const Written& part : parts)
        texts.append(within(part, Binding::And));
    return texts.join(u" and "_s);
}

bool hasAggregate(const QString& expression)
{
    const auto parsed = FilterExpression::parse(toStdString(expression));
    return parsed && aggregates(parsed->root());
}

// Of rules that ask for the missing themselves nothing is unknown.
FilterClauses keepingMissing(FilterClauses clauses)
{
    for (FilterClause& clause : clauses)
        for (FilterRule& rule : clause) {
            const bool asks = (rule.kind == FilterRule::Kind::Categories && rule.values.isEmpty())
                || (rule.kind == FilterRule::Kind::Range && !rule.low && !rule.high);
            rule.keepsMissing = rule.keepsMissing || !asks;
        }
    return clauses;
}

QString keepingMissing(const QString& expression, const Element* table)
{
    return textOf(keepingMissing(clausesOf(expression, table)));
}

QString joinedByAnd(const QStringList& expressions)
{
    if (expressions.size() == 1)
        return expressions.front();
    QStringList texts;
    for (const QString& expression : expressions)
        texts.append(within({expression, bindingOf(expression)}, Binding::And));
    return texts.join(u" and "_s);
}

} // namespace cellfolio
