// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/row_blocks.h"

#include "core/paging/scan.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

namespace cellfolio::query {
namespace {

// Rows of a block: large enough to hide the handing over, small enough that its vectors stay near
// the caches. A multiple of 64, so that blocks of picked rows fill whole words of a set.
constexpr Index kBlock = Index{64} << 10;
// Texts take more room each, and scattered ones are read with those between them.
constexpr Index kTextBlock = Index{8} << 10;
constexpr Index kPlaceBytes = 16; // that a reader of matrices takes to find a row, about
constexpr Index kTextBytes = 64; // of a text in a block, about

} // namespace

// Rows whose matrix values are held together.
struct RowBlocks::Segment {
    const Selection& rows; // all of the run
    Index first = 0;       // of this segment, among them
    Index count = 0;
    // By matrix, by wanted column; empty where this run does not need it.
    std::vector<std::vector<Values>> matrices;
    std::vector<MemoryReservation> rooms;
};

class RowBlocks::Block final : public BlockRows
{
public:
    Block(const RowBlocks& run, const Segment& segment, Index first, Index count)
        : m_run(run), m_segment(segment), m_first(first),
          m_fixed(run.m_filter.sources.fixed.size()),
          m_columns(run.m_filter.sources.columns.size())
    {
        m_count = count;
    }

    // Values that a scan has already brought.
    void give(std::size_t source, Fixed values) { m_fixed[source].given = values; }

    // Columns `places` of a matrix, as far as they have been read.
    void giveLive(std::size_t matrix, const std::vector<std::size_t>& places, const std::vector<Values>& genes)
    {
        m_liveMatrix = static_cast<int>(matrix);
        m_livePlaces = &places;
        m_live = &genes;
    }

    Result<Fixed> fixed(int source) override
    {
        OwnFixed& own = m_fixed[static_cast<std::size_t>(source)];
        if (own.given.values == nullptr && m_count > 0) {
            const FixedSource& from =
                m_run.m_filter.sources.fixed[static_cast<std::size_t>(source)];
            auto values = ArrayReader(from.array, m_run.m_filter.reading, from.path)
                              .rows(positions(), m_run.m_options.stop);
            if (!values)
                return std::move(values).error();
            own.values = std::move(*values);
            own.given = {own.values.type(), own.values.data()};
        }
        return own.given;
    }

    Result<const ColumnValues*> column(int source) override
    {
        auto& own = m_columns[static_cast<std::size_t>(source)];
        if (!own) {
            auto values = m_run.m_filter.sources.columns[static_cast<std::size_t>(source)].read(
                positions(), m_run.m_options.stop);
            if (!values)
                return std::move(values).error();
            own = std::move(*values);
        }
        return &*own;
    }

    Fixed matrix(int matrix, int column) override
    {
        const Values& values = m_live != nullptr && matrix == m_liveMatrix
                                 ? (*m_live)[livePlace(column)]
                                 : m_segment.matrices[static_cast<std::size_t>(matrix)]
                                                     [static_cast<std::size_t>(column)];
        const DType type = values.type();
        return {type, values.data() + at(m_first - m_segment.first) * sizeOf(type)};
    }

    const Selection& positions() override
    {
        if (!m_positions)
            m_positions = m_segment.rows.part(m_first, m_count);
        return *m_positions;
    }

    double aggregate(int number) const override
    {
        return (*m_run.m_options.aggregates)[static_cast<std::size_t>(number)];
    }

private:
    struct OwnFixed {
        Fixed given;
        Values values;
    };
    std::size_t livePlace(int column) const
    {
        const auto place = std::find(m_livePlaces->begin(), m_livePlaces->end(), static_cast<std::size_t>(column));
        return static_cast<std::size_t>(place - m_livePlaces->begin());
    }

