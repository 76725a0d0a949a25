// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/external_transpose.h"

#include "core/base/text.h"
#include "core/matrix/number_types.h"
#include "core/matrix/scratch_file.h"
#include "core/matrix/spilled_block.h"
#include "core/paging/scan.h"
#include "core/run/allocator.h"
#include "core/run/work_sharing.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

// Sorting by index within blocks of half a million entries keeps every write of the sort in the
// caches; the runs of an index that result (some dozens of entries) are long enough to be copied
// together later. Scattering straight to all indices of a matrix took three times as long. Where
// an index begins in a block is kept for some 300 segments only, so that the directory of a
// thousand million entries stays at about a MiB; how many segments are gathered at once is decided
// when their sizes are known, so no sample can mislead.

namespace cellfolio {

namespace {

constexpr Index kLineWindow = Index{512} << 10; // pointers held at once
constexpr Index kBlock = Index{1} << 19;
constexpr Index kSmallestBlock = Index{16} << 10;
constexpr std::uint64_t kSegments = 512;
constexpr Index kPiece = Index{64} << 10;
constexpr Index kGather = Index{64} << 20;
constexpr Index kSmallestGather = Index{1} << 20;

class Transposing
{
public:
    Transposing(const SparseSource& source, std::shared_ptr<Reading> reading,
                const ExternalTranspose::Options& options, ScratchFile& file)
        : m_source(source), m_reading(std::move(reading)), m_options(options), m_file(file),
          m_type(source.dtype()), m_item(static_cast<Index>(sizeOf(m_type))),
          m_shift(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<Index>(0, source.width() - 1))
                             / kSegments))),
      m_segment(Index{1} << m_shift),
          m_counts(at(source.width()))
    {
    }

    Result<void> run(const ExternalTranspose::Begin& begin, const ExternalTranspose::Sink& sink)
    {
        if (m_options.progress != nullptr)
            m_options.progress->begin(m_source.stored() + m_source.stored() / 2);
        if (Result<void> done = spill(); !done)
            return done;
        if (m_options.temporary != nullptr)
            *m_options.temporary = m_file.size();
        return gather(begin, sink);
    }

