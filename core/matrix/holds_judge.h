// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/holds.h"

#include <vector>

namespace cellfolio {

// Values of some cells of a matrix, and what they say together.
struct HoldsSample {
    struct Cell {
        std::vector<double> values; // finite ones that differ from zero
        bool complete = true;       // all of the cell's
    };
    std::vector<Cell> cells;
    bool anyNonZero = false;
    bool negative = false;
    bool fraction = false;
    bool infinite = false;
    // Means and standard deviations of some columns over the sampled rows, constant columns left
    // out; looked at when there are negative values.
    std::vector<double> columnMeans;
    std::vector<double> columnDeviations;
};

// Decides, without reading anything:
// - counts: whole and not negative.
// - log1p: not negative, and undoing it gives the same total for nearly every complete cell
//   (within 1 %, which also carries values rounded for a small file); or, where genes were left
//   out since and totals are gone, undoing it gives multiples of one unit within nearly every
//   cell, as counts scaled cell by cell are. Only the first tells the total.
// - scaled: negative values are there, and columns are about centred with a spread of about one.
// - other: none of it. Unknown: nothing but zeros was seen.
HoldsResult judge(const HoldsSample& sample);

} // namespace cellfolio
