// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/index_search.h"

#include "core/matrix/clones.h"
#include "core/matrix/number_types.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

// Numbers are looked at in groups of 64: one answer tells whether there is anything in the group
// at all. Signed numbers are compared as unsigned ones, so that a negative one is too large; where
// the width is more than the type can hold, what it can hold is the limit.

namespace cellfolio {

namespace {

constexpr Index kGroup = 64;
constexpr std::uint64_t kLongestTable = std::uint64_t{4} << 20;
constexpr std::size_t kMostInTable = 254;

template <typename T>
[[gnu::always_inline]] inline Index groupWithOne(const T* numbers, Index groups, T wanted, T last)
{
    for (Index g = 0; g < groups; ++g) {
        const T* group = numbers + g * kGroup;
        T any = 0;
        for (Index i = 0; i < kGroup; ++i)
            any = static_cast<T>(any | static_cast<T>(group[i] == wanted)
                                 | static_cast<T>(group[i] > last));
        if (any != 0)
            return g;
    }
    return groups;
}

template <typename T>
[[gnu::always_inline]] inline Index groupWithAny(const T* numbers, Index groups,
                                                 const std::uint8_t* table, T last)
{
    for (Index g = 0; g < groups; ++g) {
        const T* group = numbers + g * kGroup;
        T outside = 0;
        for (Index i = 0; i < kGroup; ++i)
            outside = static_cast<T>(outside | static_cast<T>(group[i] > last));
        if (outside != 0)
            return g;
        unsigned any = 0;
        for (Index i = 0; i < kGroup; ++i)
            any |= table[group[i]];
        if (any != 0)
            return g;
    }
    return groups;
}

// Each type by name: copies for several processors cannot be made of templates.
#define CELLFOLIO_SEARCH(T, name)                                                                  \
    CELLFOLIO_CLONES Index oneIn##name(const T* numbers, Index groups, T wanted, T last)           \
    {                                                                                              \
        return groupWithOne(numbers, groups, wanted, last);                                        \
    }                                                                                              \
    CELLFOLIO_CLONES Index anyIn##name(const T* numbers, Index groups, const std::uint8_t* table,  \
                                       T last)                                                     \
    {                                                                                              \
        return groupWithAny(numbers, groups, table, last);                                         \
    }
CELLFOLIO_SEARCH(std::uint8_t, 8)
CELLFOLIO_SEARCH(std::uint16_t, 16)
CELLFOLIO_SEARCH(std::uint32_t, 32)
CELLFOLIO_SEARCH(std::uint64_t, 64)
#undef CELLFOLIO_SEARCH

Index nextWithOne(const std::uint8_t* n, Index groups, std::uint8_t wanted, std::uint8_t last)
{
    return oneIn8(n, groups, wanted, last);
}
Index nextWithOne(const std::uint16_t* n, Index groups, std::uint16_t wanted, std::uint16_t last)
{
    return oneIn16(n, groups, wanted, last);
}
Index nextWithOne(const std::uint32_t* n, Index groups, std::uint32_t wanted, std::uint32_t last)
{
    return oneIn32(n, groups, wanted, last);
}
Index nextWithOne(const std::uint64_t* n, Index groups, std::uint64_t wanted, std::uint64_t last)
{
    return oneIn64(n, groups, wanted, last);
}
Index nextWithAny(const std::uint8_t* n, Index groups, const std::uint8_t* table, std::uint8_t last)
{
    return anyIn8(n, groups, table, last);
}
Index nextWithAny(const std::uint16_t* n, Index groups, const std::uint8_t* table,
                  std::uint16_t last)
{
    return anyIn16(n, groups, table, last);
}
Index nextWithAny(const std::uint32_t* n, Index groups, const std::uint8_t* table,
                  std::uint32_t last)
{
    return anyIn32(n, groups, table, last);
}
Index nextWithAny(const std::uint64_t* n, Index groups, const std::uint8_t* table,
                  std::uint64_t last)
{
    return anyIn64(n, groups, table, last);
}

} // namespace

IndexSearch::IndexSearch(DType type, Index width, std::vector<Index> wanted)
    : m_type(type), m_limit(static_cast<std::uint64_t>(width)), m_wanted(std::move(wanted))
{
    assert(std::is_sorted(m_wanted.begin(), m_wanted.end()));
    assert(m_wanted.empty() || (m_wanted.front() >= 0 && m_wanted.back() < width));
    visitInteger(type, [this]<typename T>(const T*) {
        constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
        if (kLargest < m_limit)
            m_limit = kLargest + 1;
    });
    while (!m_wanted.empty() && static_cast<std::uint64_t>(m_wanted.back()) >= m_limit)
        m_wanted.pop_back();
    if (m_wanted.size() > 1 && m_wanted.size() <= kMostInTable && m_limit <= kLongestTable) {
        m_table.assign(static_cast<std::size_t>(m_limit), 0);
        for (std::size_t k = 0; k < m_wanted.size(); ++k)
            m_table[at(m_wanted[k])] = static_cast<std::uint8_t>(k + 1);
    }
}

template <typename T>
void IndexSearch::judge(T number, Index offset, std::vector<Hit>& hits) const
{
    const auto place = static_cast<std::int32_t>(offset);
    if (static_cast<std::uint64_t>(number) >= m_limit) {
        hits.push_back({place, kOutside});
        return;
    }
    const auto value = static_cast<Index>(number);
    if (!m_table.empty()) {
        if (const std::uint8_t found = m_table[at(value)]; found != 0)
            hits.push_back({place, found - 1});
        return;
    }
    const auto found = std::lower_bound(m_wanted.begin(), m_wanted.end(), value);
    if (found != m_wanted.end() && *found == value)
        hits.push_back({place, static_cast<std::int32_t>(found - m_wanted.begin())});
}

template <typename T>
void IndexSearch::findIn(const T* numbers, Index count, std::vector<Hit>& hits) const
{
    const Index groups = count / kGroup;
    Index from = 0;
    if (m_limit > 0 && (m_wanted.size() == 1 || !m_table.empty())) {
        const auto last = static_cast<T>(m_limit - 1);
        for (Index g = 0; g < groups;) {
            const Index left = groups - g;
            const T* here = numbers + g * kGroup;
            g += m_table.empty()
                     ? nextWithOne(here, left, static_cast<T>(m_wanted.front()), last)
                     : nextWithAny(here, left, m_table.data(), last);
            if (g == groups)
                break;
            for (Index i = g * kGroup; i < (g + 1) * kGroup; ++i)
                judge(numbers[i], i, hits);
            ++g;
        }
        from = groups * kGroup;
    }
    for (Index i = from; i < count; ++i)
        judge(numbers[i], i, hits);
}

void IndexSearch::find(const std::byte* numbers, Index count, std::vector<Hit>& hits) const
{
    assert(count <= std::numeric_limits<std::int32_t>::max());
    switch (sizeOf(m_type)) {
    case 1: return findIn(reinterpret_cast<const std::uint8_t*>(numbers), count, hits);
    case 2: return findIn(reinterpret_cast<const std::uint16_t*>(numbers), count, hits);
    case 4: return findIn(reinterpret_cast<const std::uint32_t*>(numbers), count, hits);
    case 8: return findIn(reinterpret_cast<const std::uint64_t*>(numbers), count, hits);
    default: assert(false);
    }
}

} // namespace cellfolio
