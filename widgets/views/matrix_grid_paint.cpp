// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/matrix_grid.h"

#include "widgets/style/fonts.h"
#include "widgets/style/numbers.h"
#include "widgets/style/theme.h"

#include <QtGui/QPainter>

#include <algorithm>
#include <array>

namespace cellfolio
{

namespace
{

constexpr int kStrip = 4;
constexpr int kNameLeft = 12;
constexpr int kRight = 8;
constexpr int kShareTop = 28;
constexpr int kShareBar = 3;

void paintPending(QPainter& painter, const QRectF& where)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(Theme::current().hover);
    painter.drawRoundedRect(where, where.height() / 2, where.height() / 2);
    painter.restore();
}

// 65 steps of the ramp, mixed once a paint instead of once a cell.
std::array<QColor, 65> rampOf(const Theme& theme)
{
    std::array<QColor, 65> ramp;
    for (std::size_t i = 0; i < ramp.size(); ++i)
        ramp[i] = theme.matrixShade(double(i) / double(ramp.size() - 1));
    return ramp;
}

} // namespace

void MatrixGrid::paintEvent(QPaintEvent*)
{
    announceWindow();
    QPainter painter(viewport());
    const Theme& theme = Theme::current();
    painter.fillRect(viewport()->rect(), theme.base);
    if (hasCells())
        paintCells(painter);
    paintRowHeads(painter);
    paintColumnHeads(painter);
    paintCorner(painter);
}

void MatrixGrid::paintCells(QPainter& painter)
{
    const Theme& theme = Theme::current();
    const auto ramp = rampOf(theme);
    painter.save();
    painter.setClipRect(gridRect());
    painter.setFont(fonts::table());
    const QFontMetrics metrics(painter.font());
    for (qint64 row = m_window.firstRow; row <= m_window.lastRow; ++row) {
        for (qint64 column = m_window.firstColumn; column <= m_window.lastColumn; ++column) {
            const QRect where = cellRect(row, column);
            const GridCell cell = m_source->value(row, column);
            if (cell.pending) {
                const double wide = std::min(where.width() * 0.5, 28.0);
                paintPending(painter, QRectF(where.right() + 1 - kRight - wide,
                                             where.center().y() - 3.5, wide, 8));
                continue;
            }
            if (cell.damaged) { // said whether numbers are shown or not
                painter.setPen(theme.err);
                painter.drawText(where.adjusted(3, 0, -kRight, 0),
                                 Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("?"));
                continue;
            }
            const bool shaded = m_shades && !cell.zero && !std::isnan(cell.shade);
            if (shaded) {
                const double t = std::clamp(cell.shade, 0.0, 1.0);
                painter.fillRect(where,
                                 ramp[std::size_t(std::lround(t * double(ramp.size() - 1)))]);
            }
            if (!m_numbers)
                continue;
            painter.setPen(cell.zero      ? theme.disabled
                           : cell.missing ? theme.text3
                           : shaded       ? theme.matrixText
                                          : theme.text);
            const QRect text = where.adjusted(3, 0, -kRight, 0);
            drawNumber(painter, text,
                       cell.missing ? QStringLiteral("NaN")
                                    : elideNumber(painter.font(), cell.text, text.width()));
        }
        if (m_source->rowHead(row).startsGroup) {
            const QRect line = cellRect(row, m_window.firstColumn);
            painter.fillRect(QRect(gridRect().left(), line.top(), gridRect().width(), 1),
                             theme.hairline);
        }
    }
    if (m_row >= m_window.firstRow && m_row <= m_window.lastRow &&
        m_column >= m_window.firstColumn && m_column <= m_window.lastColumn) {
        const QRectF where(cellRect(m_row, m_column));
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.base, 1));
        painter.drawRoundedRect(where.adjusted(2.5, 2.5, -2.5, -2.5), 1, 1);
        painter.setPen(QPen(hasFocus() ? theme.accent : theme.line, 2));
        painter.drawRoundedRect(where.adjusted(1, 1, -1, -1), 1.5, 1.5);
    }
    painter.restore();
}

