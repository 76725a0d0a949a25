// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/jobs_panel.h"

#include "app/gui/job_row.h"
#include "app/gui/program.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/bridge/desktop_services.h"
#include "widgets/bridge/job_bridge.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"

#include <QtCore/QDateTime>
#include <QtCore/QFileInfo>
#include <QtCore/QUrl>
#include <QtGui/QClipboard>
#include <QtGui/QDesktopServices>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QDialog>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

// Running and waiting in their order, then what is over, the latest first.
std::vector<JobId> orderOf(const std::vector<JobSnapshot>& jobs)
{
    std::vector<JobId> order;
    for (const JobSnapshot& job : jobs)
        if (!isOver(job.state))
            order.push_back(job.id);
    std::vector<const JobSnapshot*> over;
    for (const JobSnapshot& job : jobs)
        if (isOver(job.state))
            over.push_back(&job);
    std::stable_sort(over.begin(), over.end(), [](const JobSnapshot* a, const JobSnapshot* b) { return a->ended > b->ended; });
    for (const JobSnapshot* job : over)
        order.push_back(job->id);
    return order;
}

} // namespace

JobsPanel::JobsPanel(Program& program, QWidget* parent)
    : QWidget(parent), m_program(program), m_title(new QWidget(this)), m_titleCount(new QLabel(m_title)),
      m_sleep(new QLabel(u"Sleep is held off while a job runs."_s, m_title)), m_clear(new QToolButton(m_title)),
      m_area(new QScrollArea(this)), m_empty(new QLabel(this))
{
    setProperty("surface", u"frame"_s);
    setAttribute(Qt::WA_StyledBackground);
    auto* name = new QLabel(u"Jobs"_s, m_title);
    name->setFont(fonts::tableSemibold());
    for (QLabel* label : {m_titleCount, m_sleep}) {
        label->setProperty("role", u"quiet"_s);
        label->setFont(fonts::table());
    }
    m_clear->setText(u"Clear finished"_s);
    m_clear->setProperty("word", true);
    m_clear->setFont(fonts::table());
    m_clear->setToolTip(u"Take those that are over off the list; what they made stays"_s);
    auto* close = new QToolButton(m_title);
    close->setIcon(icon("x"));
    close->setProperty("word", true);
    close->setToolTip(u"Close · F11"_s);
    close->setAccessibleName(u"Close the jobs"_s);
    auto* titleRow = new QHBoxLayout(m_title);
    titleRow->setContentsMargins(12, 0, 8, 0);
    titleRow->addWidget(name);
    titleRow->addWidget(m_titleCount);
    titleRow->addSpacing(12);
    titleRow->addWidget(m_sleep);
    titleRow->addStretch(1);
    titleRow->addWidget(m_clear);
    titleRow->addWidget(close);
    m_title->setFixedHeight(measures::kDockTitle);

    auto* inside = new QWidget(m_area);
    inside->setProperty("surface", u"frame"_s);
    inside->setAttribute(Qt::WA_StyledBackground);
    m_list = new QVBoxLayout(inside);
    m_list->setContentsMargins(0, 0, 0, 4);
    m_list->setSpacing(0);
    m_list->addStretch(1);
    m_area->setWidget(inside);
    m_area->setWidgetResizable(true);
    m_area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_empty->setText(u"No jobs yet. Long work, as an export (Ctrl+E), runs here in the background, while you go on."_s);
    m_empty->setProperty("role", u"quiet"_s);
    m_empty->setFont(fonts::table());
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setContentsMargins(12, 8, 12, 12);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_empty, 1);
    column->addWidget(m_area, 1);
    setMinimumHeight(64);

    connect(close, &QToolButton::clicked, this, &JobsPanel::closeRequested);
    connect(m_clear, &QToolButton::clicked, this, [this] {
        const std::vector<JobSnapshot> jobs = m_program.jobs().jobs();
        for (const JobSnapshot& job : jobs)
            if (isOver(job.state))
                m_program.jobs().forget(job.id);
    });
    connect(&program.jobs(), &JobBridge::changed, this, &JobsPanel::refresh);
    connect(&program.desktop(), &DesktopServices::sleepHeldChanged, this, &JobsPanel::refresh);
    refresh();
}

bool JobsPanel::isEmptyShown() const
{
    return !m_empty->isHidden();
}

