// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/findings_model.h"

#include <QtWidgets/QWidget>

class QLabel;
class QListView;
class QPushButton;

namespace cellfolio {

class EmptyView;

// What the quick rules found: the list left, one finding in full at the right.
class FindingsTab : public QWidget
{
    Q_OBJECT
public:
    explicit FindingsTab(QWidget* parent = nullptr);

    FindingsModel* model() const { return m_model; }
    void setFindings(std::vector<Finding> findings);

Q_SIGNALS:
    void elementRequested(const QString& path);

private:
    void showFinding(int row);

    FindingsModel* m_model = nullptr;
    QListView* m_list = nullptr;
    QWidget* m_detail = nullptr;
    QLabel* m_title = nullptr;
    QLabel* m_text = nullptr;
    QPushButton* m_show = nullptr;
    QPushButton* m_copy = nullptr;
    EmptyView* m_empty = nullptr;
};

} // namespace cellfolio
