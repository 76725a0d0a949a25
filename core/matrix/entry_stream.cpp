// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/entry_stream.h"

#include "core/matrix/number_types.h"
#include "core/paging/scan.h"

#include <algorithm>
#include <cstring>

// Wanted lines are taken in windows of pointers; within a window, lines whose entries lie close
// together make a run; a run is scanned in blocks, a block is worked through in pieces that fit
// the second cache.

namespace cellfolio {

namespace {

constexpr Index kPointerWindow = Index{256} << 10;
constexpr Index kPiece = Index{32} << 10;
constexpr Index kLongest = 2 * kPiece; // values of a batch
constexpr Index kGap = Index{16} << 10; // entries read through rather than starting another run

struct Line {
    Index number; // among the distinct wanted ones
    Index line;
    Index begin;
    Index end;
};

std::vector<std::int32_t> timesOf(const AxisMap& map)
{
    std::vector<std::int32_t> times;
    if (map.isPlain())
        return times;
    times.assign(at(map.size()), 0);
    for (const Index k : map.places())
        ++times[at(k)];
    if (std::all_of(times.begin(), times.end(), [](std::int32_t n) { return n == 1; }))
        times.clear();
    return times;
}

// What one worker keeps between its calls.
struct Scratch {
    std::vector<Index> indices;
    std::vector<std::byte> values;
    std::vector<std::int32_t> numbers;
    std::vector<LineSegment> segments;
    Index count = 0;         // values gathered
    Index lineStart = 0;     // where those of the line at hand begin
    bool lineBroken = false; // not all of its entries are among them
};

// Works through the blocks of one run.
class RunVisitor
{
public:
    RunVisitor(const EntryStream& stream, EntryPlace place, bool wantIndices,
               std::span<const Line> lines, const std::vector<std::int32_t>& lineTimes,
               const std::vector<std::int32_t>& indexTimes, std::vector<Scratch>& scratch,
               const std::function<Result<void>(const EntryBatch&)>& visit)
        : m_stream(stream), m_source(stream.source()), m_place(place), m_wantIndices(wantIndices),
          m_lines(lines), m_lineTimes(lineTimes), m_indexTimes(indexTimes), m_scratch(scratch),
          m_visit(visit), m_type(m_source.dtype()), m_size(static_cast<Index>(sizeOf(m_type)))
    {
        // Values can be handed on where they lie when none is left out and none repeated.
        bool gapless = true;
        for (std::size_t k = 1; k < lines.size(); ++k)
            gapless = gapless && lines[k].begin == lines[k - 1].end;
        m_tellLines = place == EntryPlace::ByLine || place == EntryPlace::Both;
        m_tellIndices = place == EntryPlace::ByIndex || place == EntryPlace::Both;
        const bool identity = indexTimes.empty() && stream.indices().size() == m_source.width();
        m_direct = gapless && (!wantIndices || identity) && (m_tellLines || lineTimes.empty());
    }

