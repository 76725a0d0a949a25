// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/dtype.h"
#include "core/base/index.h"

#include <cstdint>
#include <vector>

namespace cellfolio {

// Looks for a few wanted numbers among many stored ones, of any integer type: at the speed of
// memory, since almost none is wanted. Immutable, so threads share it.
class IndexSearch
{
public:
    // `wanted` are distinct, ascending and in 0 … width - 1.
    IndexSearch(DType type, Index width, std::vector<Index> wanted);

    struct Hit {
        std::int32_t offset; // among the numbers searched
        std::int32_t number; // which wanted one; kOutside: it is not in 0 … width - 1
    };
    static constexpr std::int32_t kOutside = -1;

    // Adds a hit for each wanted or impossible number among `count` (below 2^31), in their order.
    void find(const std::byte* numbers, Index count, std::vector<Hit>& hits) const;

    Index bytes() const noexcept { return static_cast<Index>(m_table.size()); }

private:
    template <typename T>
    void findIn(const T* numbers, Index count, std::vector<Hit>& hits) const;
    template <typename T>
    void judge(T number, Index offset, std::vector<Hit>& hits) const;

    DType m_type;
    std::uint64_t m_limit; // numbers from here on are outside; so are negative ones, seen unsigned
    std::vector<Index> m_wanted; // those that the type can hold
    std::vector<std::uint8_t> m_table; // for each number: which wanted one, from 1; 0: none
};

} // namespace cellfolio
