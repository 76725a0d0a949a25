// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace cellfolio {

// Every length, position and count in the program: signed, 64 bits, as in Eigen.
using Index = std::int64_t;

// Converts between integer types; the value must fit, which the caller knows (assert).
template <typename To, typename From>
constexpr To narrow(From value) noexcept
{
    static_assert(std::is_integral_v<To> && std::is_integral_v<From>);
    const To result = static_cast<To>(value);
    assert(static_cast<From>(result) == value && (result < To{}) == (value < From{}));
    return result;
}

// The index as a container position; the index must not be negative.
constexpr std::size_t at(Index index) noexcept
{
    return narrow<std::size_t>(index);
}

} // namespace cellfolio
