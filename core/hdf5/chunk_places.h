// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hdf5/file.h"
#include "core/hdf5/raw_file.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace cellfolio::hdf5 {

// Where the chunks of one dataset lie in its file, taken from the tree of version 1 that lists them.
// With it several threads read chunks side by side, without the library and its one thread.
// Immutable; any thread.
class ChunkPlaces
{
public:
    // 16 bytes each are kept; the tree of so many is gone through in about 0.1 s.
    static constexpr Index kMost = Index{1} << 16;

    // Chunks the whole array is cut into, written or not.
    static Index chunksOf(const ArrayInfo& info);

    // Null where the library has to be asked: another kind of index, too many chunks, or anything
    // in the tree that does not hold together (the library then says what).
    static std::shared_ptr<const ChunkPlaces> find(const RawFile& file, const Object& dataset);

    // As File::readChunks(). `offsets` lie in the array.
    Result<void> read(const RawFile& file, const ArrayInfo& info, const std::vector<Index>& offsets,
                      RawChunks& into, const std::stop_token& stop) const;

private:
    struct Place {
        std::uint64_t address = 0;
        std::uint32_t size = 0; // 0: never written
        std::uint32_t filterMask = 0;
    };

    std::vector<Index> m_grid; // chunks along each axis
    std::vector<Place> m_places; // row-major over the grid
};

} // namespace cellfolio::hdf5
