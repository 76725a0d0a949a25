// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QtGlobal>

#include <vector>

namespace cellfolio
{

// Whole numbers kept as sorted, disjoint, non-touching closed ranges: selecting all of ten million
// rows costs one pair. A plain value.
class RangeSet
{
public:
    struct Range {
        qint64 first = 0;
        qint64 last = -1;
        bool operator==(const Range&) const = default;
    };

    // Of ascending values; repeats are allowed.
    static RangeSet of(const std::vector<qint64>& values);

    bool empty() const noexcept { return m_ranges.empty(); }
    qint64 count() const noexcept;
    bool contains(qint64 value) const noexcept;
    const std::vector<Range>& ranges() const noexcept { return m_ranges; }

    // Requires first <= last.
    void add(qint64 first, qint64 last);
    void remove(qint64 first, qint64 last);
    void clear() { m_ranges.clear(); }

    // Cuts off everything at and above `end`.
    void limit(qint64 end);

    bool operator==(const RangeSet&) const = default;

private:
    std::vector<Range> m_ranges;
};

} // namespace cellfolio
