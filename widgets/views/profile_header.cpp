// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/profile_header.h"

#include "widgets/style/fonts.h"
#include "widgets/style/theme.h"
#include "widgets/views/paged_table_view.h"
#include "widgets/views/plain_tool_tip.h"

#include <QtGui/QContextMenuEvent>
#include <QtGui/QHelpEvent>
#include <QtGui/QPainter>

#include <algorithm>

namespace cellfolio
{

namespace
{

constexpr int kGrip = 4; // either side of an edge

} // namespace

ProfileHeader::ProfileHeader(PagedTableView* view) : QWidget(view), m_view(view)
{
    setMouseTracking(true);
    setObjectName(QStringLiteral("profileHeader"));
    setFixedHeight(measures::scaled(measures::kProfileHeader));
}

int ProfileHeader::columnAt(int x) const
{
    return m_view->columnAtX(x);
}

int ProfileHeader::edgeAt(int x) const
{
    for (const int near : {x - kGrip, x + kGrip}) {
        const int column = columnAt(near);
        if (column < 0)
            continue;
        const QRect head = m_view->cellRect({0, column});
        if (std::abs(head.right() + 1 - x) <= kGrip)
            return column;
    }
    return -1;
}

void ProfileHeader::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme.frame);
    const int labels = m_view->labelWidth();
    TableSource* source = m_view->source();
    if (source) {
        m_view->announceWindow();
        painter.save();
        painter.setClipRect(QRect(labels, 0, width() - labels, height()));
        const int first = m_view->columnAtX(labels);
        for (int column = std::max(first, 0); first >= 0 && column < source->columnCount();
             ++column) {
            const QRect cell = m_view->cellRect({0, column});
            if (cell.left() >= width())
                break;
            ProfilePaint how;
            how.hovered = column == m_hover && m_resizing < 0;
            if (column == m_view->m_sortColumn)
                how.sort = m_view->m_sortMark;
            paintProfile(painter, QRect(cell.left(), 0, cell.width(), height() - 1),
                         source->profile(column), how);
            if (column == m_resizing)
                painter.fillRect(cell.right(), 0, 1, height(), theme.accent);
        }
        painter.restore();
    }
    if (labels > 0)
        painter.fillRect(labels - 1, 0, 1, height(), theme.hairline);
    painter.fillRect(0, height() - 1, width(), 1, theme.hairline);
}

void ProfileHeader::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const int x = event->pos().x();
    m_resizing = edgeAt(x);
    m_pressed = m_resizing < 0 ? columnAt(x) : -1;
    if (m_resizing >= 0)
        m_grip = m_view->cellRect({0, m_resizing}).right() - x;
    update();
}

void ProfileHeader::mouseMoveEvent(QMouseEvent* event)
{
    const int x = event->pos().x();
    if (m_resizing >= 0) {
        m_view->setColumnWidth(m_resizing,
                               x + m_grip - m_view->cellRect({0, m_resizing}).left() + 1);
        return;
    }
    const bool edge = edgeAt(x) >= 0;
    setCursor(edge ? Qt::SplitHCursor : Qt::ArrowCursor);
    const int hover = edge ? -1 : columnAt(x);
    if (hover != m_hover) {
        m_hover = hover;
        update();
    }
}

void ProfileHeader::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const int pressed = m_pressed;
    const bool resized = m_resizing >= 0;
    m_pressed = -1;
    m_resizing = -1;
    update();
    if (!resized && pressed >= 0 && rect().contains(event->pos()) &&
        columnAt(event->pos().x()) == pressed)
        Q_EMIT m_view->sortRequested(pressed);
}

void ProfileHeader::mouseDoubleClickEvent(QMouseEvent* event)
{
    const int edge = edgeAt(event->pos().x());
    if (edge >= 0)
        m_view->fitColumn(edge);
    else
        mousePressEvent(event);
}

void ProfileHeader::leaveEvent(QEvent*)
{
    m_hover = -1;
    update();
}

void ProfileHeader::contextMenuEvent(QContextMenuEvent* event)
{
    Q_EMIT m_view->headerMenuRequested(columnAt(event->pos().x()), event->globalPos());
}

void ProfileHeader::wheelEvent(QWheelEvent* event)
{
    m_view->wheelEvent(event);
}

bool ProfileHeader::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int column = columnAt(help->pos().x());
        if (column >= 0 && m_view->source()) {
            const ColumnProfile profile = m_view->source()->profile(column);
            QString text = profile.toolTip;
            if (text.isEmpty()) {
                text = profile.name;
                for (const QString& more : {profile.type, profile.missing}) {
                    if (!more.isEmpty())
                        text += u'\n' + more;
                }
            }
            showPlainToolTip(*help, text, this);
        } else {
            showPlainToolTip(*help, {}, this);
        }
        return true;
    }
    return QWidget::event(event);
}

} // namespace cellfolio
