// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/bridge/request_pool.h"

namespace cellfolio {

// A stream of requests of which only the newest counts: one runs, one waits, and a newer one takes
// the place of the waiting one and asks the running one to stop. An answer that is no longer the
// newest is dropped, and so is a cancelled one. UI thread only; may die at any time, also from
// within an answer.
class Latest
{
public:
    explicit Latest(RequestPool* pool) : m_pool(pool) {}
    ~Latest() { cancel(); }
    Latest(const Latest&) = delete;
    Latest& operator=(const Latest&) = delete;

    template <typename T>
    void request(std::function<Result<T>(std::stop_token)> work, std::function<void(Result<T>)> done)
    {
        const qint64 generation = ++m_generation;
        std::function<void()> start = [this, generation, work = std::move(work),
                                       done = std::move(done)] {
            m_busy = true;
            m_running = m_pool->run<T>(&m_context, work, [this, generation, done](Result<T> answer) {
                m_busy = false;
                const bool newest = generation == m_generation;
                if (auto next = std::exchange(m_waiting, nullptr))
                    next();
                if (newest && (answer.ok() || answer.error().code() != ErrorCode::Cancelled)) {
                    const auto call = done; // `this` may die in it
                    call(std::move(answer));
                }
            });
        };
        if (m_busy) {
            m_running.request_stop();
            m_waiting = std::move(start);
        } else {
            start();
        }
    }

    // No answer will come, not even one that is on its way.
    void cancel()
    {
        ++m_generation;
        m_waiting = nullptr;
        if (m_busy)
            m_running.request_stop();
    }

    bool isBusy() const { return m_busy; }

private:
    RequestPool* m_pool;
    QObject m_context; // dies with this, and with it every answer on its way
    qint64 m_generation = 0;
    bool m_busy = false;
    std::stop_source m_running;
    std::function<void()> m_waiting;
};

} // namespace cellfolio
