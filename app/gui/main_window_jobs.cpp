// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the window that has to do with long work: exports, and the list of jobs.
#include "app/gui/export_dialog.h"
#include "app/gui/job_row.h"
#include "app/gui/jobs_panel.h"
#include "app/gui/jobs_status.h"
#include "app/gui/main_window.h"
#include "app/gui/program.h"
#include "app/gui/session.h"
#include "app/gui/status_line.h"
#include "app/gui/view_chooser.h"
#include "widgets/bridge/job_bridge.h"

#include <QtWidgets/QDockWidget>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr int kJobsHeight = 150;

} // namespace

void MainWindow::makeJobsDock()
{
    m_jobs = new JobsPanel(m_program, this);
    m_jobsDock = new QDockWidget(u"Jobs"_s, this);
    m_jobsDock->setObjectName(u"jobsDock"_s);
    m_jobsDock->setFeatures(QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetClosable);
    m_jobsDock->setTitleBarWidget(m_jobs->titleBar());
    m_jobsDock->setWidget(m_jobs);
    addDockWidget(Qt::BottomDockWidgetArea, m_jobsDock);
    resizeDocks({m_jobsDock}, {kJobsHeight}, Qt::Vertical);
}

void MainWindow::connectJobs()
{
    m_jobsStatus = new JobsStatus(m_program.jobs(), m_status);
    m_status->addWork(m_jobsStatus);
    connect(m_jobsStatus, &QToolButton::clicked, this, [this] { setJobsShown(!areJobsShown()); });
    connect(m_jobs, &JobsPanel::closeRequested, this, [this] { setJobsShown(false); });
    connect(m_views, &ViewChooser::exportRequested, this, [this] { showExport(); });
    connect(&m_program.jobs(), &JobBridge::ended, this, [this](const JobSnapshot& job) { say(jobEndText(job) + u'.'); });
}

bool MainWindow::areJobsShown() const
{
    return !m_jobsDock->isHidden();
}

void MainWindow::setJobsShown(bool shown)
{
    const bool was = areJobsShown();
    m_jobsDock->setVisible(shown);
    if (shown && !was)
        resizeDocks({m_jobsDock}, {kJobsHeight}, Qt::Vertical);
}

ExportDialog* MainWindow::showExport()
{
    if (page() != Page::File || !m_session->dataset())
        return nullptr;
    auto* dialog = new ExportDialog(m_program, *m_session, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ExportDialog::started, this, [this] { setJobsShown(true); });
    dialog->open();
    return dialog;
}

} // namespace cellfolio
