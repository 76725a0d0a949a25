// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <type_traits>

namespace cellfolio::hdf5 {

enum class Lane { Interactive, Bulk };

// The one thread that calls the HDF5 library. Two queues: what a person waits for goes before
// bulk reads, which come in slices of some 20 ms. Any thread may post and call.
class Hdf5Thread
{
public:
    static Hdf5Thread& instance();

    // Runs f there some time; f must own what it uses.
    void post(Lane lane, std::function<void()> f);

    // Runs f there and waits for its answer. On the HDF5 thread itself it runs at once.
    template <typename F>
    auto call(Lane lane, F f) -> std::invoke_result_t<F>
    {
        return *wait<std::invoke_result_t<F>>(lane, std::move(f), {});
    }

    // The same for f that returns Result<T>, given up when `stop` is requested: then the answer is
    // Cancelled, and f may still run, or be running, so it must own what it uses.
    template <typename F>
    auto call(Lane lane, const std::stop_token& stop, F f) -> std::invoke_result_t<F>
    {
        auto answer = wait<std::invoke_result_t<F>>(lane, std::move(f), stop);
        if (!answer)
            return Error::cancelled();
        return *std::move(answer);
    }

    // Whether the caller runs on it.
    bool isCurrent() const noexcept { return std::this_thread::get_id() == m_thread.get_id(); }

private:
    Hdf5Thread();
    ~Hdf5Thread();
    void run();

    template <typename T, typename F>
    std::optional<T> wait(Lane lane, F f, const std::stop_token& stop)
    {
        if (isCurrent())
            return f();
        struct Shared {
            std::mutex mutex;
            std::condition_variable_any done;
            std::optional<T> answer;
        };
        auto shared = std::make_shared<Shared>();
        post(lane, [shared, stop, f = std::make_shared<F>(std::move(f))]() {
            if (stop.stop_requested())
                return;
            T answer = (*f)();
            const std::lock_guard lock(shared->mutex);
            shared->answer.emplace(std::move(answer));
            shared->done.notify_all();
        });
        std::unique_lock lock(shared->mutex);
        if (!shared->done.wait(lock, stop, [&] { return shared->answer.has_value(); }))
            return std::nullopt;
        return std::move(shared->answer);
    }

    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<std::function<void()>> m_interactive;
    std::deque<std::function<void()>> m_bulk;
    bool m_ending = false;
    std::thread m_thread;
};

} // namespace cellfolio::hdf5