    const RowBlocks& m_run;
    const Segment& m_segment;
    int m_liveMatrix = -1;
    const std::vector<std::size_t>* m_livePlaces = nullptr;
    const std::vector<Values>* m_live = nullptr;
    Index m_first;
    std::vector<OwnFixed> m_fixed;
    std::vector<std::optional<ColumnValues>> m_columns;
    std::optional<Selection> m_positions;
};

Result<void> RowBlocks::run(const Needs& needs, const Selection& rows, const Live& live, const Visit& visit)
{
    // Matrix values of a segment take at most an eighth of the budget.
    Index bytesOfRow = 0;
    Index arrays = 0;
    for (std::size_t m = 0; m < needs.matrices.size(); ++m) {
        const auto wanted = std::count(needs.matrices[m].begin(), needs.matrices[m].end(), true);
        arrays += wanted;
        bytesOfRow +=
            wanted * static_cast<Index>(sizeOf(m_filter.sources.matrices[m].source->dtype()));
    }
    arrays += std::count(needs.fixed.begin(), needs.fixed.end(), true);
    arrays += std::count(needs.columns.begin(), needs.columns.end(), true);
    const Index most = m_filter.reading->budget().limit() / 8;
    const Index longest =
        bytesOfRow == 0 ? rows.size()
                        : std::max(kBlock, most / (bytesOfRow + kPlaceBytes) / kBlock * kBlock);
    for (Index first = 0; first < rows.size(); first += longest) {
        if (m_options.stop.stop_requested())
            return Error::cancelled();
        Segment segment{rows, first, std::min(longest, rows.size() - first), {}, {}};
        if (auto read = readMatrices(needs, segment, live, visit); !read)
            return read;
        auto done = rows.isContiguous() && needs.anyFixed() ? scanned(needs, segment, visit)
                                                            : picked(needs, segment, visit);
        if (!done)
            return done;
    }
    m_valuesRead += arrays * rows.size();
    return {};
}

// Only where one matrix is all that is needed: a block must not read the file from within a scan.
GenePartVisitor RowBlocks::partVisitor(const Needs& needs, const Segment& segment, std::size_t matrix,
                                       const std::vector<std::size_t>& places, const Live& live,
                                       const Visit& visit) const
{
    Index matrices = 0;
    for (const std::vector<bool>& wanted : needs.matrices)
        matrices += std::find(wanted.begin(), wanted.end(), true) != wanted.end() ? 1 : 0;
    if (!live || matrices != 1 || needs.anyFixed() || needs.anyColumn()
        || places.size() > static_cast<std::size_t>(GeneSource::kMostAtOnce))
        return {};
    return [this, &segment, matrix, &places, &live, &visit, seen = Index{0}](const GenePart& part) mutable {
        if (!live())
            return;
        for (const Index end = part.first + part.count; seen < end;) {
            const Index count = std::min(kBlock, end - seen);
            Block block(*this, segment, segment.first + seen, count);
            block.giveLive(matrix, places, part.genes);
            if (!visit(block, segment.first + seen))
                return; // what is wrong is said when the block is visited in its turn
            seen += count;
        }
    };
}

Result<void> RowBlocks::readMatrices(const Needs& needs, Segment& segment, const Live& live,
                                     const Visit& visit) const
{
    segment.matrices.resize(needs.matrices.size());
    const Selection rows = segment.rows.part(segment.first, segment.count);
    for (std::size_t m = 0; m < needs.matrices.size(); ++m) {
        const Sources::Matrix& matrix = m_filter.sources.matrices[m];
        segment.matrices[m].resize(matrix.columns.size());
        std::vector<std::size_t> places;
        for (std::size_t k = 0; k < matrix.columns.size(); ++k) {
            if (needs.matrices[m][k])
                places.push_back(k);
        }
        constexpr auto kMost = static_cast<std::size_t>(GeneSource::kMostAtOnce);
        for (std::size_t begin = 0; begin < places.size(); begin += kMost) {
            const std::size_t end = std::min(places.size(), begin + kMost);
            GeneSource::Request request;
            for (std::size_t k = begin; k < end; ++k)
                request.genes.push_back(matrix.columns[places[k]]);
            if (!rows.isAll())
                request.cells = rows;
            request.stop = m_options.stop;
            request.part = partVisitor(needs, segment, m, places, live, visit);
            auto vectors = matrix.source->read(request);
            if (!vectors && vectors.error().code() == ErrorCode::OutOfBudget)
                vectors = oneByOne(matrix.source->element(), rows, request);
            if (!vectors)
                return std::move(vectors).error();
            if (vectors->damage) // a filter that guesses would choose rows for no reason
                return std::move(vectors->damage.errors.front());
            for (std::size_t k = begin; k < end; ++k)
                segment.matrices[m][places[k]] = std::move(vectors->genes[k - begin]);
            segment.rooms.push_back(std::move(vectors->charge));
        }
    }
    return {};
}

// A pass for each gene, in windows: slow, and possible in the smallest budget.
Result<GeneVectors> RowBlocks::oneByOne(const Element& matrix, const Selection& rows,
                                        const GeneSource::Request& request) const
{
    auto reader = MatrixReader::open(m_filter.dataset, matrix, m_filter.reading);
    if (!reader)
        return std::move(reader).error();
    const Index bytes = rows.size() * static_cast<Index>(request.genes.size())
                      * static_cast<Index>(sizeOf((*reader)->dtype()));
    auto room = m_filter.reading->budget().reserve(MemoryTag::Job, bytes);
    if (!room)
        return std::move(room).error().at(matrix.path);
    GeneVectors vectors;
    vectors.charge = std::move(*room);
    for (const Index gene : request.genes) {
        auto values = (*reader)->block(
            rows, Selection::of((*reader)->columns(), {gene, 1, 1}), request.stop);
        if (!values)
            return std::move(values).error();
        vectors.genes.push_back(std::move(*values));
    }
    return vectors;
}

// The rows are neighbours: their values come straight off the file.
Result<void> RowBlocks::scanned(const Needs& needs, const Segment& segment, const Visit& visit)
{
    std::vector<ArrayRef> arrays;
    std::vector<std::size_t> sources;
    for (std::size_t k = 0; k < needs.fixed.size(); ++k) {
        if (!needs.fixed[k])
            continue;
        arrays.push_back(m_filter.sources.fixed[k].array);
        sources.push_back(k);
    }
    const Index offset = segment.rows[segment.first] - segment.first; // from number to file
    ScanOptions options;
    options.stop = m_options.stop;
    options.blockLength = kBlock;
    const Index begin = segment.first + offset;
    const ScanPlan plan =
        planScan(arrays, begin, begin + segment.count, *m_filter.reading, options);
    const std::string& path = m_filter.sources.fixed[sources.front()].path;
    return scan(arrays, path, *m_filter.reading, plan, options,
                [&](const ScanBlock& scanned) -> Result<void> {
        // Blocks follow the chunks of the file, which may be very long.
        for (Index from = 0; from < scanned.count; from += kBlock) {
            const Index count = std::min(kBlock, scanned.count - from);
            const Index first = scanned.first + from - offset;
            Block block(*this, segment, first, count);
            for (std::size_t k = 0; k < sources.size(); ++k) {
                const DType type = arrays[k].dtype();
                block.give(sources[k],
                           {type, scanned.bytes[k].data() + at(from) * sizeOf(type)});
            }
            if (auto visited = visit(block, first); !visited)
                return visited;
            if (m_options.progress)
                m_options.progress(count);
        }
        return {};
    });
}

Result<void> RowBlocks::picked(const Needs& needs, const Segment& segment, const Visit& visit)
{
    Index bytesOfRow = 32;
    bytesOfRow += 16 * std::count(needs.fixed.begin(), needs.fixed.end(), true);
    bytesOfRow += kTextBytes * std::count(needs.columns.begin(), needs.columns.end(), true);
    const Index length = needs.anyColumn() ? kTextBlock : kBlock;
    const Index blocks = (segment.count + length - 1) / length;
    return inThreads(blocks, std::min(length, segment.count) * bytesOfRow,
                     [&](Index number) -> Result<void> {
        const Index first = segment.first + number * length;
        const Index count = std::min(length, segment.first + segment.count - first);
        Block block(*this, segment, first, count);
        if (auto visited = visit(block, first); !visited)
            return visited;
        if (m_options.progress)
            m_options.progress(count);
        return {};
    });
}

// Does 0 … count-1 in as many threads as there are and the budget has room for.
Result<void> RowBlocks::inThreads(Index count, Index bytesEach,
                                  const std::function<Result<void>(Index)>& work) const
{
    Index threads = std::min<Index>(m_filter.reading->threads(), count);
    MemoryBudget& budget = m_filter.reading->budget();
    auto room = budget.reserve(MemoryTag::Job, threads * bytesEach);
    while (!room && threads > 1)
        room = budget.reserve(MemoryTag::Job, --threads * bytesEach);
    if (!room)
        return std::move(room).error();

    std::atomic<Index> next{0};
    std::atomic<bool> failed{false};
    std::mutex mutex;
    std::optional<Error> error;
    const auto loop = [&] {
        for (;;) {
            const Index number = next.fetch_add(1);
            if (number >= count || failed)
                return;
            const auto attempt = [&]() -> Result<void> {
                if (m_options.stop.stop_requested())
                    return Error::cancelled();
                try {
                    return work(number);
                } catch (const std::bad_alloc&) {
                    return Error(ErrorCode::OutOfBudget,
                                 "The machine has no memory left for this.");
                }
            };
            if (auto done = attempt(); !done) {
                const std::lock_guard lock(mutex);
                if (!error)
                    error = std::move(done).error();
                failed = true;
                return;
            }
        }
    };
    std::vector<std::thread> others;
    for (Index k = 1; k < threads; ++k)
        others.emplace_back(loop);
    loop();
    for (std::thread& thread : others)
        thread.join();
    if (error)
        return *std::move(error);
    return {};
}

} // namespace cellfolio::query
