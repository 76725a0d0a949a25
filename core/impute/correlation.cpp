// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/correlation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace cellfolio::impute {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double meanOf(std::span<const double> values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double lengthOf(std::span<const double> values)
{
    double sum = 0;
    for (double value : values)
        sum += value * value;
    return std::sqrt(sum);
}

// Linear between neighbours, as NumPy.
double quantile(const std::vector<double>& sorted, double share)
{
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

} // namespace

double pearson(std::span<const double> x, std::span<const double> y)
{
    if (x.empty())
        return kNaN;
    const double meanX = meanOf(x);
    const double meanY = meanOf(y);
    double both = 0;
    double squareX = 0;
    double squareY = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        both += (x[i] - meanX) * (y[i] - meanY);
        squareX += (x[i] - meanX) * (x[i] - meanX);
        squareY += (y[i] - meanY) * (y[i] - meanY);
    }
    const double spread = std::sqrt(squareX) * std::sqrt(squareY);
    if (!(spread > 1e-13 * std::max(lengthOf(x) * lengthOf(y), 1e-300)))
        return kNaN;
    return both / spread;
}

std::vector<double> averageRanks(std::span<const double> values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [values](std::size_t x, std::size_t y) { return values[x] < values[y]; });
    std::vector<double> ranks(values.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t end = first + 1;
        while (end < order.size() && values[order[end]] == values[order[first]])
            ++end;
        const double rank = static_cast<double>(first + end + 1) / 2;
        for (std::size_t k = first; k < end; ++k)
            ranks[order[k]] = rank;
        first = end;
    }
    return ranks;
}

Agreement agreementOf(std::span<const double> predicted, std::span<const double> measured)
{
    const auto isNumber = [](double value) { return std::isfinite(value); };
    if (!std::all_of(predicted.begin(), predicted.end(), isNumber)
        || !std::all_of(measured.begin(), measured.end(), isNumber))
        return {kNaN, kNaN, kNaN};
    Agreement agreement;
    agreement.pearson = pearson(predicted, measured);
    agreement.spearman = pearson(averageRanks(predicted), averageRanks(measured));
    double squares = 0;
    for (std::size_t i = 0; i < predicted.size(); ++i)
        squares += (predicted[i] - measured[i]) * (predicted[i] - measured[i]);
    agreement.rmse = predicted.empty()
                       ? kNaN
                       : std::sqrt(squares / static_cast<double>(predicted.size()));
    return agreement;
}

Spread spreadOf(std::vector<double> values)
{
    std::erase_if(values, [](double value) { return std::isnan(value); });
    Spread spread{kNaN, kNaN, kNaN, kNaN, static_cast<Index>(values.size())};
    if (values.empty())
        return spread;
    std::sort(values.begin(), values.end());
    spread.mean = meanOf(values);
    spread.median = quantile(values, 0.5);
    spread.lowerQuartile = quantile(values, 0.25);
    spread.upperQuartile = quantile(values, 0.75);
    return spread;
}

} // namespace cellfolio::impute
