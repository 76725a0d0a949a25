// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"
#include "core/base/result.h"
#include "core/matrix/number_types.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cellfolio {

// Finds the entries of one line that stand at the same place, adding them up in stored order and
// in the matrix's own type: a sum for each index, and a mark whether it was met. Lines wider than
// the room are taken in bands of indices.
class PlaceSums
{
public:
    // Room for so many bytes; at least 64 indices at a time.
    PlaceSums(Index width, std::size_t valueSize, Index bytes)
        : m_width(width), m_valueSize(static_cast<Index>(valueSize))
    {
        const Index fits = bytes * 8 / (8 * m_valueSize + 1) / 64 * 64;
        m_band = std::max(Index{64}, std::min(fits, (width + 63) / 64 * 64));
    }

    // each(take): calls take(index, value, offset) for every entry of the line in range, in stored
    // order; it is called once for each band. twice(index, sum before, value, sum, fits, offset) is
    // called for every entry at a place met before.
    template <typename T, typename Each, typename Twice>
    Result<void> line(Each&& each, Twice&& twice)
    {
        if (m_marks.empty()) {
            m_marks.assign(at(m_band / 64), 0);
            m_sums.resize(at(m_band * m_valueSize));
        }
        T* sums = reinterpret_cast<T*>(m_sums.data());
        for (Index low = 0; low < m_width; low += m_band) {
            const auto band = static_cast<std::uint64_t>(m_band);
            Result<void> done = each([&](Index index, T value, Index offset) {
                const auto k = static_cast<std::uint64_t>(index - low);
                if (k >= band)
                    return;
                std::uint64_t& word = m_marks[k / 64];
                const std::uint64_t bit = std::uint64_t{1} << (k % 64);
                if ((word & bit) == 0) {
                    word |= bit;
                    sums[k] = value;
                    return;
                }
                const T before = sums[k];
                const bool fits = addEntry(sums[k], value);
                twice(index, before, value, sums[k], fits, offset);
            });
            if (!done)
                return done;
            // Marks of a short line are fewer than words of a wide one.
            std::fill(m_marks.begin(), m_marks.end(), 0);
        }
        return {};
    }

private:
    Index m_width;
    Index m_valueSize;
    Index m_band;
    std::vector<std::uint64_t> m_marks;
    std::vector<std::byte> m_sums;
};

} // namespace cellfolio
