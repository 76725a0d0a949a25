// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/views/start_page.h"

#include <QtWidgets/QWidget>

#include <vector>

namespace cellfolio
{

// The rows of the start page: two lines each, one pick by mouse or keys. Part of StartPage.
class RecentList : public QWidget
{
    Q_OBJECT
public:
    explicit RecentList(QWidget* parent = nullptr);

    void setFiles(std::vector<RecentFile> files);
    const std::vector<RecentFile>& files() const { return m_files; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void opened(const QString& path);
    void forgotten(const QString& path);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    int rowAt(QPoint pos) const;
    QRect rowRect(int row) const;
    void paintRow(QPainter& painter, int row) const;
    void open(int row);

    std::vector<RecentFile> m_files;
    int m_hover = -1;
    int m_current = 0;
    bool m_byKey = false; // the ring is for those who came by key
};

} // namespace cellfolio
