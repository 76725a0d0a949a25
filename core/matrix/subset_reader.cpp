// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/subset_reader.h"

#include "core/matrix/number_types.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace cellfolio {

namespace {

constexpr Index kLongestTable = Index{16} << 20;
constexpr Index kContiguousGap = 4096; // entries read through rather than starting another read

template <std::size_t kSize>
void copyValue(std::byte* to, const std::byte* from)
{
    std::memcpy(to, from, kSize);
}

using Copy = void (*)(std::byte*, const std::byte*);

Copy copierOf(std::size_t width)
{
    switch (width) {
    case 1: return copyValue<1>;
    case 2: return copyValue<2>;
    case 4: return copyValue<4>;
    case 8: return copyValue<8>;
    default: return copyValue<16>;
    }
}

} // namespace

IndexPlaces::IndexPlaces(const Selection& indices)
    : m_map(indices), m_whole(indices.isAll()), m_ascending(indices.isAscending())
{
    if (m_whole)
        return;
    m_map.expectManyLookups();
    if (!m_map.isPlain()) {
        std::vector<Index> times(at(m_map.size()), 0);
        for (const Index k : m_map.places())
            m_most = std::max(m_most, ++times[at(k)]);
        if (m_most > 1) {
            m_begins.assign(at(m_map.size() + 1), 0);
            std::partial_sum(times.begin(), times.end(), m_begins.begin() + 1);
            m_places.resize(m_map.places().size());
            std::vector<Index> next = m_begins;
            for (std::size_t p = 0; p < m_map.places().size(); ++p)
                m_places[at(next[at(m_map.places()[p])]++)] = static_cast<Index>(p);
            return;
        }
        m_single.resize(at(m_map.size()));
        for (std::size_t p = 0; p < m_map.places().size(); ++p)
            m_single[at(m_map.places()[p])] = static_cast<Index>(p);
    }
    if (indices.extent() <= kLongestTable) {
        m_table.assign(at(indices.extent()), -1);
        for (Index k = 0; k < m_map.size(); ++k)
            m_table[at(m_map[k])] = static_cast<std::int32_t>(m_single.empty() ? k : m_single[at(k)]);
    }
}

Index SubsetReader::chunkOf(const ArrayRef& array)
{
    return array.info().layout == hdf5::Layout::Chunked ? array.info().chunk.front() : 1;
}

SubsetReader::SubsetReader(const SparseSource& source, Reading& reading, const IndexPlaces& places, DType indexType)
    : m_source(source), m_reading(reading), m_places(places), m_indexType(indexType),
      m_width(sizeOf(source.dtype())), m_data(source.data(), reading), m_indices(source.indices(), reading)
{
}

Result<std::vector<std::pair<Index, Index>>> SubsetReader::bounds(const SparseSource& source, Reading& reading,
                                                                  const Selection& lines, Index first, Index count,
                                                                  const std::stop_token& stop)
{
    const Selection part = lines.part(first, count);
    std::vector<std::pair<Index, Index>> bounds;
    bounds.reserve(at(count));
    if (part.isContiguous()) {
        if (part.empty())
            return bounds;
        auto pointers = source.pointers(part[0], count, stop);
        if (!pointers)
            return std::move(pointers).error();
        for (Index k = 0; k < count; ++k)
            bounds.emplace_back((*pointers)[at(k)], (*pointers)[at(k + 1)]);
    } else {
        // Two neighbouring pointers of each line, each read once however the lines are ordered.
        const std::vector<Index> positions = part.positions();
        std::vector<Index> both;
        both.reserve(2 * positions.size());
        for (const Index p : positions) {
            both.push_back(p);
            both.push_back(p + 1);
        }
        const Index length = source.indptr().length();
        if (*std::max_element(both.begin(), both.end()) >= length)
            if (auto few = source.pointers(*std::max_element(positions.begin(), positions.end()), 1, stop); !few)
                return std::move(few).error();
        const ArrayReader reader(source.indptr(), std::shared_ptr<Reading>(std::shared_ptr<Reading>(), &reading),
                                 source.path());
        auto values = reader.rows(Selection::indices(length, both), stop);
        if (!values)
            return std::move(values).error();
        std::vector<Index> pointers;
        appendAsIndex(values->type(), values->data(), values->size(), pointers);
        for (std::size_t k = 0; k < positions.size(); ++k)
            bounds.emplace_back(pointers[2 * k], pointers[2 * k + 1]);
    }
    Index k = 0;
    Result<void> sound;
    part.forEach([&](Index line) {
        if (sound)
            sound = source.checkLine(line, bounds[at(k)].first, bounds[at(k)].second);
        ++k;
    });
    if (!sound)
        return std::move(sound).error();
    return bounds;
}

