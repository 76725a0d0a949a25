// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/structure_panel.h"

#include "app/gui/structure_delegate.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/style/icons.h"
#include "widgets/views/search_field.h"

#include <QtCore/QSortFilterProxyModel>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QMenu>
#include <QtWidgets/QTreeView>
#include <QtWidgets/QVBoxLayout>

namespace cellfolio {

using namespace Qt::StringLiterals;

StructurePanel::StructurePanel(QWidget* parent)
    : QWidget(parent), m_model(new StructureModel(this)), m_filter(new QSortFilterProxyModel(this)),
      m_search(new SearchField(u"Find an element"_s, this)), m_tree(new QTreeView(this))
{
    setProperty("surface", u"frame"_s);
    m_filter->setSourceModel(m_model);
    m_filter->setRecursiveFilteringEnabled(true);
    m_filter->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_tree->setModel(m_filter);
    m_tree->setItemDelegate(new StructureDelegate(m_tree));
    m_tree->setHeaderHidden(true);
    m_tree->setUniformRowHeights(true);
    m_tree->setIndentation(16);
    m_tree->setMouseTracking(true);
    m_tree->setProperty("surface", u"frame"_s);
    m_tree->setAccessibleName(u"Structure of the file"_s);
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    m_tree->setExpandsOnDoubleClick(false);
    m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_tree->header()->setStretchLastSection(true);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    auto* head = new QWidget(this);
    auto* row = new QVBoxLayout(head);
    row->setContentsMargins(12, 0, 12, 0);
    row->addWidget(m_search);
    layout->addWidget(head);
    layout->addWidget(m_tree, 1);

    connect(m_search, &SearchField::searched, this, &StructurePanel::filter);
    connect(m_search, &SearchField::downPressed, this, [this] { m_tree->setFocus(); });
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] {
        if (!m_quiet && current() != nullptr)
            Q_EMIT picked(current());
    });
    connect(m_tree, &QTreeView::activated, this, [this] {
        if (current() != nullptr)
            Q_EMIT activated(current());
    });
    connect(m_tree, &QTreeView::doubleClicked, this, [this] {
        if (current() != nullptr)
            Q_EMIT activated(current());
    });
    connect(m_tree, &QWidget::customContextMenuRequested, this, &StructurePanel::menu);
}

void StructurePanel::setDataset(std::shared_ptr<const Dataset> dataset)
{
    m_quiet = true;
    m_search->clear();
    m_filter->setFilterFixedString({});
    m_model->setDataset(std::move(dataset));
    const QModelIndex file = m_filter->index(0, 0);
    m_tree->expand(file);
    // What people look for first is open, unless it would fill the panel by itself.
    for (int row = 0; row < m_filter->rowCount(file); ++row) {
        const QModelIndex branch = m_filter->index(row, 0, file);
        const QString name = branch.data().toString();
        if (m_filter->rowCount(branch) <= 12
            && (name == "obs"_L1 || name == "obsm"_L1 || name == "layers"_L1 || name == "raw"_L1
                || name == "obsp"_L1))
            m_tree->expand(branch);
    }
    m_quiet = false;
}

void StructurePanel::showElement(const Element* element)
{
    const QModelIndex index = m_filter->mapFromSource(m_model->indexOf(element));
    if (!index.isValid() || index == m_tree->currentIndex())
        return;
    m_quiet = true;
    m_tree->setCurrentIndex(index);
    m_tree->scrollTo(index);
    m_quiet = false;
}

const Element* StructurePanel::current() const
{
    return m_model->elementAt(m_filter->mapToSource(m_tree->currentIndex()));
}

void StructurePanel::focusSearch()
{
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

void StructurePanel::filter(const QString& text)
{
    m_quiet = true;
    m_filter->setFilterFixedString(text);
    if (!text.isEmpty())
        m_tree->expandAll();
    m_quiet = false;
}

void StructurePanel::menu(const QPoint& pos)
{
    const Element* element = m_model->elementAt(m_filter->mapToSource(m_tree->indexAt(pos)));
    if (element == nullptr)
        return;
    QMenu menu(this);
    menu.addAction(icon("eye"), u"Show"_s, this, [this, element] { Q_EMIT activated(element); });
    menu.addAction(icon("copy"), u"Copy the path"_s, this,
                   [element] { QGuiApplication::clipboard()->setText(toQString(element->path)); });
    menu.exec(m_tree->viewport()->mapToGlobal(pos));
}

} // namespace cellfolio