    Result<void> block(const ScanBlock& block, Index ordinal)
    {
        Scratch& own = m_scratch[at(Index{block.worker})];
        for (Index start = 0; start < block.count; start += kPiece) {
            const Index count = std::min(kPiece, block.count - start);
            if (Result<void> done = piece(block, ordinal, start, count, own); !done)
                return done;
        }
        return {};
    }

private:
    Result<void> piece(const ScanBlock& block, Index ordinal, Index start, Index count,
                       Scratch& own)
    {
        const Index first = block.first + start;
        const std::byte* values = block.bytes[0].data() + start * m_size;
        own.segments.clear();
        own.numbers.clear();
        own.count = 0;
        if (m_wantIndices) {
            own.indices.clear();
            const DType type = m_source.indices().dtype();
            appendAsIndex(type, block.bytes[1].data() + start * static_cast<Index>(sizeOf(type)),
                          count, own.indices);
        }
        if (m_direct && m_wantIndices)
            if (Result<void> ok = takeIndices(first, own); !ok)
                return ok;
        if (m_direct && !m_tellLines)
            return m_visit({ordinal, block.worker, count, values, own.numbers, {}});

        const auto begin = std::partition_point(m_lines.begin(), m_lines.end(),
                                                [first](const Line& l) { return l.end <= first; });
        for (auto line = begin; line != m_lines.end() && line->begin < first + count; ++line) {
            const Index from = std::max(line->begin, first) - first;
            const Index to = std::min(line->end, first + count) - first;
            if (from >= to)
                continue;
            if (m_direct) {
                own.segments.push_back({line->number, own.count, own.count + to - from,
                                        from + first == line->begin && to + first == line->end});
                own.count += to - from;
                continue;
            }
            own.lineStart = own.count;
            own.lineBroken = from + first != line->begin || to + first != line->end;
            const auto width = static_cast<std::uint64_t>(m_source.width());
            for (Index e = from; e < to; ++e) {
                Index found = 0;
                if (m_wantIndices) {
                    const Index index = own.indices[at(e)];
                    if (static_cast<std::uint64_t>(index) >= width)
                        return m_source.outside(line->line, index, first + e);
                    found = m_stream.indices().find(index);
                    if (found < 0)
                        continue;
                }
                if (Result<void> ok = gather(*line, e, found, values, {block, ordinal}, own); !ok)
                    return ok;
            }
            endSegment(*line, own);
        }
        return emit({block, ordinal}, m_direct ? values : own.values.data(), own);
    }

    // All indices are wanted, once each: they are their own numbers.
    Result<void> takeIndices(Index first, Scratch& own)
    {
        const auto width = static_cast<std::uint64_t>(m_source.width());
        const std::size_t n = own.indices.size();
        own.numbers.resize(n);
        bool outside = false;
        for (std::size_t i = 0; i < n; ++i) {
            outside |= static_cast<std::uint64_t>(own.indices[i]) >= width;
            own.numbers[i] = static_cast<std::int32_t>(own.indices[i]);
        }
        for (std::size_t i = 0; outside && i < n; ++i)
            if (static_cast<std::uint64_t>(own.indices[i]) >= width) {
                const Index entry = first + static_cast<Index>(i);
                const auto line =
                    std::partition_point(m_lines.begin(), m_lines.end(),
                                         [entry](const Line& l) { return l.end <= entry; });
                return m_source.outside(line->line, own.indices[i], entry);
            }
        return {};
    }

    struct Batch {
        const ScanBlock& block;
        Index ordinal;
    };

    Result<void> emit(const Batch& batch, const std::byte* values, Scratch& own)
    {
        if (own.count == 0 && own.segments.empty())
            return {};
        const std::span<const LineSegment> segments =
            m_tellLines ? std::span<const LineSegment>(own.segments)
                        : std::span<const LineSegment>();
        return m_visit({batch.ordinal, batch.block.worker, own.count, values, own.numbers,
                        segments});
    }

    static void endSegment(const Line& line, Scratch& own)
    {
        own.segments.push_back({line.number, own.lineStart, own.count, !own.lineBroken});
        own.lineStart = own.count;
    }

    // Copies an entry as often as it is wanted. A batch that grows long through repeats is handed
    // on in between.
    Result<void> gather(const Line& line, Index entry, Index found, const std::byte* values,
                        const Batch& batch, Scratch& own)
    {
        Index times = m_lineTimes.empty() || m_tellLines ? 1 : m_lineTimes[at(line.number)];
        if (!m_indexTimes.empty() && !m_tellIndices)
            times *= m_indexTimes[at(found)];
        own.values.resize(at(kLongest * m_size));
        while (times > 0) {
            if (own.count == kLongest) {
                own.lineBroken = true;
                endSegment(line, own);
                if (Result<void> done = emit(batch, own.values.data(), own); !done)
                    return done;
                own.segments.clear();
                own.numbers.clear();
                own.count = own.lineStart = 0;
            }
            const Index copies = std::min(times, kLongest - own.count);
            for (Index k = 0; k < copies; ++k)
                std::memcpy(own.values.data() + (own.count + k) * m_size, values + entry * m_size,
                            at(m_size));
            own.count += copies;
            times -= copies;
            if (m_tellIndices)
                own.numbers.insert(own.numbers.end(), at(copies), static_cast<std::int32_t>(found));
        }
        return {};
    }

