// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/select/index_set.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

namespace cellfolio {

// What a filter that is still running has found, for somebody who looks on: asked for now and then,
// given at most once for each time. Costs nothing while nobody asks. Thread-safe.
class FilterSoFar
{
public:
    struct Part {
        Index decided = 0; // of the rows at hand, in order, this many are settled
        IndexSet chosen;   // those of them that the filter chose; of the extent of the rows at hand
    };

    // The looker: asks for a part, and later takes it. Parts only grow at their end.
    void ask() noexcept { m_asked.store(true, std::memory_order_relaxed); }
    std::optional<Part> take()
    {
        const std::lock_guard lock(m_mutex);
        return std::exchange(m_part, std::nullopt);
    }

    // The run: gives one if it is asked for.
    bool isAsked() const noexcept { return m_asked.load(std::memory_order_relaxed); }
    void give(Part part)
    {
        const std::lock_guard lock(m_mutex);
        if (part.decided < m_given)
            return; // another thread was quicker
        m_given = part.decided;
        m_part = std::move(part);
        m_asked.store(false, std::memory_order_relaxed);
    }

private:
    std::atomic<bool> m_asked{false};
    std::mutex m_mutex;
    std::optional<Part> m_part;
    Index m_given = 0;
};

} // namespace cellfolio
