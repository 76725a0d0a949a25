// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/paging/page_cache.h"

namespace cellfolio {

std::size_t PageCache::Hash::operator()(const PageKey& key) const noexcept
{
    std::uint64_t h = key.file * 0x9E3779B97F4A7C15ull;
    h ^= key.dataset + 0x9E3779B97F4A7C15ull + (h << 6) + (h >> 2);
    h ^= static_cast<std::uint64_t>(key.tile) * 0xC2B2AE3D27D4EB4Full + (h << 6) + (h >> 2);
    return static_cast<std::size_t>(h);
}

Result<std::shared_ptr<const Page>> PageCache::get(const PageKey& key, const Loader& load,
                                                   const std::stop_token& stop)
{
    {
        std::unique_lock lock(m_mutex);
        for (;;) {
            const auto found = m_entries.find(key);
            if (found == m_entries.end())
                break;
            if (found->second.page) {
                m_recent.splice(m_recent.begin(), m_recent, found->second.place);
                ++m_hits;
                return found->second.page;
            }
            // Somebody loads it. If that load fails the entry goes, and this asker tries itself.
            if (!m_loaded.wait(lock, stop, [&] {
                    const auto now = m_entries.find(key);
                    return now == m_entries.end() || now->second.page;
                }))
                return Error::cancelled();
        }
        m_entries.emplace(key, Entry{nullptr, m_recent.end()});
    }
    auto loaded = load();
    std::unique_lock lock(m_mutex);
    ++m_loads;
    if (!loaded) {
        m_entries.erase(key);
        lock.unlock();
        m_loaded.notify_all();
        return std::move(loaded).error();
    }
    const std::shared_ptr<const Page> page = *loaded;
    const auto size = static_cast<Index>(page->bytes.capacity());
    if (size <= m_limit) {
        evict(m_limit - size);
        Entry& entry = m_entries[key];
        entry.page = page;
        m_recent.push_front(key);
        entry.place = m_recent.begin();
        m_bytes += size;
    } else {
        m_entries.erase(key);
    }
    lock.unlock();
    m_loaded.notify_all();
    return page;
}

std::shared_ptr<const Page> PageCache::peek(const PageKey& key)
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_entries.find(key);
    if (found == m_entries.end() || !found->second.page)
        return nullptr;
    m_recent.splice(m_recent.begin(), m_recent, found->second.place);
    ++m_hits;
    return found->second.page;
}

void PageCache::evict(Index target)
{
    while (m_bytes > target && !m_recent.empty()) {
        const auto last = m_entries.find(m_recent.back());
        m_bytes -= static_cast<Index>(last->second.page->bytes.capacity());
        m_entries.erase(last);
        m_recent.pop_back();
    }
}

void PageCache::shrinkTo(Index bytes)
{
    const std::lock_guard lock(m_mutex);
    evict(bytes);
}

Index PageCache::bytes() const
{
    const std::lock_guard lock(m_mutex);
    return m_bytes;
}

Index PageCache::hits() const
{
    const std::lock_guard lock(m_mutex);
    return m_hits;
}

Index PageCache::loads() const
{
    const std::lock_guard lock(m_mutex);
    return m_loads;
}

PageCache::Trust PageCache::trust(std::uint64_t file, std::uint64_t dataset) const
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_trust.find(PageKey{file, dataset, 0});
    return found == m_trust.end() ? Trust::Unknown : found->second;
}

void PageCache::setTrust(std::uint64_t file, std::uint64_t dataset, Trust trust)
{
    const std::lock_guard lock(m_mutex);
    m_trust[PageKey{file, dataset, 0}] = trust;
}

} // namespace cellfolio
