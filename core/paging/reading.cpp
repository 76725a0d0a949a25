// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/paging/reading.h"

#include "core/paging/page_cache.h"

#include <algorithm>
#include <thread>

namespace cellfolio {

Reading::Reading(Options options)
    : m_budget(std::max(options.budget, MemoryBudget::kSmallest)),
      m_pages(std::make_unique<PageCache>(
          m_budget, options.pageCache > 0
                        ? std::min(options.pageCache, m_budget.limit() / 2)
                        : std::min(m_budget.limit() / 4, MemoryBudget::pageCacheDefault()))),
      m_threads(options.threads > 0
                    ? options.threads
                    : static_cast<int>(std::max(1u, std::thread::hardware_concurrency())))
{
}

Reading::~Reading() = default;

} // namespace cellfolio
