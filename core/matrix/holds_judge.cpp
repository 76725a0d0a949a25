// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/holds_judge.h"

#include <algorithm>
#include <cmath>

namespace cellfolio {

namespace {

// Largest log1p of a count anyone has: above, expm1 says nothing.
constexpr double kLargestLog = 30;

double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// The total that undoing log1p gives for at least nine of ten complete cells, or none.
std::optional<double> commonTotal(const HoldsSample& sample)
{
    std::vector<double> totals;
    for (const HoldsSample::Cell& cell : sample.cells) {
        if (!cell.complete || cell.values.empty())
            continue;
        double total = 0;
        for (const double value : cell.values)
            total += std::expm1(value);
        totals.push_back(total);
    }
    if (totals.size() < 3)
        return std::nullopt;
    const double centre = median(totals);
    const auto near = std::count_if(totals.begin(), totals.end(), [centre](double total) {
        return std::abs(total - centre) <= 0.01 * centre;
    });
    if (static_cast<double>(near) < 0.9 * static_cast<double>(totals.size()))
        return std::nullopt;
    // As people write it: the shortest number that is as near as rounding could have moved it.
    const double first = std::pow(10.0, std::floor(std::log10(centre)));
    for (double scale = 1; scale <= 1e5; scale *= 10) {
        const double round = std::round(centre / first * scale) / scale * first;
        if (std::abs(round - centre) <= 1e-4 * centre)
            return round;
    }
    return centre;
}

// Half a step of the finest decimals that all values are rounded to; 0 when they are not.
double roundingOf(const HoldsSample& sample)
{
    for (const double step : {1e-1, 1e-2, 1e-3, 1e-4}) {
        bool rounded = true;
        for (const HoldsSample::Cell& cell : sample.cells)
            for (const double value : cell.values) {
                const double off = std::abs(value / step - std::round(value / step)) * step;
                rounded = rounded && off <= 2e-6 * std::max(1.0, value);
            }
        if (rounded)
            return step / 2;
    }
    return 0;
}

// Whether undoing log1p gives multiples of one unit in nearly every cell.
bool hasUnits(const HoldsSample& sample)
{
    const double rounding = roundingOf(sample);
    // How far off a value may be: single precision on the way, or rounding to decimals.
    const auto error = [rounding](double value) {
        return std::max(rounding, 4e-7 * std::max(1.0, value));
    };
    Index told = 0;    // values that could have failed
    Index whole = 0;   // those that are a multiple
    double chance = 0; // of them, were values anything
    for (const HoldsSample::Cell& cell : sample.cells) {
        std::vector<double> values = cell.values;
        std::sort(values.begin(), values.end());
        values.erase(std::unique(values.begin(), values.end()), values.end());
        if (values.size() < 2)
            continue;
        // d(expm1 v) = exp(v) dv; relative: (1 + 1 / expm1 v) dv.
        const auto relative = [&error](double value) {
            return (1 + 1 / std::expm1(value)) * error(value);
        };
        const double unit = std::expm1(values.front());
        for (const double value : values) {
            const double ratio = std::expm1(value) / unit;
            const double tolerance = 1.5 * ratio * (relative(value) + relative(values.front()));
            if (ratio < 1.5 - tolerance || tolerance > 0.2)
                continue;
            ++told;
            chance += 2 * tolerance;
            if (std::abs(ratio - std::round(ratio)) <= tolerance)
                ++whole;
        }
    }
    const auto n = static_cast<double>(told);
    return told >= 10 && static_cast<double>(whole) >= 0.9 * n && chance <= 0.5 * n;
}

bool isCentred(const HoldsSample& sample)
{
    if (sample.columnMeans.empty())
        return false;
    double squares = 0;
    for (const double mean : sample.columnMeans)
        squares += mean * mean;
    const double offset = std::sqrt(squares / static_cast<double>(sample.columnMeans.size()));
    const double spread = median(sample.columnDeviations);
    return offset <= 0.5 && spread >= 0.4 && spread <= 1.6;
}

} // namespace

HoldsResult judge(const HoldsSample& sample)
{
    HoldsResult result;
    if (!sample.anyNonZero)
        return result;
    result.holds = Holds::Other;
    if (sample.negative) {
        if (isCentred(sample))
            result.holds = Holds::Scaled;
        return result;
    }
    if (sample.infinite)
        return result;
    if (!sample.fraction) {
        result.holds = Holds::Counts;
        return result;
    }
    for (const HoldsSample::Cell& cell : sample.cells)
        for (const double value : cell.values)
            if (value > kLargestLog)
                return result;
    result.total = commonTotal(sample);
    if (result.total || hasUnits(sample))
        result.holds = Holds::Log1p;
    return result;
}

} // namespace cellfolio
