// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/gene_status.h"

#include "app/gui/session.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/views/work_strip.h"

#include <QtWidgets/QHBoxLayout>

#include <algorithm>
#include <cmath>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr double kMentionedAfter = 0.3; // s
constexpr double kToldAfter = 1;        // s until a guess of the rest is worth something

// "CD3E · 43 % · 4 s left"
QString progressText(const QString& what, double share, double seconds)
{
    if (share <= 0)
        return what;
    QString text = what + u" · %1 %"_s.arg(static_cast<int>(share * 100));
    if (seconds > kToldAfter && share < 1)
        text += u" · %1 left"_s.arg(waitText(std::max(1.0, std::ceil(seconds / share * (1 - share)))));
    return text;
}

} // namespace

GeneStatus::GeneStatus(Session& session, QWidget* parent)
    : QWidget(parent), m_session(session), m_reading(new WorkStrip(u"Stop reading"_s, this)),
      m_preparing(new WorkStrip(u"Stop preparing genes"_s, this))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_reading);
    row->addWidget(m_preparing);
    connect(&session.genes(), &GeneQueue::activityChanged, this, &GeneStatus::refresh);
    connect(&session.preparation(), &GenePreparation::activityChanged, this, &GeneStatus::refresh);
    connect(m_reading, &WorkStrip::stopRequested, &session.genes(), &GeneQueue::abandon);
    connect(m_preparing, &WorkStrip::stopRequested, &session.preparation(), &GenePreparation::cancel);
    refresh();
}

void GeneStatus::refresh()
{
    const auto share = [](Index done, Index total) {
        return total > 0 ? static_cast<double>(done) / static_cast<double>(total) : -1.0;
    };
    const auto reading = m_session.genes().activity();
    if (reading && reading->seconds >= kMentionedAfter) {
        const double part = share(reading->done, reading->total);
        m_reading->setWork(progressText(u"Reading "_s + reading->what, part, reading->seconds), part);
    } else {
        m_reading->clear();
    }
    const auto preparing = m_session.preparation().activity();
    if (preparing) {
        const double part = share(preparing->done, preparing->total);
        m_preparing->setWork(progressText(u"Preparing genes of "_s + toQString(preparing->matrix->path), part,
                                          preparing->seconds),
                             part);
    } else {
        m_preparing->clear();
    }
    setVisible(!m_reading->isHidden() || !m_preparing->isHidden());
}

} // namespace cellfolio
