// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hdf5/file.h"
#include "core/hdf5/filters.h"
#include "core/hdf5/raw_file.h"

namespace cellfolio::hdf5 {

// Reads values of a dataset as the file holds them, texts and lists of variable length as their
// references: what the library would resolve, in heaps that it trusts too much, stays as it is.
// One for each read: it keeps the chunk decoded last. Any thread.
class StoredElements
{
public:
    // Whether it can: a layout and filters known here.
    static bool canRead(const ArrayInfo& info);

    StoredElements(std::shared_ptr<const File> file, const Object& dataset, const RawFile& raw);

    // Fills `into` with the values of the block, row-major. `slab.member` is not looked at: values
    // are whole records.
    Result<void> read(const File::Slab& slab, Buffer& into, Lane lane, const std::stop_token& stop);

private:
    Result<void> locate();
    Result<void> readRuns(const File::Slab& slab, Buffer& into, const std::stop_token& stop);
    Result<void> readBytes(std::uint64_t offset, std::span<std::byte> into);
    Result<void> readChunks(const File::Slab& slab, Buffer& into, Lane lane, const std::stop_token& stop);
    Result<void> loadChunk(const std::vector<Index>& origin, Lane lane, const std::stop_token& stop);
    void fill(std::span<std::byte> bytes) const;

    std::shared_ptr<const File> m_file;
    const Object& m_dataset;
    const RawFile& m_raw;
    bool m_located = false;
    std::uint64_t m_address = 0;       // contiguous; undefined where nothing was ever written
    std::vector<std::byte> m_compact;
    std::vector<std::byte> m_fill;     // one value; empty: zeros
    std::shared_ptr<RawChunks> m_stored;
    Buffer m_chunk;                    // decoded, whole
    std::vector<Index> m_chunkOrigin;  // empty: none yet
    DecodeScratch m_scratch;
};

} // namespace cellfolio::hdf5
