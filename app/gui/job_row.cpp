// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/job_row.h"

#include "widgets/bridge/cell_format.h"
#include "widgets/models/gene_preparation.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/style/style_sheet.h"
#include "widgets/views/elided_label.h"

#include <QtCore/QDateTime>
#include <QtCore/QEvent>
#include <QtCore/QLocale>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QProgressBar>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

QString clockText(std::chrono::system_clock::time_point when)
{
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(when.time_since_epoch()).count();
    return QLocale().toString(QDateTime::fromMSecsSinceEpoch(ms).time(), u"HH:mm"_s);
}

QString joined(const QStringList& parts)
{
    return parts.join(u" · "_s);
}

QString runningFigures(const JobSnapshot& job)
{
    QStringList parts;
    if (job.state == JobState::Cancelling)
        return u"stopping"_s;
    if (job.state == JobState::Queued)
        return job.waitsForMemory ? u"waits for memory"_s : u"waits"_s;
    if (job.bytesPerSecond > 0)
        parts.append(sizeText(static_cast<Index>(job.bytesPerSecond)) + u"/s"_s);
    if (job.entriesPerSecond >= 1)
        parts.append(numberText(job.entriesPerSecond / 1e6, 3) + u" M values/s"_s);
    if (job.secondsLeft)
        parts.append(waitText(std::max(1.0, std::ceil(*job.secondsLeft))) + u" left"_s);
    if (job.memoryReserved > 0)
        parts.append(u"%1 of %2"_s.arg(sizeText(job.memoryNow), sizeText(job.memoryReserved)));
    return joined(parts);
}

QString endFigures(const JobSnapshot& job)
{
    QStringList parts;
    const QString took = toQString(durationText(job.seconds));
    if (job.state == JobState::Succeeded)
        parts.append(u"%1 in %2"_s.arg(sizeText(job.outcome.bytes), took));
    else
        parts.append(job.state == JobState::Failed ? u"failed"_s : u"cancelled"_s);
    if (job.state == JobState::Succeeded && job.memoryPeak > 0)
        parts.append(sizeText(job.memoryPeak) + u" of memory"_s);
    parts.append(clockText(job.ended));
    return joined(parts);
}

QString memoryTip(const JobSnapshot& job)
{
    return u"Memory of the job: %1 now, %2 at its peak, %3 reserved"_s.arg(
        sizeText(job.memoryNow), sizeText(job.memoryPeak), sizeText(job.memoryReserved));
}

QPushButton* link(const QString& text, QWidget* parent)
{
    auto* button = new QPushButton(text, parent);
    button->setProperty("link", true);
    button->setProperty("small", true);
    button->setFont(fonts::table());
    return button;
}

} // namespace

QString jobShareText(const JobSnapshot& job)
{
    return u"%1 %"_s.arg(std::min(99, static_cast<int>(job.share * 100)));
}

QString jobEndText(const JobSnapshot& job)
{
    constexpr qsizetype kMost = 110;
    QString what = toQString(job.verb) + u" of "_s + toQString(job.subject);
    if (what.size() > kMost)
        what = what.left(kMost / 2) + u"…"_s + what.right(kMost / 2);
    switch (job.state) {
    case JobState::Succeeded: return what + u" is done"_s;
    case JobState::Failed: return what + u" failed: "_s + (job.error ? errorSentence(*job.error) : QString());
    default: return what + u" was cancelled"_s;
    }
}

