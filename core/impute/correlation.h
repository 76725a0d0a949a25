// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"

#include <span>
#include <vector>

namespace cellfolio::impute {

// How well one gene is predicted, over cells. NaN where it is not
// defined: one side does not vary, or holds what is no finite number (then rmse too).
struct Agreement {
    double pearson = 0;
    double spearman = 0; // of average ranks
    double rmse = 0;
};
Agreement agreementOf(std::span<const double> predicted, std::span<const double> measured);

// NaN when a side is constant to rounding.
double pearson(std::span<const double> x, std::span<const double> y);
// Ranks from 1; equal values share the mean of theirs.
std::vector<double> averageRanks(std::span<const double> values);

// Over the values that are numbers.
struct Spread {
    double mean = 0;
    double median = 0;
    double lowerQuartile = 0;
    double upperQuartile = 0;
    Index count = 0; // numbers
};
Spread spreadOf(std::vector<double> values);

} // namespace cellfolio::impute
