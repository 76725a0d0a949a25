// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/paging/tile_loader.h"

#include "core/hdf5/filters.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace cellfolio {

namespace {

constexpr Index kContiguousTile = Index{1} << 20; // bytes

hdf5::DecodeScratch& scratch()
{
    thread_local hdf5::DecodeScratch memory;
    return memory;
}

// Whether the part `inside` of a tile with extents `whole` holds the same bytes as `packed`.
bool sameInside(const std::byte* whole, const std::vector<Index>& wholeExtent, const std::byte* packed,
                const std::vector<Index>& inside, std::size_t item)
{
    const std::size_t rank = inside.size();
    const std::size_t row = at(inside[rank - 1]) * item;
    std::vector<Index> place(rank, 0);
    for (;;) {
        Index from = 0;
        for (std::size_t d = 0; d < rank; ++d)
            from = from * wholeExtent[d] + place[d];
        if (std::memcmp(whole + at(from) * item, packed, row) != 0)
            return false;
        packed += row;
        std::size_t d = rank - 1;
        while (d > 0) {
            --d;
            if (++place[d] < inside[d])
                break;
            place[d] = 0;
            if (d == 0)
                return true;
        }
        if (rank == 1)
            return true;
    }
}

// Those for which our decoders and the library's cannot differ but by damage.
bool hasOnlyCommonFilters(const hdf5::ArrayInfo& info)
{
    static constexpr int kCommon[] = {1, 2, 3, 32000}; // gzip, shuffle, Fletcher32, LZF
    return std::all_of(info.filters.begin(), info.filters.end(), [](const hdf5::Filter& filter) {
        return std::find(std::begin(kCommon), std::end(kCommon), filter.id) != std::end(kCommon);
    });
}

} // namespace

Tiling::Tiling(const hdf5::ArrayInfo& info) : m_shape(info.shape), m_tile(info.chunk)
{
    if (info.layout != hdf5::Layout::Chunked) {
        m_tile.assign(m_shape.size(), 1);
        Index bytes = std::max<Index>(1, info.type.size);
        for (std::size_t d = m_shape.size(); d-- > 0;) {
            m_tile[d] = std::clamp<Index>(kContiguousTile / bytes, 1, std::max<Index>(1, m_shape[d]));
            bytes *= m_tile[d];
            if (m_tile[d] < m_shape[d])
                break;
        }
    }
    for (std::size_t d = 0; d < m_shape.size(); ++d) {
        m_grid.push_back((m_shape[d] + m_tile[d] - 1) / m_tile[d]);
        m_tiles *= m_grid.back();
        m_items *= m_tile[d];
    }
}

std::vector<Index> Tiling::origin(Index tile) const
{
    std::vector<Index> result(m_shape.size());
    for (std::size_t d = m_shape.size(); d-- > 0;) {
        result[d] = tile % m_grid[d] * m_tile[d];
        tile /= m_grid[d];
    }
    return result;
}

std::vector<Index> Tiling::inside(const std::vector<Index>& origin) const
{
    std::vector<Index> result(m_shape.size());
    for (std::size_t d = 0; d < m_shape.size(); ++d)
        result[d] = std::min(m_tile[d], m_shape[d] - origin[d]);
    return result;
}

Index Tiling::tileAt(const std::vector<Index>& gridPosition) const
{
    Index tile = 0;
    for (std::size_t d = 0; d < m_shape.size(); ++d)
        tile = tile * m_grid[d] + gridPosition[d];
    return tile;
}

bool canLoadTiles(const hdf5::ArrayInfo& info)
{
    return !info.isNull && !info.isScalar && !info.external && info.layout != hdf5::Layout::Virtual;
}

void fillTile(const hdf5::ArrayInfo& info, std::span<std::byte> bytes)
{
    if (info.fill.empty()) {
        std::fill(bytes.begin(), bytes.end(), std::byte{0});
        return;
    }
    for (std::size_t i = 0; i < bytes.size(); i += info.fill.size())
        std::memcpy(bytes.data() + i, info.fill.data(), std::min(info.fill.size(), bytes.size() - i));
}