void MatrixGrid::paintRowHeads(QPainter& painter)
{
    const Theme& theme = Theme::current();
    const int wide = namesWidth();
    const QRect room(0, headHeight(), wide, viewport()->height() - headHeight());
    painter.fillRect(room, theme.frame);
    if (!hasCells())
        return;
    painter.save();
    painter.setClipRect(room);
    for (qint64 row = m_window.firstRow; row <= m_window.lastRow; ++row) {
        const GridRowHead head = m_source->rowHead(row);
        const QRect line(0, cellRect(row, m_window.firstColumn).top(), wide, cellHeight());
        const bool picked = row == m_row;
        if (picked)
            painter.fillRect(line, theme.accentSoft);
        if (head.strip.isValid())
            painter.fillRect(0, line.top(), kStrip, line.height(), theme.onCanvas(head.strip));
        if (head.startsGroup)
            painter.fillRect(kStrip, line.top(), wide, 1, theme.line);
        if (head.pending) {
            paintPending(painter, QRectF(kNameLeft, line.center().y() - 3.5, 110, 8));
            continue;
        }
        int right = wide - kRight;
        if (!head.group.isEmpty()) {
            painter.setFont(fonts::caption());
            painter.setPen(theme.text2);
            const QString group =
                painter.fontMetrics().elidedText(head.group, Qt::ElideMiddle, wide / 2 - 12);
            const int groupWidth = painter.fontMetrics().horizontalAdvance(group);
            painter.drawText(QRect(right - groupWidth, line.top(), groupWidth + 1, line.height()),
                             Qt::AlignVCenter | Qt::TextSingleLine, group);
            right -= groupWidth + 8;
        }
        painter.setFont(fonts::table());
        painter.setPen(picked ? theme.accent : theme.text2);
        painter.drawText(QRect(kNameLeft, line.top(), right - kNameLeft, line.height()),
                         Qt::AlignVCenter | Qt::TextSingleLine,
                         painter.fontMetrics().elidedText(head.name.left(400), Qt::ElideMiddle,
                                                          right - kNameLeft));
    }
    painter.fillRect(wide - 1, room.top(), 1, room.height(), theme.hairline);
    painter.restore();
}

void MatrixGrid::paintColumnHeads(QPainter& painter)
{
    const Theme& theme = Theme::current();
    const int left = namesWidth();
    const QRect room(left, 0, viewport()->width() - left, headHeight());
    painter.fillRect(room, theme.frame);
    painter.fillRect(0, headHeight() - 1, viewport()->width(), 1, theme.hairline);
    if (!hasCells())
        return;
    painter.save();
    painter.setClipRect(room);
    for (qint64 column = m_window.firstColumn; column <= m_window.lastColumn; ++column) {
        const GridColumnHead head = m_source->columnHead(column);
        const QRect cell(cellRect(m_window.firstRow, column).left(), 0, m_cellWidth, headHeight());
        const bool picked = column == m_column;
        if (picked)
            painter.fillRect(cell.adjusted(0, 0, 0, -1), theme.accentSoft);
        const bool share = !std::isnan(head.share);
        const bool figures = share || !head.shareText.isEmpty();
        const QRect name =
            cell.adjusted(4, figures ? 4 : 0, -4, figures ? -measures::scaled(24) : 0);
        if (head.pending) {
            paintPending(painter, QRectF(cell.center().x() - 17, name.center().y() - 3.5, 34, 8));
        } else {
            painter.setFont(fonts::tableSemibold());
            painter.setPen(picked ? theme.accent : theme.text);
            painter.drawText(name, Qt::AlignCenter | Qt::TextSingleLine,
                             painter.fontMetrics().elidedText(head.name.left(400), Qt::ElideMiddle,
                                                              name.width()));
        }
        if (share) {
            const double wide = std::min(40.0, m_cellWidth - 12.0);
            const QRectF track(cell.left() + std::floor((m_cellWidth - wide) / 2),
                               measures::scaled(kShareTop), wide, kShareBar);
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(Qt::NoPen);
            painter.setBrush(picked ? theme.accentLine : theme.barPale);
            painter.drawRoundedRect(track, 1.5, 1.5);
            painter.setBrush(theme.bar);
            painter.drawRoundedRect(QRectF(track.left(), track.top(),
                                           track.width() * std::clamp(head.share, 0.0, 1.0),
                                           track.height()),
                                    1.5, 1.5);
            painter.setRenderHint(QPainter::Antialiasing, false);
        }
        if (!head.shareText.isEmpty()) {
            painter.setFont(fonts::tiny());
            painter.setPen(theme.text2);
            drawNumber(painter,
                       QRectF(cell.left(), measures::scaled(kShareTop) + 4, m_cellWidth,
                              measures::scaled(14)),
                       head.shareText, Qt::AlignHCenter);
        }
    }
    painter.restore();
}

void MatrixGrid::paintCorner(QPainter& painter)
{
    const Theme& theme = Theme::current();
    const QRect corner(0, 0, namesWidth(), headHeight());
    painter.fillRect(corner.adjusted(0, 0, 0, -1), theme.frame);
    painter.fillRect(corner.right(), 0, 1, corner.height(), theme.hairline);
    if (!m_source)
        return;
    painter.setFont(fonts::caption());
    painter.setPen(theme.text2);
    const QRect inner = corner.adjusted(kNameLeft, 4, -kRight, -4);
    painter.drawText(
        inner, Qt::AlignTop | Qt::AlignLeft,
        painter.fontMetrics().elidedText(m_source->cornerTop(), Qt::ElideMiddle, inner.width()));
    painter.drawText(
        inner, Qt::AlignBottom | Qt::AlignRight,
        painter.fontMetrics().elidedText(m_source->cornerBottom(), Qt::ElideMiddle, inner.width()));
}

} // namespace cellfolio
