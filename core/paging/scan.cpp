// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/paging/scan.h"

#include "core/hdf5/filters.h"
#include "core/hdf5/stored_type.h"
#include "core/paging/page_cache.h"
#include "core/paging/stretch_reader.h"
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
