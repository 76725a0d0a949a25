// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"

#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace cellfolio {

// first, first + step, … `count` of them; step is never 0.
struct Slice {
    Index first = 0;
    Index step = 1;
    Index count = 0;
    bool operator==(const Slice&) const = default;
};

// An ordered list of positions on one axis of a file. Positions may repeat. Immutable; copies
// share their payload, so pass by value across threads. A regular list is kept as a slice, so
// "everything" and its reverse cost 24 bytes.
class Selection
{
public:
    Selection() = default; // nothing, of an axis of length 0

    static Selection all(Index extent);
    static Selection none(Index extent);
    // Python's meaning: end not included, negative counts from the end, clipped. step != 0.
    static Selection slice(Index extent, std::optional<Index> begin, std::optional<Index> end,
                           Index step = 1);
    static Selection of(Index extent, Slice slice); // every position must lie in the axis
    // Order and repeats kept. Each position must lie in 0 … extent-1 (assert).
    static Selection indices(Index extent, std::vector<Index> positions);
    // Positions of the marks that are not 0.
    static Selection mask(const std::vector<std::uint8_t>& marks);

    Index extent() const noexcept { return m_extent; } // length of the axis selected from
    Index size() const noexcept;
    bool empty() const noexcept { return size() == 0; }
    bool isAll() const noexcept; // every position once, in order

    Index operator[](Index k) const noexcept;
    const Slice* asSlice() const noexcept { return std::get_if<Slice>(&m_payload); }
    bool isAscending() const noexcept; // strictly

    // What `inner` picks out of what this one already picked. Requires inner.extent() == size().
    Selection then(const Selection& inner) const;
    // The part [first, first + count) of this selection.
    Selection part(Index first, Index count) const;

    std::vector<Index> positions() const;
    Index bytes() const noexcept; // memory of the payload

    bool operator==(const Selection& other) const noexcept; // same positions of the same extent

private:
    using List = std::shared_ptr<const std::vector<Index>>;
    Selection(Index extent, std::variant<Slice, List> payload)
        : m_extent(extent), m_payload(std::move(payload))
    {
    }

    Index m_extent = 0;
    std::variant<Slice, List> m_payload = Slice{};
};

} // namespace cellfolio
