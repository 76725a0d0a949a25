// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/select/selection.h"

#include <algorithm>
#include <cassert>

namespace cellfolio {

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

Selection Selection::indices(Index extent, std::vector<Index> positions)
{
    const auto n = static_cast<Index>(positions.size());
    for ([[maybe_unused]] const Index p : positions)
        assert(p >= 0 && p < extent);
    if (n == 0)
        return none(extent);
    if (n == 1)
        return of(extent, Slice{positions[0], 1, 1});
    const Index step = positions[1] - positions[0];
    bool regular = step != 0;
    for (std::size_t i = 2; regular && i < positions.size(); ++i)
        regular = positions[i] - positions[i - 1] == step;
    if (regular)
        return of(extent, Slice{positions[0], step, n});
    positions.shrink_to_fit();
    return Selection(extent, std::make_shared<const std::vector<Index>>(std::move(positions)));
}

Selection Selection::mask(const std::vector<std::uint8_t>& marks)
{
    std::vector<Index> positions;
    for (std::size_t i = 0; i < marks.size(); ++i) {
        if (marks[i] != 0)
            positions.push_back(static_cast<Index>(i));
    }
    return indices(static_cast<Index>(marks.size()), std::move(positions));
}

Index Selection::size() const noexcept
{
    if (const Slice* s = asSlice())
        return s->count;
    return static_cast<Index>(std::get<List>(m_payload)->size());
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
    return (*std::get<List>(m_payload))[at(k)];
}

bool Selection::isAscending() const noexcept
{
    if (const Slice* s = asSlice())
        return s->count < 2 || s->step > 0;
    const std::vector<Index>& list = *std::get<List>(m_payload);
    return std::adjacent_find(list.begin(), list.end(), std::greater_equal<>()) == list.end();
}

Selection Selection::then(const Selection& inner) const
{
    assert(inner.extent() == size());
    const Slice* outer = asSlice();
    const Slice* picked = inner.asSlice();
    if (outer && picked) {
        if (picked->count == 0)
            return none(m_extent);
        return of(m_extent, Slice{outer->first + picked->first * outer->step,
                                  outer->step * picked->step, picked->count});
    }
    std::vector<Index> positions(at(inner.size()));
    for (Index k = 0; k < inner.size(); ++k)
        positions[at(k)] = (*this)[inner[k]];
    return indices(m_extent, std::move(positions));
}

Selection Selection::part(Index first, Index count) const
{
    return then(of(size(), Slice{first, 1, count}));
}

std::vector<Index> Selection::positions() const
{
    std::vector<Index> result(at(size()));
    for (Index k = 0; k < size(); ++k)
        result[at(k)] = (*this)[k];
    return result;
}

Index Selection::bytes() const noexcept
{
    return asSlice() ? Index{sizeof(Slice)} : size() * Index{sizeof(Index)};
}

bool Selection::operator==(const Selection& other) const noexcept
{
    if (m_extent != other.m_extent || size() != other.size())
        return false;
    for (Index k = 0; k < size(); ++k) {
        if ((*this)[k] != other[k])
            return false;
    }
    return true;
}

} // namespace cellfolio
