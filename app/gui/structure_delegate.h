// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QStyledItemDelegate>

namespace cellfolio {

// One row of the structure tree: icon, name, chips where they matter, size or type at the right.
class StructureDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace cellfolio
