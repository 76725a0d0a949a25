// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"

#include <atomic>

namespace cellfolio {

// How far a piece of work is. The worker adds, anyone reads a snapshot when it likes.
class Progress
{
public:
    void begin(Index total) noexcept
    {
        m_total.store(total, std::memory_order_relaxed);
        m_done.store(0, std::memory_order_relaxed);
    }
    void advance(Index count) noexcept { m_done.fetch_add(count, std::memory_order_relaxed); }
    Index done() const noexcept { return m_done.load(std::memory_order_relaxed); }
    Index total() const noexcept { return m_total.load(std::memory_order_relaxed); }

    // Beside it, where the work is counted in bytes: the values of matrices that have passed.
    void countEntries(Index entries) noexcept { m_entries.fetch_add(entries, std::memory_order_relaxed); }
    Index entries() const noexcept { return m_entries.load(std::memory_order_relaxed); }

private:
    std::atomic<Index> m_done{0};
    std::atomic<Index> m_total{0};
    std::atomic<Index> m_entries{0};
};

} // namespace cellfolio
