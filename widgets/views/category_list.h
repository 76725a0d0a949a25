// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QListView>

namespace cellfolio
{

// What a row of a CategoryList shows besides its text and box (Qt::DisplayRole, CheckStateRole).
enum CategoryRole {
    kCategoryInFile = Qt::UserRole + 1, // qint64; -1: not known yet
    kCategoryInView,                    // qint64; -1: not known yet
    kCategoryColor,                     // QColor; invalid: none of its own
    kCategoryMost,                      // qint64: the largest count of all, for the bars
    kCategoryMissing,                   // bool: stands for rows without a value
};

// Rows of box, name, bar (solid: in the view, pale: in the file) and count, over any model with the
// roles above. Rows are painted; a hundred thousand of them cost what is seen. As high as its rows
// up to kMostRows, then it scrolls. Space or a click ticks; a double click asks for that one alone.
class CategoryList : public QListView
{
    Q_OBJECT
public:
    explicit CategoryList(QWidget* parent = nullptr);

    void setModel(QAbstractItemModel* model) override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {80, rowHeight()}; }
    static int rowHeight();
    static constexpr int kMostRows = 10;

Q_SIGNALS:
    void onlyRequested(const QModelIndex& index);

protected:
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    void tick(const QModelIndex& index);
};

} // namespace cellfolio
