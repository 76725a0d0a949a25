// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/work_strip.h"

#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/style/theme.h"
#include "widgets/views/elided_label.h"

#include <QtGui/QPainter>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QToolButton>

#include <algorithm>

namespace cellfolio
{

namespace
{

constexpr int kArc = 14;
constexpr int kText = 216;

} // namespace

WorkStrip::WorkStrip(const QString& stopText, QWidget* parent)
    : QWidget(parent), m_label(new ElidedLabel(this)), m_stop(new QToolButton(this))
{
    m_label->setFont(fonts::caption());
    m_label->setElideMode(Qt::ElideMiddle);
    m_label->setFixedWidth(measures::scaled(kText)); // nothing beside it moves while it counts
    m_stop->setIcon(icon("x"));
    m_stop->setIconSize({12, 12});
    m_stop->setAutoRaise(true);
    m_stop->setToolTip(stopText);
    m_stop->setAccessibleName(stopText);
    m_stop->setFixedSize(20, 20);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(kArc + 10, 0, 8, 0);
    row->setSpacing(2);
    row->addWidget(m_label);
    row->addWidget(m_stop);
    connect(m_stop, &QToolButton::clicked, this, &WorkStrip::stopRequested);
    hide();
}

void WorkStrip::setWork(const QString& text, double share)
{
    m_share = share < 0 ? -1 : std::min(share, 1.0);
    m_label->setText(text);
    setAccessibleName(text);
    show();
    update();
}

void WorkStrip::clear()
{
    m_share = -1;
    m_label->setText({});
    hide();
}

QString WorkStrip::text() const
{
    return m_label->text();
}

void WorkStrip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& theme = Theme::current();
    const QRectF circle(3, (height() - kArc) / 2.0, kArc, kArc);
    painter.setPen(QPen(theme.barPale, 2.5));
    painter.drawEllipse(circle.adjusted(1.5, 1.5, -1.5, -1.5));
    if (m_share <= 0)
        return;
    painter.setPen(QPen(theme.progress, 2.5, Qt::SolidLine, Qt::FlatCap));
    painter.drawArc(circle.adjusted(1.5, 1.5, -1.5, -1.5), 90 * 16, -static_cast<int>(m_share * 360 * 16));
}

} // namespace cellfolio
