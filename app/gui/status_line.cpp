// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/status_line.h"

#include "core/hdf5/file.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/style/theme.h"
#include "widgets/views/memory_meter.h"

#include <QtCore/QEvent>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr int kEvery = 1000;   // ms
constexpr int kSayFor = 8000;  // ms

} // namespace

StatusLine::StatusLine(ModelContext context, QWidget* parent)
    : QStatusBar(parent), m_context(context), m_extent(new QLabel(this)), m_findings(new QPushButton(this)),
      m_selection(new QLabel(this)), m_sentence(new QLabel(this)), m_work(new QWidget(this)), m_meter(new MemoryMeter(this)),
      m_disk(new QLabel(this)), m_lockIcon(new QLabel(this)), m_kept(new QLabel(u"original kept as it is"_s, this))
{
    setSizeGripEnabled(false);
    setFixedHeight(measures::kStatusLine);
    setContentsMargins(12, 0, 12, 0);
    for (QLabel* label : {m_extent, m_selection, m_sentence, m_disk, m_kept}) {
        label->setFont(fonts::caption());
        label->setContentsMargins(4, 0, 4, 0);
    }
    for (QLabel* label : {m_selection, m_sentence, m_disk, m_kept})
        label->setProperty("role", u"quiet"_s);
    m_findings->setProperty("quiet", true);
    m_findings->setProperty("small", true);
    m_findings->setFont(fonts::caption());
    m_findings->setToolTip(u"Show what was found in this file"_s);
    m_findings->setFocusPolicy(Qt::TabFocus);
    m_kept->setToolTip(u"Cellfolio only reads this file; whatever you do, results become new files."_s);
    m_disk->setToolTip(u"Read from disk in the last second"_s);
    // Room for the largest rate, so that nothing beside it moves.
    m_disk->setMinimumWidth(m_disk->fontMetrics().horizontalAdvance(u"Disk 9,999 MB/s"_s) + 8);
    addWidget(m_extent);
    addWidget(m_findings);
    addWidget(m_selection);
    m_sentence->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // a long one must not widen the window
    addWidget(m_sentence, 1);
    auto* work = new QHBoxLayout(m_work);
    work->setContentsMargins(0, 0, 0, 0);
    work->setSpacing(0);
    addPermanentWidget(m_work);
    addPermanentWidget(m_meter);
    addPermanentWidget(m_disk);
    addPermanentWidget(m_lockIcon);
    addPermanentWidget(m_kept);
    connect(m_findings, &QPushButton::clicked, this, &StatusLine::findingsClicked);
    m_timer.setInterval(kEvery);
    connect(&m_timer, &QTimer::timeout, this, &StatusLine::measure);
    m_timer.start();
    m_sayTimer.setSingleShot(true);
    connect(&m_sayTimer, &QTimer::timeout, this, [this] { m_sentence->clear(); });
    setFindings({});
    setFileOpen(false);
    m_since.start();
    m_readBefore = hdf5::bytesReadSoFar();
    measure();
}

void StatusLine::setExtent(const QString& text)
{
    m_extent->setText(text);
}

void StatusLine::setFindings(const QString& text)
{
    m_findings->setText(text);
    m_findings->setVisible(!text.isEmpty());
}

void StatusLine::setSelection(const QString& text)
{
    m_selection->setText(text);
    m_selection->setVisible(!text.isEmpty());
}

void StatusLine::setFileOpen(bool open)
{
    m_kept->setVisible(open);
    m_lockIcon->setVisible(open);
    m_disk->setVisible(open);
    if (!open)
        m_extent->setText(u"No file open"_s);
    m_lockIcon->setPixmap(icon("lock").pixmap(14, 14));
}

void StatusLine::say(const QString& sentence)
{
    m_sentence->setText(sentence);
    m_sentence->setToolTip(sentence);
    m_sayTimer.start(kSayFor);
}

void StatusLine::addWork(QWidget* work)
{
    m_work->layout()->addWidget(work);
}

QString StatusLine::sentence() const
{
    return m_sentence->text();
}

void StatusLine::measure()
{
    const MemorySnapshot memory = m_context.reading->budget().snapshot();
    MemoryMeter::Reading reading;
    reading.pages = memory.byTag[static_cast<std::size_t>(MemoryTag::Pages)];
    reading.used = memory.total;
    reading.peak = memory.peak;
    reading.budget = memory.limit;
    reading.process = residentBytes();
    m_meter->setReading(reading);
    const Index now = hdf5::bytesReadSoFar();
    const qint64 ms = std::max<qint64>(m_since.restart(), 1);
    const double rate = double(now - m_readBefore) / double(ms) * 1000;
    m_readBefore = now;
    m_disk->setText(u"Disk %1 MB/s"_s.arg(rate < 1e5 ? u"0"_s : numberText(rate / 1e6, 2)));
}

} // namespace cellfolio
