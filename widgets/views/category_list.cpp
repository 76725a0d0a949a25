// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/category_list.h"

#include "widgets/style/fonts.h"
#include "widgets/style/numbers.h"
#include "widgets/style/theme.h"
#include "widgets/views/number_text.h"

#include <QtGui/QHelpEvent>
#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QStyle>
#include <QtWidgets/QStyledItemDelegate>
#include <QtWidgets/QToolTip>

#include <algorithm>
#include <cmath>

namespace cellfolio
{

namespace
{

constexpr int kRow = 22;
constexpr int kBox = 16;
constexpr int kBoxGap = 8;
constexpr int kBar = 76; // at most, and a third of the row
constexpr int kBarHeight = 9;
constexpr int kGap = 8;

class CategoryDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override
    {
        return {60, CategoryList::rowHeight()};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Theme& theme = Theme::current();
        const QRect row = option.rect;
        painter->save();
        if (option.state.testFlag(QStyle::State_MouseOver))
            painter->fillRect(row, theme.hover);
        const bool ticked = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
        QStyleOptionViewItem box(option);
        box.rect = QRect(row.left(), row.top() + (row.height() - kBox) / 2, kBox, kBox);
        box.state = QStyle::State_Enabled | (ticked ? QStyle::State_On : QStyle::State_Off);
        if (!option.state.testFlag(QStyle::State_Enabled))
            box.state &= ~QStyle::State_Enabled;
        option.widget->style()->drawPrimitive(QStyle::PE_IndicatorItemViewItemCheck, &box, painter, option.widget);

        painter->setFont(fonts::table());
        const qint64 inFile = index.data(kCategoryInFile).toLongLong();
        const qint64 inView = index.data(kCategoryInView).toLongLong();
        const qint64 most = index.data(kCategoryMost).toLongLong();
        const QString figure = inView < 0 ? QStringLiteral("–") : countText(inView);
        // All rows leave the same room for figures, so that bars begin at one line.
        const int figures = int(std::ceil(numberWidth(painter->font(), countText(std::max<qint64>(most, 100)))));
        const int wide = std::min(kBar, row.width() / 4);
        const QRect bars(row.right() + 1 - figures - kGap - wide, row.top() + (row.height() - kBarHeight) / 2, wide,
                         kBarHeight);
        paintBar(*painter, bars, inFile, inView, most, index.data(kCategoryColor).value<QColor>());

        painter->setPen(ticked ? theme.text2 : theme.text3);
        drawNumber(*painter, row, figure);
        QRect words(row.left() + kBox + kBoxGap, row.top(), 0, row.height());
        words.setRight(bars.left() - kGap);
        const bool missing = index.data(kCategoryMissing).toBool();
        painter->setPen(!ticked ? theme.text3 : missing ? theme.text2 : theme.text);
        painter->drawText(words, Qt::AlignVCenter | Qt::TextSingleLine,
                          painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideMiddle, words.width()));
        if (option.state.testFlag(QStyle::State_HasFocus)) {
            painter->setPen(QPen(theme.accent, 2));
            painter->setBrush(Qt::NoBrush);
            painter->drawRect(row.adjusted(1, 1, -1, -1));
        }
        painter->restore();
    }

    // The list itself ticks, wherever in the row one clicks.
    bool editorEvent(QEvent*, QAbstractItemModel*, const QStyleOptionViewItem&, const QModelIndex&) override
    {
        return false;
    }

private:
    static void paintBar(QPainter& painter, const QRect& where, qint64 inFile, qint64 inView, qint64 most, QColor own)
    {
        const Theme& theme = Theme::current();
        if (inFile <= 0 || most <= 0)
            return;
        QColor solid = theme.bar;
        QColor pale = theme.barPale;
        if (own.isValid()) {
            solid = theme.onCanvas(own);
            pale = mixed(theme.frame, solid, theme.isDark() ? 0.28 : 0.24);
        }
        const auto draw = [&](qint64 count, const QColor& colour) {
            const int width = std::max(1, int(std::lround(double(count) / double(most) * where.width())));
            painter.fillRect(QRect(where.left(), where.top(), width, where.height()), colour);
        };
        draw(inFile, pale);
        if (inView > 0)
            draw(std::min(inView, inFile), solid);
    }
};

} // namespace

CategoryList::CategoryList(QWidget* parent) : QListView(parent)
{
    setItemDelegate(new CategoryDelegate(this));
    setUniformItemSizes(true);
    setFrameShape(QFrame::NoFrame);
    setProperty("surface", QStringLiteral("frame"));
    setSelectionMode(QAbstractItemView::NoSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMouseTracking(true);
}

int CategoryList::rowHeight()
{
    return measures::rowHeight(fonts::table(), kRow);
}

void CategoryList::setModel(QAbstractItemModel* model)
{
    QListView::setModel(model);
    if (model == nullptr)
        return;
    const auto resized = [this] { updateGeometry(); };
    connect(model, &QAbstractItemModel::modelReset, this, resized);
    connect(model, &QAbstractItemModel::rowsInserted, this, resized);
    connect(model, &QAbstractItemModel::rowsRemoved, this, resized);
}

QSize CategoryList::sizeHint() const
{
    const int rows = model() == nullptr ? 1 : std::clamp(model()->rowCount(), 1, kMostRows);
    return {200, rows * rowHeight() + 2};
}

void CategoryList::tick(const QModelIndex& index)
{
    const bool ticked = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    model()->setData(index, ticked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

void CategoryList::mouseReleaseEvent(QMouseEvent* event)
{
    const QModelIndex index = indexAt(event->pos());
    const bool clicked = event->button() == Qt::LeftButton && index.isValid() && index == currentIndex();
    QListView::mouseReleaseEvent(event);
    if (clicked)
        tick(index);
}

void CategoryList::mouseDoubleClickEvent(QMouseEvent* event)
{
    const QModelIndex index = indexAt(event->pos());
    // Its first click has ticked already; what is asked for holds whatever that was.
    if (index.isValid() && event->pos().x() > kBox + kBoxGap)
        Q_EMIT onlyRequested(index);
    setCurrentIndex({});
}

void CategoryList::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Space && currentIndex().isValid())
        tick(currentIndex());
    else
        QListView::keyPressEvent(event);
}

bool CategoryList::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QModelIndex index = indexAt(help->pos());
        if (!index.isValid()) {
            QToolTip::hideText();
            return true;
        }
        const qint64 inFile = index.data(kCategoryInFile).toLongLong();
        const qint64 inView = index.data(kCategoryInView).toLongLong();
        QString text = index.data().toString().toHtmlEscaped();
        if (inFile >= 0 && inView >= 0)
            text += QStringLiteral("<br>%1 of %2 shown").arg(countText(inView), countText(inFile));
        QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    return QListView::viewportEvent(event);
}

} // namespace cellfolio
