// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/range_set.h"

#include <algorithm>

namespace cellfolio
{

namespace
{

// The first range that ends at or after `value`.
auto endingAtOrAfter(const std::vector<RangeSet::Range>& ranges, qint64 value)
{
    return std::lower_bound(ranges.begin(), ranges.end(), value,
                            [](const RangeSet::Range& r, qint64 v) { return r.last < v; });
}

} // namespace

RangeSet RangeSet::of(const std::vector<qint64>& values)
{
    RangeSet set;
    for (const qint64 value : values) {
        if (set.m_ranges.empty() || value > set.m_ranges.back().last + 1)
            set.m_ranges.push_back({value, value});
        else
            set.m_ranges.back().last = value;
    }
    return set;
}

qint64 RangeSet::count() const noexcept
{
    qint64 n = 0;
    for (const Range& r : m_ranges)
        n += r.last - r.first + 1;
    return n;
}

bool RangeSet::contains(qint64 value) const noexcept
{
    const auto at = endingAtOrAfter(m_ranges, value);
    return at != m_ranges.end() && at->first <= value;
}

void RangeSet::add(qint64 first, qint64 last)
{
    Q_ASSERT(first <= last);
    Range merged{first, last};
    std::vector<Range> kept;
    kept.reserve(m_ranges.size() + 1);
    bool placed = false;
    for (const Range& r : m_ranges) {
        if (r.last + 1 < merged.first) {
            kept.push_back(r);
        } else if (merged.last + 1 < r.first) {
            if (!placed)
                kept.push_back(merged);
            placed = true;
            kept.push_back(r);
        } else {
            merged.first = std::min(merged.first, r.first);
            merged.last = std::max(merged.last, r.last);
        }
    }
    if (!placed)
        kept.push_back(merged);
    m_ranges = std::move(kept);
}

void RangeSet::remove(qint64 first, qint64 last)
{
    Q_ASSERT(first <= last);
    std::vector<Range> kept;
    kept.reserve(m_ranges.size() + 1);
    for (const Range& r : m_ranges) {
        if (r.last < first || r.first > last) {
            kept.push_back(r);
            continue;
        }
        if (r.first < first)
            kept.push_back({r.first, first - 1});
        if (r.last > last)
            kept.push_back({last + 1, r.last});
    }
    m_ranges = std::move(kept);
}

void RangeSet::limit(qint64 end)
{
    if (!m_ranges.empty() && m_ranges.back().last >= end)
        remove(std::max<qint64>(end, 0), m_ranges.back().last);
}

} // namespace cellfolio
