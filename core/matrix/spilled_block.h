// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/buffer.h"
#include "core/base/dtype.h"
#include "core/base/index.h"

#include <cstdint>
#include <span>
#include <vector>

namespace cellfolio {

// Whole numbers from 0 on take less room than floats.
enum class NarrowKind : std::uint8_t { AsStored, UInt8, UInt16 };

// Bytes of a value of `type` when kept as `kind`.
std::size_t narrowSize(NarrowKind kind, DType type) noexcept;
// The narrowest kind from which all values come back bit by bit.
NarrowKind narrowestFor(DType type, const std::byte* values, Index count) noexcept;
// To and from it. Buffers may not overlap.
void narrowValues(DType type, const std::byte* values, Index count, NarrowKind kind,
                  std::byte* to) noexcept;
void widenValues(DType type, const std::byte* narrow, Index count, NarrowKind kind,
                 std::byte* to) noexcept;

// How one segment of a spilled block is written.
struct SegmentForm {
    NarrowKind kind = NarrowKind::AsStored;
    std::uint8_t countSize = 1; // bytes: 1, 2, 4
};

// How one block of entries lies in the temporary file of a transpose: sorted by index, in segments
// of neighbouring indices. A segment holds the number of entries of each index, then their lines
// counted from the block's first, then their values.
struct SpilledBlock {
    std::uint32_t firstLine = 0;
    std::uint8_t lineSize = 2; // bytes: 2, 4
    Index offset = 0;          // in the file
    std::vector<std::uint32_t> starts; // of the segments in the block; one more at the end
    std::vector<SegmentForm> forms;
};

// The part of a line (begin … end - 1, within the block's entries) that is to be sorted.
struct BlockLine {
    std::uint32_t line;
    std::int32_t begin;
    std::int32_t end;
};

// Sorts blocks by index; one for each thread, reused.
class BlockSorter
{
public:
    // Indices lie in 0 … width - 1; a segment holds 2^shift of them.
    BlockSorter(DType type, Index width, int shift);

    // Sorts entries whose indices were checked; those outside the lines are left out. Adds the
    // entries of each index to `counts`. The record is in record() afterwards.
    SpilledBlock sort(std::span<const BlockLine> lines, const std::uint32_t* indices,
                      const std::byte* values, std::vector<Index>& counts);
    std::span<const std::byte> record() const noexcept { return m_record.span().first(m_size); }

    // Memory it takes for blocks of such a length, about.
    static Index bytesFor(DType type, Index width, Index entries);

private:
    template <typename Number, std::size_t kSize>
    void sortBy(std::span<const BlockLine> lines, const std::uint32_t* indices,
                const std::byte* values, std::vector<Index>& counts, SpilledBlock& block);
    template <typename Number>
    void sortBySize(std::span<const BlockLine> lines, const std::uint32_t* indices,
                    const std::byte* values, std::vector<Index>& counts, SpilledBlock& block);
    template <typename Number, std::size_t kSize>
    void packSegment(std::size_t segment, const std::byte* entries, Index count,
                     std::vector<Index>& counts, SpilledBlock& block);

    DType m_type;
    Index m_width;
    int m_shift;
    std::vector<std::uint32_t> m_begins; // of the segments among the entries
    std::vector<std::uint32_t> m_cursors;
    std::vector<std::uint32_t> m_places; // of the indices in one segment
    Buffer m_entries;
    Buffer m_values;
    Buffer m_record;
    std::size_t m_size = 0; // of the record
};

// Walks through one segment of a spilled block, index by index.
class SegmentCursor
{
public:
    // `bytes`: where the segment lies in memory; `indices`: how many it holds.
    SegmentCursor(const SpilledBlock& block, std::size_t segment, DType type,
                  const std::byte* bytes, Index indices);

    // Entries of the index at hand.
    Index count() const noexcept;
    // Adds up to `most` of its entries; values widened to the matrix's dtype. Returns how many.
    Index take(Index most, std::uint32_t* lines, std::byte* values) noexcept;
    // To the next index; those not taken are left out.
    void next() noexcept;

private:
    std::uint32_t m_firstLine;
    std::uint8_t m_lineSize;
    SegmentForm m_form;
    DType m_type;
    const std::byte* m_counts;
    const std::byte* m_lines;
    const std::byte* m_values;
    Index m_taken = 0;
};

} // namespace cellfolio
