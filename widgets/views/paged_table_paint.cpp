// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/paged_table_view.h"

#include "widgets/style/fonts.h"
#include "widgets/style/numbers.h"
#include "widgets/style/quiet_style.h"
#include "widgets/style/theme.h"

#include <QtGui/QPainter>

#include <algorithm>

namespace cellfolio
{

namespace
{

constexpr int kLeft = 8;
constexpr int kRight = 10; // numbers end here, before the column's edge
constexpr int kDotRoom = 16;
constexpr qsizetype kDrawnLetters = 400; // no column shows more; eliding whole texts is slow

QString elided(const QFontMetrics& metrics, const QString& text, int width)
{
    if (text.size() <= kDrawnLetters)
        return metrics.elidedText(text, Qt::ElideMiddle, width);
    return metrics.elidedText(text.left(kDrawnLetters / 2) + QChar(0x2026) +
                                  text.right(kDrawnLetters / 2),
                              Qt::ElideMiddle, width);
}

// A cell on its way: a pale bar where the text will stand.
void paintPending(QPainter& painter, const QRect& where, bool right)
{
    const int width = std::max(8, (where.width() - kLeft - kRight) * 3 / 5);
    const int x = right ? where.right() + 1 - kRight - width : where.left() + kLeft;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(Theme::current().hover);
    painter.drawRoundedRect(QRectF(x, where.top() + where.height() / 2.0 - 4, width, 8), 4, 4);
    painter.restore();
}

} // namespace

void PagedTableView::paintEvent(QPaintEvent*)
{
    announceWindow();
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), Theme::current().base);
    if (hasCells())
        paintCells(painter);
    paintRowLabels(painter);
}

void PagedTableView::paintCells(QPainter& painter)
{
    const Theme& theme = Theme::current();
    const int width = viewport()->width();
    const int rowsRight =
        int(std::min<qint64>(width, m_labelWidth + m_lefts.back() - m_horizontal.position()));
    const int first = m_window.firstColumn;
    for (qint64 row = m_window.firstRow; row <= m_window.lastRow; ++row) {
        const QRect line(m_labelWidth, cellRect({row, first}).top(), rowsRight - m_labelWidth,
                         rowHeight());
        const bool picked = m_selected.contains(row);
        if (picked)
            painter.fillRect(line, theme.accentSoft);
        else if (row == m_hoverRow)
            painter.fillRect(line, theme.hover);
        painter.fillRect(line.left(), line.bottom(), line.width(), 1,
                         picked ? theme.accentLine : theme.rowLine);
    }

    painter.save();
    painter.setFont(fonts::table());
    painter.setClipRect(QRect(m_labelWidth, 0, width - m_labelWidth, viewport()->height()));
    for (int column = first; column <= m_window.lastColumn; ++column) {
        for (qint64 row = m_window.firstRow; row <= m_window.lastRow; ++row)
            paintCell(painter, cellRect({row, column}), m_source->cell(row, column));
    }
    if (m_current.row >= m_window.firstRow && m_current.row <= m_window.lastRow) {
        const QRect where = cellRect(m_current);
        if (hasFocus()) {
            drawFocusRing(painter, where);
        } else if (m_selected.contains(m_current.row)) {
            painter.setPen(theme.accentLine);
            painter.drawRect(where.adjusted(0, 0, -1, -1));
        }
    }
    painter.restore();
}

void PagedTableView::paintCell(QPainter& painter, const QRect& where, const TableCell& cell) const
{
    const Theme& theme = Theme::current();
    if (cell.pending) {
        paintPending(painter, where, cell.number);
        return;
    }
    QRect inner = where.adjusted(kLeft, 0, -kRight, 0);
    if (inner.width() < 4)
        return;
    if (cell.missing) {
        painter.setPen(theme.text3);
        painter.drawText(inner,
                         Qt::AlignVCenter | Qt::TextSingleLine |
                             (cell.number ? Qt::AlignRight : Qt::AlignLeft),
                         painter.fontMetrics().elidedText(QStringLiteral("NULL"), Qt::ElideRight,
                                                          inner.width()));
        return;
    }
    if (cell.dot.isValid()) {
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.onCanvas(cell.dot));
        painter.drawEllipse(QPointF(inner.left() + 4.5, where.top() + where.height() / 2.0), 4, 4);
        painter.restore();
        inner.setLeft(inner.left() + kDotRoom);
    }
    painter.setPen(theme.text);
    if (cell.number) {
        drawNumber(painter, inner, elideNumber(painter.font(), cell.text, inner.width()));
        return;
    }
    painter.drawText(inner, Qt::AlignVCenter | Qt::TextSingleLine,
                     elided(painter.fontMetrics(), cell.text, inner.width()));
}

void PagedTableView::paintRowLabels(QPainter& painter)
{
    if (m_labelWidth <= 0)
        return;
    const Theme& theme = Theme::current();
    painter.fillRect(0, 0, m_labelWidth, viewport()->height(), theme.frame);
    painter.fillRect(m_labelWidth - 1, 0, 1, viewport()->height(), theme.hairline);
    if (!hasCells())
        return;
    painter.setFont(fonts::caption());
    for (qint64 row = m_window.firstRow; row <= m_window.lastRow; ++row) {
        const QRect cell = cellRect({row, m_window.firstColumn});
        const QRect label(0, cell.top(), m_labelWidth - 1, cell.height());
        const bool picked = m_selected.contains(row);
        if (picked) {
            painter.fillRect(label, theme.accentSoft);
            painter.fillRect(0, label.bottom(), m_labelWidth, 1, theme.accentLine);
        }
        painter.setPen(picked ? theme.accent : theme.text3);
        drawNumber(painter, label.adjusted(0, 0, -9, 0), m_source->rowLabel(row));
    }
}

} // namespace cellfolio
