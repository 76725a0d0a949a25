// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bridge/job_bridge.h"

#include <QtCore/QMetaObject>

#include <algorithm>
#include <utility>

namespace cellfolio {

JobBridge::JobBridge(MemoryBudget& budget, QObject* parent) : QObject(parent), m_runner(budget)
{
    m_timer.setInterval(kLookEvery);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        m_runner.startWaiting(); // what is open may have given memory back
        look();
    });
    m_runner.ended = [this](const JobSnapshot& job) {
        QMetaObject::invokeMethod(
            this,
            [this, job] {
                look();
                Q_EMIT ended(job);
            },
            Qt::QueuedConnection);
    };
}

JobId JobBridge::start(std::unique_ptr<Job> job)
{
    const JobId id = m_runner.add(std::move(job));
    look();
    return id;
}

bool JobBridge::cancel(JobId id)
{
    const bool cancelled = m_runner.cancel(id);
    look();
    return cancelled;
}

void JobBridge::cancelAll()
{
    m_runner.cancelAll();
    look();
}

void JobBridge::forget(JobId id)
{
    m_runner.forget(id);
    look();
}

const JobSnapshot* JobBridge::job(JobId id) const
{
    const auto found = std::find_if(m_jobs.begin(), m_jobs.end(), [id](const JobSnapshot& job) { return job.id == id; });
    return found == m_jobs.end() ? nullptr : &*found;
}

void JobBridge::look()
{
    m_jobs = m_runner.jobs();
    const int active = static_cast<int>(
        std::count_if(m_jobs.begin(), m_jobs.end(), [](const JobSnapshot& job) { return !isOver(job.state); }));
    const bool was = std::exchange(m_active, active) > 0;
    if (active > 0 && !m_timer.isActive())
        m_timer.start();
    if (active == 0)
        m_timer.stop();
    Q_EMIT changed();
    if (was != (active > 0))
        Q_EMIT activeChanged(active > 0);
}

} // namespace cellfolio
