// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/validate/matrix_facts.h"
#include "core/validate/row_sum.h"

namespace cellfolio {

// Whether a square matrix equals its transpose: the hashes of its places, less those of the places
// across the diagonal, add up to nothing. One for each thread; they add up.
class GraphTally
{
public:
    template <typename MakePlace>
    void add(Index row, Index column, std::uint64_t bits, Index order, MakePlace&& makePlace)
    {
        if (bits == 0)
            return;
        if (row == column) {
            m_diagonal.meet(order, makePlace);
            return;
        }
        const std::uint64_t there = placeHash(row, column);
        const std::uint64_t back = placeHash(column, row);
        m_pattern += there - back;
        m_values += mixed(there + bits * 0x9e3779b97f4a7c15ULL)
                  - mixed(back + bits * 0x9e3779b97f4a7c15ULL);
    }
    void add(const GraphTally& other)
    {
        m_pattern += other.m_pattern;
        m_values += other.m_values;
        m_diagonal.add(other.m_diagonal);
    }
    GraphFacts facts() const { return {m_values == 0, m_pattern == 0, m_diagonal}; }

private:
    static std::uint64_t placeHash(Index row, Index column) noexcept
    {
        return mixed(mixed(static_cast<std::uint64_t>(row) * 0xe7037ed1a0b428dbULL + 1)
                     + static_cast<std::uint64_t>(column));
    }

    std::uint64_t m_pattern = 0;
    std::uint64_t m_values = 0;
    PlaceList m_diagonal;
};

} // namespace cellfolio
