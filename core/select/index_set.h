// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace cellfolio {

// A set of positions on an axis, kept as one bit a position, with counts before every block of 512
// so that rank() and select() answer without passing the bits: an eighth of a byte a position and
// 1/64 more, 138 KiB for a million. Immutable; IndexSetBuilder makes one.
class IndexSet
{
public:
    IndexSet() = default; // of an axis of length 0
    static IndexSet all(Index extent);
    static IndexSet none(Index extent);

    Index extent() const noexcept { return m_extent; }
    Index size() const noexcept { return m_size; }
    bool empty() const noexcept { return m_size == 0; }
    bool contains(Index position) const noexcept
    {
        return (m_words[at(position / 64)] >> (position % 64) & 1) != 0;
    }
    // How many members lie below `position`; 0 <= position <= extent().
    Index rank(Index position) const noexcept;
    // The k-th member, ascending; 0 <= k < size().
    Index select(Index k) const noexcept;

    // Defined for sets of one extent (assert).
    IndexSet operator&(const IndexSet& other) const;
    IndexSet operator|(const IndexSet& other) const;
    IndexSet operator-(const IndexSet& other) const;
    IndexSet operator~() const;
    bool operator==(const IndexSet& other) const noexcept
    {
        return m_extent == other.m_extent && m_words == other.m_words;
    }

    // Position p is bit p % 64 of word p / 64; bits behind the extent are 0.
    std::span<const std::uint64_t> words() const noexcept { return m_words; }
    Index bytes() const noexcept; // memory held

    // Calls visit(first, count) for each stretch of neighbouring members, ascending.
    template <typename Visit>
    void forEachRun(Visit&& visit) const;
    // Calls visit(position) for each member from the k-th on, at most `count` of them, ascending.
    template <typename Visit>
    void forEach(Index k, Index count, Visit&& visit) const;

private:
    friend class IndexSetBuilder;
    IndexSet(Index extent, std::vector<std::uint64_t> words);

    Index m_extent = 0;
    Index m_size = 0;
    std::vector<std::uint64_t> m_words;
    std::vector<Index> m_before; // members before each block of 8 words
};

// Collects positions in any order. Calls from several threads may overlap as long as no two of
// them touch the same group of 64 positions.
class IndexSetBuilder
{
public:
    explicit IndexSetBuilder(Index extent)
        : m_extent(extent), m_words(at((extent + 63) / 64), std::uint64_t{0})
    {
    }

    void add(Index position) noexcept
    {
        m_words[at(position / 64)] |= std::uint64_t{1} << (position % 64);
    }
    void addRun(Index first, Index count) noexcept;
    std::span<std::uint64_t> words() noexcept { return m_words; }

    IndexSet take() && { return IndexSet(m_extent, std::move(m_words)); }

private:
    Index m_extent;
    std::vector<std::uint64_t> m_words;
};

template <typename Visit>
void IndexSet::forEachRun(Visit&& visit) const
{
    Index first = -1; // of the run that is open
    for (std::size_t w = 0; w < m_words.size(); ++w) {
        std::uint64_t word = m_words[w];
        const auto base = static_cast<Index>(w) * 64;
        if (first >= 0) {
            const int ones = std::countr_one(word);
            if (ones == 64)
                continue;
            visit(first, base + ones - first);
            first = -1;
            word &= ~std::uint64_t{0} << ones;
        }
        while (word != 0) {
            const int begin = std::countr_zero(word);
            const int ones = std::countr_one(word >> begin);
            if (begin + ones == 64) {
                first = base + begin;
                break;
            }
            visit(base + begin, Index{ones});
            word &= ~std::uint64_t{0} << (begin + ones);
        }
    }
    if (first >= 0)
        visit(first, m_extent - first);
}

template <typename Visit>
void IndexSet::forEach(Index k, Index count, Visit&& visit) const
{
    if (count <= 0)
        return;
    const Index start = select(k);
    auto w = at(start / 64);
    std::uint64_t word = m_words[w] & (~std::uint64_t{0} << (start % 64));
    for (;;) {
        const auto base = static_cast<Index>(w) * 64;
        for (; word != 0; word &= word - 1) {
            visit(base + std::countr_zero(word));
            if (--count == 0)
                return;
        }
        word = m_words[++w];
    }
}

} // namespace cellfolio
