// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/sparse_reader.h"

#include "core/base/text.h"
#include "core/matrix/axis_map.h"
#include "core/matrix/block_layout.h"
#include "core/matrix/entry_stream.h"
#include "core/matrix/gene_scan.h"
#include "core/matrix/number_types.h"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace cellfolio {

namespace {

constexpr Index kPointerWindow = Index{64} << 10; // lines whose pointers are held at once
constexpr Index kEntryWindow = Index{128} << 10;  // entries held at once
// Entries read through rather than skipped: 16 KiB of indices, the gap that pays when cached.
constexpr Index kGap = 4096;

// A part of one wanted line: its number among the wanted ones, and its entries.
struct Piece {
    Index number;
    Index line;
    Index begin;
    Index end;
};

// Fills a block of distinct lines × distinct indices from windows of entries.
class BlockFill
{
public:
    BlockFill(const SparseSource& source, const AxisMap& lines, const AxisMap& wanted,
              Values& block, std::stop_token stop)
        : m_source(source), m_lines(lines), m_wanted(wanted), m_block(block), m_stop(stop)
    {
        m_lineStride = source.byRows() ? wanted.size() : 1;
        m_indexStride = source.byRows() ? 1 : lines.size();
    }

    // By several threads, past the page cache: of many lines, or of few indices in many lines. An
    // entry's line is seen by two threads only where a block ends within it; such lines are added
    // under a lock.
    Result<void> scan(std::shared_ptr<Reading> reading, const Selection& lines,
                      const Selection& indices)
    {
        const EntryStream stream(m_source, std::move(reading), lines, indices);
        std::mutex mutex;
        return stream.run({EntryPlace::Both, m_stop, nullptr},
                          [&](const EntryBatch& batch) -> Result<void> {
            Index overflow = -1;
            visitNumber(m_block.type(), [&]<typename T>(const T*) {
                const T* from = reinterpret_cast<const T*>(batch.values);
                const std::span<T> to = m_block.as<T>();
                for (const LineSegment& segment : batch.segments) {
                    std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
                    if (!segment.whole)
                        lock.lock();
                    for (Index i = segment.begin; i < segment.end; ++i) {
                        const Index place = segment.line * m_lineStride
                                            + batch.indices[at(i)] * m_indexStride;
                        if (!addEntry(to[at(place)], from[i]))
                            overflow = place;
                    }
                }
            });
            if (overflow >= 0)
                return tooLarge(overflow);
            return {};
        });
    }

    Result<void> run()
    {
        for (Index k = 0; k < m_lines.size();) {
            // The wanted lines within one window of pointers.
            const Index first = m_lines[k];
            Index next = m_lines.lowerBound(first + kPointerWindow);
            const Index last = m_lines[next - 1];
            Result<std::vector<Index>> bounds = m_source.pointers(first, last - first + 1, m_stop);
            if (!bounds)
                return std::move(bounds).error();
            if (Result<void> done = lines(k, next, first, *bounds); !done)
                return done;
            k = next;
        }
        return flush();
    }

private:
    Result<void> lines(Index from, Index to, Index first, const std::vector<Index>& bounds)
    {
        for (Index k = from; k < to; ++k) {
            const Index line = m_lines[k];
            const Index begin = bounds[at(line - first)];
            const Index end = bounds[at(line - first + 1)];
            if (Result<void> ok = m_source.checkLine(line, begin, end); !ok)
                return ok;
            // A long line comes in pieces.
            for (Index part = begin; part < end; part += kEntryWindow) {
                const Piece piece{k, line, part, std::min(end, part + kEntryWindow)};
                if (!m_pieces.empty()
                    && (piece.begin < m_pieces.back().end
                        || piece.begin - m_pieces.back().end > kGap
                        || piece.end - m_pieces.front().begin > kEntryWindow)) {
                    if (Result<void> done = flush(); !done)
                        return done;
                }
                m_pieces.push_back(piece);
            }
        }
        return {};
    }

    // Reads the window that the pieces lie in and adds their entries to the block.
    Result<void> flush()
    {
        if (m_pieces.empty())
            return {};
        Result<void> done = window(m_pieces);
        if (!done && done.error().code() == ErrorCode::Corrupt && m_pieces.size() > 1) {
            // Perhaps what is damaged lies between those that are wanted. What was already added
            // of this window is none: values come last, and nothing is added before all are read.
            for (const Piece& piece : m_pieces)
                if (done = window({&piece, 1}); !done)
                    break;
        }
        m_pieces.clear();
        return done;
    }

