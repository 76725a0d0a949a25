// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"
#include "core/run/memory_budget.h"

#include <memory>

namespace cellfolio {

class PageCache;

// What every reader of one session shares: the budget, the page cache in it, and how many threads
// may decode at once. The command line makes one, the window makes one.
class Reading
{
public:
    struct Options {
        Index budget = MemoryBudget::kCommandLineDefault;
        Index pageCache = 0;  // 0: a quarter of the budget, at most MemoryBudget::pageCacheDefault()
        int threads = 0;      // 0: all cores
    };
    explicit Reading(Options options);
    Reading() : Reading(Options{}) {}
    ~Reading();

    MemoryBudget& budget() noexcept { return m_budget; }
    PageCache& pages() noexcept { return *m_pages; }
    int threads() const noexcept { return m_threads; }

private:
    MemoryBudget m_budget;
    std::unique_ptr<PageCache> m_pages;
    int m_threads;
};

} // namespace cellfolio
