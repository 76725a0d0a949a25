// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace cellfolio {

// Hands out 0 … n-1 to several threads, the caller's among them, and keeps the first error. From an
// error, or a stop (Cancelled), on nothing more is handed out. Used once.
class WorkSharing
{
public:
    explicit WorkSharing(Index count, const std::stop_token& outer = {}) : m_count(count), m_outer(outer) {}

    template <typename Work> // Result<void>(int worker, Index ordinal)
    Result<void> run(int threads, const Work& work)
    {
        const auto loop = [&](int worker) {
            for (;;) {
                const Index ordinal = m_next.fetch_add(1);
                if (ordinal >= m_count || m_failed.load(std::memory_order_relaxed))
                    return;
                Result<void> done = m_outer.stop_requested() ? Result<void>(Error::cancelled())
                                                             : work(worker, ordinal);
                if (!done) {
                    const std::lock_guard lock(m_mutex);
                    if (!m_error)
                        m_error = std::move(done).error();
                    m_failed = true;
                    return;
                }
            }
        };
        std::vector<std::thread> others;
        for (int worker = 1; worker < threads; ++worker)
            others.emplace_back(loop, worker);
        loop(0);
        for (std::thread& thread : others)
            thread.join();
        if (m_error)
            return *std::move(m_error);
        return {};
    }

private:
    const Index m_count;
    const std::stop_token m_outer;
    std::atomic<Index> m_next{0};
    std::atomic<bool> m_failed{false};
    std::mutex m_mutex;
    std::optional<Error> m_error;
};

} // namespace cellfolio