    Result<void> window(std::span<const Piece> pieces)
    {
        if (m_stop.stop_requested())
            return Error::cancelled();
        const Index first = pieces.front().begin;
        const Index last = pieces.back().end;
        m_indices.clear();
        if (Result<void> read = m_source.readIndices(first, last - first, m_indices, m_stop); !read)
            return read;

        m_hits.clear();
        for (const Piece& piece : pieces) {
            const Index base = piece.number * m_lineStride;
            for (Index e = piece.begin; e < piece.end; ++e) {
                const Index index = m_indices[at(e - first)];
                if (index < 0 || index >= m_source.width())
                    return m_source.outside(piece.line, index, e);
                if (const Index found = m_wanted.find(index); found >= 0)
                    m_hits.push_back({e, base + found * m_indexStride});
            }
        }
        return addHits();
    }

    Result<void> addHits()
    {
        if (m_hits.empty())
            return {};
        const Index first = m_hits.front().entry;
        Result<Values> values =
            m_source.readData(first, m_hits.back().entry - first + 1, m_stop);
        if (!values)
            return std::move(values).error();
        Index overflow = -1;
        visitNumber(m_block.type(), [&]<typename T>(const T*) {
            const std::span<const T> from = std::as_const(*values).template as<T>();
            const std::span<T> to = m_block.as<T>();
            for (const Hit& hit : m_hits)
                if (!addEntry(to[at(hit.place)], from[at(hit.entry - first)]) && overflow < 0)
                    overflow = hit.place;
        });
        if (overflow >= 0)
            return tooLarge(overflow);
        return {};
    }

    Error tooLarge(Index place) const
    {
        const Index line = m_lines[m_source.byRows() ? place / m_wanted.size()
                                                     : place % m_lines.size()];
        const Index index = m_wanted[m_source.byRows() ? place % m_wanted.size()
                                                       : place / m_lines.size()];
        return Error(ErrorCode::Corrupt,
                     std::string("The entries stored for ") + m_source.lineName() + " "
                         + exactText(line) + ", " + m_source.indexName() + " " + exactText(index)
                         + " add up to more than " + std::string(nameOf(m_block.type()))
                         + " can hold.")
            .at(m_source.path())
            .rule("B007o")
            .advise("Widen the type of the matrix.");
    }

    struct Hit {
        Index entry;
        Index place;
    };

    const SparseSource& m_source;
    const AxisMap& m_lines;
    const AxisMap& m_wanted;
    Values& m_block;
    std::stop_token m_stop;
    Index m_lineStride = 0;
    Index m_indexStride = 0;
    std::vector<Piece> m_pieces;
    std::vector<Index> m_indices;
    std::vector<Hit> m_hits;
};

} // namespace

SparseReader::SparseReader(std::shared_ptr<const Dataset> dataset, const Element& matrix,
                           std::shared_ptr<Reading> reading, SparseSource source,
                           Index scanFrom)
    : MatrixReader(std::move(dataset), matrix, std::move(reading)), m_source(std::move(source)),
      m_scanFrom(scanFrom)
{
}

Result<Values> SparseReader::doBlock(const Selection& rows, const Selection& columns,
                                     std::stop_token stop) const
{
    const AxisMap lines(m_source.byRows() ? rows : columns);
    AxisMap wanted(m_source.byRows() ? columns : rows);
    wanted.expectManyLookups();
    Result<MemoryReservation> room =
        m_reading->budget().reserve(MemoryTag::Job, lines.bytes() + wanted.bytes()
                                                        + kEntryWindow * 5 * Index{sizeof(Index)});
    if (!room)
        return std::move(room).error().at(m_element->path);

    Values block(m_dtype, lines.size() * wanted.size());
    std::memset(block.data(), 0, at(block.size()) * sizeOf(m_dtype));
    BlockFill fill(m_source, lines, wanted, block, stop);
    Result<bool> scanned = isWide(lines, stop);
    if (!scanned)
        return std::move(scanned).error();
    const Selection& lineChoice = m_source.byRows() ? rows : columns;
    const Selection& indexChoice = m_source.byRows() ? columns : rows;
    Result<void> done = !*scanned ? fill.run()
                        : wanted.size() <= GeneScan::kMostAtOnce
                            ? scanFew(lineChoice, wanted, block, stop)
                            : fill.scan(m_reading, lineChoice, indexChoice);
    // A scan takes larger buffers and reads over small gaps; windows may do where it could not.
    if (*scanned && !done
        && (done.error().code() == ErrorCode::OutOfBudget
            || done.error().code() == ErrorCode::Corrupt)) {
        std::memset(block.data(), 0, at(block.size()) * sizeOf(m_dtype));
        done = fill.run();
    }
    if (!done)
        return std::move(done).error();

    const AxisMap& rowMap = m_source.byRows() ? lines : wanted;
    const AxisMap& columnMap = m_source.byRows() ? wanted : lines;
    return spread(std::move(block), rowMap.size(), columnMap.size(), rowMap.places(),
                  columnMap.places());
}

