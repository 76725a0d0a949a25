// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/paged_table_view.h"

#include "widgets/style/fonts.h"
#include "widgets/style/numbers.h"
#include "widgets/views/profile_header.h"

#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>

#include <algorithm>

namespace cellfolio
{

namespace
{

constexpr int kAutoScrollEvery = 30; // ms while a selection is dragged beyond an edge

} // namespace

void PagedTableView::moveTo(Cell cell, Extend extend)
{
    if (!hasCells())
        return;
    cell.row = std::clamp<qint64>(cell.row, 0, m_source->rowCount() - 1);
    cell.column = std::clamp(cell.column, 0, int(m_widths.size()) - 1);
    setCurrentCell(cell);
    scrollToCell(cell);
    selectTo(cell.row, extend);
}

// The usual rules: a plain click picks one row, Shift the rows from the anchor, Ctrl turns one row
// over and keeps the others.
void PagedTableView::selectTo(qint64 row, Extend extend)
{
    RangeSet rows;
    switch (extend) {
    case Extend::No:
        m_anchor = row;
        m_selectedBefore.clear();
        rows.add(row, row);
        break;
    case Extend::Yes:
        if (m_anchor < 0)
            m_anchor = row;
        rows = m_selectedBefore;
        rows.add(std::min(m_anchor, row), std::max(m_anchor, row));
        break;
    case Extend::Toggle:
        m_anchor = row;
        rows = m_selected;
        if (rows.contains(row))
            rows.remove(row, row);
        m_selectedBefore = rows;
        if (!m_selected.contains(row))
            rows.add(row, row);
        break;
    }
    setSelectedRows(std::move(rows));
}

void PagedTableView::keyPressEvent(QKeyEvent* event)
{
    if (copyByKey(*event))
        return;
    if (event->matches(QKeySequence::SelectAll)) {
        selectAllRows();
        return;
    }
    if (!hasCells()) {
        LongScrollArea::keyPressEvent(event);
        return;
    }
    const bool control = event->modifiers() & Qt::ControlModifier;
    const Extend extend = event->modifiers() & Qt::ShiftModifier ? Extend::Yes : Extend::No;
    const qint64 lastRow = m_source->rowCount() - 1;
    const int lastColumn = int(m_widths.size()) - 1;
    Cell to = m_current;
    switch (event->key()) {
    case Qt::Key_Up:
        to.row = control ? 0 : to.row - 1;
        break;
    case Qt::Key_Down:
        to.row = control ? lastRow : to.row + 1;
        break;
    case Qt::Key_Left:
        to.column = control ? 0 : to.column - 1;
        break;
    case Qt::Key_Right:
        to.column = control ? lastColumn : to.column + 1;
        break;
    case Qt::Key_PageUp:
        to.row -= pageRows();
        m_vertical.moveBy(-pageRows() * rowHeight());
        scrolled();
        break;
    case Qt::Key_PageDown:
        to.row += pageRows();
        m_vertical.moveBy(pageRows() * rowHeight());
        scrolled();
        break;
    case Qt::Key_Home:
        to = control ? Cell{0, 0} : Cell{to.row, 0};
        break;
    case Qt::Key_End:
        to = control ? Cell{lastRow, lastColumn} : Cell{to.row, lastColumn};
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        Q_EMIT cellActivated(m_current.row, m_current.column);
        return;
    case Qt::Key_Escape:
        if (m_selected.empty()) {
            LongScrollArea::keyPressEvent(event);
            return;
        }
        clearSelection();
        return;
    case Qt::Key_Menu:
        Q_EMIT contextMenuRequested(m_current.row, m_current.column,
                                    viewport()->mapToGlobal(cellRect(m_current).bottomLeft()));
        return;
    default:
        LongScrollArea::keyPressEvent(event);
        return;
    }
    moveTo(to, extend);
}

void PagedTableView::mousePressEvent(QMouseEvent* event)
{
    if (!hasCells())
        return;
    const bool onLabel = event->pos().x() < m_labelWidth;
    Cell cell = cellAt(onLabel ? QPoint(m_labelWidth, event->pos().y()) : event->pos());
    if (cell.row < 0) {
        if (event->button() == Qt::LeftButton)
            clearSelection();
        return;
    }
    if (onLabel)
        cell.column = std::max(0, m_current.column);
    if (event->button() == Qt::RightButton) {
        setCurrentCell(cell);
        if (!m_selected.contains(cell.row))
            selectTo(cell.row, Extend::No);
        Q_EMIT contextMenuRequested(cell.row, cell.column, event->globalPosition().toPoint());
        return;
    }
    if (event->button() != Qt::LeftButton)
        return;
    const Extend extend = event->modifiers() & Qt::ShiftModifier     ? Extend::Yes
                          : event->modifiers() & Qt::ControlModifier ? Extend::Toggle
                                                                     : Extend::No;
    setCurrentCell(cell);
    selectTo(cell.row, extend);
    m_dragging = true;
}

void PagedTableView::dragTo(QPoint pos)
{
    const qint64 y = m_vertical.position() + std::clamp(pos.y(), 0, viewport()->height() - 1);
    const qint64 row = std::clamp<qint64>(y / rowHeight(), 0, m_source->rowCount() - 1);
    if (row == m_current.row)
        return;
    setCurrentCell({row, m_current.column});
    selectTo(row, Extend::Yes);
}

void PagedTableView::mouseMoveEvent(QMouseEvent* event)
{
    if (m_dragging && hasCells()) {
        m_dragPos = event->pos();
        const bool outside = m_dragPos.y() < 0 || m_dragPos.y() >= viewport()->height();
        if (outside && !m_autoScrollTimer)
            m_autoScrollTimer = startTimer(kAutoScrollEvery);
        dragTo(m_dragPos);
        return;
    }
    const int x = std::max(event->pos().x(), m_labelWidth);
    setHover(cellAt({x, event->pos().y()}).row);
}

void PagedTableView::mouseReleaseEvent(QMouseEvent*)
{
    m_dragging = false;
    if (m_autoScrollTimer) {
        killTimer(m_autoScrollTimer);
        m_autoScrollTimer = 0;
    }
}

void PagedTableView::timerEvent(QTimerEvent* event)
{
    if (event->timerId() != m_autoScrollTimer) {
        LongScrollArea::timerEvent(event);
        return;
    }
    const int over =
        m_dragPos.y() < 0 ? m_dragPos.y() : std::max(0, m_dragPos.y() - viewport()->height() + 1);
    if (!hasCells() || over == 0)
        return;
    // The farther out, the faster: a hundred pixels out is a thousand rows a second.
    if (m_vertical.moveBy(qint64(over) * std::max(1, std::abs(over) / 4))) {
        scrolled();
        dragTo(m_dragPos);
    }
}

void PagedTableView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const Cell cell = cellAt(event->pos());
    if (event->button() == Qt::LeftButton && cell.row >= 0)
        Q_EMIT cellActivated(cell.row, cell.column);
}

