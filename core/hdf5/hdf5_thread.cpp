// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/hdf5_thread.h"

#include "core/hdf5/lzf_filter.h"

#include <hdf5.h>

namespace cellfolio::hdf5 {

Hdf5Thread& Hdf5Thread::instance()
{
    static Hdf5Thread thread;
    return thread;
}

Hdf5Thread::Hdf5Thread() : m_thread([this] { run(); }) {}

Hdf5Thread::~Hdf5Thread()
{
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
    }
    m_wake.notify_all();
    m_thread.join();
}

void Hdf5Thread::post(Lane lane, std::function<void()> f)
{
    {
        const std::lock_guard lock(m_mutex);
        (lane == Lane::Interactive ? m_interactive : m_bulk).push_back(std::move(f));
    }
    m_wake.notify_one();
}

void Hdf5Thread::run()
{
    H5open();
    // Errors travel in results; the library must not print them.
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    registerLzf();
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_wake.wait(lock, [this] { return m_ending || !m_interactive.empty() || !m_bulk.empty(); });
        std::deque<std::function<void()>>& queue = m_interactive.empty() ? m_bulk : m_interactive;
        if (queue.empty())
            return; // ending, and nothing is left to do
        std::function<void()> task = std::move(queue.front());
        queue.pop_front();
        lock.unlock();
        task();
        task = nullptr; // what it owned dies here, outside the lock, on this thread
        lock.lock();
    }
}

} // namespace cellfolio::hdf5
