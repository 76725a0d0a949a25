// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/select/selection.h"

#include <cstdint>
#include <vector>

namespace cellfolio {

// The positions of a selection once each and ascending, and the way back: a block is read in the
// order of the file and then spread to the order and the repeats that were asked for.
class AxisMap
{
public:
    explicit AxisMap(const Selection& selection);

    Index size() const noexcept { return m_size; }
    bool empty() const noexcept { return m_size == 0; }
    // The k-th distinct position.
    Index operator[](Index k) const noexcept
    {
        return m_positions.empty() ? m_first + k * m_step : m_positions[at(k)];
    }
    // The number of a position among the distinct ones, or -1.
    Index find(Index position) const noexcept;
    // Number of the first distinct position that is not below `position`.
    Index lowerBound(Index position) const noexcept;
    // Prepares find() for many calls: a table where the axis is not too long.
    void expectManyLookups();

    // Whether the distinct positions are the selection itself.
    bool isPlain() const noexcept { return m_places.empty(); }
    // For each position of the selection, its number among the distinct ones; empty when plain.
    const std::vector<Index>& places() const noexcept { return m_places; }

    Index bytes() const noexcept;

private:
    Index m_extent = 0;
    Index m_size = 0;
    Index m_first = 0;
    Index m_step = 1;
    std::vector<Index> m_positions; // when they are no slice
    std::vector<Index> m_places;
    std::vector<std::int32_t> m_table;
};

inline Index AxisMap::find(Index position) const noexcept
{
    if (m_positions.empty()) {
        const Index offset = position - m_first;
        if (offset < 0 || m_size == 0)
            return -1;
        if (m_step == 1)
            return offset < m_size ? offset : -1;
        return offset % m_step == 0 && offset / m_step < m_size ? offset / m_step : -1;
    }
    if (!m_table.empty())
        return m_table[at(position)];
    const Index k = lowerBound(position);
    return k < m_size && m_positions[at(k)] == position ? k : -1;
}

} // namespace cellfolio