TileLoader::TileLoader(std::shared_ptr<const hdf5::File> file, const hdf5::Object& dataset,
                       PageCache& pages, hdf5::Lane lane)
    : m_file(std::move(file)), m_dataset(dataset), m_pages(pages), m_lane(lane),
      m_tiling(*dataset.array), m_raw(std::make_shared<hdf5::RawChunks>()),
      m_stored(std::make_shared<Buffer>())
{
}

Result<std::vector<Index>> TileLoader::loadThroughLibrary(Index tile, Buffer& bytes,
                                                          const std::stop_token& stop)
{
    hdf5::File::Slab slab;
    slab.start = m_tiling.origin(tile);
    slab.count = m_tiling.inside(slab.start);
    if (auto read = m_file->readBytes(m_dataset, slab, m_stored, m_lane, stop); !read) {
        // A cancelled read may still be writing into the buffer it was given.
        m_stored = std::make_shared<Buffer>();
        return std::move(read).error();
    }
    bytes.resize(m_stored->size());
    if (m_stored->size() > 0)
        std::memcpy(bytes.data(), m_stored->data(), m_stored->size());
    return slab.count;
}

Result<std::vector<Index>> TileLoader::loadDirect(Index tile, Buffer& bytes, const std::stop_token& stop)
{
    const hdf5::ArrayInfo& info = *m_dataset.array;
    if (auto read = m_file->readChunks(m_dataset, m_tiling.origin(tile), m_raw, m_lane, stop); !read) {
        m_raw = std::make_shared<hdf5::RawChunks>();
        return std::move(read).error();
    }
    bytes.resize(at(m_tiling.itemsOfTile() * info.type.size));
    const hdf5::RawChunks::Item& item = m_raw->items[0];
    if (item.size == 0)
        fillTile(info, bytes.span());
    else if (auto decoded = decodeChunk(info, m_raw->chunk(0), item.filterMask, bytes.span(), scratch());
             !decoded)
        return std::move(decoded).error();
    return m_tiling.tile();
}

Result<bool> TileLoader::isDirect(Index tile, const std::stop_token& stop)
{
    const hdf5::ArrayInfo& info = *m_dataset.array;
    if (info.layout != hdf5::Layout::Chunked || !hdf5::canDecode(info))
        return false;
    const PageCache::Trust known = m_pages.trust(m_file->id(), m_dataset.address);
    if (known != PageCache::Trust::Unknown)
        return known == PageCache::Trust::Direct;
    Buffer direct;
    Buffer library;
    auto ours = loadDirect(tile, direct, stop);
    if (!ours && ours.error().code() == ErrorCode::Cancelled)
        return std::move(ours).error();
    // Damaged: the library is not asked, it believes what damaged chunks say of their length.
    // Another tile will settle it.
    if (!ours && ours.error().code() == ErrorCode::Corrupt && hasOnlyCommonFilters(info))
        return true;
    auto theirs = loadThroughLibrary(tile, library, stop);
    if (!theirs && theirs.error().code() == ErrorCode::Cancelled)
        return std::move(theirs).error();
    if (ours && !theirs)
        return true; // a filter that only we have: nothing to compare with
    if (!ours && !theirs)
        return true; // damaged either way; another tile will settle it
    const bool same = ours && sameInside(direct.data(), *ours, library.data(), *theirs, at(info.type.size));
    m_pages.setTrust(m_file->id(), m_dataset.address,
                     same ? PageCache::Trust::Direct : PageCache::Trust::Library);
    return same;
}

Result<std::vector<Index>> TileLoader::load(Index tile, Buffer& bytes, const std::stop_token& stop)
{
    auto direct = isDirect(tile, stop);
    if (!direct)
        return std::move(direct).error();
    return *direct ? loadDirect(tile, bytes, stop) : loadThroughLibrary(tile, bytes, stop);
}

} // namespace cellfolio
