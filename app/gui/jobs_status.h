// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QToolButton>

namespace cellfolio {

class JobBridge;

// In the status line: the job that runs, or how many; a click shows the Jobs dock. Hidden while there
// are no jobs.
class JobsStatus : public QToolButton
{
    Q_OBJECT
public:
    explicit JobsStatus(JobBridge& jobs, QWidget* parent = nullptr);

private:
    void refresh();

    JobBridge& m_jobs;
};

} // namespace cellfolio