Result<void> SparseReader::scanFew(const Selection& lines, const AxisMap& wanted, Values& block,
                                   std::stop_token stop) const
{
    std::vector<Index> positions;
    for (Index k = 0; k < wanted.size(); ++k)
        positions.push_back(wanted[k]);
    const GeneScan scan(m_source, m_reading, lines, std::move(positions));
    auto found = scan.run({stop, nullptr, {}, 0});
    if (!found)
        return std::move(found).error();
    if (found->damage)
        return found->damage.errors.front();
    if (wanted.size() == 1) {
        block = std::move(found->genes.front());
        return {};
    }
    const Index count = scan.lines().size();
    const Index lineStride = m_source.byRows() ? wanted.size() : 1;
    const Index indexStride = m_source.byRows() ? 1 : count;
    visitNumber(m_dtype, [&]<typename T>(const T*) {
        const std::span<T> to = block.as<T>();
        for (Index k = 0; k < wanted.size(); ++k) {
            const std::span<const T> from = std::as_const(found->genes[at(k)]).template as<T>();
            for (Index line = 0; line < count; ++line)
                to[at(line * lineStride + k * indexStride)] = from[at(line)];
        }
    });
    return {};
}

Result<bool> SparseReader::isWide(const AxisMap& lines, std::stop_token stop) const
{
    const Index first = lines[0];
    const Index last = lines[lines.size() - 1];
    // Only where most of what lies between is wanted.
    if (lines.size() < (last - first + 1) / 4)
        return false;
    Result<std::vector<Index>> begin = m_source.pointers(first, 0, stop);
    if (!begin)
        return std::move(begin).error();
    Result<std::vector<Index>> end = m_source.pointers(last + 1, 0, stop);
    if (!end)
        return std::move(end).error();
    return end->front() - begin->front() >= m_scanFrom;
}

std::vector<Index> SparseReader::lineEntries(const Selection& lines, std::stop_token stop) const
{
    std::vector<Index> entries(at(lines.size()), 0);
    for (Index k = 0; k < lines.size();) {
        Index end = k + 1; // lines that follow each other
        while (end < lines.size() && lines[end] == lines[end - 1] + 1 && end - k < kPointerWindow)
            ++end;
        if (Result<std::vector<Index>> bounds = m_source.pointers(lines[k], end - k, stop); bounds) {
            for (Index i = k; i < end; ++i) {
                const Index from = (*bounds)[at(i - k)];
                const Index to = (*bounds)[at(i - k + 1)];
                if (m_source.checkLine(lines[i], from, to))
                    entries[at(i)] = to - from;
            }
        }
        k = end;
    }
    return entries;
}

CostEstimate SparseReader::lineCost() const
{
    CostEstimate cost;
    cost.entries = m_source.lines() > 0 ? m_source.stored() / m_source.lines() : 0;
    if (m_source.data().info().filters.empty())
        cost.bytesStored =
            cost.entries * (m_source.data().type().size + m_source.indices().type().size);
    return cost;
}

CostEstimate SparseReader::scanCost() const
{
    CostEstimate cost;
    cost.entries = m_source.stored();
    cost.againstStorage = true;
    if (m_source.indices().info().filters.empty())
        cost.bytesStored = cost.entries * m_source.indices().type().size;
    return cost;
}

CostEstimate SparseReader::rowCost() const
{
    return m_source.byRows() ? lineCost() : scanCost();
}

CostEstimate SparseReader::columnCost() const
{
    return m_source.byRows() ? scanCost() : lineCost();
}

} // namespace cellfolio
