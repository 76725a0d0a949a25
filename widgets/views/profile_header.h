// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

namespace cellfolio
{

class PagedTableView;

// The heads of a PagedTableView: paints profiles, resizes columns by their right edge (double
// click fits), asks to sort on a click. Created and placed by the view.
class ProfileHeader : public QWidget
{
    Q_OBJECT
public:
    explicit ProfileHeader(PagedTableView* view);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    bool event(QEvent* event) override;

private:
    int columnAt(int x) const; // -1: none
    int edgeAt(int x) const;   // the column whose right edge is under the pointer; -1: none

    PagedTableView* m_view;
    int m_hover = -1;
    int m_pressed = -1;
    int m_resizing = -1;
    int m_grip = 0; // pointer's distance from the edge
};

} // namespace cellfolio