Result<SubsetBatch> SubsetReader::read(const Selection& lines, const SubsetStream::Piece& piece,
                                       const std::stop_token& stop)
{
    auto found = bounds(m_source, m_reading, lines, piece.line, piece.lines, stop);
    if (!found)
        return std::move(found).error();
    m_spans.clear();
    Index k = 0;
    lines.forEach(piece.line, piece.lines, [&](Index line) {
        Span span;
        span.line = line;
        span.begin = (*found)[at(k)].first + piece.skip;
        span.end = piece.most < 0 ? (*found)[at(k)].second : span.begin + piece.most;
        m_spans.push_back(span);
        ++k;
    });
    // Each line once, as they lie in the file.
    m_order.resize(m_spans.size());
    std::iota(m_order.begin(), m_order.end(), Index{0});
    m_plainOrder = true;
    for (std::size_t i = 1; i < m_spans.size(); ++i)
        m_plainOrder = m_plainOrder && m_spans[i - 1].end <= m_spans[i].begin && m_spans[i - 1].line != m_spans[i].line;
    if (!m_plainOrder) {
        std::vector<Index> sorted = m_order;
        std::stable_sort(sorted.begin(), sorted.end(), [&](Index a, Index b) {
            const Span& x = m_spans[at(a)];
            const Span& y = m_spans[at(b)];
            return x.begin != y.begin ? x.begin < y.begin : x.end != y.end ? x.end < y.end : x.line < y.line;
        });
        std::vector<Span> distinct;
        for (const Index i : sorted) {
            const Span& span = m_spans[at(i)];
            if (distinct.empty() || distinct.back().line != span.line)
                distinct.push_back(span);
            m_order[at(i)] = static_cast<Index>(distinct.size()) - 1;
        }
        m_spans = std::move(distinct);
    }
    if (auto gathered = gatherAll(stop); !gathered)
        return std::move(gathered).error().at(m_source.path());
    if (!m_places.isWhole() && !m_places.isAscending())
        for (const Span& span : m_spans) {
            if (m_indexType == DType::Int32)
                sortSpan<std::int32_t>(span);
            else
                sortSpan<std::int64_t>(span);
        }
    return arranged(piece);
}

Result<void> SubsetReader::gatherAll(const std::stop_token& stop)
{
    const std::size_t indexWidth = sizeOf(m_indexType);
    Index most = 0;
    for (const Span& span : m_spans)
        most += span.end - span.begin;
    const Index room = most * m_places.mostRepeats();
    m_outIndices.resize(at(room) * indexWidth);
    m_outValues.resize(at(room) * m_width);
    m_count = 0;
    const Index chunk = std::max(chunkOf(m_source.data()), chunkOf(m_source.indices()));
    // Within the gap no chunk is decoded that would not be anyway, but for one.
    m_gap = chunk > 1 ? chunk : kContiguousGap;
    m_stretch = stretchLength(std::max<Index>(most, Index{64} << 10), chunk);
    m_stretch = std::max(chunk, std::min(m_stretch, stretchLength(Index{512} << 10, chunk)));

    std::size_t next = 0; // first span that is not yet complete
    while (next < m_spans.size()) {
        const Index groupBegin = m_spans[next].begin;
        Index groupEnd = m_spans[next].end;
        std::size_t last = next + 1;
        for (; last < m_spans.size() && m_spans[last].begin - groupEnd <= m_gap; ++last)
            groupEnd = std::max(groupEnd, m_spans[last].end);
        std::size_t span = next;
        bool fresh = true; // the span at hand has nothing gathered yet
        for (Index first = groupBegin; first < groupEnd;) {
            if (stop.stop_requested())
                return Error::cancelled();
            const Index end = std::min(groupEnd, (first / chunk * chunk) + m_stretch);
            Stretch stretch;
            stretch.first = first;
            auto indices = m_indices.read(first, end - first, stop);
            if (!indices)
                return std::move(indices).error();
            stretch.indices = *indices;
            auto values = m_data.read(first, end - first, stop);
            if (!values)
                return std::move(values).error();
            stretch.values = *values;
            while (span < last && m_spans[span].begin < end) {
                Span& current = m_spans[span];
                if (fresh)
                    current.start = m_count;
                const Index from = std::max(current.begin, first);
                const Index to = std::min(current.end, end);
                if (from < to)
                    if (auto gathered = gather(current, stretch, from - first, to - from); !gathered)
                        return gathered;
                current.count = m_count - current.start;
                fresh = current.end <= end;
                if (!fresh)
                    break;
                ++span;
            }
            first = end;
        }
        // Empty lines at the end of the group.
        for (; span < last; ++span)
            m_spans[span].start = m_count;
        next = last;
    }
    return {};
}

