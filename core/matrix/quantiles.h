// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/dtype.h"
#include "core/base/result.h"
#include "core/matrix/value_stream.h"

#include <utility>
#include <vector>

namespace cellfolio {

// Probability and value, linear between neighbours as NumPy's default.
using Quantiles = std::vector<std::pair<double, double>>;

// Exact quantiles of all values of a stream that are not NaN, `zeros` unstored zeros included;
// `numbers` is how many that are. Values are narrowed down digit by digit of a key that sorts like
// them: one pass over the stream a digit, and memory that depends on the number of quantiles only.
Result<Quantiles> streamQuantiles(const ValueStream& stream, Index numbers, Index zeros,
                                  const std::vector<double>& probabilities, MemoryBudget& budget,
                                  std::stop_token stop);

// The same of values in memory, which are reordered; NaN must be gone.
Quantiles sortedQuantiles(std::vector<double>& values, Index zeros,
                          const std::vector<double>& probabilities);

// Between two neighbours as NumPy does it, to the last bit.
double between(double low, double high, double share) noexcept;

} // namespace cellfolio
