// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bridge/request_pool.h"

#include <QtCore/QMetaObject>

namespace cellfolio {

RequestPool::RequestPool(int threads, QObject* parent) : QObject(parent)
{
    m_threads.setMaxThreadCount(threads);
    m_threads.setExpiryTimeout(-1);
}

RequestPool::~RequestPool()
{
    {
        const std::lock_guard lock(m_mutex);
        for (std::stop_source& source : m_active)
            source.request_stop();
    }
    m_threads.waitForDone();
}

bool RequestPool::isIdle() const
{
    const std::lock_guard lock(m_mutex);
    return m_active.empty();
}

std::stop_source RequestPool::launch(Task task)
{
    std::stop_source source;
    std::list<std::stop_source>::iterator place;
    {
        const std::lock_guard lock(m_mutex);
        place = m_active.insert(m_active.end(), source);
    }
    m_threads.start([this, place, source, task = std::move(task)]() mutable {
        task(source.get_token());
        task = nullptr;
        const std::lock_guard lock(m_mutex);
        m_active.erase(place);
    });
    return source;
}

void RequestPool::post(std::function<void()> call)
{
    QMetaObject::invokeMethod(this, std::move(call), Qt::QueuedConnection);
}

Error RequestPool::outOfMemory()
{
    return Error(ErrorCode::OutOfBudget, "The computer has no memory left for this.")
        .advise("Close other programs or files and try again.");
}

Error RequestPool::unexpected(const char* what)
{
    return Error(ErrorCode::Internal, std::string("Something unexpected went wrong: ") + what + ".")
        .advise("Please report this with the file's structure (cellfolio-cli info).");
}

} // namespace cellfolio
