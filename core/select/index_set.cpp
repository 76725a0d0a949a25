// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/select/index_set.h"

#include <algorithm>

namespace cellfolio {
namespace {

constexpr std::size_t kBlockWords = 8; // 512 positions

// Clears the bits that lie behind the extent.
void trim(Index extent, std::vector<std::uint64_t>& words)
{
    if (extent % 64 != 0)
        words.back() &= (std::uint64_t{1} << (extent % 64)) - 1;
}

// The place of the k-th 1 of a word that has more than k.
int selectInWord(std::uint64_t word, int k)
{
    int base = 0;
    for (int width = 32; width >= 8; width /= 2) {
        const int low = std::popcount(word & ((std::uint64_t{1} << width) - 1));
        if (k >= low) {
            k -= low;
            word >>= width;
            base += width;
        }
    }
    for (; k > 0; --k)
        word &= word - 1;
    return base + std::countr_zero(word);
}

} // namespace

IndexSet::IndexSet(Index extent, std::vector<std::uint64_t> words)
    : m_extent(extent), m_words(std::move(words))
{
    m_before.reserve((m_words.size() + kBlockWords - 1) / kBlockWords);
    for (std::size_t w = 0; w < m_words.size(); ++w) {
        if (w % kBlockWords == 0)
            m_before.push_back(m_size);
        m_size += std::popcount(m_words[w]);
    }
}

IndexSet IndexSet::all(Index extent)
{
    std::vector<std::uint64_t> words(at((extent + 63) / 64), ~std::uint64_t{0});
    trim(extent, words);
    return {extent, std::move(words)};
}

IndexSet IndexSet::none(Index extent)
{
    return {extent, std::vector<std::uint64_t>(at((extent + 63) / 64), std::uint64_t{0})};
}

Index IndexSet::rank(Index position) const noexcept
{
    assert(position >= 0 && position <= m_extent);
    if (position == m_extent)
        return m_size;
    const auto word = at(position / 64);
    const std::size_t block = word / kBlockWords;
    Index count = m_before[block];
    for (std::size_t w = block * kBlockWords; w < word; ++w)
        count += std::popcount(m_words[w]);
    return count + std::popcount(m_words[word] & ((std::uint64_t{1} << (position % 64)) - 1));
}

Index IndexSet::select(Index k) const noexcept
{
    assert(k >= 0 && k < m_size);
    const auto behind = std::upper_bound(m_before.begin(), m_before.end(), k);
    const auto block = static_cast<std::size_t>(behind - m_before.begin()) - 1;
    Index left = k - m_before[block];
    std::size_t w = block * kBlockWords;
    for (;; ++w) {
        const Index here = std::popcount(m_words[w]);
        if (left < here)
            break;
        left -= here;
    }
    return static_cast<Index>(w) * 64 + selectInWord(m_words[w], static_cast<int>(left));
}

IndexSet IndexSet::operator&(const IndexSet& other) const
{
    assert(m_extent == other.m_extent);
    std::vector<std::uint64_t> words(m_words.size());
    for (std::size_t w = 0; w < words.size(); ++w)
        words[w] = m_words[w] & other.m_words[w];
    return {m_extent, std::move(words)};
}

IndexSet IndexSet::operator|(const IndexSet& other) const
{
    assert(m_extent == other.m_extent);
    std::vector<std::uint64_t> words(m_words.size());
    for (std::size_t w = 0; w < words.size(); ++w)
        words[w] = m_words[w] | other.m_words[w];
    return {m_extent, std::move(words)};
}

IndexSet IndexSet::operator-(const IndexSet& other) const
{
    assert(m_extent == other.m_extent);
    std::vector<std::uint64_t> words(m_words.size());
    for (std::size_t w = 0; w < words.size(); ++w)
        words[w] = m_words[w] & ~other.m_words[w];
    return {m_extent, std::move(words)};
}

IndexSet IndexSet::operator~() const
{
    std::vector<std::uint64_t> words(m_words.size());
    for (std::size_t w = 0; w < words.size(); ++w)
        words[w] = ~m_words[w];
    trim(m_extent, words);
    return {m_extent, std::move(words)};
}

Index IndexSet::bytes() const noexcept
{
    return narrow<Index>(m_words.capacity() * sizeof(std::uint64_t)
                         + m_before.capacity() * sizeof(Index) + sizeof(IndexSet));
}

void IndexSetBuilder::addRun(Index first, Index count) noexcept
{
    const Index end = first + count;
    while (first < end) {
        const Index bit = first % 64;
        const Index here = std::min(64 - bit, end - first);
        const std::uint64_t ones =
            here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1;
        m_words[at(first / 64)] |= ones << bit;
        first += here;
    }
}

} // namespace cellfolio
