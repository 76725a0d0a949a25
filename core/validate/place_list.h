// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/finding.h"

#include <algorithm>
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
        m_places.push_back({order, std::move(place)});
        if (m_places.size() >= 4 * kKept)
            trim();
    }
    void add(const PlaceList& other)
    {
        m_count += other.m_count;
        m_places.insert(m_places.end(), other.m_places.begin(), other.m_places.end());
        trim();
    }
    Index count() const noexcept { return m_count; }

    std::vector<FindingPlace> first()
    {
        trim();
        std::vector<FindingPlace> result;
        for (const Placed& placed : m_places)
            result.push_back(placed.place);
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
        if (m_places.size() > kKept)
            m_places.resize(kKept);
    }

    Index m_count = 0;
    std::vector<Placed> m_places;
};

} // namespace cellfolio
