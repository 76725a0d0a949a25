// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/finding.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace cellfolio {

// How often something was met, and the first places in the order of the file, wherever the
// threads that met it were.
class PlaceList
{
public:
    void add(Index order, FindingPlace place, Index times = 1)
    {
        m_count += times;
        if (order >= m_last)
            return;
        m_places.push_back({order, std::move(place)});
        if (m_places.size() >= 4 * kKept)
            trim();
    }
    // The same, with the place made only where it is among the first ones.
    template <typename MakePlace>
    void meet(Index order, MakePlace&& makePlace)
    {
        if (order < m_last)
            add(order, makePlace());
        else
            ++m_count;
    }
    void add(const PlaceList& other)
    {
        m_count += other.m_count;
        m_places.insert(m_places.end(), other.m_places.begin(), other.m_places.end());
        trim();
    }
    // Whether something met there would still be told.
    bool wants(Index order) const noexcept { return order < m_last; }
    // Met so often, at places that are not told.
    void addUnplaced(Index times) noexcept { m_count += times; }
    Index count() const noexcept { return m_count; }

    std::vector<FindingPlace> first() const
    {
        PlaceList sorted = *this;
        sorted.trim();
        std::vector<FindingPlace> result;
        for (Placed& placed : sorted.m_places)
            result.push_back(std::move(placed.place));
        return result;
    }

private:
    static constexpr std::size_t kKept = 20;
    struct Placed {
        Index order;
        FindingPlace place;
    };
    void trim()
    {
        std::stable_sort(m_places.begin(), m_places.end(),
                         [](const Placed& a, const Placed& b) { return a.order < b.order; });
        if (m_places.size() < kKept)
            return;
        m_places.resize(kKept);
        m_last = m_places.back().order;
    }

    Index m_count = 0;
    Index m_last = std::numeric_limits<Index>::max(); // what comes behind is not told
    std::vector<Placed> m_places;
};

} // namespace cellfolio
