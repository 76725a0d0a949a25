// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/hdf5/file.h"
#include "core/paging/page_cache.h"

#include <memory>
#include <stop_token>
#include <vector>

namespace cellfolio {

// An array cut into tiles: its chunks, or stretches of about a MiB of a contiguous one.
class Tiling
{
public:
    explicit Tiling(const hdf5::ArrayInfo& info);

    const std::vector<Index>& shape() const noexcept { return m_shape; }
    const std::vector<Index>& tile() const noexcept { return m_tile; }
    Index tiles() const noexcept { return m_tiles; }
    // First position of a tile on each axis, and how much of it lies in the array.
    std::vector<Index> origin(Index tile) const;
    std::vector<Index> inside(const std::vector<Index>& origin) const;
    Index tileAt(const std::vector<Index>& gridPosition) const; // position in tiles, each axis
    Index itemsOfTile() const noexcept { return m_items; }

private:
    std::vector<Index> m_shape;
    std::vector<Index> m_tile;
    std::vector<Index> m_grid; // tiles on each axis
    Index m_tiles = 1;
    Index m_items = 1;
};

// Whether the stored bytes of a dataset can be taken as they are, tile by tile.
bool canLoadTiles(const hdf5::ArrayInfo& info);

// Loads one tile with its filters undone, in the file's byte order: level 1 where it has earned
// trust, else through the library. Any thread but the HDF5 thread.
class TileLoader
{
public:
    TileLoader(std::shared_ptr<const hdf5::File> file, const hdf5::Object& dataset, PageCache& pages,
               hdf5::Lane lane);

    const Tiling& tiling() const noexcept { return m_tiling; }
    // Fills `bytes` and says the extents they have (a whole chunk, or the part inside the array).
    Result<std::vector<Index>> load(Index tile, Buffer& bytes, const std::stop_token& stop);
    // Whether level 1 may be used for this dataset; compares its first tile when not yet known.
    Result<bool> isDirect(Index tile, const std::stop_token& stop);

private:
    Result<std::vector<Index>> loadThroughLibrary(Index tile, Buffer& bytes, const std::stop_token& stop);
    Result<std::vector<Index>> loadDirect(Index tile, Buffer& bytes, const std::stop_token& stop);

    std::shared_ptr<const hdf5::File> m_file;
    const hdf5::Object& m_dataset;
    PageCache& m_pages;
    hdf5::Lane m_lane;
    Tiling m_tiling;
    std::shared_ptr<hdf5::RawChunks> m_raw;
    std::shared_ptr<Buffer> m_stored;
};

// Fills a buffer with the fill value of a dataset.
void fillTile(const hdf5::ArrayInfo& info, std::span<std::byte> bytes);

} // namespace cellfolio
