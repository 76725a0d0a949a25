// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/search_list_field.h"

#include "widgets/style/fonts.h"
#include "widgets/style/theme.h"

#include <QtGui/QKeyEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QStyledItemDelegate>

#include <algorithm>
#include <utility>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

enum { DetailRole = Qt::UserRole + 1, HeadingRole };
constexpr int kNarrowest = 340;
constexpr int kPadding = 10;

// Name at the left, what is known of it at the right; headings in the second voice, as long as they
// need to be.
class EntryDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Theme& theme = Theme::current();
        const bool heading = index.data(HeadingRole).toBool();
        if (!heading && (option.state & QStyle::State_Selected) != 0)
            painter->fillRect(option.rect, theme.accentSoft);
        else if (!heading && (option.state & QStyle::State_MouseOver) != 0)
            painter->fillRect(option.rect, theme.hover);
        const QRect rest = option.rect.adjusted(kPadding, 0, -kPadding, 0);
        if (heading) {
            painter->setFont(fonts::caption());
            painter->setPen(theme.text2);
            painter->drawText(rest, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, index.data().toString());
            return;
        }
        const QString detail = index.data(DetailRole).toString();
        const QString name = index.data().toString();
        const QFontMetrics metrics(fonts::table());
        const int nameWidth = std::min(metrics.horizontalAdvance(name), rest.width() * 2 / 3);
        painter->setFont(fonts::table());
        painter->setPen(theme.text);
        painter->drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(name, Qt::ElideMiddle, nameWidth));
        painter->setFont(fonts::caption());
        painter->setPen(theme.text2);
        painter->drawText(rest, Qt::AlignRight | Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(detail, Qt::ElideMiddle, rest.width() - nameWidth - 16));
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const int row = measures::rowHeight(fonts::table(), 24);
        if (!index.data(HeadingRole).toBool())
            return {100, row};
        const QWidget* list = option.widget;
        const int wide = (list != nullptr ? list->width() : kNarrowest) - 2 * kPadding - 8;
        const QRect text = QFontMetrics(fonts::caption())
                               .boundingRect(QRect(0, 0, wide, 1000), Qt::TextWordWrap, index.data().toString());
        return {100, std::max(row, text.height() + 10)};
    }
};

} // namespace

SearchListField::SearchListField(const QString& placeholder, QWidget* parent) : SearchField(placeholder, parent)
{
    connect(this, &SearchField::searched, this, &SearchListField::begin);
    connect(this, &SearchField::cancelled, this, &SearchListField::hideList);
    connect(this, &SearchField::downPressed, this, [this] {
        if (isListShown()) {
            m_list->setCurrentRow(firstEntry());
            m_list->setFocus();
        }
    });
    setEnabled(false);
}

SearchListField::~SearchListField()
{
    delete m_list;
}

QListWidget* SearchListField::list() const
{
    return m_list;
}

bool SearchListField::isListShown() const
{
    return m_list != nullptr && m_list->isVisible();
}

void SearchListField::hideList()
{
    if (m_list != nullptr)
        m_list->hide();
}

void SearchListField::begin(const QString& text)
{
    m_entries.clear();
    m_lookedFor = text.trimmed();
    if (m_lookedFor.isEmpty()) {
        m_entered = false;
        setRefused({});
        hideList();
        forget();
        return;
    }
    look(m_lookedFor);
}

void SearchListField::setEntries(std::vector<Entry> entries, OnEnter onEnter)
{
    m_entries = std::move(entries);
    m_onEnter = onEnter;
    setRefused({});
    if (std::exchange(m_entered, false))
        enter();
    else
        showList();
    Q_EMIT answered();
}

void SearchListField::refuse(const QString& sentence)
{
    m_entered = false;
    m_entries.clear();
    setRefused(sentence);
    hideList();
    Q_EMIT answered();
}

int SearchListField::firstEntry() const
{
    const auto found = std::find_if(m_entries.begin(), m_entries.end(), [](const Entry& entry) { return !entry.heading; });
    return found == m_entries.end() ? -1 : static_cast<int>(found - m_entries.begin());
}

void SearchListField::enter()
{
    const int first = firstEntry();
    if (first < 0)
        return;
    if (m_onEnter == OnEnter::TakeFirst) {
        hideList();
        take(first);
        return;
    }
    showList();
    if (isListShown()) {
        m_list->setCurrentRow(first);
        m_list->setFocus();
    }
}

void SearchListField::showList()
{
    if (!hasFocus() || m_entries.empty()) {
        hideList();
        return;
    }
    if (m_list == nullptr) {
        m_list = new QListWidget(window());
        m_list->setProperty("popup", true);
        m_list->setFont(fonts::table());
        m_list->setAccessibleName(u"Matches"_s);
        m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        m_list->setMouseTracking(true);
        m_list->setItemDelegate(new EntryDelegate(m_list));
        m_list->installEventFilter(this);
        connect(m_list, &QListWidget::itemActivated, this, &SearchListField::pick);
        connect(m_list, &QListWidget::itemClicked, this, &SearchListField::pick);
    }
    m_list->clear();
    m_list->resize(std::max(width(), kNarrowest), 10);
    int high = 12;
    for (const Entry& entry : m_entries) {
        auto* item = new QListWidgetItem(entry.text, m_list);
        item->setData(DetailRole, entry.detail);
        item->setData(HeadingRole, entry.heading);
        item->setData(Qt::AccessibleDescriptionRole, entry.detail);
        if (entry.heading)
            item->setFlags(Qt::NoItemFlags);
        else
            item->setToolTip(entry.detail.isEmpty() ? entry.text : entry.text + u" · "_s + entry.detail);
        high += m_list->sizeHintForRow(m_list->count() - 1);
    }
    const QPoint corner = mapTo(window(), QPoint(0, height() + 2));
    m_list->resize(m_list->width(), std::min(high, std::max(120, window()->height() - corner.y() - 8)));
    m_list->move(std::max(8, std::min(corner.x(), window()->width() - m_list->width() - 8)), corner.y());
    m_list->raise();
    m_list->show();
}

void SearchListField::pick(QListWidgetItem* item)
{
    const int place = m_list->row(item);
    if (place < 0 || place >= static_cast<int>(m_entries.size()) || m_entries[static_cast<std::size_t>(place)].heading)
        return;
    hideList();
    take(place);
}

void SearchListField::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        const bool same = text().trimmed() == m_lookedFor;
        if (same && firstEntry() >= 0 && !isLooking()) {
            enter();
            return;
        }
        m_entered = !same || isLooking();
    } else if (event->key() == Qt::Key_Escape && isListShown()) {
        hideList();
        return;
    }
    SearchField::keyPressEvent(event);
}

void SearchListField::focusOutEvent(QFocusEvent* event)
{
    SearchField::focusOutEvent(event);
    if (m_list != nullptr && !m_list->hasFocus())
        m_list->hide();
}

bool SearchListField::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_list && event->type() == QEvent::KeyPress
        && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        setFocus();
        m_list->hide();
        return true;
    }
    if (watched == m_list && event->type() == QEvent::FocusOut && !hasFocus())
        m_list->hide();
    return SearchField::eventFilter(watched, event);
}

} // namespace cellfolio
