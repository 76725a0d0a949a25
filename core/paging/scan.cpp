// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/paging/scan.h"

#include "core/hdf5/filters.h"
#include "core/hdf5/stored_type.h"
#include "core/paging/page_cache.h"
#include "core/paging/tile_loader.h"
#include "core/run/work_sharing.h"

#include <algorithm>
#include <cstring>

namespace cellfolio {

namespace {

// Large enough to hide the cost of handing work over, small enough to stay near the caches.
constexpr Index kBlockValues = Index{1} << 19;
// Of arrays that need no unpacking: what was just copied is still in the caches.
constexpr Index kPlainBlockValues = Index{1} << 17;

bool isPaged(const ArrayRef& array)
{
    const hdf5::StoredType& type = array.info().type;
    return array.member < 0 && canLoadTiles(array.info()) && type.direct && type.value != DType::String
           && type.cls != hdf5::TypeClass::Array;
}

void swapInPlace(const hdf5::StoredType& type, std::byte* bytes, std::size_t size)
{
    const std::size_t word = isComplex(type.value) ? at(type.size) / 2 : at(type.size);
    if (!type.bigEndian || word < 2)
        return;
    for (std::size_t i = 0; i + word <= size; i += word)
        std::reverse(bytes + i, bytes + i + word);
}

// Reads one stretch after another of one array; one for each worker and array.
class StretchReader
{
public:
    StretchReader(ArrayRef array, Reading& reading)
        : m_array(std::move(array)), m_paged(isPaged(m_array)), m_raw(std::make_shared<hdf5::RawChunks>()),
          m_stored(std::make_shared<Buffer>())
    {
        if (m_paged)
            m_loader.emplace(m_array.file, *m_array.object, reading.pages(), hdf5::Lane::Bulk);
    }

    Result<std::span<const std::byte>> read(Index first, Index count, const std::stop_token& stop)
    {
        if (count == 0)
            return std::span<const std::byte>{};
        if (!m_paged)
            return readValues(first, count, stop);
        const hdf5::ArrayInfo& info = m_array.info();
        if (info.layout == hdf5::Layout::Chunked) {
            auto direct = m_loader->isDirect(first / info.chunk[0], stop);
            if (!direct)
                return std::move(direct).error();
            if (*direct)
                return readChunks(first, count, stop);
        }
        hdf5::File::Slab slab{{first}, {count}, {}, -1};
        if (auto read = m_array.file->readBytes(*m_array.object, slab, m_stored, hdf5::Lane::Bulk, stop); !read) {
            m_stored = std::make_shared<Buffer>();
            return std::move(read).error();
        }
        swapInPlace(info.type, m_stored->data(), m_stored->size());
        return std::span<const std::byte>(m_stored->span());
    }

private:
    Result<std::span<const std::byte>> readValues(Index first, Index count, const std::stop_token& stop)
    {
        hdf5::File::Slab slab{{first}, {count}, {}, m_array.member};
        auto values = m_array.file->read(*m_array.object, slab, hdf5::Lane::Bulk, stop);
        if (!values)
            return std::move(values).error();
        m_values = std::move(*values);
        return std::span<const std::byte>(m_values.data(), at(count) * sizeOf(m_values.type()));
    }

    Result<std::span<const std::byte>> readChunks(Index first, Index count, const std::stop_token& stop)
    {
        const hdf5::ArrayInfo& info = m_array.info();
        const Index length = info.chunk[0];
        const std::size_t item = at(info.type.size);
        const Index firstChunk = first / length;
        const Index lastChunk = (first + count - 1) / length;
        std::vector<Index> offsets;
        for (Index c = firstChunk; c <= lastChunk; ++c)
            offsets.push_back(c * length);
        if (auto read = m_array.file->readChunks(*m_array.object, std::move(offsets), m_raw,
                                                 hdf5::Lane::Bulk, stop);
            !read) {
            m_raw = std::make_shared<hdf5::RawChunks>();
            return std::move(read).error();
        }
        const std::size_t chunkBytes = at(length) * item;
        const std::size_t skip = at(first - firstChunk * length) * item;
        if (info.filters.empty() && !info.type.bigEndian
            && std::all_of(m_raw->items.begin(), m_raw->items.end(),
                           [&](const auto& i) { return i.size == chunkBytes; })) {
            // Stored as they are, one behind the other: nothing to copy.
            return std::span<const std::byte>(m_raw->bytes.span().subspan(skip, at(count) * item));
        }
        m_decoded.resize(at(count) * item);
        for (Index c = firstChunk; c <= lastChunk; ++c) {
            const auto k = at(c - firstChunk);
            const Index from = std::max(first, c * length);
            const Index to = std::min(first + count, (c + 1) * length);
            const std::span<std::byte> target =
                m_decoded.span().subspan(at(from - first) * item, at(to - from) * item);
            const hdf5::RawChunks::Item& stored = m_raw->items[k];
            if (stored.size == 0) {
                fillTile(info, target);
                continue;
            }
            const bool whole = to - from == length;
            if (!whole)
                m_edge.resize(chunkBytes);
            auto decoded = decodeChunk(info, m_raw->chunk(k), stored.filterMask,
                                       whole ? target : m_edge.span(), m_scratch);
            if (!decoded)
                return std::move(decoded).error();
            if (!whole)
                std::memcpy(target.data(), m_edge.data() + at(from - c * length) * item, target.size());
        }
        swapInPlace(info.type, m_decoded.data(), m_decoded.size());
        return std::span<const std::byte>(m_decoded.span());
    }