JobRow::JobRow(QWidget* parent)
    : QFrame(parent), m_icon(new QLabel(this)), m_verb(new QLabel(this)), m_what(new ElidedLabel(this)), m_share(new QLabel(this)),
      m_figures(new ElidedLabel(this)), m_detail(new QLabel(this)), m_bar(new QProgressBar(this)),
      m_open(link(u"Open result"_s, this)), m_folder(link(u"Show in folder"_s, this)), m_log(link(u"Log"_s, this)),
      m_cancel(new QPushButton(u"Cancel"_s, this)), m_forget(new QToolButton(this))
{
    m_verb->setFont(fonts::tableSemibold());
    m_share->setFont(fonts::tableSemibold());
    for (ElidedLabel* label : {m_what, m_figures}) {
        label->setFont(fonts::table());
        label->setQuiet(true);
    }
    m_figures->setElideMode(Qt::ElideRight);
    m_figures->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_detail->setFont(fonts::table());
    m_detail->setWordWrap(true);
    m_detail->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(u"How far the job is"_s);
    m_cancel->setProperty("small", true);
    m_cancel->setFont(fonts::table());
    m_forget->setIcon(icon("x"));
    m_forget->setProperty("word", true);
    m_forget->setToolTip(u"Take it off the list; what it made stays"_s);
    m_forget->setAccessibleName(u"Take it off the list"_s);
    auto* head = new QHBoxLayout;
    head->setSpacing(8);
    head->addWidget(m_icon);
    head->addWidget(m_verb);
    head->addWidget(m_what, 3);
    head->addWidget(m_share);
    head->addWidget(m_figures, 2);
    for (QWidget* button : std::initializer_list<QWidget*>{m_open, m_folder, m_log, m_cancel, m_forget})
        head->addWidget(button);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 3, 12, 5);
    column->setSpacing(4);
    column->addLayout(head);
    column->addWidget(m_detail);
    column->addWidget(m_bar);
    connect(m_cancel, &QPushButton::clicked, this, [this] { Q_EMIT cancelRequested(m_job.id); });
    connect(m_open, &QPushButton::clicked, this, [this] { Q_EMIT openRequested(m_job.id); });
    connect(m_folder, &QPushButton::clicked, this, [this] { Q_EMIT folderRequested(m_job.id); });
    connect(m_log, &QPushButton::clicked, this, [this] { Q_EMIT logRequested(m_job.id); });
    connect(m_forget, &QToolButton::clicked, this, [this] { Q_EMIT forgetRequested(m_job.id); });
}

void JobRow::setJob(const JobSnapshot& job)
{
    const bool first = m_job.id != job.id || m_job.state != job.state;
    m_job = job;
    const bool over = isOver(job.state);
    if (first)
        showIcon();
    m_verb->setText(toQString(job.verb));
    QString what = toQString(job.subject);
    if (!over && job.state == JobState::Running && !job.phase.empty())
        what += u" · "_s + (job.share >= 1 ? u"finishing"_s : toQString(job.phase));
    m_what->setText(what);
    m_share->setVisible(job.state == JobState::Running);
    m_share->setText(jobShareText(job));
    m_figures->setText(over ? endFigures(job) : runningFigures(job));
    m_figures->setToolTip(memoryTip(job));
    QString detail;
    if (job.state == JobState::Failed && job.error)
        detail = errorText(*job.error);
    else if (job.state == JobState::Running && job.stalledFor > 0)
        detail = u"Nothing has come for %1: the disk or share does not answer, or is busy. The job waits, and goes on by itself."_s
                     .arg(waitText(std::floor(job.stalledFor)));
    else if (job.state == JobState::Succeeded && !job.outcome.notes.empty())
        detail = toQString(job.outcome.notes.front())
               + (job.outcome.notes.size() > 1 ? u" And %1 more in the log."_s.arg(job.outcome.notes.size() - 1) : QString());
    m_detail->setText(detail);
    m_detail->setVisible(!detail.isEmpty());
    const QString role = job.state == JobState::Failed ? u"error"_s : job.state == JobState::Running ? u"warning"_s : u"quiet"_s;
    if (m_detail->property("role").toString() != role)
        setStyleProperty(m_detail, "role", role);
    m_bar->setVisible(!over);
    m_bar->setValue(static_cast<int>(job.share * 1000));
    m_cancel->setVisible(!over);
    m_cancel->setEnabled(job.canCancel);
    m_cancel->setToolTip(job.canCancel ? u"Stop it; nothing of its file is left"_s : u"It can no longer be stopped"_s);
    m_open->setVisible(job.state == JobState::Succeeded && !job.outcome.results.empty());
    m_folder->setVisible(over && !job.outcome.results.empty());
    m_forget->setVisible(over);
    setAccessibleName(headText() + u", "_s + figuresText());
}

void JobRow::showIcon()
{
    switch (m_job.state) {
    case JobState::Succeeded: m_icon->setPixmap(icon("circle-check", IconTone::Ok).pixmap(16, 16)); break;
    case JobState::Failed: m_icon->setPixmap(icon("alert-circle", IconTone::Err).pixmap(16, 16)); break;
    case JobState::Cancelled: m_icon->setPixmap(icon("x").pixmap(16, 16)); break;
    default: m_icon->setPixmap(icon("file-export", IconTone::Accent).pixmap(16, 16)); break;
    }
}

void JobRow::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        showIcon();
}

QString JobRow::headText() const
{
    return m_verb->text() + u' ' + m_what->text();
}

QString JobRow::figuresText() const
{
    return m_figures->text();
}

QString JobRow::detailText() const
{
    return m_detail->text();
}

} // namespace cellfolio
