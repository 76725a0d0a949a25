// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/color_bar.h"

#include "widgets/style/fonts.h"
#include "widgets/style/numbers.h"
#include "widgets/style/theme.h"
#include "widgets/views/number_text.h"
#include "widgets/views/scatter_keys.h"

#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtGui/QPainterPath>

namespace cellfolio
{

namespace
{

constexpr int kMargin = 12;
constexpr int kTitleTop = 12;
constexpr int kBarHeight = 12;
constexpr int kPoint = 7; // length of a pointed end

int titleHeight()
{
    return measures::scaled(20);
}

int lineHeight()
{
    return measures::scaled(18);
}

int rowsOf(const ColorBarContent& content)
{
    return int(content.zeros.has_value()) + int(content.outside.has_value())
        + int(content.missing.has_value()) + int(content.unread.has_value());
}

int barTop()
{
    return kTitleTop + titleHeight() + lineHeight() + 8;
}

} // namespace

ColorBar::ColorBar(QWidget* parent) : QWidget(parent)
{
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void ColorBar::setContent(ColorBarContent content)
{
    m_content = std::move(content);
    setAccessibleName(tr("%1: %2 to %3").arg(m_content.title, m_content.low, m_content.high));
    updateGeometry();
    update();
}

QSize ColorBar::sizeHint() const
{
    int height = barTop() + kBarHeight + 4 + lineHeight();
    if (!m_content.fullRange.isEmpty())
        height += lineHeight();
    const int rows = rowsOf(m_content);
    if (rows > 0)
        height += 9 + rows * measures::kLegendRow;
    return {measures::kLegend, height + 8};
}

QRect ColorBar::fullRangeRect() const
{
    if (m_content.fullRange.isEmpty())
        return {};
    return {kMargin, barTop() + kBarHeight + 4 + lineHeight(), width() - 2 * kMargin, lineHeight()};
}

void ColorBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = Theme::current();
    const int wide = width() - 2 * kMargin;
    painter.fillRect(rect(), theme.base);

    painter.setFont(fonts::bodySemibold());
    painter.setPen(theme.text);
    painter.drawText(QRect(kMargin, kTitleTop, wide, titleHeight()), Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(m_content.title, Qt::ElideMiddle, wide));
    painter.setFont(fonts::caption());
    painter.setPen(theme.text2);
    painter.drawText(QRect(kMargin, kTitleTop + titleHeight(), wide, lineHeight()),
                     Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(m_content.subtitle, Qt::ElideRight, wide));

    // A cut end is pointed, as on a printed scale.
    const QRectF bar(kMargin, barTop(), wide, kBarHeight);
    const double left = bar.left() + (m_content.clippedLow ? kPoint : 0);
    const double right = bar.right() - (m_content.clippedHigh ? kPoint : 0);
    QPainterPath shape;
    if (m_content.clippedLow || m_content.clippedHigh) {
        shape.moveTo(left, bar.top());
        shape.lineTo(right, bar.top());
        if (m_content.clippedHigh)
            shape.lineTo(bar.right(), bar.center().y());
        shape.lineTo(right, bar.bottom());
        shape.lineTo(left, bar.bottom());
        if (m_content.clippedLow)
            shape.lineTo(bar.left(), bar.center().y());
        shape.closeSubpath();
    } else {
        shape.addRoundedRect(bar, 2, 2);
    }
    QLinearGradient gradient(left, 0, right, 0);
    const ColorMap& map = ColorMap::of(m_content.map);
    for (int i = 0; i <= 16; ++i)
        gradient.setColorAt(i / 16.0, QColor(map.at(i / 16.0)));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillPath(shape, gradient);
    painter.setRenderHint(QPainter::Antialiasing, false);

    const QRectF ends(kMargin, barTop() + kBarHeight + 4, wide, lineHeight());
    painter.setFont(fonts::caption());
    painter.setPen(theme.text);
    drawNumber(painter, ends,
               m_content.clippedLow ? QChar(0x2264) + QStringLiteral(" ") + m_content.low
                                    : m_content.low,
               Qt::AlignLeft);
    drawNumber(painter, ends,
               m_content.clippedHigh ? QChar(0x2265) + QStringLiteral(" ") + m_content.high
                                     : m_content.high);
    if (!m_content.fullRange.isEmpty()) {
        painter.setPen(theme.accent);
        painter.drawText(fullRangeRect(), Qt::AlignVCenter,
                         tr("Full range %1").arg(m_content.fullRange));
    }
    const int rows = rowsOf(m_content);
    if (rows == 0)
        return;
    int top = height() - 8 - rows * measures::kLegendRow;
    painter.fillRect(kMargin, top - 5, wide, 1, theme.hairline);
    painter.setFont(fonts::table());
    const auto line = [&](const QString& name, std::int64_t count, const QColor& fill) {
        const bool hollow = !fill.isValid();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(hollow ? QPen(theme.outside, 1.2) : QPen(Qt::NoPen));
        painter.setBrush(hollow ? QBrush(Qt::NoBrush) : QBrush(fill));
        const double radius = hollow ? 4.4 : 5;
        painter.drawEllipse(QPointF(kMargin + 5, top + measures::kLegendRow / 2.0), radius, radius);
        painter.setPen(theme.text2);
        const QRectF row(kMargin, top, wide, measures::kLegendRow);
        painter.drawText(row.adjusted(18, 0, 0, 0), Qt::AlignVCenter, name);
        drawNumber(painter, row, countText(count));
        top += measures::kLegendRow;
    };
    if (m_content.zeros)
        line(tr("zero"), *m_content.zeros, zeroTint(m_content.map, theme.base));
    if (m_content.outside)
        line(tr("outside the filters"), *m_content.outside, {});
    if (m_content.missing)
        line(tr("missing"), *m_content.missing, theme.missing);
    if (m_content.unread)
        line(tr("not read yet"), *m_content.unread, theme.missing);
}

void ColorBar::mouseMoveEvent(QMouseEvent* event)
{
    setCursor(fullRangeRect().contains(event->pos()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void ColorBar::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && fullRangeRect().contains(event->pos()))
        Q_EMIT fullRangeRequested();
}

} // namespace cellfolio