Result<void> SubsetReader::gather(Span& span, const Stretch& stretch, Index from, Index count)
{
    const std::byte* values = stretch.values.data() + at(from) * m_width;
    Result<void> done;
    visitInteger(m_source.indices().dtype(), [&]<typename In>(const In*) {
        const In* in = reinterpret_cast<const In*>(stretch.indices.data()) + from;
        done = m_indexType == DType::Int32
                 ? gatherIndices<In, std::int32_t>(span, in, stretch.first, from, count, values)
                 : gatherIndices<In, std::int64_t>(span, in, stretch.first, from, count, values);
    });
    return done;
}

template <typename In, typename Out>
Result<void> SubsetReader::gatherIndices(Span& span, const In* in, Index first, Index from, Index count,
                                         const std::byte* values)
{
    const auto width = static_cast<std::uint64_t>(m_source.width());
    bool outside = false;
    for (Index i = 0; i < count; ++i)
        outside |= static_cast<std::uint64_t>(in[i]) >= width; // negative ones become very large
    if (outside) {
        Index i = 0;
        while (static_cast<std::uint64_t>(in[i]) < width)
            ++i;
        return m_source.outside(span.line, static_cast<Index>(in[i]), first + from + i);
    }
    Out* out = reinterpret_cast<Out*>(m_outIndices.data()) + m_count;
    std::byte* outValues = m_outValues.data() + at(m_count) * m_width;
    if (m_places.isWhole()) {
        if constexpr (std::is_same_v<In, Out>) {
            std::memcpy(out, in, at(count) * sizeof(Out));
        } else {
            for (Index i = 0; i < count; ++i)
                out[i] = static_cast<Out>(in[i]);
        }
        std::memcpy(outValues, values, at(count) * m_width);
        m_count += count;
        return {};
    }
    const Copy copy = copierOf(m_width);
    Index made = 0;
    if (!m_places.hasRepeats()) {
        for (Index i = 0; i < count; ++i) {
            const Index place = m_places.place(static_cast<Index>(in[i]));
            if (place < 0)
                continue;
            out[made] = static_cast<Out>(place);
            copy(outValues + at(made) * m_width, values + at(i) * m_width);
            ++made;
        }
    } else {
        for (Index i = 0; i < count; ++i)
            for (const Index place : m_places.places(static_cast<Index>(in[i]))) {
                out[made] = static_cast<Out>(place);
                copy(outValues + at(made) * m_width, values + at(i) * m_width);
                ++made;
            }
    }
    m_count += made;
    return {};
}

template <typename Out>
void SubsetReader::sortSpan(const Span& span)
{
    Out* indices = reinterpret_cast<Out*>(m_outIndices.data()) + span.start;
    std::byte* values = m_outValues.data() + at(span.start) * m_width;
    if (std::is_sorted(indices, indices + span.count))
        return;
    std::vector<std::pair<Out, Index>> order(at(span.count));
    for (Index i = 0; i < span.count; ++i)
        order[at(i)] = {indices[i], i};
    std::sort(order.begin(), order.end()); // equal ones in stored order
    std::vector<std::byte> held(values, values + at(span.count) * m_width);
    for (Index i = 0; i < span.count; ++i) {
        indices[i] = order[at(i)].first;
        std::memcpy(values + at(i) * m_width, held.data() + at(order[at(i)].second) * m_width, m_width);
    }
}

SubsetBatch SubsetReader::arranged(const SubsetStream::Piece& piece)
{
    SubsetBatch batch;
    m_ends.clear();
    Index total = 0;
    for (const Index s : m_order) {
        total += m_spans[at(s)].count;
        if (piece.ends)
            m_ends.push_back(total);
    }
    batch.entries = total;
    batch.ends = m_ends;
    batch.indices = m_outIndices.data();
    batch.values = m_outValues.data();
    if (m_plainOrder)
        return batch;
    const std::size_t indexWidth = sizeOf(m_indexType);
    m_arrangedIndices.resize(at(total) * indexWidth);
    m_arrangedValues.resize(at(total) * m_width);
    Index place = 0;
    for (const Index s : m_order) {
        const Span& span = m_spans[at(s)];
        if (span.count == 0)
            continue;
        std::memcpy(m_arrangedIndices.data() + at(place) * indexWidth,
                    m_outIndices.data() + at(span.start) * indexWidth, at(span.count) * indexWidth);
        std::memcpy(m_arrangedValues.data() + at(place) * m_width, m_outValues.data() + at(span.start) * m_width,
                    at(span.count) * m_width);
        place += span.count;
    }
    batch.indices = m_arrangedIndices.data();
    batch.values = m_arrangedValues.data();
    return batch;
}

} // namespace cellfolio