    ArrayRef m_array;
    bool m_paged;
    std::optional<TileLoader> m_loader;
    std::shared_ptr<hdf5::RawChunks> m_raw;
    std::shared_ptr<Buffer> m_stored;
    Buffer m_decoded;
    Buffer m_edge;
    hdf5::DecodeScratch m_scratch;
    Values m_values;
};

// As many workers as are wanted and the budget has room for; OutOfBudget when not even one.
Result<std::pair<int, MemoryReservation>> reserveWorkers(Reading& reading, int wanted, Index bytesEach)
{
    for (int threads = wanted; threads > 1; --threads) {
        auto held = reading.budget().reserve(MemoryTag::Job, bytesEach * threads);
        if (held)
            return std::pair(threads, std::move(*held));
    }
    auto held = reading.budget().reserve(MemoryTag::Job, bytesEach);
    if (!held)
        return std::move(held).error();
    return std::pair(1, std::move(*held));
}

} // namespace

ScanPlan planScan(const std::vector<ArrayRef>& arrays, Index first, Index last,
                  const Reading& reading, const ScanOptions& options)
{
    ScanPlan plan;
    plan.first = first;
    plan.last = std::max(first, last);
    plan.threads = options.threads > 0 ? options.threads : reading.threads();
    // Blocks end where chunks do, so that few chunks are decoded twice.
    Index chunk = 1;
    Index usual = kPlainBlockValues;
    for (const ArrayRef& array : arrays) {
        if (array.info().layout != hdf5::Layout::Chunked)
            continue;
        chunk = std::max(chunk, array.info().chunk[0]);
        if (!array.info().filters.empty())
            usual = kBlockValues;
    }
    const Index wanted = options.blockLength > 0 ? options.blockLength : usual;
    plan.blockLength = chunk * std::max<Index>(1, (wanted + chunk / 2) / chunk);
    if (plan.last > plan.first)
        plan.blocks = (plan.last - 1) / plan.blockLength - plan.first / plan.blockLength + 1;
    return plan;
}

Result<void> scan(const std::vector<ArrayRef>& arrays, const std::string& elementPath,
                  Reading& reading, const ScanPlan& plan, const ScanOptions& options,
                  const std::function<Result<void>(const ScanBlock&)>& visit)
{
    if (plan.blocks == 0)
        return {};
    Index bytesEach = 0;
    for (const ArrayRef& array : arrays) {
        const hdf5::ArrayInfo& info = array.info();
        // Decoded, and about as much again as stored.
        bytesEach += 2 * std::min(plan.blockLength, plan.last - plan.first) * std::max<Index>(1, info.type.size);
        if (info.layout == hdf5::Layout::Chunked)
            bytesEach += info.chunk[0] * info.type.size;
    }
    const int wanted = static_cast<int>(std::min<Index>(plan.threads, plan.blocks));
    auto workers = reserveWorkers(reading, wanted, bytesEach);
    if (!workers)
        return std::move(workers).error().at(elementPath);
    std::vector<std::vector<StretchReader>> readers(static_cast<std::size_t>(workers->first));
    for (auto& own : readers) {
        for (const ArrayRef& array : arrays)
            own.emplace_back(array, reading);
    }
    const Index firstBlock = plan.first / plan.blockLength;
    auto done = WorkSharing(plan.blocks, options.stop).run(workers->first, [&](int worker, Index ordinal) -> Result<void> {
        ScanBlock block;
        block.ordinal = ordinal;
        block.worker = worker;
        block.first = std::max(plan.first, (firstBlock + ordinal) * plan.blockLength);
        block.count = std::min(plan.last, (firstBlock + ordinal + 1) * plan.blockLength) - block.first;
        for (StretchReader& reader : readers[static_cast<std::size_t>(worker)]) {
            auto bytes = reader.read(block.first, block.count, options.stop);
            if (!bytes)
                return std::move(bytes).error();
            block.bytes.push_back(*bytes);
        }
        if (auto visited = visit(block); !visited)
            return visited;
        if (options.progress)
            options.progress(block.count);
        return {};
    });
    if (!done)
        return std::move(done).error().at(elementPath);
    return {};
}

Index countTiles(const ArrayRef& array)
{
    if (array.info().count() == 0)
        return 0;
    return array.info().isScalar ? 1 : Tiling(array.info()).tiles();
}

Result<void> scanTiles(const ArrayRef& array, const std::string& elementPath, Reading& reading,
                       const ScanOptions& options,
                       const std::function<Result<void>(const ScanTile&)>& visit)
{
    const hdf5::ArrayInfo& info = array.info();
    const Index tiles = countTiles(array);
    if (tiles == 0)
        return {};
    const Tiling tiling(info);
    const bool paged = isPaged(array);
    const Index tileBytes = tiling.itemsOfTile() * std::max<Index>(1, info.type.size);
    const int wanted = static_cast<int>(std::min<Index>(tiles, options.threads > 0 ? options.threads : reading.threads()));
    auto workers = reserveWorkers(reading, wanted, 3 * tileBytes);
    if (!workers)
        return std::move(workers).error().at(elementPath);
    struct Worker {
        std::optional<TileLoader> loader;
        Buffer whole;
        Buffer packed;
        Values values;
    };
    std::vector<Worker> own(static_cast<std::size_t>(workers->first));
    for (Worker& w : own) {
        if (paged)
            w.loader.emplace(array.file, *array.object, reading.pages(), hdf5::Lane::Bulk);
    }
    auto done = WorkSharing(tiles, options.stop).run(workers->first, [&](int worker, Index ordinal) -> Result<void> {
        Worker& w = own[static_cast<std::size_t>(worker)];
        ScanTile tile;
        tile.ordinal = ordinal;
        tile.worker = worker;
        tile.start = tiling.origin(ordinal);
        tile.count = tiling.inside(tile.start);
        tile.values = 1;
        for (const Index c : tile.count)
            tile.values *= c;
        if (!paged) {
            hdf5::File::Slab slab{tile.start, tile.count, {}, array.member};
            auto values = array.file->read(*array.object, slab, hdf5::Lane::Bulk, options.stop);
            if (!values)
                return std::move(values).error();
            w.values = std::move(*values);
            tile.values = w.values.size();
            const std::vector<Index> whole = array.shape();
            for (std::size_t d = tile.start.size(); d < whole.size(); ++d) {
                tile.start.push_back(0); // the dimensions of a field that holds small arrays
                tile.count.push_back(whole[d]);
            }
            tile.bytes = {w.values.data(), at(tile.values) * sizeOf(w.values.type())};
        } else {
            auto extent = w.loader->load(ordinal, w.whole, options.stop);
            if (!extent)
                return std::move(extent).error();
            const std::size_t item = at(info.type.size);
            std::span<std::byte> bytes(w.whole.data(), at(tile.values) * item);
            if (*extent != tile.count) {
                // A chunk at the edge is stored whole: only the part inside the array is passed on.
                w.packed.resize(at(tile.values) * item);
                const std::size_t rank = tile.count.size();
                const std::size_t row = at(tile.count[rank - 1]) * item;
                Index rows = row == 0 ? 0 : tile.values / tile.count[rank - 1];
                for (Index r = 0; r < rows; ++r) {
                    Index rest = r;
                    Index from = 0;
                    Index stride = (*extent)[rank - 1];
                    for (std::size_t d = rank - 1; d-- > 0;) {
                        from += rest % tile.count[d] * stride;
                        rest /= tile.count[d];
                        stride *= (*extent)[d];
                    }
                    std::memcpy(w.packed.data() + at(r) * row, w.whole.data() + at(from) * item, row);
                }
                bytes = w.packed.span();
            }
            swapInPlace(info.type, bytes.data(), bytes.size());
            tile.bytes = bytes;
        }
        if (auto visited = visit(tile); !visited)
            return visited;
        if (options.progress)
            options.progress(tile.values);
        return {};
    });
    if (!done)
        return std::move(done).error().at(elementPath);
    return {};
}

} // namespace cellfolio
