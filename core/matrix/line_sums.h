// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/dtype.h"
#include "core/matrix/stats.h"

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace cellfolio {

// A sum of doubles kept in two of them, so exact that the order in which values arrive cannot be
// seen in it.
struct TwinSum {
    double high = 0;
    double low = 0;

    void add(double value) noexcept
    {
        const double sum = high + value;
        const double back = sum - high;
        low += (high - (sum - back)) + (value - back);
        high = sum;
    }
    void add(const TwinSum& other) noexcept
    {
        add(other.high);
        low += other.low;
    }
};

// The figures of one row or column, fed value by value from wherever its values lie: entries of
// one line come from many blocks and threads, so everything here adds up in any order.
struct LineSums {
    Index values = 0;
    Index nonZero = 0;
    std::int32_t nan = 0;
    std::int32_t positiveInf = 0;
    std::int32_t negativeInf = 0;
    bool any = false;
    double min = 0;
    double max = 0;
    TwinSum sum;     // of finite values, when floats
    TwinSum squares; // of finite values
    Int128 whole = 0;
    std::uint64_t wholeMin = 0; // bits of 64-bit integers, which a double cannot hold
    std::uint64_t wholeMax = 0;

    template <typename T>
    void add(T value) noexcept;
    void add(const LineSums& other, DType type) noexcept;
};

// The figures of a line of `places` places, those not among its values being zeros.
Figures figuresOf(const LineSums& sums, Index places, bool sparse, DType type);

template <typename T>
void LineSums::add(T value) noexcept
{
    const double number = toDouble(value);
    ++values;
    nonZero += number != 0 ? 1 : 0;
    if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, Half>) {
        if (number != number) {
            ++nan;
            return;
        }
    }
    if (!any) {
        min = max = number;
        any = true;
        if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
            wholeMin = wholeMax = static_cast<std::uint64_t>(value);
    } else {
        min = number < min ? number : min;
        max = number > max ? number : max;
        if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
            if (value < static_cast<T>(wholeMin))
                wholeMin = static_cast<std::uint64_t>(value);
            if (value > static_cast<T>(wholeMax))
                wholeMax = static_cast<std::uint64_t>(value);
        }
    }
    if constexpr (std::is_integral_v<T>) {
        whole += value;
    } else if constexpr (std::is_same_v<T, Flag>) {
        whole += value.byte != 0 ? 1 : 0;
    } else {
        if (std::isinf(number)) {
            ++(number > 0 ? positiveInf : negativeInf);
            return;
        }
        sum.add(number);
    }
    const double square = number * number;
    squares.add(square);
    // What a square loses when the value has more than 26 bits.
    if constexpr (sizeof(T) == 8)
        squares.low += std::fma(number, number, -square);
}

} // namespace cellfolio
