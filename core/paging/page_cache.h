// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/buffer.h"
#include "core/base/result.h"
#include "core/run/memory_budget.h"

#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <unordered_map>
#include <vector>

namespace cellfolio {

// One decoded tile of an array (a chunk, or a stretch of a contiguous dataset): bytes as stored,
// filters undone, row-major with the given extents. Holding the pointer pins it.
struct Page {
    Buffer bytes;
    std::vector<Index> extent;
    MemoryReservation charge;
};

// The id of an opened file is part of the key, so a file that changed never serves old pages.
struct PageKey {
    std::uint64_t file = 0;
    std::uint64_t dataset = 0;
    Index tile = 0;
    bool operator==(const PageKey&) const = default;
};

// Decoded tiles by key, least recently used dropped first, charged in bytes to a budget. Askers of
// a page that is being loaded wait for that load. No lock is held while loading. Thread-safe.
class PageCache
{
public:
    PageCache(MemoryBudget& budget, Index limit) : m_budget(budget), m_limit(limit) {}

    using Loader = std::function<Result<std::shared_ptr<Page>>()>;
    // The page, from memory or by `load` (called without a lock on the calling thread).
    Result<std::shared_ptr<const Page>> get(const PageKey& key, const Loader& load,
                                            const std::stop_token& stop);
    // The page if it is here now, else null; counts as use.
    std::shared_ptr<const Page> peek(const PageKey& key);

    Index limit() const noexcept { return m_limit; }
    Index bytes() const;
    Index hits() const;
    Index loads() const;
    // Drops pages until at most `bytes` are held; pinned ones live on with their holders.
    void shrinkTo(Index bytes);

    // Level 1 is believed for a dataset once its first page agreed with the library's own read.
    enum class Trust { Unknown, Direct, Library };
    Trust trust(std::uint64_t file, std::uint64_t dataset) const;
    void setTrust(std::uint64_t file, std::uint64_t dataset, Trust trust);

private:
    struct Hash {
        std::size_t operator()(const PageKey& key) const noexcept;
    };
    struct Entry {
        std::shared_ptr<const Page> page; // null while it is being loaded
        std::list<PageKey>::iterator place;
    };
    void evict(Index target); // with m_mutex held

    MemoryBudget& m_budget;
    const Index m_limit;
    mutable std::mutex m_mutex;
    std::condition_variable_any m_loaded;
    std::unordered_map<PageKey, Entry, Hash> m_entries;
    std::list<PageKey> m_recent; // loaded pages, most recent first
    std::unordered_map<PageKey, Trust, Hash> m_trust;
    Index m_bytes = 0;
    Index m_hits = 0;
    Index m_loads = 0;
};

} // namespace cellfolio
