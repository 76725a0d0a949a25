// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/line_sums.h"

#include "core/base/text.h"
#include "core/matrix/digest.h"

#include <algorithm>
#include <cmath>

namespace cellfolio {

namespace {

// Σx² - (Σx)² / n, all of it with the bits of two doubles: the two nearly cancel where values lie
// far from zero.
double spread(const TwinSum& squares, const TwinSum& total, double n)
{
    const double square = total.high * total.high;
    const double squareLow = std::fma(total.high, total.high, -square) + 2 * total.high * total.low;
    const double share = square / n;
    const double shareLow = (std::fma(-share, n, square) + squareLow) / n;
    TwinSum difference = squares;
    difference.add(-share);
    return difference.high + (difference.low - shareLow);
}

Int128 wide(std::uint64_t bits, DType type)
{
    return type == DType::UInt64 ? static_cast<Int128>(bits)
                                 : static_cast<Int128>(static_cast<std::int64_t>(bits));
}

} // namespace

void LineSums::add(const LineSums& other, DType type) noexcept
{
    values += other.values;
    nonZero += other.nonZero;
    nan += other.nan;
    positiveInf += other.positiveInf;
    negativeInf += other.negativeInf;
    sum.add(other.sum);
    squares.add(other.squares);
    whole += other.whole;
    if (!other.any)
        return;
    min = any ? std::min(min, other.min) : other.min;
    max = any ? std::max(max, other.max) : other.max;
    if (!any || wide(other.wholeMin, type) < wide(wholeMin, type))
        wholeMin = other.wholeMin;
    if (!any || wide(other.wholeMax, type) > wide(wholeMax, type))
        wholeMax = other.wholeMax;
    any = true;
}

Figures figuresOf(const LineSums& sums, Index places, bool sparse, DType type)
{
    Digest digest;
    digest.values = sums.values;
    digest.nonZero = sums.nonZero;
    digest.nan = sums.nan;
    digest.positiveInf = sums.positiveInf;
    digest.negativeInf = sums.negativeInf;
    digest.any = sums.any;
    digest.min = sums.min;
    digest.max = sums.max;
    if (type == DType::Int64 || type == DType::UInt64) {
        digest.wholeMin = wide(sums.wholeMin, type);
        digest.wholeMax = wide(sums.wholeMax, type);
    } else if (!isFloat(type)) {
        digest.wholeMin = static_cast<Int128>(sums.min);
        digest.wholeMax = static_cast<Int128>(sums.max);
    }
    digest.sum.add(sums.sum.high);
    digest.sum.add(sums.sum.low);
    digest.whole = sums.whole;
    digest.addZeros(places - sums.values);

    const Index numbers = std::max(places, sums.values) - sums.nan;
    if (numbers > 0) {
        TwinSum total = sums.sum;
        if (!isFloat(type)) {
            total.high = static_cast<double>(sums.whole);
            total.low = static_cast<double>(sums.whole - static_cast<Int128>(total.high));
        }
        const double n = static_cast<double>(numbers);
        // Rounding may leave it a little below zero; what overflowed is no number and stays that.
        const double m2 = spread(sums.squares, total, n);
        digest.moments = {numbers, total.high / n, m2 < 0 ? 0 : m2};
    }
    Figures figures = figuresOf(digest, type);
    figures.n = places;
    figures.stored = sums.values;
    figures.explicitZeros = sparse ? sums.values - sums.nonZero : 0;
    return figures;
}

} // namespace cellfolio
