// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"
#include "core/select/index_set.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
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
// share their payload, so pass by value across threads; a selection never holds another one.
// What it is made of follows from the positions alone and is the smallest form that holds them:
// regular ones are a slice ("everything" and its reverse cost 24 bytes); more than one in 32, each
// once and ascending, a set (a bit a position); the rest a list (4 bytes a position, 8 on axes
// past 2^32).
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
    static Selection of(IndexSet set);
    // Order and repeats kept. Each position must lie in 0 … extent-1 (assert).
    static Selection indices(Index extent, const std::vector<Index>& positions);
    // Positions of the marks that are not 0.
    static Selection mask(const std::vector<std::uint8_t>& marks);

    Index extent() const noexcept { return m_extent; } // length of the axis selected from
    Index size() const noexcept;
    bool empty() const noexcept { return size() == 0; }
    bool isAll() const noexcept; // every position once, in order

    // At once for slices and lists; a short search for sets, so prefer forEach() for many.
    Index operator[](Index k) const noexcept;
    const Slice* asSlice() const noexcept { return std::get_if<Slice>(&m_payload); }
    const IndexSet* asSet() const noexcept
    {
        const auto* set = std::get_if<Set>(&m_payload);
        return set != nullptr ? set->get() : nullptr;
    }
    bool isAscending() const noexcept; // strictly: sorted and unique
    bool isContiguous() const noexcept // first, first + 1, …
    {
        return asSlice() != nullptr && (asSlice()->step == 1 || asSlice()->count == 0);
    }

    // What `inner` picks out of what this one already picked. Requires inner.extent() == size().
    Selection then(const Selection& inner) const;
    // The part [first, first + count) of this selection; costs what the part is long.
    Selection part(Index first, Index count) const;

    // As a set of its positions, whatever their order and repeats.
    IndexSet toSet() const;
    // Set operations; for ascending selections of one extent (assert), and so is the result.
    Selection operator&(const Selection& other) const;
    Selection operator|(const Selection& other) const;
    Selection operator-(const Selection& other) const;
    Selection operator~() const;

    std::vector<Index> positions() const;
    Index bytes() const noexcept; // memory of the payload

    // Calls visit(position) for each position of [first, first + count), in order.
    template <typename Visit>
    void forEach(Index first, Index count, Visit&& visit) const;
    template <typename Visit>
    void forEach(Visit&& visit) const
    {
        forEach(0, size(), std::forward<Visit>(visit));
    }
    // Calls visit(first, count) for each stretch of positions that follow each other in the file
    // (p, p + 1, …), in order; stretches are as long as they can be.
    template <typename Visit>
    void forEachRun(Visit&& visit) const;

    bool operator==(const Selection& other) const noexcept; // same positions of the same extent
    std::size_t hash() const noexcept;                      // equal for equal selections

private:
    struct List {
        std::vector<std::uint32_t> narrow; // positions of an axis below 2^32
        std::vector<Index> wide;           // of a longer one
        bool ascending = false;

        Index size() const noexcept
        {
            return static_cast<Index>(narrow.empty() ? wide.size() : narrow.size());
        }
        Index operator[](Index k) const noexcept
        {
            return narrow.empty() ? wide[at(k)] : static_cast<Index>(narrow[at(k)]);
        }
        bool operator==(const List& other) const noexcept
        {
            return narrow == other.narrow && wide == other.wide;
        }
    };
    using Set = std::shared_ptr<const IndexSet>;
    using ListPointer = std::shared_ptr<const List>;
    using Payload = std::variant<Slice, Set, ListPointer>;

    Selection(Index extent, Payload payload) : m_extent(extent), m_payload(std::move(payload)) {}
    const List& list() const noexcept { return *std::get<ListPointer>(m_payload); }
    template <typename ForEach>
    static Selection collected(Index extent, Index count, const ForEach& forEach);

    Index m_extent = 0;
    Payload m_payload = Slice{};
};

template <typename Visit>
void Selection::forEach(Index first, Index count, Visit&& visit) const
{
    assert(first >= 0 && count >= 0 && first + count <= size());
    if (const Slice* s = asSlice()) {
        Index position = s->first + first * s->step;
        for (Index k = 0; k < count; ++k, position += s->step)
            visit(position);
    } else if (const IndexSet* set = asSet()) {
        set->forEach(first, count, visit);
    } else if (const List& positions = list(); !positions.narrow.empty()) {
        for (Index k = first; k < first + count; ++k)
            visit(static_cast<Index>(positions.narrow[at(k)]));
    } else {
        for (Index k = first; k < first + count; ++k)
            visit(positions.wide[at(k)]);
    }
}

template <typename Visit>
void Selection::forEachRun(Visit&& visit) const
{
    if (isContiguous()) {
        if (!empty())
            visit(asSlice()->first, asSlice()->count);
        return;
    }
    if (const IndexSet* set = asSet()) {
        set->forEachRun(visit);
        return;
    }
    Index begin = 0;
    Index count = 0;
    forEach([&](Index position) {
        if (count > 0 && position == begin + count) {
            ++count;
            return;
        }
        if (count > 0)
            visit(begin, count);
        begin = position;
        count = 1;
    });
    if (count > 0)
        visit(begin, count);
}

} // namespace cellfolio

template <>
struct std::hash<cellfolio::Selection> {
    std::size_t operator()(const cellfolio::Selection& selection) const noexcept
    {
        return selection.hash();
    }
};
