// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/impute/sinkhorn.h"
#include "core/impute/tile_stream.h"

#include <memory>
#include <span>
#include <vector>

namespace cellfolio::impute {

// A plan whose weights are handed out block by block, wherever they come from: rows of any order
// and number, columns from first to last. begin() and load() are called by one thread; between them
// weights() may be called by many.
template <typename Real>
class PlanSource
{
public:
    virtual ~PlanSource() = default;
    virtual Index rows() const = 0;
    virtual Index columns() const = 0;
    // Bytes that a row of a block takes beside what the caller holds.
    virtual Index bytesPerRow() const { return 0; }
    // The rows of the next block, by their numbers in the plan.
    virtual Result<void> begin(std::span<const Index> rows, const Running& running) = 0;
    // The columns that weights() will be asked for next.
    virtual Result<void> load(Index firstColumn, Index columns, const Running& running) = 0;
    // Weights of rows first … of the block in the loaded columns; their sums are added to rowSum.
    virtual void weights(Index first, const Tile<Real>& tile, double* rowSum) const = 0;
    // Sums of the columns of the plan: of all its rows.
    virtual Result<std::vector<double>> columnSums(const Running& running) = 0;
};

// What was solved for one group of spatial cells: all of them, or those of a batch.
template <typename Real>
struct SolvedPart {
    std::vector<Index> rows; // numbers of its cells among all; ascending
    Potentials potentials;   // f one of these rows, g one a reference cell
    InnerCost<Real> cost;
    std::vector<double> rowSums; // of the plan
};

// Rows whose weight is 0 have no potential: their weights are 0, or those of softmax, which are
// defined for every row.
enum class DeadRows { Zero, Softmax };

// The plan behind potentials, rebuilt tile by tile. Borrows the parts.
template <typename Real>
Result<std::unique_ptr<PlanSource<Real>>> planOfPotentials(const std::vector<SolvedPart<Real>>& parts,
                                                           Index rows, DeadRows dead,
                                                           const Running& running);

} // namespace cellfolio::impute
