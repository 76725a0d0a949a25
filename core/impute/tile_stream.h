// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/impute/inner_cost.h"
#include "core/impute/tile_math.h"

#include <span>
#include <vector>

namespace cellfolio::impute {

// Passes over a cost that hold one tile a thread and never the matrix. The plan behind potentials
// f, g (against the counting measure; -infinity: a point without weight) is
//     P_ij = exp((f_i + g_j - C_ij) / epsilon).
// Each block of rows belongs to one thread, which walks the columns in order, so the bits of a
// result do not depend on the number of threads.
constexpr Index kRowTile = 256;
constexpr Index kColumnTile = 512;

// L_i = log sum_j exp((g_j - C_ij) / epsilon), one a row of the side; -infinity where no g is
// finite. For a side by columns, `g` is f and the answer one a column.
template <typename Real>
Result<std::vector<double>> logSumExp(const CostSide<Real>& side, std::span<const double> g,
                                      double epsilon, const Running& running);

// Weights of the plan, tile by tile.
template <typename Real>
class PlanTiles
{
public:
    PlanTiles(const CostSide<Real>& side, std::span<const double> f, std::span<const double> g,
              double epsilon);

    // P[firstRow …, firstColumn …] into the tile; sums of its rows are added to rowSum unless null.
    // Thread-safe.
    void weights(Index firstRow, Index firstColumn, const Tile<Real>& tile, double* rowSum) const;
    // The same for rows of any order, one a row of the tile.
    void weights(std::span<const Index> rows, Index firstColumn, const Tile<Real>& tile,
                 double* rowSum) const;

private:
    CostSide<Real> m_side;
    double m_epsilon;
    std::vector<Real> m_rowShift;
    std::vector<Real> m_columnShift;
    std::vector<Real> m_rowTerm; // of a root
    std::vector<Real> m_columnTerm;
};

// A dense matrix in memory, row-major and without gaps.
template <typename Real>
struct Matrix {
    Index rows = 0;
    Index columns = 0;
    std::vector<Real> values;
};

template <typename Real>
struct Applied {
    Matrix<Real> product;       // P X
    std::vector<double> rowSum; // of P
};

// P X for a plan that exists only as potentials; x has a row for each column of the side.
template <typename Real>
Result<Applied<Real>> applyPlan(const CostSide<Real>& side, std::span<const double> f,
                                std::span<const double> g, double epsilon, const Matrix<Real>& x,
                                const Running& running);

// Rows of P divided by their sums, times X, from g alone: neither f nor row weights are needed, so
// it also serves rows of no mass and points that the solver never saw.
template <typename Real>
Result<Matrix<Real>> softmaxApply(const CostSide<Real>& side, std::span<const double> g,
                                  double epsilon, const Matrix<Real>& x, const Running& running);

// f_i = -epsilon · L_i: with it the rows of the plan sum to 1.
std::vector<double> softmaxPotentials(std::span<const double> logSums, double epsilon);

struct CostSummary {
    double mean = 0;
    double meanSquare = 0;
    double largest = 0; // by magnitude
};
// Of all entries of a cost, by one pass.
template <typename Real>
Result<CostSummary> summarise(const CostSide<Real>& side, const Running& running);

// C[firstRow …, firstColumn …] · factor into a tile, without the terms of rows and columns unless
// it is a root.
template <typename Real>
void costTile(const CostSide<Real>& side, Index firstRow, Index firstColumn, double factor,
              const Real* rowTerm, const Real* columnTerm, const Tile<Real>& tile);

} // namespace cellfolio::impute
