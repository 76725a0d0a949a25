// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/anndata/element.h"

#include <QtCore/QString>
#include <QtCore/QStringList>

#include <optional>
#include <vector>

namespace cellfolio {

// Filter expressions (CLI.md §2.4) as cards show them: a step is clauses joined by "and", a clause
// is rules joined by "or", and a rule says one thing of one column or gene. Reading and writing are
// inverse up to spelling, so that a card is the expression and nothing besides it. Values; pure.

// What a rule speaks of.
struct RuleSubject {
    enum class Kind { None, Column, Name, Gene, Raw, Layer, Obsm };
    Kind kind = Kind::None;
    QString name;    // of the column, of the gene; of Obsm: its column, by name or number
    QString more;    // of Layer: the layer; of Obsm: the key
    bool numbered = false; // of Obsm

    bool operator==(const RuleSubject&) const = default;
    bool isOfMatrix() const { return kind == Kind::Gene || kind == Kind::Raw || kind == Kind::Layer; }
    // As an expression names it: n_genes, `odd name`, gene("CD3E").
    QString text() const;
    // As people call it: n_genes, CD3E.
    QString shown() const { return kind == Kind::Name ? QStringLiteral("name") : name; }
};

// How the values of a rule are written.
enum class RuleLiteral { Text, Number, Boolean };

// One end of a range.
struct RuleBound {
    QString text; // as it was written: to the last digit
    double value = 0;
    bool included = true;

    bool operator==(const RuleBound&) const = default;
    static RuleBound of(double value, bool included = true);
};

struct FilterRule {
    enum class Kind {
        Categories, // one of `values` of a column with categories or booleans
        Range,      // from `low` to `high`, each of which may be open
        Names,      // one of `values` of a column of text, or of the names
        File,       // one of those in the file `name`
        Selection,  // in the kept view `name`
        Other,      // `expression`, which no card can show
    };
    Kind kind = Kind::Other;
    RuleSubject subject;
    bool negated = false;     // what it describes is taken out
    bool keepsMissing = false; // rows without a value stay, negated or not
    RuleLiteral literal = RuleLiteral::Text;
    QStringList values;
    std::optional<RuleBound> low;
    std::optional<RuleBound> high;
    QString name;
    QString expression;

    bool operator==(const FilterRule&) const = default;
    // Whether it says nothing: every row passes.
    bool isOpen() const;
    // The expression. Empty where it is open. WithoutMissing: as if keepsMissing were off, for a
    // step that keeps them by itself.
    enum class Missing { Written, Left };
    QString text(Missing missing = Missing::Written) const;
    // In a few words: "9 of 10" needs the number of categories (0: not known), "≤ 0.025".
    QString words(qsizetype categories = 0) const;
};

using FilterClause = std::vector<FilterRule>; // joined by "or"; never empty
using FilterClauses = std::vector<FilterClause>; // joined by "and"

// More categories than this are not listed: a column of barcodes may be stored as categories.
inline constexpr Index kMostRuleCategories = 100'000;

// Which kind of card suits a column; Other: none does.
FilterRule::Kind ruleKindOf(const Element& column);
RuleLiteral literalOf(const Element& column);

// What an expression over `table` (obs or var of the dataset) says. What is no rule of the others
// is one of Kind::Other, so that no part is lost. Empty where it cannot be read at all.
FilterClauses clausesOf(const QString& expression, const Element* table);
// The expression of clauses, open rules left out; empty where all are open.
QString textOf(const FilterClauses& clauses);
// Whether it speaks of all rows at hand (mean, quantile …): then it means another thing behind
// another step.
bool hasAggregate(const QString& expression);
// The same clauses, each rule of which keeps the rows for which it is unknown.
FilterClauses keepingMissing(FilterClauses clauses);
// The expression that also keeps the rows for which `expression` is unknown; empty where all rows
// pass. Requires one that can be read.
QString keepingMissing(const QString& expression, const Element* table);
// Joins expressions by "and", in parentheses where they need them.
QString joinedByAnd(const QStringList& expressions);

} // namespace cellfolio
