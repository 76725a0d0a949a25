// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/structure_model.h"

#include <QtWidgets/QWidget>

class QTreeView;
class QSortFilterProxyModel;

namespace cellfolio {

class SearchField;

// The tree of a file's elements with a search above it.
class StructurePanel : public QWidget
{
    Q_OBJECT
public:
    explicit StructurePanel(QWidget* parent = nullptr);

    StructureModel* model() const { return m_model; }
    QTreeView* tree() const { return m_tree; }
    void setDataset(std::shared_ptr<const Dataset> dataset);
    // Picks it in the tree without saying so.
    void showElement(const Element* element);
    const Element* current() const;
    void focusSearch();

Q_SIGNALS:
    void picked(const cellfolio::Element* element);    // one click, arrow keys
    void activated(const cellfolio::Element* element); // double click, Enter

private:
    void filter(const QString& text);
    void menu(const QPoint& pos);

    StructureModel* m_model = nullptr;
    QSortFilterProxyModel* m_filter = nullptr;
    SearchField* m_search = nullptr;
    QTreeView* m_tree = nullptr;
    bool m_quiet = false;
};

} // namespace cellfolio
