// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/recent_list.h"

#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/style/numbers.h"
#include "widgets/style/quiet_style.h"
#include "widgets/style/theme.h"

#include <QtGui/QContextMenuEvent>
#include <QtGui/QHelpEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QMenu>
#include <QtWidgets/QToolTip>

#include <algorithm>

namespace cellfolio
{

namespace
{

constexpr int kEdge = 12;

int dayWidth()
{
    return measures::scaled(84);
}

int sizeWidth()
{
    return measures::scaled(88);
}

} // namespace

RecentList::RecentList(QWidget* parent) : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Recent files"));
}

void RecentList::setFiles(std::vector<RecentFile> files)
{
    m_files = std::move(files);
    m_current = std::clamp(m_current, 0, std::max(0, int(m_files.size()) - 1));
    m_hover = -1;
    updateGeometry();
    update();
}

QSize RecentList::sizeHint() const
{
    return {624, std::max(1, int(m_files.size())) * measures::scaled(measures::kRecentRow)};
}

QSize RecentList::minimumSizeHint() const
{
    return {360, sizeHint().height()};
}

QRect RecentList::rowRect(int row) const
{
    return {0, row * measures::scaled(measures::kRecentRow), width(),
            measures::scaled(measures::kRecentRow)};
}

int RecentList::rowAt(QPoint pos) const
{
    const int row = pos.y() / measures::scaled(measures::kRecentRow);
    return pos.y() >= 0 && row < int(m_files.size()) ? row : -1;
}

void RecentList::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    if (m_files.empty()) {
        painter.setFont(fonts::table());
        painter.setPen(Theme::current().text2);
        painter.drawText(QRect(0, 0, width(), measures::scaled(measures::kRecentRow)),
                         Qt::AlignVCenter, tr("Files that you open are listed here."));
        return;
    }
    for (int row = 0; row < int(m_files.size()); ++row)
        paintRow(painter, row);
}

void RecentList::paintRow(QPainter& painter, int row) const
{
    const Theme& theme = Theme::current();
    const RecentFile& file = m_files[std::size_t(row)];
    const QRect where = rowRect(row);
    const bool there = file.problem.isEmpty();
    const bool picked = row == m_hover || (m_hover < 0 && hasFocus() && row == m_current);
    if (picked)
        painter.fillRect(where, there ? theme.accentSoft : theme.hover);
    painter.fillRect(where.left(), where.bottom(), where.width(), 1,
                     picked && there ? theme.accentLine : theme.hairline);
    paintIcon(painter, there ? QStringLiteral("file-database") : QStringLiteral("plug"),
              QRectF(kEdge, where.top() + (where.height() - 18) / 2.0, 18, 18),
              picked && there ? theme.accent : theme.text2);

    painter.setFont(fonts::table());
    const int right = where.right() + 1 - kEdge;
    painter.setPen(theme.text2);
    drawNumber(painter, QRectF(right - dayWidth(), where.top(), dayWidth(), where.height()),
               file.day);
    double wordsRight = right - dayWidth();
    if (there) {
        drawNumber(
            painter,
            QRectF(right - dayWidth() - sizeWidth(), where.top(), sizeWidth() + 4, where.height()),
            file.size);
        const double shapeWidth = numberWidth(painter.font(), file.shape);
        const double shapeRight = right - dayWidth() - sizeWidth();
        drawNumber(painter,
                   QRectF(shapeRight - shapeWidth - 1, where.top(), shapeWidth + 1, where.height()),
                   file.shape);
        wordsRight = shapeRight - shapeWidth - 16;
    }
    const int left = kEdge + 18 + 14;
    const int wide = std::max(40, int(wordsRight) - left);
    painter.setFont(fonts::bodyMedium());
    painter.setPen(there ? theme.text : theme.text2);
    painter.drawText(QRect(left, where.top() + measures::scaled(5), wide, measures::scaled(19)),
                     Qt::AlignVCenter | Qt::TextSingleLine,
                     painter.fontMetrics().elidedText(file.name, Qt::ElideMiddle, wide));
    painter.setFont(fonts::caption());
    painter.setPen(theme.text2);
    const QString second = there ? file.folder : tr("%1 · %2").arg(file.folder, file.problem);
    painter.drawText(QRect(left, where.top() + measures::scaled(23), wide, measures::scaled(17)),
                     Qt::AlignVCenter | Qt::TextSingleLine,
                     painter.fontMetrics().elidedText(second, Qt::ElideMiddle, wide));
    if (hasFocus() && m_byKey && row == m_current)
        drawFocusRing(painter, where);
}

void RecentList::open(int row)
{
    if (row >= 0 && row < int(m_files.size()))
        Q_EMIT opened(m_files[std::size_t(row)].path);
}

void RecentList::mouseMoveEvent(QMouseEvent* event)
{
    const int row = rowAt(event->pos());
    setCursor(row >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (row != m_hover) {
        m_hover = row;
        update();
    }
}

void RecentList::leaveEvent(QEvent*)
{
    m_hover = -1;
    update();
}

void RecentList::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && rect().contains(event->pos()))
        open(rowAt(event->pos()));
}

void RecentList::keyPressEvent(QKeyEvent* event)
{
    const int last = int(m_files.size()) - 1;
    switch (event->key()) {
    case Qt::Key_Up:
        m_current = std::max(0, m_current - 1);
        break;
    case Qt::Key_Down:
        m_current = std::min(std::max(0, last), m_current + 1);
        break;
    case Qt::Key_Home:
        m_current = 0;
        break;
    case Qt::Key_End:
        m_current = std::max(0, last);
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        open(m_current);
        return;
    case Qt::Key_Delete:
        if (m_current <= last)
            Q_EMIT forgotten(m_files[std::size_t(m_current)].path);
        return;
    default:
        QWidget::keyPressEvent(event);
        return;
    }
    m_hover = -1;
    m_byKey = true;
    update();
}

void RecentList::contextMenuEvent(QContextMenuEvent* event)
{
    const int row =
        event->reason() == QContextMenuEvent::Keyboard ? m_current : rowAt(event->pos());
    if (row < 0 || row >= int(m_files.size()))
        return;
    const QString path = m_files[std::size_t(row)].path;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(icon("folder-open"), tr("Open"), this, [this, path] { Q_EMIT opened(path); });
    menu->addAction(icon("x"), tr("Take off this list"), this,
                    [this, path] { Q_EMIT forgotten(path); });
    menu->popup(event->globalPos());
}

void RecentList::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    m_byKey = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    update();
}

void RecentList::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

bool RecentList::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int row = rowAt(help->pos());
        if (row >= 0)
            QToolTip::showText(help->globalPos(), m_files[std::size_t(row)].path, this);
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

} // namespace cellfolio
