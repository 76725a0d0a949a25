// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>

#include <vector>

class QListWidget;
class QLabel;

namespace cellfolio {

class FrameSource;

// Which columns of a table are shown, with a search for tables of thousands.
class ColumnChooser : public QDialog
{
    Q_OBJECT
public:
    ColumnChooser(const FrameSource& source, QWidget* parent = nullptr);

    // In the table's order, those shown before first kept where they were.
    std::vector<int> chosen() const;

private:
    void filter(const QString& text);
    void tickShown(bool ticked);
    void updateCount();

    std::vector<int> m_before;
    QListWidget* m_list = nullptr;
    QLabel* m_count = nullptr;
};

} // namespace cellfolio
