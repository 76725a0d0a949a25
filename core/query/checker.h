// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/query/filter.h"
#include "core/query/operand.h"
#include "core/query/syntax.h"
#include "core/query/test_nodes.h"

#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace cellfolio::query {

// Turns what was written into what is evaluated, against one table of one file. Used once.
class Checker
{
public:
    Checker(const FilterExpression& expression, const FilterContext& context);
    Result<std::shared_ptr<const CheckedFilter>> run();

private:
    Result<TestPointer> test(const Node& node);
    Result<Operand> value(const Node& node);
    Result<Operand> number(const Node& node); // a value that must be a number

    Result<TestPointer> junctionOf(const Node& node);
    Result<TestPointer> missing(const Node& node);
    Result<TestPointer> selection(const Node& node);
    Result<Operand> column(const Node& node);
    Result<Operand> columnOf(const Element& column, const Node& node);
    Result<Operand> rowName(const Node& node);
    Result<Operand> gene(const Node& node);
    Result<Operand> obsm(const Node& node);
    Result<Operand> matrixColumn(const std::shared_ptr<GeneSource>& source, Index column,
                                 const Node& node);
    Result<std::shared_ptr<GeneSource>> openMatrix(const Element& matrix, const Node& node) const;
    Result<Operand> calculation(const Node& node);
    Result<Operand> aggregate(const Node& node);

    // checker_compare.cpp
    Result<TestPointer> compare(const Node& node);
    Result<TestPointer> between(const Node& node);
    Result<TestPointer> inList(const Node& node);
    Result<TestPointer> inFile(const Node& node);
    Result<TestPointer> matches(const Node& node);
    Result<TestPointer> compared(Operand left, Comparison comparison, Operand right);
    Result<TestPointer> comparedCategory(const Operand& category, Comparison comparison,
                                         const Operand& literal);
    // The codes of all categories that equal the literal; NotFound with suggestions when none.
    Result<std::vector<Index>> codesOf(const Operand& category, const Operand& literal) const;

    // Finds all genes of the expression at once.
    Result<void> findAllGenes();
    void collectGenes(const Node& node);
    Result<const Element*> matrixOf(const Node& node) const;

    Error fault(ErrorCode code, const std::string& message, Index offset) const;
    Error mismatch(const Operand& left, const Operand& right) const;
    Error unknownColumn(const Node& node) const;
    Error unknownGene(const Node& node, const Element& var);
    Error ambiguousGene(const Node& node, const Element& var, const std::vector<Index>& rows,
                        Index count);
    bool isObs() const;
    Operand literal(const Node& node) const;
    Operand start(const Node& node, Operand::Type type) const;
    std::string written(const Node& node) const;

    const FilterExpression& m_expression;
    const FilterContext& m_context;
    std::shared_ptr<CheckedFilter> m_filter = std::make_shared<CheckedFilter>();
    struct FoundGene {
        std::shared_ptr<GeneSource> source;
        Index column = 0;
    };
    std::vector<const Node*> m_geneNodes;
    std::map<const Node*, FoundGene> m_genes;
    int m_aggregateDepth = 0; // aggregates around what is being checked
};

} // namespace cellfolio::query
