// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/buffer.h"
#include "core/base/index.h"
#include "core/matrix/number_types.h"
#include "core/matrix/stats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace cellfolio {

// What happened to the entries of some lines.
struct MergeTally {
    Index unsorted = 0; // lines
    Index merged = 0;   // entries that went into one before them
    Index zeros = 0;    // entries dropped because they were zero
    Index nan = 0;      // sums that became NaN though their parts were none
    Index beyondExact = 0; // whole sums of float32 above 2^24

    MergeTally& operator+=(const MergeTally& other) noexcept
    {
        unsorted += other.unsorted;
        merged += other.merged;
        zeros += other.zeros;
        nan += other.nan;
        beyondExact += other.beyondExact;
        return *this;
    }
};

// What a line is brought into.
struct MergeRules {
    bool merge = true;     // entries of one place are added up, in stored order, in their own type
    bool dropZeros = false; // ±0 leave, NaN stays
    bool wrap = false;     // integer sums wrap; else the first that overflows ends the work
};

// An integer sum that its type cannot hold.
struct SumOverflow {
    Index index = 0; // in the line
    Int128 sum = 0;
};

// Brings the entries of one line after another into canonical form: indices strictly increasing (or
// not falling, where nothing is merged). I: std::int32_t or std::int64_t, V: type of the values.
// A line that is in order is passed on as it is. Any other goes through a dense accumulator with one
// bit a place, in stored order, when it is long, and through a sort that keeps stored order when it is
// short (PERFORMANCE.md §3.4). One for each thread.
template <typename I, typename V>
class LineMerger
{
public:
    // `width`: indices lie in 0 … width - 1. No accumulator where it would take more than `most` bytes.
    LineMerger(Index width, Index most, const MergeRules& rules) : m_rules(rules), m_width(width)
    {
        m_dense = rules.merge && bytesFor(width) <= most;
    }
    static Index bytesFor(Index width)
    {
        return width * static_cast<Index>(sizeof(V)) + (width / 64 + 1) * 8;
    }

    // Adds the line's entries to `indices` and `values` (room for all of them is there), and tells how
    // many. Indices have been checked.
    Index line(const I* in, const V* values, Index count, I* outIndices, V* outValues)
    {
        bool rising = true;
        bool sorted = true;
        for (Index k = 1; k < count; ++k) {
            rising &= in[k] > in[k - 1];
            sorted &= in[k] >= in[k - 1];
        }
        if (!sorted)
            ++tally.unsorted;
        if (rising || (sorted && !m_rules.merge))
            return pass(in, values, count, outIndices, outValues);
        if (!m_rules.merge || (!sorted && !(m_dense && count >= m_width / 64)))
            return bySorting(in, values, count, outIndices, outValues);
        if (sorted)
            return inOrder(in, values, count, outIndices, outValues);
        accumulate(in, values, count);
        return handOut(0, outIndices, outValues);
    }

    // For a line too long to hold: adds entries that lie in [first, first + size) to the accumulator.
    // `size` may differ from the width; bytesFor(size) are needed.
    void begin(Index size)
    {
        m_size = size;
        m_sums.resize(at(size));
        m_bits.assign(at(size / 64 + 1), 0);
    }
    void accumulateRange(const I* in, const V* values, Index count, Index first)
    {
        for (Index k = 0; k < count; ++k) {
            const Index place = Index{in[k]} - first;
            if (place >= 0 && place < m_size)
                addAt(place, values[k], first);
        }
    }
    // Hands out what was gathered, `first` being its first index, and forgets it.
    Index handOut(Index first, I* outIndices, V* outValues)
    {
        Index n = 0;
        for (std::size_t w = 0; w < m_bits.size(); ++w) {
            for (std::uint64_t word = std::exchange(m_bits[w], 0); word != 0; word &= word - 1) {
                const Index place = static_cast<Index>(w) * 64 + std::countr_zero(word);
                n += put(static_cast<I>(first + place), m_sums[at(place)], outIndices + n, outValues + n);
            }
        }
        return n;
    }

