// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/chunk_directory.h"

namespace cellfolio::hdf5 {

namespace {

// Going through the whole tree costs about a third of a look-up by the library for each chunk: it is
// begun when so small a share was looked up, and never for a few.
constexpr Index kShare = 32;
constexpr Index kFewest = 8;
constexpr std::size_t kKept = 8; // 1 MiB each at most

} // namespace

std::shared_ptr<const ChunkPlaces> ChunkDirectory::of(const Object& dataset, std::size_t count, Lane lane)
{
    {
        const std::lock_guard lock(m_mutex);
        Entry& entry = m_entries[dataset.address];
        entry.used = ++m_clock;
        if (entry.places || entry.tried)
            return entry.places;
        entry.asked += static_cast<Index>(count);
        // Whoever waits for a page on the screen does not do this work.
        if (lane != Lane::Bulk || entry.asked < kFewest
            || entry.asked * kShare < ChunkPlaces::chunksOf(*dataset.array))
            return nullptr;
        entry.tried = true;
    }
    auto places = ChunkPlaces::find(m_file, dataset);
    const std::lock_guard lock(m_mutex);
    m_entries[dataset.address].places = places;
    forgetOldest();
    return places;
}

void ChunkDirectory::forgetOldest()
{
    std::size_t kept = 0;
    auto oldest = m_entries.end();
    for (auto entry = m_entries.begin(); entry != m_entries.end(); ++entry) {
        if (!entry->second.places)
            continue;
        ++kept;
        if (oldest == m_entries.end() || entry->second.used < oldest->second.used)
            oldest = entry;
    }
    if (kept > kKept)
        m_entries.erase(oldest);
}

} // namespace cellfolio::hdf5