private:
    struct Sorter {
        BlockSorter sorter;
        std::vector<std::uint32_t> indices;
        std::vector<BlockLine> lines;
        std::vector<Index> counts;
    };

    struct Window {
        Index firstLine;
        std::vector<Index> bounds; // of its lines, one more
        std::size_t firstBlock;
        Index plannedFirst;
        Index length;
    };

    Index available() const
    {
        const MemorySnapshot now = m_reading->budget().snapshot();
        return std::max<Index>(0, now.limit - now.total);
    }

    Index lineWindow() const { return std::min(kLineWindow, m_source.lines() + 1); }

    // What a worker of the first pass takes for blocks of a length.
    Index bytesOfSorter(Index length) const
    {
        return BlockSorter::bytesFor(m_type, m_source.width(), length)
             + m_source.width() * static_cast<Index>(sizeof(Index)) + length * 4
             + std::min(length, kLineWindow) * static_cast<Index>(sizeof(BlockLine));
    }
    Index bytesOfScan(Index length) const
    {
        return 2 * length * (m_source.data().info().type.size + m_source.indices().info().type.size);
    }

    Result<void> spill()
    {
        const std::vector<ArrayRef> arrays{m_source.data(), m_source.indices()};
        int threads = m_options.threads > 0 ? m_options.threads : m_reading->threads();
        const Index room = available() - lineWindow() * 16 - (Index{2} << 20);
        Index length = m_options.blockLength > 0 ? m_options.blockLength : kBlock;
        const auto fits = [&] {
            const Index directory = m_source.stored() / length * segments() * 6;
            return (bytesOfSorter(length) + bytesOfScan(length)) * threads + directory <= room;
        };
        while (m_options.blockLength == 0 && length > kSmallestBlock && !fits())
            length /= 2;
        while (threads > 1 && !fits())
            --threads;
        ScanOptions options;
        options.stop = m_options.stop;
        options.threads = threads;
        options.blockLength = length;
        if (m_options.progress != nullptr)
            options.progress = [this](Index count) { m_options.progress->advance(count); };
        // Blocks end where chunks do, which may make them longer.
        length = planScan(arrays, 0, m_source.stored(), *m_reading, options).blockLength;
        if (length > std::numeric_limits<std::int32_t>::max())
            return Error(ErrorCode::OutOfBudget,
                         "The chunks of the matrix are too large to be sorted in memory.")
                .at(m_source.path());
        auto held = m_reading->budget().reserve(MemoryTag::Job, bytesOfSorter(length) * threads
                                                                    + lineWindow() * 16);
        if (!held)
            return std::move(held).error().at(m_source.path());
        m_sortBytes = (bytesOfSorter(length) + bytesOfScan(length)) * threads;
        std::vector<Sorter> sorters;
        for (int k = 0; k < threads; ++k)
            sorters.push_back({BlockSorter(m_type, m_source.width(), m_shift), {}, {},
                               std::vector<Index>(at(m_source.width()))});

        for (Index line = 0; line < m_source.lines(); line += kLineWindow) {
            const Index count = std::min(kLineWindow, m_source.lines() - line);
            auto bounds = m_source.pointers(line, count, m_options.stop);
            if (!bounds)
                return std::move(bounds).error();
            for (Index k = 0; k < count; ++k)
                if (Result<void> ok = m_source.checkLine(line + k, (*bounds)[at(k)],
                                                         (*bounds)[at(k + 1)]);
                    !ok)
                    return ok;
            const ScanPlan plan =
                planScan(arrays, bounds->front(), bounds->back(), *m_reading, options);
            // The directory of the blocks is kept to the end.
            auto directory = m_reading->budget().reserve(
                MemoryTag::Job,
                plan.blocks * (segments() * Index{sizeof(std::uint32_t) + sizeof(SegmentForm)}
                               + Index{sizeof(SpilledBlock)}));
            if (!directory)
                return std::move(directory).error().at(m_source.path());
            m_directory.push_back(*std::move(directory));
            const Window window{line, *std::move(bounds), m_blocks.size(),
                                plan.first / plan.blockLength, plan.blockLength};
            m_blocks.resize(m_blocks.size() + at(plan.blocks));
            if (Result<void> done = scan(arrays, m_source.path(), *m_reading, plan, options,
                                         [&](const ScanBlock& block) {
                                             return sortBlock(window, block,
                                                              sorters[at(Index{block.worker})]);
                                         });
                !done)
                return done;
            if (m_options.stop.stop_requested())
                return Error::cancelled();
        }
        for (const Sorter& sorter : sorters)
            for (std::size_t k = 0; k < m_counts.size(); ++k)
                m_counts[k] += sorter.counts[k];
        return {};
    }

    Result<void> sortBlock(const Window& window, const ScanBlock& block, Sorter& own)
    {
        auto indices = checkedIndices(window, block, own);
        if (!indices)
            return std::move(indices).error();
        own.lines.clear();
        const Index last = block.first + block.count;
        // The last line that does not begin behind the block's first entry.
        auto line = std::upper_bound(window.bounds.begin(), window.bounds.end(), block.first)
                  - window.bounds.begin() - 1;
        for (auto k = at(line); k + 1 < window.bounds.size() && window.bounds[k] < last; ++k) {
            const Index begin = std::max(window.bounds[k], block.first);
            const Index end = std::min(window.bounds[k + 1], last);
            if (begin < end)
                own.lines.push_back(
                    {static_cast<std::uint32_t>(window.firstLine + static_cast<Index>(k)),
                     static_cast<std::int32_t>(begin - block.first),
                     static_cast<std::int32_t>(end - block.first)});
        }
        SpilledBlock sorted =
            own.sorter.sort(own.lines, *indices, block.bytes[0].data(), own.counts);
        const std::span<const std::byte> record = own.sorter.record();
        sorted.offset = m_file.claim(static_cast<Index>(record.size()));
        // Each block of the plan has a place of its own, so none waits for another.
        const Index ordinal = block.first / window.length - window.plannedFirst;
        m_blocks[window.firstBlock + at(ordinal)] = sorted;
        return m_file.write(sorted.offset, record);
    }

    // The indices of a block as 32-bit numbers, all of them inside the matrix.
    Result<const std::uint32_t*> checkedIndices(const Window& window, const ScanBlock& block,
                                                Sorter& own)
    {
        const auto width = static_cast<std::uint64_t>(m_source.width());
        bool outside = false;
        const std::uint32_t* result = nullptr;
        visitInteger(m_source.indices().dtype(), [&]<typename T>(const T*) {
            const T* from = reinterpret_cast<const T*>(block.bytes[1].data());
            if constexpr (sizeof(T) == sizeof(std::uint32_t)) {
                // Signed and unsigned are the same below 2^31, and above both are checked.
                const auto* numbers = reinterpret_cast<const std::uint32_t*>(from);
                std::uint32_t most = 0;
                T least = 0;
                for (Index i = 0; i < block.count; ++i) {
                    most = std::max(most, numbers[i]);
                    least = std::min(least, from[i]);
                }
                outside = block.count > 0 && (most >= width || least < 0);
                result = numbers;
            } else {
                own.indices.resize(at(block.count));
                std::uint64_t most = 0;
                for (Index i = 0; i < block.count; ++i) {
                    most = std::max(most, static_cast<std::uint64_t>(from[i]));
                    own.indices[at(i)] = static_cast<std::uint32_t>(from[i]);
                }
                outside = block.count > 0 && most >= width;
                result = own.indices.data();
            }
        });
        if (!outside)
            return result;
        std::vector<Index> all;
        appendAsIndex(m_source.indices().dtype(), block.bytes[1].data(), block.count, all);
        const auto bad = std::find_if(all.begin(), all.end(), [&](Index index) {
            return index < 0 || index >= m_source.width();
        });
        const Index entry = block.first + (bad - all.begin());
        const auto line = std::upper_bound(window.bounds.begin(), window.bounds.end(), entry)
                        - window.bounds.begin() - 1;
        return m_source.outside(window.firstLine + line, *bad, entry);
    }

    struct Gatherer {
        Buffer bytes;
        Buffer values;
        std::vector<std::uint32_t> lines;
        std::vector<SegmentCursor> cursors;
        int worker = 0;
        Index filled = 0;
        Index passed = 0; // entries of the index at hand that went to the sink
    };

    Index segments() const { return (m_source.width() + m_segment - 1) / m_segment; }
    Index indicesOf(Index segment) const
    {
        return std::min(m_segment, m_source.width() - segment * m_segment);
    }

    Result<void> gather(const ExternalTranspose::Begin& begin, const ExternalTranspose::Sink& sink)
    {
        // A block without entries has no record.
        std::erase_if(m_blocks, [](const SpilledBlock& b) { return b.starts.empty(); });
        std::vector<Index> bytes(at(segments()));
        for (const SpilledBlock& block : m_blocks)
            for (std::size_t s = 0; s < bytes.size(); ++s)
                bytes[s] += block.starts[s + 1] - block.starts[s];

        int threads = m_options.threads > 0 ? m_options.threads : m_reading->threads();
        const Index cursors = static_cast<Index>(m_blocks.size() * sizeof(SegmentCursor));
        const Index longest = m_counts.empty() ? 0 : *std::max_element(m_counts.begin(), m_counts.end());
        const Index sinks = m_options.sinkBytes
                          + static_cast<Index>(static_cast<double>(longest) * m_options.sinkBytesAnEntry);
        const Index fixed = kPiece * (m_item + 4) + cursors + sinks;
        const Index room = available() / 8 * 7;
        while (threads > 1 && room / threads - fixed < kSmallestGather)
            --threads;
        const Index most = m_options.gatherBytes > 0
                               ? m_options.gatherBytes
                               : std::clamp(room / threads - fixed, kSmallestGather, kGather);
        std::vector<std::pair<Index, Index>> ranges; // of segments
        Index largest = 0;
        for (Index first = 0; first < segments();) {
            Index last = first;
            Index sum = 0;
            do {
                sum += bytes[at(last++)];
            } while (last < segments() && sum + bytes[at(last)] <= most);
            if (sum <= most)
                largest = std::max(largest, sum);
            ranges.emplace_back(first, last);
            first = last;
        }
        threads = std::min(threads, std::max(1, static_cast<int>(ranges.size())));
        auto held = m_reading->budget().reserve(MemoryTag::Job, (largest + fixed) * threads);
        if (!held)
            return std::move(held).error().at(m_source.path());
        // What the sort took is free, but the process still has it.
        if (m_sortBytes + m_reading->budget().snapshot().total > m_reading->budget().limit())
            returnFreeMemory();
        if (Result<void> ready = begin(m_counts, threads); !ready)
            return ready;
        std::vector<Gatherer> gatherers(at(Index{threads}));
        for (int k = 0; k < threads; ++k) {
            gatherers[at(Index{k})].worker = k;
            gatherers[at(Index{k})].lines.resize(at(kPiece));
            gatherers[at(Index{k})].values.resize(at(kPiece * m_item));
        }
        return WorkSharing(static_cast<Index>(ranges.size()))
            .run(threads, [&](int worker, Index task) -> Result<void> {
                const auto [first, last] = ranges[at(task)];
                Gatherer& own = gatherers[at(Index{worker})];
                // One segment alone may be too long for memory.
                if (last == first + 1 && bytes[at(first)] > most)
                    return longSegment(first, own, sink);
                return shortSegments(first, last, own, sink);
            });
    }

    // Segments that fit memory: what each block has of them, in one read a block.
    Result<void> shortSegments(Index first, Index last, Gatherer& own,
                               const ExternalTranspose::Sink& sink)
    {
        const auto from = at(first);
        const auto to = at(last);
        std::size_t size = 0;
        for (const SpilledBlock& block : m_blocks)
            size += block.starts[to] - block.starts[from];
        own.bytes.resize(size);
        std::vector<std::size_t> starts;
        size = 0;
        for (const SpilledBlock& block : m_blocks) {
            if (m_options.stop.stop_requested())
                return Error::cancelled();
            const std::size_t length = block.starts[to] - block.starts[from];
            if (Result<void> read = m_file.read(block.offset + block.starts[from],
                                                own.bytes.span().subspan(size, length));
                !read)
                return read;
            starts.push_back(size);
            size += length;
        }
        for (Index segment = first; segment < last; ++segment) {
            if (m_options.stop.stop_requested())
                return Error::cancelled();
            own.cursors.clear();
            for (std::size_t b = 0; b < m_blocks.size(); ++b) {
                const SpilledBlock& block = m_blocks[b];
                own.cursors.emplace_back(
                    block, at(segment), m_type,
                    own.bytes.data() + starts[b] + (block.starts[at(segment)] - block.starts[from]),
                    indicesOf(segment));
            }
            for (Index k = 0; k < indicesOf(segment); ++k) {
                const Index index = segment * m_segment + k;
                own.filled = own.passed = 0;
                for (SegmentCursor& cursor : own.cursors) {
                    if (Result<void> done = takeAll(cursor, index, own, sink); !done)
                        return done;
                    cursor.next();
                }
                if (Result<void> done = pass(index, own, sink); !done)
                    return done;
            }
            advance(segment);
        }
        return {};
    }

    Result<void> takeAll(SegmentCursor& cursor, Index index, Gatherer& own,
                         const ExternalTranspose::Sink& sink)
    {
        for (;;) {
            const Index most = kPiece - own.filled;
            const Index taken = cursor.take(most, own.lines.data() + own.filled,
                                            own.values.data() + own.filled * m_item);
            own.filled += taken;
            if (taken < most)
                return {};
            if (Result<void> done = pass(index, own, sink); !done)
                return done;
        }
    }

    // Hands the piece at hand on.
    Result<void> pass(Index index, Gatherer& own, const ExternalTranspose::Sink& sink)
    {
        if (own.filled == 0)
            return {};
        TransposedPiece piece;
        piece.worker = own.worker;
        piece.index = index;
        piece.first = own.passed;
        piece.lines = std::span<const std::uint32_t>(own.lines).first(at(own.filled));
        piece.values = own.values.data();
        own.passed += own.filled;
        own.filled = 0;
        piece.total = m_counts[at(index)];
        piece.last = own.passed == piece.total;
        return sink(piece);
    }

    // A segment that does not fit memory, index by index: of each block its part of the lines and
    // of the values.
    Result<void> longSegment(Index segment, Gatherer& own, const ExternalTranspose::Sink& sink)
    {
        const Index indices = indicesOf(segment);
        struct Part {
            std::vector<std::uint32_t> counts;
            Index lines = 0;  // where the next ones stand in the file
            Index values = 0;
        };
        Index held = 0;
        std::vector<Part> parts;
        MemoryReservation charge;
        for (const SpilledBlock& block : m_blocks) {
            held += indices * 4 + static_cast<Index>(sizeof(Part));
            Part part;
            part.counts.resize(at(indices));
            const SegmentForm form = block.forms[at(segment)];
            Buffer counts(at(indices) * form.countSize);
            const Index start = block.offset + block.starts[at(segment)];
            if (Result<void> read = m_file.read(start, counts.span()); !read)
                return read;
            Index entries = 0;
            for (Index k = 0; k < indices; ++k) {
                std::memcpy(&part.counts[at(k)], counts.data() + at(k) * form.countSize,
                            form.countSize);
                entries += part.counts[at(k)];
            }
            part.lines = start + indices * form.countSize;
            part.values = part.lines + entries * block.lineSize;
            parts.push_back(std::move(part));
        }
        charge = m_reading->budget().force(MemoryTag::Job, held);
        Buffer narrow;
        for (Index k = 0; k < indices; ++k) {
            const Index index = segment * m_segment + k;
            own.filled = own.passed = 0;
            for (std::size_t b = 0; b < m_blocks.size(); ++b) {
                const SpilledBlock& block = m_blocks[b];
                const NarrowKind kind = block.forms[at(segment)].kind;
                const auto valueSize = static_cast<Index>(narrowSize(kind, m_type));
                for (Index left = parts[b].counts[at(k)]; left > 0;) {
                    if (m_options.stop.stop_requested())
                        return Error::cancelled();
                    const Index n = std::min(left, kPiece - own.filled);
                    narrow.resize(at(n * std::max<Index>(block.lineSize, valueSize)));
                    const auto lines = narrow.span().first(at(n * block.lineSize));
                    if (Result<void> read = m_file.read(parts[b].lines, lines); !read)
                        return read;
                    for (Index i = 0; i < n; ++i) {
                        std::uint32_t relative = 0;
                        std::memcpy(&relative, lines.data() + i * block.lineSize, block.lineSize);
                        own.lines[at(own.filled + i)] = block.firstLine + relative;
                    }
                    const auto values = narrow.span().first(at(n * valueSize));
                    if (Result<void> read = m_file.read(parts[b].values, values); !read)
                        return read;
                    widenValues(m_type, values.data(), n, kind,
                                own.values.data() + own.filled * m_item);
                    parts[b].lines += n * block.lineSize;
                    parts[b].values += n * valueSize;
                    left -= n;
                    own.filled += n;
                    if (own.filled == kPiece)
                        if (Result<void> done = pass(index, own, sink); !done)
                            return done;
                }
            }
            if (Result<void> done = pass(index, own, sink); !done)
                return done;
        }
        advance(segment);
        return {};
    }

    void advance(Index segment)
    {
        if (m_options.progress == nullptr)
            return;
        Index entries = 0;
        for (Index k = 0; k < indicesOf(segment); ++k)
            entries += m_counts[at(segment * m_segment + k)];
        m_options.progress->advance(entries / 2);
    }

    const SparseSource& m_source;
    std::shared_ptr<Reading> m_reading;
    const ExternalTranspose::Options& m_options;
    ScratchFile& m_file;
    const DType m_type;
    const Index m_item;
    const int m_shift;
    const Index m_segment; // indices a segment holds
    std::vector<Index> m_counts;
    std::vector<SpilledBlock> m_blocks;
    std::vector<MemoryReservation> m_directory; // for their places
    Index m_sortBytes = 0;
};

} // namespace

Index ExternalTranspose::temporaryBytes(Index entries, Index valueBytes)
{
    // Lines as 16-bit numbers, and the numbers of entries of each index.
    return entries * (2 + valueBytes) + entries / 8;
}

Result<void> ExternalTranspose::run(const Options& options, const Begin& begin,
                                    const Sink& sink) const
{
    constexpr Index kMost = std::numeric_limits<std::uint32_t>::max();
    if (m_source.lines() > kMost || m_source.width() > kMost)
        return Error(ErrorCode::Refused, "A matrix of more than " + exactText(kMost)
                                             + " rows or columns cannot be transposed.")
            .at(m_source.path());
    auto charge = m_reading->budget().reserve(MemoryTag::Job,
                                              m_source.width() * Index{sizeof(Index)});
    if (!charge)
        return std::move(charge).error().at(m_source.path());
    auto file = ScratchFile::create(options.folder);
    if (!file)
        return std::move(file).error();
    Transposing transposing(m_source, m_reading, options, *file);
    return transposing.run(begin, sink);
}

} // namespace cellfolio