    MergeTally tally;
    std::optional<SumOverflow> overflow; // the first; what follows it is not to be used

private:
    static bool isNan(const V& value)
    {
        if constexpr (std::is_floating_point_v<V>)
            return value != value;
        else
            return false;
    }

    void add(V& sum, const V& value, Index index)
    {
        ++tally.merged;
        if constexpr (std::is_same_v<V, Flag>) {
            addEntry(sum, value);
        } else if constexpr (std::is_integral_v<V>) {
            const V before = sum;
            if (__builtin_add_overflow(before, value, &sum) && !m_rules.wrap && !overflow)
                overflow = SumOverflow{index, static_cast<Int128>(before) + static_cast<Int128>(value)};
        } else if constexpr (std::is_same_v<V, Half>) {
            addEntry(sum, value);
        } else {
            const bool number = !isNan(sum) && !isNan(value);
            sum = sum + value;
            if (number && isNan(sum))
                ++tally.nan;
            if constexpr (std::is_same_v<V, float>)
                if (std::abs(sum) > 16'777'216.0F && sum == std::trunc(sum) && std::isfinite(sum))
                    ++tally.beyondExact;
        }
    }

    Index put(I index, const V& value, I* outIndices, V* outValues)
    {
        if (m_rules.dropZeros && isZero(value)) {
            ++tally.zeros;
            return 0;
        }
        *outIndices = index;
        *outValues = value;
        return 1;
    }

    Index pass(const I* in, const V* values, Index count, I* outIndices, V* outValues)
    {
        if (!m_rules.dropZeros) {
            std::memcpy(outIndices, in, at(count) * sizeof(I));
            std::memcpy(static_cast<void*>(outValues), values, at(count) * sizeof(V));
            return count;
        }
        Index n = 0;
        for (Index k = 0; k < count; ++k)
            n += put(in[k], values[k], outIndices + n, outValues + n);
        return n;
    }

    Index inOrder(const I* in, const V* values, Index count, I* outIndices, V* outValues)
    {
        Index n = 0;
        for (Index k = 0; k < count;) {
            V sum = values[k];
            Index next = k + 1;
            for (; next < count && in[next] == in[k]; ++next)
                add(sum, values[next], Index{in[k]});
            n += put(in[k], sum, outIndices + n, outValues + n);
            k = next;
        }
        return n;
    }

    struct Key {
        I index;
        std::uint32_t place;
        bool operator<(const Key& other) const noexcept
        {
            return index != other.index ? index < other.index : place < other.place;
        }
    };

    Index bySorting(const I* in, const V* values, Index count, I* outIndices, V* outValues)
    {
        m_keys.resize(at(count));
        for (Index k = 0; k < count; ++k)
            m_keys[at(k)] = {in[k], static_cast<std::uint32_t>(k)};
        std::sort(m_keys.begin(), m_keys.end());
        Index n = 0;
        for (std::size_t k = 0; k < m_keys.size();) {
            V sum = values[m_keys[k].place];
            std::size_t next = k + 1;
            for (; m_rules.merge && next < m_keys.size() && m_keys[next].index == m_keys[k].index; ++next)
                add(sum, values[m_keys[next].place], Index{m_keys[k].index});
            n += put(m_keys[k].index, sum, outIndices + n, outValues + n);
            k = next;
        }
        return n;
    }

    void addAt(Index place, const V& value, Index first)
    {
        std::uint64_t& word = m_bits[at(place / 64)];
        const std::uint64_t bit = std::uint64_t{1} << (place % 64);
        if ((word & bit) == 0) {
            word |= bit;
            m_sums[at(place)] = value;
        } else {
            add(m_sums[at(place)], value, first + place);
        }
    }

    void accumulate(const I* in, const V* values, Index count)
    {
        if (m_size != m_width)
            begin(m_width);
        for (Index k = 0; k < count; ++k)
            addAt(Index{in[k]}, values[k], 0);
    }

    MergeRules m_rules;
    Index m_width;
    bool m_dense = false;
    Index m_size = -1;
    std::vector<V> m_sums;
    std::vector<std::uint64_t> m_bits;
    std::vector<Key> m_keys;
};

} // namespace cellfolio
