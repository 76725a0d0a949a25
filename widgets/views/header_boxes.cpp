// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/header_boxes.h"

#include "widgets/style/fonts.h"
#include "widgets/style/style_sheet.h"
#include "widgets/style/theme.h"
#include "widgets/views/paged_table_view.h"

#include <QtCore/QTimerEvent>
#include <QtGui/QKeyEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QLineEdit>

#include <algorithm>
#include <utility>

namespace cellfolio
{

namespace
{

constexpr int kWait = 200; // ms after the last key
constexpr int kHeight = 28;

} // namespace

HeaderBoxes::HeaderBoxes(PagedTableView* view, Describe describe)
    : QWidget(view), m_view(view), m_describe(std::move(describe)), m_room(new QWidget(this))
{
    setFixedHeight(std::max(kHeight, measures::rowHeight(fonts::table(), kHeight)));
}

HeaderBoxes::~HeaderBoxes()
{
    for (auto& [column, entry] : m_entries)
        entry.edit->removeEventFilter(this);
}

QLineEdit* HeaderBoxes::box(int column) const
{
    const auto found = m_entries.find(column);
    return found == m_entries.end() ? nullptr : found->second.edit;
}

int HeaderBoxes::columnOf(const QObject* edit) const
{
    for (const auto& [column, entry] : m_entries) {
        if (entry.edit == edit)
            return column;
    }
    return -1;
}

void HeaderBoxes::make(int column)
{
    Entry entry;
    entry.edit = new QLineEdit(m_room);
    entry.edit->setProperty("cell", true);
    entry.edit->setFont(fonts::table());
    entry.edit->installEventFilter(this);
    Entry& kept = m_entries.emplace(column, entry).first->second;
    connect(kept.edit, &QLineEdit::textEdited, this, [this, edit = kept.edit] {
        const int now = columnOf(edit);
        Entry& mine = m_entries.at(now);
        if (mine.timer)
            killTimer(mine.timer);
        mine.timer = startTimer(kWait);
    });
    describe(column, kept);
    kept.edit->show();
}

void HeaderBoxes::describe(int column, Entry& entry)
{
    const HeaderBox box = m_describe(column);
    entry.edit->setPlaceholderText(box.placeholder);
    entry.edit->setAccessibleName(box.name);
    entry.edit->setEnabled(box.enabled);
    entry.edit->setToolTip(box.refused.isEmpty() ? box.toolTip : box.refused);
    if (entry.edit->property("refused").toBool() != !box.refused.isEmpty())
        setStyleProperty(entry.edit, "refused", !box.refused.isEmpty());
    const bool active = !box.text.isEmpty();
    if (entry.edit->property("active").toBool() != active)
        setStyleProperty(entry.edit, "active", active);
    // What somebody writes, or has written in vain, stays.
    const bool same = entry.edit->text().trimmed() == box.text.trimmed();
    if (entry.timer == 0 && box.refused.isEmpty() && !same) {
        entry.edit->setText(box.text);
        entry.announced = box.text;
    }
}

void HeaderBoxes::refresh()
{
    for (auto& [column, entry] : m_entries)
        describe(column, entry);
}

void HeaderBoxes::place()
{
    const int labels = m_view->labelWidth();
    m_room->setGeometry(labels, 0, std::max(0, width() - labels), height() - 1);
    const TableSource* source = m_view->source();
    const int columns = source == nullptr ? 0 : source->columnCount();
    const int first = columns == 0 ? 0 : std::max(0, m_view->columnAtX(labels));
    int end = first;
    for (; end < columns; ++end) {
        const QRect cell = m_view->cellRect({0, end});
        if (cell.left() >= width())
            break;
        if (!m_entries.contains(end))
            make(end);
        m_entries.at(end).edit->setGeometry(cell.left() - labels, 0, cell.width() - 1, height() - 1);
    }
    for (auto it = m_entries.begin(); it != m_entries.end();) {
        const bool seen = it->first >= first && it->first < end;
        if (seen || (it->first < columns && (it->second.timer != 0 || it->second.edit->hasFocus()))) {
            it->second.edit->setVisible(seen);
            ++it;
            continue;
        }
        if (it->second.timer)
            killTimer(it->second.timer);
        it->second.edit->removeEventFilter(this);
        it->second.edit->hide();
        it->second.edit->deleteLater();
        it = m_entries.erase(it);
    }
    update();
}

void HeaderBoxes::focusBox(int column)
{
    if (m_view->source() == nullptr || column < 0 || column >= m_view->source()->columnCount())
        return;
    m_view->scrollToCell({std::max<qint64>(m_view->firstVisibleRow(), 0), column});
    place();
    if (QLineEdit* edit = box(column)) {
        edit->setFocus(Qt::TabFocusReason);
        edit->selectAll();
    }
}

void HeaderBoxes::announce(int column)
{
    Entry& entry = m_entries.at(column);
    if (entry.timer)
        killTimer(std::exchange(entry.timer, 0));
    if (entry.edit->text() == entry.announced)
        return;
    entry.announced = entry.edit->text();
    Q_EMIT edited(column, entry.announced);
}

void HeaderBoxes::timerEvent(QTimerEvent* event)
{
    for (const auto& [column, entry] : m_entries) {
        if (entry.timer == event->timerId()) {
            announce(column);
            return;
        }
    }
    QWidget::timerEvent(event);
}

bool HeaderBoxes::eventFilter(QObject* watched, QEvent* event)
{
    const int column = columnOf(watched);
    if (column < 0)
        return false;
    if (event->type() == QEvent::FocusOut) {
        announce(column);
        return false;
    }
    if (event->type() != QEvent::KeyPress)
        return false;
    auto* edit = static_cast<QLineEdit*>(watched);
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        announce(column);
        return true;
    case Qt::Key_Escape:
        if (edit->text().isEmpty())
            m_view->setFocus();
        edit->clear();
        announce(column);
        return true;
    case Qt::Key_Down:
        announce(column);
        m_view->setFocus();
        return true;
    case Qt::Key_Tab:
        if (m_view->source() != nullptr && column + 1 < m_view->source()->columnCount()) {
            announce(column);
            focusBox(column + 1);
            return true;
        }
        return false;
    case Qt::Key_Backtab:
        if (column > 0) {
            announce(column);
            focusBox(column - 1);
            return true;
        }
        return false;
    default:
        return false;
    }
}

void HeaderBoxes::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme.frame);
    painter.fillRect(0, height() - 1, width(), 1, theme.hairline);
    const int labels = m_view->labelWidth();
    if (labels > 0)
        painter.fillRect(labels - 1, 0, 1, height(), theme.hairline);
    m_room->setAttribute(Qt::WA_NoSystemBackground);
    for (const auto& [column, entry] : m_entries) {
        const int right = labels + entry.edit->geometry().right() + 1;
        if (right > labels)
            painter.fillRect(right, 0, 1, height() - 1, theme.hairline);
    }
}

} // namespace cellfolio
