// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/search_popup.h"

#include "widgets/style/fonts.h"
#include "widgets/style/theme.h"
#include "widgets/views/search_field.h"

#include <QtCore/QRegularExpression>
#include <QtCore/QSortFilterProxyModel>
#include <QtGui/QKeyEvent>
#include <QtGui/QPainter>
#include <QtGui/QScreen>
#include <QtGui/QStandardItemModel>
#include <QtWidgets/QListView>
#include <QtWidgets/QStyledItemDelegate>
#include <QtWidgets/QVBoxLayout>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

enum { DetailRole = Qt::UserRole + 1, ValueRole };

class EntryDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Theme& theme = Theme::current();
        if ((option.state & (QStyle::State_Selected | QStyle::State_MouseOver)) != 0)
            painter->fillRect(option.rect, (option.state & QStyle::State_Selected) != 0 ? theme.accentSoft
                                                                                       : theme.hover);
        const bool enabled = (option.state & QStyle::State_Enabled) != 0;
        QRect rest = option.rect.adjusted(10, 0, -12, 0);
        const QIcon icon = index.data(Qt::DecorationRole).value<QIcon>();
        if (!icon.isNull()) {
            const QRect box(rest.left(), rest.center().y() - 8, 16, 16);
            icon.paint(painter, box, Qt::AlignCenter, enabled ? QIcon::Normal : QIcon::Disabled);
            rest.setLeft(box.right() + 9);
        }
        const QString detail = index.data(DetailRole).toString();
        painter->setFont(fonts::caption());
        const int detailWidth = detail.isEmpty() ? 0 : painter->fontMetrics().horizontalAdvance(detail) + 12;
        painter->setPen(theme.text2);
        painter->drawText(rest, Qt::AlignRight | Qt::AlignVCenter, detail);
        painter->setFont(fonts::table());
        painter->setPen(enabled ? theme.text : theme.disabled);
        painter->drawText(rest.adjusted(0, 0, -detailWidth, 0), Qt::AlignLeft | Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideMiddle,
                                                            rest.width() - detailWidth));
    }
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override
    {
        return {200, measures::rowHeight(fonts::table(), 26)};
    }
};

} // namespace

SearchPopup::SearchPopup(const QString& placeholder, QWidget* parent)
    : QFrame(parent, Qt::Popup), m_field(new SearchField(placeholder, this)), m_list(new QListView(this)),
      m_model(new QStandardItemModel(this)), m_filter(new QSortFilterProxyModel(this))
{
    setProperty("surface", u"base"_s);
    setFrameShape(QFrame::StyledPanel);
    m_filter->setSourceModel(m_model);
    m_filter->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_list->setModel(m_filter);
    m_list->setItemDelegate(new EntryDelegate(m_list));
    m_list->setUniformItemSizes(true);
    m_list->setMouseTracking(true);
    m_list->setAccessibleName(placeholder);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(6);
    layout->addWidget(m_field);
    layout->addWidget(m_list, 1);
    m_field->installEventFilter(this);
    connect(m_field, &QLineEdit::textChanged, this, &SearchPopup::filter);
    connect(m_field, &SearchField::cancelled, this, &QWidget::close);
    connect(m_list, &QListView::clicked, this, &SearchPopup::pickCurrent);
    connect(m_list, &QListView::activated, this, &SearchPopup::pickCurrent);
}

void SearchPopup::setEntries(std::vector<Entry> entries)
{
    m_model->clear();
    for (const Entry& entry : entries) {
        auto* item = new QStandardItem(entry.icon, entry.text);
        item->setData(entry.detail, DetailRole);
        item->setData(entry.value, ValueRole);
        item->setEditable(false);
        item->setEnabled(entry.enabled);
        item->setToolTip(entry.text);
        m_model->appendRow(item);
    }
    filter(m_field->text());
}

void SearchPopup::setCurrentValue(int value)
{
    for (int row = 0; row < m_filter->rowCount(); ++row)
        if (m_filter->index(row, 0).data(ValueRole).toInt() == value) {
            m_list->setCurrentIndex(m_filter->index(row, 0));
            m_list->scrollTo(m_list->currentIndex(), QAbstractItemView::PositionAtCenter);
        }
}

void SearchPopup::showBelow(QWidget* anchor)
{
    const int rows = std::min(m_model->rowCount(), 14);
    resize(std::max(anchor->width(), 280), 60 + rows * measures::rowHeight(fonts::table(), 26));
    QPoint corner = anchor->mapToGlobal(QPoint(0, anchor->height() + 2));
    if (const QScreen* screen = anchor->screen()) {
        const QRect room = screen->availableGeometry();
        corner.setX(std::clamp(corner.x(), room.left(), std::max(room.left(), room.right() - width())));
        if (corner.y() + height() > room.bottom())
            corner.setY(anchor->mapToGlobal(QPoint(0, 0)).y() - height() - 2);
    }
    move(corner);
    show();
    m_field->setFocus(Qt::PopupFocusReason);
}

void SearchPopup::showOver(QWidget* window)
{
    resize(std::min(560, window->width() - 80), std::min(420, window->height() - 120));
    move(window->mapToGlobal(QPoint((window->width() - width()) / 2, 72)));
    show();
    m_field->setFocus(Qt::PopupFocusReason);
}

int SearchPopup::shownCount() const
{
    return m_filter->rowCount();
}

void SearchPopup::filter(const QString& text)
{
    // Words in any order: "open file" finds "File: Open…".
    QString pattern;
    for (const QString& word : text.split(u' ', Qt::SkipEmptyParts))
        pattern += u"(?=.*"_s + QRegularExpression::escape(word) + u')';
    m_filter->setFilterRegularExpression(
        QRegularExpression(pattern, QRegularExpression::CaseInsensitiveOption));
    if (!m_list->currentIndex().isValid() && m_filter->rowCount() > 0)
        m_list->setCurrentIndex(m_filter->index(0, 0));
}

void SearchPopup::pickCurrent()
{
    const QModelIndex index = m_list->currentIndex();
    if (!index.isValid() || !(index.flags() & Qt::ItemIsEnabled))
        return;
    const int value = index.data(ValueRole).toInt();
    close();
    Q_EMIT picked(value);
}

bool SearchPopup::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::KeyPress)
        return QFrame::eventFilter(watched, event);
    auto* key = static_cast<QKeyEvent*>(event);
    switch (key->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown: {
        const int step = key->key() == Qt::Key_Up ? -1
            : key->key() == Qt::Key_Down          ? 1
            : key->key() == Qt::Key_PageUp        ? -10
                                                  : 10;
        const int rows = m_filter->rowCount();
        if (rows > 0)
            m_list->setCurrentIndex(
                m_filter->index(std::clamp(m_list->currentIndex().row() + step, 0, rows - 1), 0));
        return true;
    }
    case Qt::Key_Return:
    case Qt::Key_Enter: pickCurrent(); return true;
    case Qt::Key_Escape: close(); return true;
    default: return QFrame::eventFilter(watched, event);
    }
}

} // namespace cellfolio
