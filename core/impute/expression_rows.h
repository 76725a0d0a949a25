// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/matrix/holds.h"
#include "core/select/selection.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio::impute {

// What is done to the values of a matrix while they are read; the file is never changed.
enum class Normalize {
    Auto,  // whole counts as Log1p, anything else as it is
    Log1p, // each cell brought to kCellTotal, then log(1 + x)
    None,
};
constexpr double kCellTotal = 1e4;

// Auto decided from a sample of the numbers themselves.
struct NormalizeChoice {
    bool log1p = false;
    HoldsResult holds;
};
Result<NormalizeChoice> chooseNormalize(Normalize wanted, const std::shared_ptr<const Dataset>& dataset,
                                        const Element& matrix,
                                        const std::shared_ptr<Reading>& reading,
                                        std::stop_token stop);

// Which part of which matrix, and how.
struct ExpressionRequest {
    std::shared_ptr<const Dataset> dataset;
    const Element* matrix = nullptr; // cells × genes
    Selection cells;
    Selection genes;
    bool log1p = false;
    // The genes over which a cell is brought to its total; none: all of the matrix. Over those that
    // two files share, panels of different breadth become comparable.
    std::optional<Selection> totalOver = {};
    std::filesystem::path scratch; // folder for a temporary file, where one is needed
};

// Rows of expression, dense, in the order of the chosen cells and genes. One caller at a time.
template <typename Real>
class ExpressionRows
{
public:
    virtual ~ExpressionRows() = default;
    virtual Index cells() const = 0;
    virtual Index genes() const = 0;
    // Cells first … first + count - 1, genes firstGene … firstGene + geneCount - 1, into rows
    // `stride` values apart. Corrupt where a value is no finite number, naming the cell.
    virtual Result<void> read(Index first, Index count, Index firstGene, Index geneCount, Real* into,
                              Index stride, std::stop_token stop) = 0;
    // Bytes it takes to hold all of it in memory, at most.
    virtual Index residentBytes() const = 0;
    // Bytes of its temporary file.
    virtual Index temporaryBytes() const { return 0; }
};

// Opens a matrix stored by cell or by gene. One that is stored by gene is first regrouped in a
// temporary file, once, within the budget.
template <typename Real>
Result<std::unique_ptr<ExpressionRows<Real>>> openExpression(const ExpressionRequest& request,
                                                             const std::shared_ptr<Reading>& reading,
                                                             std::stop_token stop);

// The same rows held in memory: sparse where that is smaller.
template <typename Real>
Result<std::unique_ptr<ExpressionRows<Real>>>
holdExpression(std::unique_ptr<ExpressionRows<Real>> rows, std::stop_token stop);

// A small dense matrix as rows of expression: labels and coordinates that are carried along.
template <typename Real>
std::unique_ptr<ExpressionRows<Real>> expressionOf(Index cells, Index columns,
                                                   std::vector<Real> values);

// The sum of each chosen cell over the genes of its total.
Result<std::vector<double>> cellTotals(const ExpressionRequest& request,
                                       const std::shared_ptr<Reading>& reading, std::stop_token stop);

} // namespace cellfolio::impute
