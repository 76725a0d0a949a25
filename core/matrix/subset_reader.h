// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/axis_map.h"
#include "core/matrix/subset_stream.h"
#include "core/paging/stretch_reader.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace cellfolio {

// Where the indices of a matrix stand in a view. Shared by all threads.
class IndexPlaces
{
public:
    explicit IndexPlaces(const Selection& indices);

    bool isWhole() const noexcept { return m_whole; } // every index at its own place
    bool isAscending() const noexcept { return m_ascending; }
    bool hasRepeats() const noexcept { return !m_begins.empty(); }
    Index mostRepeats() const noexcept { return m_most; }
    // The only place of an index, or -1. Requires: no repeats.
    Index place(Index index) const noexcept
    {
        if (!m_table.empty())
            return m_table[at(index)];
        const Index k = m_map.find(index);
        return k < 0 || m_single.empty() ? k : m_single[at(k)];
    }
    // All places of an index.
    std::span<const Index> places(Index index) const noexcept
    {
        const Index k = m_map.find(index);
        if (k < 0)
            return {};
        return std::span(m_places).subspan(at(m_begins[at(k)]), at(m_begins[at(k + 1)] - m_begins[at(k)]));
    }

private:
    AxisMap m_map;
    bool m_whole;
    bool m_ascending;
    Index m_most = 1;
    std::vector<std::int32_t> m_table; // place of each index, for axes that are not too long
    std::vector<Index> m_single;       // place of each distinct one, where they are in another order
    std::vector<Index> m_begins;       // with repeats: where the places of each distinct one begin
    std::vector<Index> m_places;
};

// Makes the batches of one thread. What it hands out lives until the next call.
class SubsetReader
{
public:
    SubsetReader(const SparseSource& source, Reading& reading, const IndexPlaces& places, DType indexType);

    Result<SubsetBatch> read(const Selection& lines, const SubsetStream::Piece& piece, const std::stop_token& stop);

    // Pointers of a part of a selection of lines, checked: begin and end of each.
    static Result<std::vector<std::pair<Index, Index>>> bounds(const SparseSource& source, Reading& reading,
                                                               const Selection& lines, Index first, Index count,
                                                               const std::stop_token& stop);
    // Values read at once, for chunks of that length.
    static Index stretchLength(Index batch, Index chunk) { return std::max(batch / chunk, Index{1}) * chunk; }
    static Index chunkOf(const ArrayRef& array);

private:
    struct Span {
        Index line = 0; // in the file
        Index begin = 0;
        Index end = 0;
        Index start = 0; // of what was gathered of it
        Index count = 0;
    };
    struct Stretch {
        Index first = 0;
        std::span<const std::byte> indices;
        std::span<const std::byte> values;
    };
    Result<void> gatherAll(const std::stop_token& stop);
    Result<void> gather(Span& span, const Stretch& stretch, Index from, Index count);
    template <typename In, typename Out>
    Result<void> gatherIndices(Span& span, const In* in, Index first, Index from, Index count, const std::byte* values);
    template <typename Out>
    void sortSpan(const Span& span);
    SubsetBatch arranged(const SubsetStream::Piece& piece);

    const SparseSource& m_source;
    Reading& m_reading;
    const IndexPlaces& m_places;
    DType m_indexType;
    std::size_t m_width; // bytes of a value
    Index m_stretch = 0;
    Index m_gap = 0;
    StretchReader m_data;
    StretchReader m_indices;
    std::vector<Span> m_spans;     // distinct lines, as they lie in the file
    std::vector<Index> m_order;    // for each line of the piece, its span
    bool m_plainOrder = true;
    Index m_count = 0;             // gathered so far
    Buffer m_outIndices;
    Buffer m_outValues;
    Buffer m_arrangedIndices;
    Buffer m_arrangedValues;
    std::vector<Index> m_ends;
};

} // namespace cellfolio