JobRow* JobsPanel::rowOf(JobId id) const
{
    const auto found = std::find_if(m_rows.begin(), m_rows.end(), [id](const JobRow* row) { return row->job().id == id; });
    return found == m_rows.end() ? nullptr : *found;
}

void JobsPanel::refresh()
{
    const JobBridge& bridge = m_program.jobs();
    const std::vector<JobId> order = orderOf(bridge.jobs());
    if (order != m_order) {
        m_order = order;
        rebuild();
    }
    for (std::size_t k = 0; k < m_order.size(); ++k)
        if (const JobSnapshot* job = bridge.job(m_order[k]))
            m_rows[k]->setJob(*job);
    m_titleCount->setText(bridge.activeCount() > 0 ? countText(bridge.activeCount()) : QString());
    m_sleep->setVisible(m_program.desktop().isSleepHeld());
    m_clear->setVisible(static_cast<int>(m_order.size()) > bridge.activeCount());
    m_empty->setVisible(m_order.empty());
    m_area->setVisible(!m_order.empty());
}

// Rows are few; they are put in another order by giving each the job that is now in its place.
void JobsPanel::rebuild()
{
    while (m_rows.size() > m_order.size()) {
        m_rows.back()->deleteLater();
        m_rows.back()->hide();
        m_rows.pop_back();
    }
    while (m_rows.size() < m_order.size()) {
        auto* row = new JobRow(m_area->widget());
        connect(row, &JobRow::cancelRequested, this, [this](qint64 id) { m_program.jobs().cancel(id); });
        connect(row, &JobRow::forgetRequested, this, [this](qint64 id) { m_program.jobs().forget(id); });
        connect(row, &JobRow::openRequested, this, &JobsPanel::openResult);
        connect(row, &JobRow::folderRequested, this, &JobsPanel::showInFolder);
        connect(row, &JobRow::logRequested, this, &JobsPanel::showLog);
        m_list->insertWidget(static_cast<int>(m_rows.size()), row);
        m_rows.push_back(row);
    }
}

void JobsPanel::openResult(JobId id)
{
    const JobSnapshot* job = m_program.jobs().job(id);
    if (job == nullptr || job->outcome.results.empty())
        return;
    const QString path = toQString(job->outcome.results.front().string());
    // What this program reads it shows; a table or a folder is for another one.
    static const QStringList own{u"h5ad"_s, u"h5"_s, u"loom"_s};
    if (own.contains(QFileInfo(path).suffix()))
        m_program.open(path);
    else
        QDesktopServices::openUrl(QUrl::fromLocalFile(path));
}

void JobsPanel::showInFolder(JobId id)
{
    const JobSnapshot* job = m_program.jobs().job(id);
    if (job != nullptr && !job->outcome.results.empty())
        QDesktopServices::openUrl(QUrl::fromLocalFile(toQString(job->outcome.results.front().parent_path().string())));
}

QString JobsPanel::logText(const std::vector<JobLog::Line>& lines)
{
    QString text;
    for (const JobLog::Line& line : lines) {
        const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(line.when.time_since_epoch()).count();
        text += QDateTime::fromMSecsSinceEpoch(ms).toString(u"HH:mm:ss  "_s) + toQString(line.text) + u'\n';
    }
    return text;
}

void JobsPanel::showLog(JobId id)
{
    auto* dialog = new QDialog(this);
    dialog->setObjectName(u"jobLog"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(u"Log"_s);
    dialog->resize(720, 360);
    auto* text = new QPlainTextEdit(logText(m_program.jobs().log(id)), dialog);
    text->setReadOnly(true);
    text->setFont(fonts::mono());
    text->setAccessibleName(u"Log of the job"_s);
    auto* copy = new QPushButton(u"Copy"_s, dialog);
    auto* close = new QPushButton(u"Close"_s, dialog);
    close->setDefault(true);
    auto* foot = new QHBoxLayout;
    foot->addWidget(copy);
    foot->addStretch(1);
    foot->addWidget(close);
    auto* column = new QVBoxLayout(dialog);
    column->setContentsMargins(20, 20, 20, 16);
    column->setSpacing(12);
    column->addWidget(text, 1);
    column->addLayout(foot);
    connect(copy, &QPushButton::clicked, dialog, [text] { QGuiApplication::clipboard()->setText(text->toPlainText()); });
    connect(close, &QPushButton::clicked, dialog, &QDialog::close);
    dialog->show();
}

} // namespace cellfolio
