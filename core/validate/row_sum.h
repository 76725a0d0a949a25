// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/dtype.h"
#include "core/base/index.h"
#include "core/matrix/number_types.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace cellfolio {

// What tells one row from another: sums of hashes of its places that are not zero, each of column
// and value. A sum does not depend on the order in which places are met, so rows stored by row, by
// column or in tiles give the same, whatever the types of value and index. 96 bits of it are kept:
// among ten million different rows, two that are taken for equal have a chance of about 10^-15.
struct RowSum {
    std::uint64_t low = 0;
    std::uint64_t high = 0; // the lower 32 bits count
    Index nonZero = 0;

    void add(const RowSum& other) noexcept
    {
        low += other.low;
        high += other.high;
        nonZero += other.nonZero;
    }
    void take(const RowSum& other) noexcept
    {
        low -= other.low;
        high -= other.high;
        nonZero -= other.nonZero;
    }
};

// A value as bits that are equal for equal numbers of any type; 0 for every zero. NaN equals NaN.
template <typename T>
std::uint64_t valueBits(T value) noexcept
{
    if (isZero(value))
        return 0;
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
        // What a double cannot hold keeps its own bits, apart from all doubles of whole numbers.
        constexpr std::int64_t kExact = std::int64_t{1} << 53;
        const bool exact = std::is_signed_v<T>
                             ? static_cast<std::int64_t>(value) <= kExact
                                   && static_cast<std::int64_t>(value) >= -kExact
                             : static_cast<std::uint64_t>(value)
                                   <= static_cast<std::uint64_t>(kExact);
        if (!exact)
            return static_cast<std::uint64_t>(value) * 0x9e3779b97f4a7c15ULL | 1;
        return std::bit_cast<std::uint64_t>(static_cast<double>(value));
    } else {
        const double number = toDouble(value);
        return std::bit_cast<std::uint64_t>(number != number
                                                ? std::numeric_limits<double>::quiet_NaN()
                                                : number);
    }
}

inline std::uint64_t mixed(std::uint64_t x) noexcept
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ULL;
    x ^= x >> 29;
    x *= 0xa0761d6478bd642fULL;
    return x ^ (x >> 32);
}

// One place of a row.
inline RowSum placeSum(std::uint64_t column, std::uint64_t bits) noexcept
{
    if (bits == 0)
        return {};
    const std::uint64_t hash = mixed(bits * 0x9e3779b97f4a7c15ULL + column * 0xe7037ed1a0b428dbULL);
    return {hash, ((hash ^ (hash >> 31)) * 0x8ebc6af09c88c6e3ULL) >> 32, 1};
}

// Many places of one row.
RowSum placesSum(const Index* columns, const std::uint64_t* bits, std::size_t count) noexcept;

} // namespace cellfolio
