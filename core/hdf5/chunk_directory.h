// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hdf5/chunk_places.h"

#include <map>
#include <mutex>

namespace cellfolio::hdf5 {

// The ChunkPlaces of the datasets of one file that are read in bulk: found once it pays, a few kept.
// Any thread.
class ChunkDirectory
{
public:
    // `file` outlives it.
    explicit ChunkDirectory(const RawFile& file) : m_file(file) {}

    // Called before `count` more chunks are read. Null: ask the library.
    std::shared_ptr<const ChunkPlaces> of(const Object& dataset, std::size_t count, Lane lane);

private:
    struct Entry {
        Index asked = 0;   // chunks so far
        bool tried = false; // to find the places; being tried counts
        std::uint64_t used = 0;
        std::shared_ptr<const ChunkPlaces> places;
    };
    void forgetOldest();

    const RawFile& m_file;
    std::mutex m_mutex;
    std::map<std::uint64_t, Entry> m_entries; // by the dataset's address
    std::uint64_t m_clock = 0;
};

} // namespace cellfolio::hdf5
