// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/line_sums.h"

#include "core/base/text.h"
#include "core/matrix/digest.h"

#include <algorithm>

namespace cellfolio {

void LineSums::add(const LineSums& other) noexcept
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
    wholeMin = any ? std::min(wholeMin, other.wholeMin) : other.wholeMin;
    wholeMax = any ? std::max(wholeMax, other.wholeMax) : other.wholeMax;
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
    const bool wide = type == DType::Int64 || type == DType::UInt64;
    digest.wholeMin = wide ? sums.wholeMin : static_cast<Int128>(sums.min);
    digest.wholeMax = wide ? sums.wholeMax : static_cast<Int128>(sums.max);
    if (isFloat(type) || !sums.any) {
        digest.wholeMin = digest.wholeMax = 0;
    }
    digest.sum.add(sums.sum.high);
    digest.sum.add(sums.sum.low);
    digest.whole = sums.whole;
    digest.addZeros(places - sums.values);

    // n Σx² - (Σx)² in the long form: both were summed to twice the bits of a double.
    const Index numbers = std::max(places, sums.values) - sums.nan;
    if (numbers > 0) {
        const auto n = static_cast<long double>(numbers);
        long double total = static_cast<long double>(sums.sum.high) + sums.sum.low;
        if (!isFloat(type))
            total = static_cast<long double>(sums.whole);
        const long double squares =
            static_cast<long double>(sums.squares.high) + sums.squares.low;
        const long double m2 = squares - total / n * total;
        // Rounding may leave it a little below zero; what overflowed is no number and stays that.
        digest.moments = {numbers, static_cast<double>(total / n),
                          static_cast<double>(m2 < 0 ? 0 : m2)};
    }
    Figures figures = figuresOf(digest, type);
    figures.n = places;
    figures.stored = sums.values;
    figures.explicitZeros = sparse ? sums.values - sums.nonZero : 0;
    return figures;
}

} // namespace cellfolio
