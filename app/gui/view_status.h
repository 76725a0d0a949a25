// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/element.h"

#include <QtWidgets/QWidget>

class QMenu;
class QPushButton;

namespace cellfolio {

class ViewModel;

// In the status line: how many rows are not shown and why, each part with its undo:
// "150 not in filter · 1 missing". Nothing while all are shown.
class ViewStatus : public QWidget
{
    Q_OBJECT
public:
    explicit ViewStatus(ViewModel& view, QWidget* parent = nullptr);

    void setAxis(Axis axis);
    void refresh();
    // "28 of 200 cells shown · 765 genes".
    static QString extentOf(const ViewModel& view);
    QString text() const; // what the parts say
    // The ways back, as the menus offer them.
    void fillNotInMenu(QMenu& menu);
    void fillMissingMenu(QMenu& menu);

private:
    ViewModel& m_view;
    Axis m_axis = Axis::Obs;
    QPushButton* m_notIn = nullptr;
    QPushButton* m_missing = nullptr;
};

} // namespace cellfolio
