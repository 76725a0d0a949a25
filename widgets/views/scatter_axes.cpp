// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/scatter_axes.h"

#include "widgets/style/fonts.h"
#include "widgets/style/theme.h"

#include <QtGui/QPainter>

namespace cellfolio
{

namespace
{

constexpr int kArrow = 48;

} // namespace

void paintScatterAxes(QPainter& painter, const QSize& size, const QString& xName, const QString& yName,
                      bool yDown)
{
    if (xName.isEmpty() && yName.isEmpty())
        return;
    const Theme& theme = Theme::current();
    const QPointF corner(22, size.height() - 28);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.line, 1.2));
    const QPointF right = corner + QPointF(kArrow, 0);
    const QPointF up = yDown ? corner : corner + QPointF(0, -kArrow);
    const QPointF start = yDown ? corner + QPointF(0, -kArrow) : corner;
    painter.drawLine(start, start + QPointF(kArrow - 3, 0));
    painter.drawLine(start, yDown ? up - QPointF(0, 3) : up + QPointF(0, 3));
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.line);
    const QPointF tipX = yDown ? start + QPointF(kArrow, 0) : right;
    painter.drawPolygon(QPolygonF({tipX, tipX + QPointF(-5, -3), tipX + QPointF(-5, 3)}));
    const double back = yDown ? -5 : 5;
    painter.drawPolygon(QPolygonF({up, up + QPointF(-3, back), up + QPointF(3, back)}));
    painter.setFont(fonts::caption());
    painter.setPen(theme.text2);
    const QFontMetrics metrics(painter.font());
    const QString x = metrics.elidedText(xName, Qt::ElideMiddle, 180);
    const QString y = metrics.elidedText(yName, Qt::ElideMiddle, 180);
    painter.drawText(QPointF(corner.x() + 2, size.height() - 11), x);
    painter.translate(corner.x() - 8, corner.y());
    painter.rotate(-90);
    painter.drawText(QPointF(2, 0), y);
    painter.restore();
}

} // namespace cellfolio
