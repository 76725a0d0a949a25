// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/jobs_status.h"

#include "app/gui/job_row.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/bridge/job_bridge.h"
#include "widgets/models/gene_preparation.h"
#include "widgets/style/fonts.h"

#include <algorithm>
#include <cmath>

namespace cellfolio {

using namespace Qt::StringLiterals;

JobsStatus::JobsStatus(JobBridge& jobs, QWidget* parent) : QToolButton(parent), m_jobs(jobs)
{
    setProperty("word", true);
    setFont(fonts::caption());
    setFocusPolicy(Qt::TabFocus);
    setToolTip(u"Show or hide the jobs · F11"_s);
    connect(&jobs, &JobBridge::changed, this, &JobsStatus::refresh);
    refresh();
}

void JobsStatus::refresh()
{
    setVisible(!m_jobs.jobs().empty());
    const auto running = std::find_if(m_jobs.jobs().begin(), m_jobs.jobs().end(),
                                      [](const JobSnapshot& job) { return !isOver(job.state); });
    if (running == m_jobs.jobs().end()) {
        const bool failed = std::any_of(m_jobs.jobs().begin(), m_jobs.jobs().end(),
                                        [](const JobSnapshot& job) { return job.state == JobState::Failed; });
        setText(failed ? u"Jobs: one failed"_s : u"Jobs"_s);
        return;
    }
    QString text = m_jobs.activeCount() > 1 ? u"%1 jobs"_s.arg(m_jobs.activeCount()) : toQString(running->verb);
    text += running->state == JobState::Cancelling ? u" · stopping"_s : u" · "_s + jobShareText(*running);
    if (running->secondsLeft)
        text += u" · %1 left"_s.arg(waitText(std::max(1.0, std::ceil(*running->secondsLeft))));
    setText(text);
}

} // namespace cellfolio