    const EntryStream& m_stream;
    const SparseSource& m_source;
    EntryPlace m_place;
    bool m_wantIndices;
    bool m_direct = false;
    bool m_tellLines = false;
    bool m_tellIndices = false;
    std::span<const Line> m_lines;
    const std::vector<std::int32_t>& m_lineTimes;
    const std::vector<std::int32_t>& m_indexTimes;
    std::vector<Scratch>& m_scratch;
    const std::function<Result<void>(const EntryBatch&)>& m_visit;
    DType m_type;
    Index m_size;
};

} // namespace

EntryStream::EntryStream(SparseSource source, std::shared_ptr<Reading> reading,
                         const std::optional<Selection>& lines,
                         const std::optional<Selection>& indices)
    : m_source(std::move(source)), m_reading(std::move(reading)),
      m_lines(lines ? *lines : Selection::all(m_source.lines())),
      m_indices(indices ? *indices : Selection::all(m_source.width())),
      m_allIndices(!indices || indices->isAll())
{
    m_indices.expectManyLookups();
    m_lineTimes = timesOf(m_lines);
    m_indexTimes = timesOf(m_indices);
}

Result<Index> EntryStream::entries(std::stop_token stop) const
{
    if (m_lines.empty())
        return Index{0};
    const Index first = m_lines[0];
    const Index last = m_lines[m_lines.size() - 1];
    Result<std::vector<Index>> begin = m_source.pointers(first, 0, stop);
    if (!begin)
        return std::move(begin).error();
    Result<std::vector<Index>> end = m_source.pointers(last + 1, 0, stop);
    if (!end)
        return std::move(end).error();
    return std::clamp(end->front() - begin->front(), Index{0}, m_source.stored());
}

Result<void> EntryStream::run(const Pass& pass,
                              const std::function<Result<void>(const EntryBatch&)>& visit) const
{
    const bool wantIndices = !m_allIndices || pass.place == EntryPlace::ByIndex
                             || pass.place == EntryPlace::Both;
    std::vector<ArrayRef> arrays{m_source.data()};
    if (wantIndices)
        arrays.push_back(m_source.indices());
    std::vector<Scratch> scratch(at(Index{m_reading->threads()}));
    Index ordinals = 0;

    std::vector<Line> run;
    const auto flush = [&]() -> Result<void> {
        if (run.empty())
            return {};
        RunVisitor visitor(*this, pass.place, wantIndices, run, m_lineTimes, m_indexTimes, scratch,
                           visit);
        ScanOptions options;
        options.stop = pass.stop;
        if (pass.progress != nullptr)
            options.progress = [&pass](Index count) { pass.progress->advance(count); };
        const ScanPlan plan =
            planScan(arrays, run.front().begin, run.back().end, *m_reading, options);
        const Index base = ordinals;
        ordinals += plan.blocks;
        Result<void> done =
            scan(arrays, m_source.path(), *m_reading, plan, options,
                 [&](const ScanBlock& block) { return visitor.block(block, base + block.ordinal); });
        run.clear();
        return done;
    };

    for (Index k = 0; k < m_lines.size();) {
        const Index first = m_lines[k];
        const Index next = m_lines.lowerBound(first + kPointerWindow);
        const Index last = m_lines[next - 1];
        Result<std::vector<Index>> bounds = m_source.pointers(first, last - first + 1, pass.stop);
        if (!bounds)
            return std::move(bounds).error();
        for (; k < next; ++k) {
            const Index line = m_lines[k];
            const Index begin = (*bounds)[at(line - first)];
            const Index end = (*bounds)[at(line - first + 1)];
            if (Result<void> ok = m_source.checkLine(line, begin, end); !ok)
                return ok;
            if (begin == end)
                continue;
            if (!run.empty()
                && (begin < run.back().end || begin - run.back().end > kGap)) {
                if (Result<void> done = flush(); !done)
                    return done;
            }
            run.push_back({k, line, begin, end});
        }
        if (Result<void> done = flush(); !done)
            return done;
        if (pass.stop.stop_requested())
            return Error::cancelled();
    }
    return {};
}

} // namespace cellfolio
