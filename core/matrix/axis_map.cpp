// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/axis_map.h"

#include <algorithm>
#include <numeric>

namespace cellfolio {

namespace {

// Longest axis that gets a table: 16 MiB of it.
constexpr Index kTableExtent = Index{4} << 20;

} // namespace

AxisMap::AxisMap(const Selection& selection) : m_extent(selection.extent())
{
    const Index n = selection.size();
    if (const Slice* slice = selection.asSlice()) {
        m_size = slice->count;
        m_first = slice->first;
        m_step = slice->step;
        if (m_step < 0) { // from its other end, and back
            m_first += (m_size - 1) * m_step;
            m_step = -m_step;
            if (m_size > 1) {
                m_places.resize(at(n));
                for (Index k = 0; k < n; ++k)
                    m_places[at(k)] = n - 1 - k;
            }
        }
        return;
    }
    m_positions = selection.positions();
    if (!selection.isAscending()) {
        std::vector<Index> order(at(n));
        std::iota(order.begin(), order.end(), Index{0});
        std::stable_sort(order.begin(), order.end(), [this](Index a, Index b) {
            return m_positions[at(a)] < m_positions[at(b)];
        });
        m_places.resize(at(n));
        std::vector<Index> distinct;
        for (const Index k : order) {
            if (distinct.empty() || distinct.back() != m_positions[at(k)])
                distinct.push_back(m_positions[at(k)]);
            m_places[at(k)] = static_cast<Index>(distinct.size()) - 1;
        }
        m_positions = std::move(distinct);
    }
    m_size = static_cast<Index>(m_positions.size());
}

Index AxisMap::lowerBound(Index position) const noexcept
{
    if (m_positions.empty()) {
        if (position <= m_first)
            return 0;
        return std::min(m_size, (position - m_first + m_step - 1) / m_step);
    }
    const auto found = std::lower_bound(m_positions.begin(), m_positions.end(), position);
    return static_cast<Index>(found - m_positions.begin());
}

void AxisMap::expectManyLookups()
{
    if (m_positions.empty() || m_extent > kTableExtent || !m_table.empty())
        return;
    m_table.assign(at(m_extent), -1);
    for (Index k = 0; k < m_size; ++k)
        m_table[at(m_positions[at(k)])] = static_cast<std::int32_t>(k);
}

Index AxisMap::bytes() const noexcept
{
    return static_cast<Index>((m_positions.size() + m_places.size()) * sizeof(Index)
                              + m_table.size() * sizeof(std::int32_t));
}

} // namespace cellfolio
