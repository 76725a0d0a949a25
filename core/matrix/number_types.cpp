// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/number_types.h"

#include <bit>

namespace cellfolio {

Half toHalf(float value) noexcept
{
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 16) & 0x8000U;
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    if (magnitude > 0x7f800000U) // NaN: keep it one, quiet
        return {static_cast<std::uint16_t>(sign | 0x7e00U)};
    if (magnitude >= 0x477ff000U) // rounds to 65520 or more
        return {static_cast<std::uint16_t>(sign | 0x7c00U)};
    std::uint32_t mantissa = magnitude & 0x007fffffU;
    const int exponent = static_cast<int>(magnitude >> 23) - 127;
    int drop = 13; // bits of the mantissa that do not fit
    std::uint32_t head = 0;
    if (exponent < -14) { // subnormal there
        if (exponent < -25)
            return {static_cast<std::uint16_t>(sign)};
        mantissa |= 0x00800000U;
        drop += -14 - exponent;
    } else {
        head = static_cast<std::uint32_t>(exponent + 15) << 10;
    }
    const std::uint32_t kept = head + (mantissa >> drop);
    const std::uint32_t rest = mantissa & ((1U << drop) - 1U);
    const std::uint32_t half = 1U << (drop - 1);
    const bool up = rest > half || (rest == half && (kept & 1U) != 0);
    return {static_cast<std::uint16_t>(sign | (kept + (up ? 1U : 0U)))};
}

} // namespace cellfolio
