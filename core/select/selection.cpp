// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/select/selection.h"

#include <algorithm>
#include <cassert>

// Composition never keeps what it was made from: every case ends in positions on the file, brought
// to their one smallest form. Since that form follows from the positions, equal selections have
// equal payloads, and comparing payloads compares positions.

namespace cellfolio {
namespace {

constexpr Index kNarrowExtent = Index{1} << 32;

// Whether a set costs no more than a list of so many positions.
bool fitsSet(Index extent, Index count)
{
    return count > extent / 32;
}

void mix(std::size_t& seed, std::uint64_t value)
{
    // The finalizer of a 64-bit congruential mix, folded into what came before.
    value += 0x9e3779b97f4a7c15ULL + seed;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    seed = static_cast<std::size_t>(value ^ (value >> 31));
}

} // namespace

// The selection of the positions that forEach(visit) hands to its visitor, `count` of them. It is
// run twice: to learn their form, and to keep them.
template <typename ForEach>
Selection Selection::collected(Index extent, Index count, const ForEach& forEach)
{
    if (count == 0)
        return none(extent);
    Index first = 0;
    Index step = 0;
    Index last = 0;
    Index k = 0;
    bool regular = true;
    bool ascending = true;
    forEach([&](Index position) {
        assert(position >= 0 && position < extent);
        if (k == 0) {
            first = position;
        } else {
            if (k == 1)
                step = position - last;
            regular = regular && step != 0 && position - last == step;
            ascending = ascending && position > last;
        }
        last = position;
        ++k;
    });
    assert(k == count);
    if (regular)
        return of(extent, Slice{first, count == 1 ? 1 : step, count});
    if (ascending && fitsSet(extent, count)) {
        IndexSetBuilder builder(extent);
        forEach([&builder](Index position) { builder.add(position); });
        return Selection(extent, std::make_shared<const IndexSet>(std::move(builder).take()));
    }
    auto list = std::make_shared<List>();
    list->ascending = ascending;
    if (extent <= kNarrowExtent) {
        list->narrow.reserve(at(count));
        forEach([&](Index p) { list->narrow.push_back(static_cast<std::uint32_t>(p)); });
    } else {
        list->wide.reserve(at(count));
        forEach([&](Index p) { list->wide.push_back(p); });
    }
    return Selection(extent, ListPointer(std::move(list)));
}

Selection Selection::all(Index extent)
{
    return Selection(extent, Slice{0, 1, extent});
}

Selection Selection::none(Index extent)
{
    return Selection(extent, Slice{0, 1, 0});
}

Selection Selection::of(Index extent, Slice slice)
{
    assert(slice.count >= 0 && slice.step != 0);
    if (slice.count == 0)
        return none(extent);
    if (slice.count == 1)
        slice.step = 1;
    assert(slice.first >= 0 && slice.first < extent);
    assert(slice.first + (slice.count - 1) * slice.step >= 0
           && slice.first + (slice.count - 1) * slice.step < extent);
    return Selection(extent, slice);
}

Selection Selection::of(IndexSet set)
{
    const Index extent = set.extent();
    const Index count = set.size();
    if (count > 2 && fitsSet(extent, count)) {
        // Regular ones are found by their ends: most sets are not, and show it at once.
        const Index first = set.select(0);
        const Index step = set.select(1) - first;
        bool regular = set.select(count - 1) == first + (count - 1) * step;
        for (Index k = 2; regular && k < count; ++k)
            regular = set.contains(first + k * step);
        if (!regular)
            return Selection(extent, std::make_shared<const IndexSet>(std::move(set)));
        return of(extent, Slice{first, step, count});
    }
    return collected(extent, count, [&](auto&& visit) { set.forEach(0, count, visit); });
}

Selection Selection::slice(Index extent, std::optional<Index> begin, std::optional<Index> end,
                           Index step)
{
    assert(step != 0);
    // Limits of Python's slices: one before the start counts for falling steps.
    const Index low = step > 0 ? 0 : -1;
    const Index high = step > 0 ? extent : extent - 1;
    const auto bound = [&](std::optional<Index> given, Index otherwise) {
        if (!given)
            return otherwise;
        const Index value = *given < 0 ? *given + extent : *given;
        return std::clamp(value, low, high);
    };
    const Index a = bound(begin, step > 0 ? low : high);
    const Index b = bound(end, step > 0 ? high : low);
    Index count = 0;
    if (step > 0 && b > a)
        count = (b - a - 1) / step + 1;
    else if (step < 0 && a > b)
        count = (a - b - 1) / (-step) + 1;
    return of(extent, Slice{a, step, count});
}

Selection Selection::indices(Index extent, const std::vector<Index>& positions)
{
    return collected(extent, static_cast<Index>(positions.size()), [&positions](auto&& visit) {
        for (const Index position : positions)
            visit(position);
    });
}

Selection Selection::mask(const std::vector<std::uint8_t>& marks)
{
    IndexSetBuilder builder(static_cast<Index>(marks.size()));
    for (std::size_t i = 0; i < marks.size(); ++i) {
        if (marks[i] != 0)
            builder.add(static_cast<Index>(i));
    }
    return of(std::move(builder).take());
}

Index Selection::size() const noexcept
{
    if (const Slice* s = asSlice())
        return s->count;
    const IndexSet* set = asSet();
    return set != nullptr ? set->size() : list().size();
}

bool Selection::isAll() const noexcept
{
    const Slice* s = asSlice();
    return s && s->count == m_extent && (s->count == 0 || (s->first == 0 && s->step == 1));
}

Index Selection::operator[](Index k) const noexcept
{
    if (const Slice* s = asSlice())
        return s->first + k * s->step;
    const IndexSet* set = asSet();
    return set != nullptr ? set->select(k) : list()[k];
}

bool Selection::isAscending() const noexcept
{
    if (const Slice* s = asSlice())
        return s->count < 2 || s->step > 0;
    return asSet() != nullptr || list().ascending;
}

Selection Selection::then(const Selection& inner) const
{
    assert(inner.extent() == size());
    if (inner.isAll())
        return *this;
    if (isAll())
        return inner; // its extent is this one's
    const Index count = inner.size();
    if (count == 0)
        return none(m_extent);
    if (const Slice* outer = asSlice()) {
        if (const Slice* picked = inner.asSlice())
            return of(m_extent, Slice{outer->first + picked->first * outer->step,
                                      outer->step * picked->step, count});
        return collected(m_extent, count, [&](auto&& visit) {
            inner.forEach([&](Index p) { visit(outer->first + p * outer->step); });
        });
    }
    if (const IndexSet* outer = asSet()) {
        if (inner.isContiguous()) {
            return collected(m_extent, count, [&](auto&& visit) {
                outer->forEach(inner.asSlice()->first, count, visit);
            });
        }
        if (inner.isAscending() && count > size() / 16) {
            // Both are passed once, side by side.
            return collected(m_extent, count, [&](auto&& visit) {
                Index k = 0;
                Index wanted = inner[0];
                Index next = 0;
                const Slice* slice = inner.asSlice();
                const IndexSet* set = inner.asSet();
                outer->forEach(0, inner[count - 1] + 1, [&](Index position) {
                    if (set != nullptr) {
                        if (set->contains(next++))
                            visit(position);
                        return;
                    }
                    if (next++ != wanted)
                        return;
                    visit(position);
                    if (++k < count)
                        wanted = slice != nullptr ? wanted + slice->step : inner[k];
                });
            });
        }
        if (count > size() / 4) {
            const std::vector<Index> places = positions();
            return collected(m_extent, count, [&](auto&& visit) {
                inner.forEach([&](Index p) { visit(places[at(p)]); });
            });
        }
    }
    return collected(m_extent, count, [&](auto&& visit) {
        inner.forEach([&](Index p) { visit((*this)[p]); });
    });
}

Selection Selection::part(Index first, Index count) const
{
    return then(of(size(), Slice{first, 1, count}));
}

IndexSet Selection::toSet() const
{
    if (const IndexSet* set = asSet())
        return *set;
    IndexSetBuilder builder(m_extent);
    if (isContiguous())
        builder.addRun(asSlice()->first, asSlice()->count);
    else
        forEach([&builder](Index position) { builder.add(position); });
    return std::move(builder).take();
}

Selection Selection::operator&(const Selection& other) const
{
    assert(isAscending() && other.isAscending());
    return of(toSet() & other.toSet());
}

Selection Selection::operator|(const Selection& other) const
{
    assert(isAscending() && other.isAscending());
    return of(toSet() | other.toSet());
}

Selection Selection::operator-(const Selection& other) const
{
    assert(isAscending() && other.isAscending());
    return of(toSet() - other.toSet());
}

Selection Selection::operator~() const
{
    assert(isAscending());
    return of(~toSet());
}

std::vector<Index> Selection::positions() const
{
    std::vector<Index> result;
    result.reserve(at(size()));
    forEach([&result](Index position) { result.push_back(position); });
    return result;
}

Index Selection::bytes() const noexcept
{
    if (asSlice() != nullptr)
        return Index{sizeof(Slice)};
    if (const IndexSet* set = asSet())
        return set->bytes();
    return narrow<Index>(list().narrow.capacity() * sizeof(std::uint32_t)
                         + list().wide.capacity() * sizeof(Index) + sizeof(List));
}

bool Selection::operator==(const Selection& other) const noexcept
{
    if (m_extent != other.m_extent || m_payload.index() != other.m_payload.index())
        return false;
    if (const Slice* s = asSlice())
        return *s == *other.asSlice();
    if (const IndexSet* set = asSet())
        return set == other.asSet() || *set == *other.asSet();
    return &list() == &other.list() || list() == other.list();
}

std::size_t Selection::hash() const noexcept
{
    std::size_t seed = 0;
    mix(seed, static_cast<std::uint64_t>(m_extent));
    mix(seed, m_payload.index());
    if (const Slice* s = asSlice()) {
        for (const Index part : {s->first, s->step, s->count})
            mix(seed, static_cast<std::uint64_t>(part));
    } else if (const IndexSet* set = asSet()) {
        for (const std::uint64_t word : set->words())
            mix(seed, word);
    } else {
        for (Index k = 0; k < list().size(); ++k)
            mix(seed, static_cast<std::uint64_t>(list()[k]));
    }
    return seed;
}

} // namespace cellfolio