void PagedTableView::leaveEvent(QEvent* event)
{
    LongScrollArea::leaveEvent(event);
    setHover(-1);
}

void PagedTableView::setHover(qint64 row)
{
    if (row == m_hoverRow)
        return;
    m_hoverRow = row;
    viewport()->update();
}

void PagedTableView::resizeEvent(QResizeEvent*)
{
    placeHeader();
    updateScrollBars();
    updateHeader();
    viewport()->update();
}

void PagedTableView::changeEvent(QEvent* event)
{
    LongScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange ||
        event->type() == QEvent::StyleChange) {
        updateLabelWidth();
        updateScrollBars();
        viewport()->update();
        updateHeader();
    }
}

bool PagedTableView::ownsKey(const QKeyEvent& key) const
{
    return LongScrollArea::ownsKey(key) || key.matches(QKeySequence::SelectAll) ||
           (key.key() == Qt::Key_Escape && !m_selected.empty());
}

bool PagedTableView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::Leave)
        setHover(-1);
    return LongScrollArea::viewportEvent(event);
}

// Only where the column does not show the whole of it.
QString PagedTableView::toolTipAt(QPoint pos) const
{
    const Cell at = cellAt(pos);
    if (at.row < 0)
        return {};
    const TableCell cell = m_source->cell(at.row, at.column);
    if (cell.pending || cell.missing)
        return {};
    const QFont font = fonts::table();
    const int room = columnWidth(at.column) - 18 - (cell.dot.isValid() ? 16 : 0);
    const QString whole = m_source->fullText(at.row, at.column);
    const double wide = cell.number ? numberWidth(font, cell.text)
                                    : QFontMetricsF(font).horizontalAdvance(cell.text.left(400));
    if (wide <= room && whole == cell.text)
        return {};
    return whole;
}

} // namespace cellfolio
