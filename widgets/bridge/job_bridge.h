// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/job_runner.h"

#include <QtCore/QObject>
#include <QtCore/QTimer>

#include <vector>

namespace cellfolio {

// The program's jobs as its windows see them: looked at several times a second while any runs, never
// waited for. UI thread only; must not outlive the budget. Its destructor cancels what runs, and waits.
class JobBridge : public QObject
{
    Q_OBJECT
public:
    explicit JobBridge(MemoryBudget& budget, QObject* parent = nullptr);

    JobId start(std::unique_ptr<Job> job);
    // False where it is over, or its result is about to appear.
    bool cancel(JobId id);
    void cancelAll();
    void forget(JobId id);
    std::vector<JobLog::Line> log(JobId id) const { return m_runner.log(id); }

    const std::vector<JobSnapshot>& jobs() const { return m_jobs; } // as they were at the last look
    const JobSnapshot* job(JobId id) const;                         // null: none such
    int activeCount() const { return m_active; }

    static constexpr int kLookEvery = 100; // ms

Q_SIGNALS:
    void changed(); // jobs()
    void ended(const cellfolio::JobSnapshot& job);
    void activeChanged(bool active); // the first begins; the last has ended

private:
    void look();

    std::vector<JobSnapshot> m_jobs;
    int m_active = 0;
    QTimer m_timer;
    JobRunner m_runner; // dies first: what it tells comes here
};

} // namespace cellfolio
