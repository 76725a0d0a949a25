// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <QtCore/QObject>
#include <QtCore/QPointer>
#include <QtCore/QThreadPool>

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <stop_token>

namespace cellfolio {

// A few threads that do what would keep the window waiting. Work runs on one of them, its answer is
// handed over on the thread the pool lives in (the UI thread), as long as the asker still exists.
// Everything is stopped and waited for when the pool dies; it must outlive no Reading it works on.
class RequestPool : public QObject
{
    Q_OBJECT
public:
    explicit RequestPool(int threads, QObject* parent = nullptr);
    ~RequestPool() override;

    // Runs `work` and then, on the UI thread, `done` with its answer; unless `context` has died by
    // then. A stopped work is answered too (Cancelled), so that the asker knows it has ended.
    // Capture by value only: the asker may be gone while the work still runs.
    template <typename T>
    std::stop_source run(QObject* context, std::function<Result<T>(std::stop_token)> work,
                         std::function<void(Result<T>)> done)
    {
        QPointer<QObject> guard(context);
        return launch([this, guard, work = std::move(work),
                       done = std::move(done)](std::stop_token stop) mutable {
            auto answer = std::make_shared<Result<T>>(guarded<T>(work, stop));
            work = nullptr; // what it holds dies here, not on the UI thread
            post([guard, answer, done = std::move(done)] {
                if (guard)
                    done(std::move(*answer));
            });
        });
    }

    // Whether nothing runs or waits. For pictures and tests.
    bool isIdle() const;

private:
    using Task = std::function<void(std::stop_token)>;

    // The one place where what libraries throw becomes an error value.
    template <typename T>
    static Result<T> guarded(const std::function<Result<T>(std::stop_token)>& work,
                             std::stop_token stop)
    {
        if (stop.stop_requested())
            return Error::cancelled();
        try {
            return work(stop);
        } catch (const std::bad_alloc&) {
            return outOfMemory();
        } catch (const std::exception& problem) {
            return unexpected(problem.what());
        }
    }
    static Error outOfMemory();
    static Error unexpected(const char* what);

    std::stop_source launch(Task task);
    void post(std::function<void()> call);

    QThreadPool m_threads;
    mutable std::mutex m_mutex;
    std::list<std::stop_source> m_active;
};

} // namespace cellfolio
