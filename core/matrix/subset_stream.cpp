// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/subset_stream.h"

#include "core/matrix/scratch_file.h"
#include "core/matrix/subset_reader.h"
#include "core/run/work_sharing.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>

namespace cellfolio {

namespace {

constexpr Index kPointerWindow = Index{1} << 14;
constexpr Index kMostLines = Index{1} << 16;    // of a batch
constexpr Index kLongestBatch = Index{512} << 10;
constexpr Index kShortestBatch = Index{16} << 10;

// Where the entries of a distinct line lie in the temporary file.
struct Kept {
    Index indices = 0;
    Index values = 0;
    Index count = 0;
};

// As WorkSharing, but a worker that fails makes those who wait for its batch stop, too: the visitor
// looks at the stop token while it waits.
Result<void> share(Index count, int threads, const std::stop_token& outer,
                   const std::function<Result<void>(int, Index, const std::stop_token&)>& work)
{
    std::stop_source failed;
    const std::stop_callback forward(outer, [&] { failed.request_stop(); });
    std::mutex mutex;
    std::optional<Error> first;
    auto done = WorkSharing(count, failed.get_token()).run(threads, [&](int worker, Index ordinal) -> Result<void> {
        auto worked = work(worker, ordinal, failed.get_token());
        if (!worked) {
            {
                const std::lock_guard lock(mutex);
                // The error that made the others stop, not theirs.
                if (!first || first->code() == ErrorCode::Cancelled)
                    first = worked.error();
            }
            failed.request_stop();
        }
        return worked;
    });
    if (first && !outer.stop_requested())
        return *first;
    return done;
}

} // namespace

SubsetStream::SubsetStream(SparseSource source, std::shared_ptr<Reading> reading, Selection lines, Selection indices)
    : m_source(std::move(source)), m_reading(std::move(reading)), m_lines(std::move(lines)),
      m_indices(std::move(indices))
{
    if (!m_indices.isAscending() && m_indices.asSlice() == nullptr)
        m_repeats = IndexPlaces(m_indices).mostRepeats();
}

Result<void> SubsetStream::plan(const Options& options)
{
    m_pieces.clear();
    m_entries = m_decoded = m_peak = 0;
    m_scatter = false;
    const int threads = options.threads > 0 ? options.threads : m_reading->threads();
    m_batch = options.batchLength;
    if (m_batch <= 0) {
        // Some 40 bytes an entry: as stored, decoded, gathered, arranged.
        const Index share = m_reading->budget().limit() / 2 / std::max(1, threads) / 40;
        m_batch = std::clamp(share, kShortestBatch, kLongestBatch);
    }
    m_batch = std::max<Index>(1, m_batch / m_repeats);
    return planPieces(options);
}

Result<void> SubsetStream::planPieces(const Options& options)
{
    const Index chunk = std::max(SubsetReader::chunkOf(m_source.data()), SubsetReader::chunkOf(m_source.indices()));
    Piece piece{0, 0};
    Index held = 0; // entries of it
    Index low = std::numeric_limits<Index>::max();
    Index high = 0;
    Index spread = 0; // what the pieces reach over, all together
    Index lowest = low;
    Index highest = 0;
    Index met = 0;      // chunks that the lines lie in, one after another
    Index lastMet = -1;
    const auto close = [&] {
        if (piece.lines == 0)
            return;
        m_pieces.push_back(piece);
        m_peak = std::max(m_peak, held);
        if (high > low)
            spread += high - low;
        piece = {piece.line + piece.lines, 0};
        held = high = 0;
        low = std::numeric_limits<Index>::max();
    };
    for (Index first = 0; first < m_lines.size(); first += kPointerWindow) {
        if (options.stop.stop_requested())
            return Error::cancelled();
        auto bounds = SubsetReader::bounds(m_source, *m_reading, m_lines, first,
                                           std::min(kPointerWindow, m_lines.size() - first), options.stop);
        if (!bounds)
            return std::move(bounds).error().at(m_source.path());
        for (const auto& [begin, end] : *bounds) {
            const Index entries = end - begin;
            m_entries += entries;
            if (entries > 0) {
                lowest = std::min(lowest, begin);
                highest = std::max(highest, end);
                const Index from = begin / chunk;
                const Index to = (end - 1) / chunk;
                met += to - from + (from == lastMet ? 0 : 1);
                lastMet = to;
            }
            if (entries > m_batch) { // a line of its own, in several pieces
                close();
                for (Index skip = 0; skip < entries; skip += m_batch) {
                    const Index most = std::min(m_batch, entries - skip);
                    m_pieces.push_back({piece.line, 1, skip, most, skip + most == entries});
                    spread += most;
                }
                m_peak = std::max(m_peak, std::min(m_batch, entries));
                piece = {piece.line + 1, 0};
                continue;
            }
            if (held + entries > m_batch || piece.lines == kMostLines)
                close();
            ++piece.lines;
            held += entries;
            if (entries > 0) {
                low = std::min(low, begin);
                high = std::max(high, end);
            }
        }
    }
    close();
    const Index reach = std::max<Index>(0, highest - lowest);
    // Chunks are decoded whole. In another order than the file's, each batch decodes those of its lines once.
    m_decoded = m_lines.isAscending() ? std::min(met * chunk, reach + 2 * chunk)
                                      : std::min(met * chunk, std::max(spread, m_entries));
    if (!m_lines.isAscending() && m_pieces.size() > 1) {
        // Random order: each batch would decode much of the file.
        m_scatter = spread > 3 * reach + m_entries;
    }
    return {};
}

Index SubsetStream::scratchBytes(DType indexType) const
{
    return m_scatter ? mostEntries() * static_cast<Index>(sizeOf(indexType) + sizeOf(m_source.dtype())) : 0;
}

Index SubsetStream::memory() const
{
    const Index chunk = std::max(SubsetReader::chunkOf(m_source.data()), SubsetReader::chunkOf(m_source.indices()));
    const Index read = std::max(chunk, std::min(m_batch * m_repeats, kLongestBatch) + chunk);
    const auto stored = static_cast<Index>(sizeOf(m_source.dtype()) + sizeOf(m_source.indices().dtype()));
    const auto made = static_cast<Index>(sizeOf(m_source.dtype()) + 8);
    const Index twice = m_lines.isAscending() ? 1 : 2;
    return 2 * read * stored + twice * m_peak * m_repeats * made;
}

Result<void> SubsetStream::run(DType indexType, const Options& options,
                               const std::function<Result<void>(const SubsetBatch&)>& visit)
{
    if (m_scatter)
        return runThroughScratch(indexType, options, visit);
    const int wanted = static_cast<int>(std::clamp<Index>(
        batches(), 1, options.threads > 0 ? options.threads : m_reading->threads()));
    auto workers = reserveWorkers(*m_reading, wanted, memory());
    if (!workers)
        return std::move(workers).error().at(m_source.path());
    const IndexPlaces places(m_indices);
    std::vector<std::unique_ptr<SubsetReader>> readers;
    for (int k = 0; k < workers->first; ++k)
        readers.push_back(std::make_unique<SubsetReader>(m_source, *m_reading, places, indexType));
    return share(batches(), workers->first, options.stop,
                 [&](int worker, Index ordinal, const std::stop_token& stop) -> Result<void> {
                     auto batch = readers[static_cast<std::size_t>(worker)]->read(m_lines, m_pieces[at(ordinal)], stop);
                     if (!batch)
                         return std::move(batch).error();
                     batch->ordinal = ordinal;
                     batch->worker = worker;
                     batch->stop = stop;
                     if (auto visited = visit(*batch); !visited)
                         return visited;
                     if (options.progress != nullptr)
                         options.progress->advance(batch->entries);
                     return {};
                 });
}

Result<void> SubsetStream::runThroughScratch(DType indexType, const Options& options,
                                             const std::function<Result<void>(const SubsetBatch&)>& visit)
{
    const AxisMap distinct(m_lines);
    auto room = m_reading->budget().reserve(MemoryTag::Job, distinct.size() * static_cast<Index>(sizeof(Kept)));
    if (!room)
        return std::move(room).error().at(m_source.path());
    auto scratch = ScratchFile::create(options.folder.empty() ? std::filesystem::path(".") : options.folder);
    if (!scratch)
        return std::move(scratch).error();
    const std::size_t indexWidth = sizeOf(indexType);
    const std::size_t width = sizeOf(m_source.dtype());
    std::vector<Kept> kept(at(distinct.size()));
    std::map<Index, std::vector<Kept>> parts; // of lines that came in several batches, in their order
    std::mutex mutex;

    // First the wanted lines in the order of the file, each once.
    IndexSetBuilder builder(m_lines.extent());
    for (Index k = 0; k < distinct.size(); ++k)
        builder.add(distinct[k]);
    SubsetStream forward(m_source, m_reading, Selection::of(std::move(builder).take()), m_indices);
    Options first = options;
    first.batchLength = m_batch * m_repeats;
    if (auto planned = forward.plan(first); !planned)
        return planned;
    const auto keep = [&](const SubsetBatch& batch) -> Result<void> {
        const Piece& piece = forward.m_pieces[at(batch.ordinal)];
        const Index bytes = batch.entries * static_cast<Index>(indexWidth + width);
        const Index place = scratch->claim(bytes);
        const Index valuePlace = place + batch.entries * static_cast<Index>(indexWidth);
        if (auto written = scratch->write(place, {batch.indices, at(batch.entries) * indexWidth}); !written)
            return written;
        if (auto written = scratch->write(valuePlace, {batch.values, at(batch.entries) * width}); !written)
            return written;
        const auto part = [&](Index from, Index count) {
            return Kept{place + from * static_cast<Index>(indexWidth), valuePlace + from * static_cast<Index>(width), count};
        };
        if (piece.most >= 0) {
            const std::lock_guard lock(mutex);
            auto& list = parts[piece.line];
            const auto ordinal = at(piece.skip / std::max<Index>(1, forward.m_batch));
            list.resize(std::max(list.size(), ordinal + 1));
            list[ordinal] = part(0, batch.entries);
            return {};
        }
        Index from = 0;
        for (Index k = 0; k < piece.lines; ++k) {
            kept[at(piece.line + k)] = part(from, batch.ends[at(k)] - from);
            from = batch.ends[at(k)];
        }
        return {};
    };
    if (auto done = forward.run(indexType, first, keep); !done)
        return done;

    // Then their entries in the order of the view.
    std::vector<Piece> pieces;
    Index peak = 0;
    {
        Piece piece{0, 0};
        Index held = 0;
        const Index most = std::max<Index>(1, m_batch * m_repeats);
        for (Index k = 0; k < m_lines.size(); ++k) {
            const Index line = distinct.isPlain() ? k : distinct.places()[at(k)];
            const auto several = parts.find(line);
            if (several != parts.end()) {
                if (piece.lines > 0)
                    pieces.push_back(piece);
                for (std::size_t p = 0; p < several->second.size(); ++p) {
                    pieces.push_back({k, 1, static_cast<Index>(p), 0, p + 1 == several->second.size()});
                    peak = std::max(peak, several->second[p].count);
                }
                piece = {k + 1, 0};
                held = 0;
                continue;
            }
            const Index count = kept[at(line)].count;
            if (piece.lines > 0 && (held + count > most || piece.lines == kMostLines)) {
                pieces.push_back(piece);
                piece = {k, 0};
                held = 0;
            }
            ++piece.lines;
            held += count;
            peak = std::max(peak, held);
        }
        if (piece.lines > 0)
            pieces.push_back(piece);
    }
    const int wanted = static_cast<int>(std::clamp<Index>(static_cast<Index>(pieces.size()), 1,
                                                          options.threads > 0 ? options.threads : m_reading->threads()));
    auto workers = reserveWorkers(*m_reading, wanted, peak * static_cast<Index>(indexWidth + width));
    if (!workers)
        return std::move(workers).error().at(m_source.path());
    struct Own {
        Buffer indices;
        Buffer values;
        std::vector<Index> ends;
    };
    std::vector<Own> owns(static_cast<std::size_t>(workers->first));
    return share(static_cast<Index>(pieces.size()), workers->first, options.stop,
                 [&](int worker, Index ordinal, const std::stop_token& stop) -> Result<void> {
                     Own& own = owns[static_cast<std::size_t>(worker)];
                     const Piece& piece = pieces[at(ordinal)];
                     own.indices.resize(at(peak) * indexWidth);
                     own.values.resize(at(peak) * width);
                     own.ends.clear();
                     Index count = 0;
                     for (Index k = piece.line; k < piece.line + piece.lines; ++k) {
                         const Index line = distinct.isPlain() ? k : distinct.places()[at(k)];
                         const Kept& from = piece.most == 0 ? parts.find(line)->second[at(piece.skip)] : kept[at(line)];
                         const auto begin = at(count);
                         if (auto read = scratch->read(from.indices, own.indices.span().subspan(begin * indexWidth, at(from.count) * indexWidth)); !read)
                             return read;
                         if (auto read = scratch->read(from.values, own.values.span().subspan(begin * width, at(from.count) * width)); !read)
                             return read;
                         count += from.count;
                         if (piece.ends)
                             own.ends.push_back(count);
                     }
                     return visit({ordinal, worker, count, own.indices.data(), own.values.data(), own.ends, stop});
                 });
}

} // namespace cellfolio
