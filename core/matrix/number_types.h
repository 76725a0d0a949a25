// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/dtype.h"

#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace cellfolio {

// As visitReal(), with the complex types std::complex<float> and std::complex<double> as well.
template <typename F>
bool visitNumber(DType type, F&& f)
{
    if (type == DType::Complex64) {
        f(static_cast<const std::complex<float>*>(nullptr));
        return true;
    }
    if (type == DType::Complex128) {
        f(static_cast<const std::complex<double>*>(nullptr));
        return true;
    }
    return visitReal(type, std::forward<F>(f));
}

// Calls f with a null pointer of the C++ type of an integer dtype; other dtypes: no call, false.
template <typename F>
bool visitInteger(DType type, F&& f)
{
    if (!isInteger(type))
        return false;
    return visitReal(type, [&]<typename T>(const T*) {
        if constexpr (std::is_integral_v<T>)
            f(static_cast<const T*>(nullptr));
    });
}

// The nearest half-precision number, ties to even; too large becomes infinity.
Half toHalf(float value) noexcept;

inline bool isZero(Flag value) noexcept { return value.byte == 0; }
inline bool isZero(Half value) noexcept { return (value.bits & 0x7fff) == 0; }
template <typename T>
bool isZero(T value) noexcept
{
    return value == T{};
}

// Adds an entry to the sum of those already met at its place, in the matrix's own type. False when
// an integer sum leaves that type.
inline bool addEntry(Flag& sum, Flag value) noexcept
{
    sum.byte = static_cast<std::uint8_t>((sum.byte | value.byte) != 0 ? 1 : 0);
    return true;
}
inline bool addEntry(Half& sum, Half value) noexcept
{
    sum = isZero(sum) ? value : toHalf(toFloat(sum) + toFloat(value));
    return true;
}
template <typename T>
bool addEntry(T& sum, T value) noexcept
{
    if constexpr (std::is_integral_v<T>) {
        return !__builtin_add_overflow(sum, value, &sum);
    } else {
        // Taken as it is at a fresh place, so that a stored -0 stays one.
        sum = isZero(sum) ? value : sum + value;
        return true;
    }
}

} // namespace cellfolio
