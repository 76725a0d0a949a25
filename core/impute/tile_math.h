// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"

namespace cellfolio::impute {

// Widest vectors of any machine divide this: tiles are padded to it.
constexpr Index kTilePad = 64;

// A tile of exponents or weights, row-major. `stride` >= columns rounded up to kTilePad; what lies
// between is scratch.
template <typename Real>
struct Tile {
    Real* values = nullptr;
    Index rows = 0;
    Index columns = 0;
    Index stride = 0;
};

// The arithmetic of tiles, compiled for the vectors of several processors and chosen when the
// program runs. Sums within a row of a tile are formed in Real, everything across tiles in double.

// Takes the tile into running log-sum-exps, one a row: adds columnShift to every row, raises
// top[row] to the largest value met, and makes sum[row] that of exp(value - top[row]) over all
// tiles so far. Start with top = -infinity, sum = 0; rows of nothing but -infinity keep sum 0.
void addToLogSumExp(const Tile<float>& tile, const float* columnShift, float* top, double* sum);
void addToLogSumExp(const Tile<double>& tile, const double* columnShift, double* top, double* sum);

// Replaces each value by exp(value + rowShift + columnShift) and adds the sum of each row to
// rowSum, unless that is null.
void exponentiate(const Tile<float>& tile, const float* rowShift, const float* columnShift,
                  double* rowSum);
void exponentiate(const Tile<double>& tile, const double* rowShift, const double* columnShift,
                  double* rowSum);

// Replaces each value by factor · sqrt(max(value + rowTerm + columnTerm, 0)).
void takeRoots(const Tile<float>& tile, const float* rowTerm, const float* columnTerm, float factor);
void takeRoots(const Tile<double>& tile, const double* rowTerm, const double* columnTerm,
               double factor);

// "AVX3" …: what was chosen, for logs and benchmarks.
const char* vectorTarget();

} // namespace cellfolio::impute
