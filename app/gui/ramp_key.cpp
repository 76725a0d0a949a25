// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/ramp_key.h"

#include "widgets/style/fonts.h"
#include "widgets/style/theme.h"

#include <QtGui/QPainter>

namespace cellfolio {

namespace {

constexpr int kStrip = 96;
constexpr int kGap = 6;

} // namespace

RampKey::RampKey(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void RampKey::setEnds(const QString& low, const QString& high)
{
    m_low = low;
    m_high = high;
    setVisible(!high.isEmpty());
    setToolTip(tr("Shades from %1 to %2, from a sample of the values").arg(low, high));
    updateGeometry();
    update();
}

QSize RampKey::sizeHint() const
{
    const QFontMetrics metrics(fonts::caption());
    return {metrics.horizontalAdvance(m_low) + metrics.horizontalAdvance(m_high) + kStrip + 2 * kGap + 2,
            20};
}

void RampKey::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.setFont(fonts::caption());
    painter.setPen(theme.text2);
    const QFontMetrics metrics(fonts::caption());
    const int left = metrics.horizontalAdvance(m_low) + kGap;
    painter.drawText(QRect(0, 0, left, height()), Qt::AlignLeft | Qt::AlignVCenter, m_low);
    for (int x = 0; x < kStrip; ++x)
        painter.fillRect(left + x, height() / 2 - 4, 1, 8, theme.matrixShade(double(x) / (kStrip - 1)));
    painter.drawText(QRect(left + kStrip + kGap, 0, width(), height()), Qt::AlignLeft | Qt::AlignVCenter,
                     m_high);
}

} // namespace cellfolio
