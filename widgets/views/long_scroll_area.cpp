// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/long_scroll_area.h"

#include "widgets/views/plain_tool_tip.h"

#include <QtGui/QHelpEvent>
#include <QtGui/QKeyEvent>
#include <QtGui/QWheelEvent>
#include <QtWidgets/QApplication>
#include <QtWidgets/QScrollBar>

#include <algorithm>

namespace cellfolio
{

namespace
{

bool copiesWithNames(const QKeyEvent& key)
{
    return key.key() == Qt::Key_C &&
           key.modifiers() == (Qt::ControlModifier | Qt::ShiftModifier);
}

} // namespace

LongScrollArea::LongScrollArea(QWidget* parent) : QAbstractScrollArea(parent)
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    connect(verticalScrollBar(), &QScrollBar::actionTriggered, this,
            [this](int action) { barAction(Qt::Vertical, action); });
    connect(horizontalScrollBar(), &QScrollBar::actionTriggered, this,
            [this](int action) { barAction(Qt::Horizontal, action); });
}

void LongScrollArea::setOffset(Offset offset)
{
    const bool down = m_vertical.setPosition(offset.y);
    const bool across = m_horizontal.setPosition(offset.x);
    if (down || across)
        scrolled();
}

bool LongScrollArea::ownsKey(const QKeyEvent& key) const
{
    return key.matches(QKeySequence::Copy) || copiesWithNames(key);
}

void LongScrollArea::moved()
{
    viewport()->update();
}

bool LongScrollArea::copyByKey(const QKeyEvent& key)
{
    if (copiesWithNames(key))
        copy(CopyHeaders::With);
    else if (key.matches(QKeySequence::Copy))
        copy(CopyHeaders::Without);
    else
        return false;
    return true;
}

void LongScrollArea::setExtent(QSize room, qint64 width, qint64 height)
{
    m_vertical.setExtent(height, std::max(0, room.height()));
    m_horizontal.setExtent(width, std::max(0, room.width()));
    m_vertical.toBar(*verticalScrollBar(), rowStep());
    m_horizontal.toBar(*horizontalScrollBar(), columnStep());
}

void LongScrollArea::scrolled()
{
    m_vertical.toBar(*verticalScrollBar(), rowStep());
    m_horizontal.toBar(*horizontalScrollBar(), columnStep());
    moved();
}

void LongScrollArea::scrollContentsBy(int, int)
{
    m_vertical.fromBar(*verticalScrollBar());
    m_horizontal.fromBar(*horizontalScrollBar());
    moved();
}

// A click beside the handle moves by a page, whatever one step of the bar stands for: by whole
// lines, so that none is passed over.
void LongScrollArea::barAction(Qt::Orientation orientation, int action)
{
    const bool vertical = orientation == Qt::Vertical;
    LongScroll& scroll = vertical ? m_vertical : m_horizontal;
    const qint64 line = std::max(1, vertical ? rowStep() : columnStep());
    const qint64 page = std::max<qint64>(scroll.page() / line * line, line);
    QScrollBar* bar = vertical ? verticalScrollBar() : horizontalScrollBar();
    if (scroll.act(*bar, action, line, page))
        scrolled(); // else dragged: fromBar takes the position
}

void LongScrollArea::wheelEvent(QWheelEvent* event)
{
    QPoint pixels = event->pixelDelta();
    if (pixels.isNull()) {
        const double lines = QApplication::wheelScrollLines() / 120.0;
        pixels = QPoint(int(event->angleDelta().x() * lines * columnStep()),
                        int(event->angleDelta().y() * lines * rowStep()));
    }
    if ((event->modifiers() & Qt::ShiftModifier) && pixels.x() == 0)
        pixels = QPoint(pixels.y(), 0);
    const bool down = m_vertical.moveBy(-pixels.y());
    const bool across = m_horizontal.moveBy(-pixels.x());
    if (down || across)
        scrolled();
    event->accept();
}

bool LongScrollArea::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && ownsKey(*static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    return QAbstractScrollArea::event(event);
}

bool LongScrollArea::viewportEvent(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    showPlainToolTip(*help, toolTipAt(help->pos()), viewport());
    return true;
}

void LongScrollArea::focusInEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void LongScrollArea::focusOutEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

} // namespace cellfolio
