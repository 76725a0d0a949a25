// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/export_dialog.h"

#include "app/gui/choice_box.h"
#include "app/gui/export_effects.h"
#include "app/gui/program.h"
#include "app/gui/session.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/element_text.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/views/elided_label.h"

#include <QtCore/QFileInfo>
#include <QtCore/QSignalBlocker>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QButtonGroup>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QTreeWidget>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr int kWait = 200;     // ms after the last change until it is reckoned
constexpr int kRight = 346;
constexpr int kTreeHeight = 132;
constexpr std::size_t kMostChildren = 2000; // of an element in the tree
constexpr int kPathRole = Qt::UserRole;

QLabel* caption(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setFont(fonts::tableSemibold());
    return label;
}

} // namespace

ExportDialog::ExportDialog(Program& program, Session& session, QWidget* parent)
    : QDialog(parent), m_program(program), m_session(session), m_view(session.view().view()),
      m_viewName(session.keptViews().shownName()), m_command(new ElidedLabel(this)), m_copy(new QToolButton(this)),
      m_export(new QPushButton(u"Export"_s, this)), m_effects(new ExportEffects(this)), m_request(program.context().patient)
{
    setWindowTitle(u"Export"_s);
    resize(920, 660);
    auto* left = new QWidget(this);
    left->setProperty("surface", u"frame"_s);
    left->setAttribute(Qt::WA_StyledBackground);
    makeLeft(left);
    auto* leftArea = new QScrollArea(this);
    leftArea->setWidget(left);
    leftArea->setWidgetResizable(true);
    leftArea->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* rightArea = new QScrollArea(this);
    rightArea->setWidget(m_effects);
    rightArea->setWidgetResizable(true);
    rightArea->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    rightArea->setFixedWidth(kRight);
    auto* sides = new QHBoxLayout;
    sides->setSpacing(0);
    sides->addWidget(leftArea, 1);
    sides->addWidget(rightArea);

    m_command->setFont(fonts::mono());
    m_command->setQuiet(true);
    m_command->setElideMode(Qt::ElideMiddle);
    m_copy->setIcon(icon("terminal-2"));
    m_copy->setText(u" Copy as command"_s);
    m_copy->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_copy->setFont(fonts::table());
    m_copy->setToolTip(u"The same on the command line"_s);
    auto* cancel = new QPushButton(u"Cancel"_s, this);
    m_export->setProperty("primary", true);
    m_export->setDefault(true);
    auto* line = new QFrame(this);
    line->setProperty("rule", true);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(12, 12, 20, 14);
    foot->setSpacing(8);
    foot->addWidget(m_copy);
    foot->addWidget(m_command, 1);
    foot->addSpacing(8);
    foot->addWidget(cancel);
    foot->addWidget(m_export);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(sides, 1);
    column->addWidget(line);
    column->addLayout(foot);

    m_wait.setSingleShot(true);
    m_wait.setInterval(kWait);
    connect(&m_wait, &QTimer::timeout, this, &ExportDialog::ask);
    connect(&session, &Session::holdsFound, this, [this] {
        fillElements();
        changed();
    });
    connect(m_copy, &QToolButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(command()); });
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_export, &QPushButton::clicked, this, &ExportDialog::start);
    fillTree();
    fillSplit();
    setAudience(Audience::Python);
    m_audiences.front()->setFocus();
}

void ExportDialog::makeLeft(QWidget* left)
{
    auto* sign = new QLabel(left);
    sign->setPixmap(icon("file-export", IconTone::Accent).pixmap(24, 24));
    auto* title = new ElidedLabel(viewTitle(), left);
    title->setFont(fonts::bodySemibold());
    const Selection& obs = m_view.obs();
    const Selection& var = m_view.var();
    auto* extent = new ElidedLabel(u"%1 of %2 cells × %3 of %4 genes · %5"_s.arg(
                                       countText(obs.size()), countText(obs.extent()), countText(var.size()),
                                       countText(var.extent()), fileNameOf(*m_view.dataset())),
                                   left);
    extent->setFont(fonts::table());
    extent->setQuiet(true);
    auto* head = new QGridLayout;
    head->setHorizontalSpacing(10);
    head->setVerticalSpacing(2);
    head->addWidget(sign, 0, 0, 2, 1);
    head->addWidget(title, 0, 1);
    head->addWidget(extent, 1, 1);
    head->setColumnStretch(1, 1);

    auto* tiles = new QGridLayout;
    tiles->setSpacing(8);
    auto* group = new QButtonGroup(this);
    for (const AudienceText& text : audiences()) {
        auto* tile = new QToolButton(left);
        tile->setProperty("tile", true);
        tile->setCheckable(true);
        tile->setIcon(icon(text.icon));
        tile->setIconSize({18, 18});
        tile->setText(u' ' + text.name + u"\n "_s + text.what);
        tile->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        tile->setFont(fonts::caption());
        tile->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        tile->setFixedHeight(46);
        tile->setAccessibleName(text.name + u": "_s + text.what);
        group->addButton(tile);
        const int place = static_cast<int>(m_audiences.size());
        tiles->addWidget(tile, place / 4, place % 4);
        m_audiences.push_back(tile);
        connect(tile, &QToolButton::clicked, this, [this, audience = text.audience] { setAudience(audience); });
    }
    for (int k = 0; k < 4; ++k)
        tiles->setColumnStretch(k, 1);

    m_about = new QLabel(left);
    m_about->setFont(fonts::table());
    m_about->setProperty("role", u"quiet"_s);
    m_about->setWordWrap(true);
    m_treeCaption = caption(u"What"_s, left);
    m_tree = new QTreeWidget(left);
    m_tree->setColumnCount(2);
    m_tree->setHeaderHidden(true);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_tree->setMinimumHeight(kTreeHeight);
    m_tree->setFont(fonts::table());
    m_tree->setTextElideMode(Qt::ElideMiddle);
    m_tree->setUniformRowHeights(true);
    m_tree->setAccessibleName(u"Elements to export"_s);
    m_tree->setFrameShape(QFrame::StyledPanel);
    m_tree->setProperty("boxed", true);

    m_element = new ChoiceBox(u"Element"_s, left);
    m_form = new ChoiceBox(u"Form of the file"_s, left);
    m_storage = new ChoiceBox(u"Matrices stored"_s, left);
    m_compression = new ChoiceBox(u"Compression"_s, left);
    m_split = new ChoiceBox(u"A file for each value of"_s, left);
    m_fromRaw = new QCheckBox(u"raw as X: a file of raw alone, with all its genes"_s, left);
    m_dropUnused = new QCheckBox(u"Drop categories without cells, with their colours"_s, left);
    m_keep = new QCheckBox(u"Keep every encoding as it is found, even those of old files"_s, left);
    m_storage->addItem(u"as they are"_s, static_cast<int>(Storage::None));
    m_storage->addItem(u"by cell (CSR)"_s, static_cast<int>(Storage::Csr));
    m_storage->addItem(u"by gene (CSC)"_s, static_cast<int>(Storage::Csc));
    m_storage->addItem(u"dense"_s, static_cast<int>(Storage::Dense));
    m_compression->addItem(u"compression as it is"_s, QString());
    m_compression->addItem(u"gzip"_s, u"gzip"_s);
    m_compression->addItem(u"lzf (quick)"_s, u"lzf"_s);
    m_compression->addItem(u"not compressed"_s, u"none"_s);
    m_elementCaption = new QLabel(u"Element"_s, left);
    m_formCaption = new QLabel(u"Form"_s, left);
    m_storageCaption = new QLabel(u"Matrices"_s, left);
    m_target = new QLineEdit(left);
    m_target->setAccessibleName(u"New file"_s);
    auto* choose = new QPushButton(u"Choose…"_s, left);
    auto* how = new QGridLayout;
    how->setHorizontalSpacing(12);
    how->setVerticalSpacing(8);
    how->setColumnStretch(1, 1);
    how->setColumnStretch(2, 1);
    how->addWidget(m_elementCaption, 0, 0);
    how->addWidget(m_element, 0, 1, 1, 2);
    how->addWidget(m_formCaption, 1, 0);
    how->addWidget(m_form, 1, 1, 1, 2);
    how->addWidget(m_storageCaption, 2, 0);
    how->addWidget(m_storage, 2, 1);
    how->addWidget(m_compression, 2, 2);
    how->addWidget(new QLabel(u"A file each"_s, left), 3, 0);
    how->addWidget(m_split, 3, 1, 1, 2);
    auto* where = new QHBoxLayout;
    where->setSpacing(8);
    where->addWidget(m_target, 1);
    where->addWidget(choose);
    how->addWidget(new QLabel(u"New file"_s, left), 4, 0);
    how->addLayout(where, 4, 1, 1, 2);
    for (ChoiceBox* box : {m_element, m_form, m_storage, m_compression, m_split})
        box->setMinimumContentsLength(8);

    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(20, 16, 20, 12);
    column->setSpacing(8);
    column->addLayout(head);
    column->addSpacing(4);
    column->addWidget(caption(u"For whom?"_s, left));
    column->addLayout(tiles);
    column->addSpacing(4);
    column->addWidget(m_treeCaption);
    column->addWidget(m_tree, 1);
    column->addWidget(m_about);
    for (QCheckBox* box : {m_fromRaw, m_dropUnused, m_keep})
        column->addWidget(box);
    column->addLayout(how);
    column->addStretch(0);

    for (QCheckBox* box : {m_fromRaw, m_dropUnused, m_keep})
        connect(box, &QCheckBox::toggled, this, &ExportDialog::readControls);
    for (ChoiceBox* box : {m_storage, m_compression})
        connect(box, &QComboBox::currentIndexChanged, this, &ExportDialog::readControls);
    for (ChoiceBox* box : {m_element, m_form, m_split})
        connect(box, &QComboBox::currentIndexChanged, this, [this] {
            readControls();
            propose();
        });
    connect(m_tree, &QTreeWidget::itemChanged, this, &ExportDialog::readControls);
    connect(m_target, &QLineEdit::textEdited, this, [this] { m_ownTarget = true; });
    connect(m_target, &QLineEdit::textChanged, this, &ExportDialog::readControls);
    connect(choose, &QPushButton::clicked, this, &ExportDialog::chooseTarget);
}

// The tree has what a file has, tables with their columns; names of rows always stay.
void ExportDialog::fillTree()
{
    const QSignalBlocker blocker(m_tree);
    const auto add = [](auto* parent, const Element& element) {
        auto* item = new QTreeWidgetItem(parent, {toQString(element.name), briefOf(element)});
        item->setData(0, kPathRole, toQString(element.path));
        item->setIcon(0, icon(iconOf(element)));
        item->setToolTip(0, toQString(element.path));
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable | Qt::ItemIsAutoTristate);
        item->setCheckState(0, Qt::Checked);
        item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
        return item;
    };
    for (const auto& element : m_view.dataset()->root().children) {
        if (element->kind == ElementKind::Mapping && element->children.empty())
            continue;
        QTreeWidgetItem* item = add(m_tree, *element);
        if (element->kind == ElementKind::Matrix || element->kind == ElementKind::Array
            || element->children.size() > kMostChildren)
            continue;
        for (const auto& child : element->children)
            add(item, *child);
    }
}

void ExportDialog::fillElements()
{
    const QSignalBlocker blocker(m_element);
    const QString before = m_choice.element;
    m_element->clear();
    const QStringList paths = elementsFor(m_choice.audience, *m_view.dataset(), m_session.holds());
    for (const QString& path : paths) {
        const auto element = m_view.dataset()->find(toStdString(path));
        const HoldsResult* holds = element ? m_session.holdsOf(**element) : nullptr;
        QString words = path;
        if (holds != nullptr && holds->holds != Holds::Unknown)
            words += u" · "_s + toQString(holds->text());
        m_element->addChoice(element ? iconOf(**element) : QString(), words, path);
    }
    // One that was chosen stays; else the likeliest.
    const int place = m_element->findData(before);
    m_element->setCurrentIndex(place >= 0 ? place : 0);
    m_choice.element = m_element->currentData().toString();
}

void ExportDialog::fillSplit()
{
    const QSignalBlocker blocker(m_split);
    m_split->addItem(u"one file"_s, QString());
    const Element* obs = m_view.dataset()->obs();
    if (obs == nullptr || obs->kind != ElementKind::Table)
        return;
    for (const auto& column : obs->children)
        if (column->readable && (column->column == ColumnKind::Categorical || column->column == ColumnKind::Boolean))
            m_split->addChoice(iconOf(*column), u"for each value of "_s + toQString(column->name), toQString(column->name));
}

QToolButton* ExportDialog::audienceButton(Audience audience) const
{
    for (std::size_t k = 0; k < m_audiences.size(); ++k)
        if (audiences()[k].audience == audience)
            return m_audiences[k];
    return nullptr;
}

void ExportDialog::setAudience(Audience audience)
{
    const bool focused = std::any_of(m_audiences.begin(), m_audiences.end(), [](const QToolButton* tile) { return tile->hasFocus(); });
    audienceButton(audience)->setChecked(true);
    if (focused)
        audienceButton(audience)->setFocus();
    m_choice.audience = audience;
    {
        const QSignalBlocker blocker(m_form);
        m_form->clear();
        for (const auto& [ending, words] : ExportChoice::formsOf(audience))
            m_form->addItem(words, ending);
        m_form->setCurrentIndex(0);
    }
    m_choice.element.clear();
    fillElements();
    updateControls();
    readControls();
    propose();
}

void ExportDialog::setElement(const QString& path)
{
    m_element->setCurrentIndex(m_element->findData(path));
}

void ExportDialog::setForm(const QString& ending)
{
    m_form->setCurrentIndex(m_form->findData(ending));
}

void ExportDialog::setSplit(const QString& column)
{
    m_split->setCurrentIndex(m_split->findData(column));
}

void ExportDialog::setTarget(const QString& path)
{
    m_ownTarget = true;
    m_target->setText(path);
}

bool ExportDialog::setWanted(const QString& path, bool wanted)
{
    const QList<QTreeWidgetItem*> items = m_tree->findItems(u"*"_s, Qt::MatchWildcard | Qt::MatchRecursive);
    for (QTreeWidgetItem* item : items)
        if (item->data(0, kPathRole).toString() == path) {
            item->setCheckState(0, wanted ? Qt::Checked : Qt::Unchecked);
            return true;
        }
    return false;
}

// What the audience has no use for is not shown.
void ExportDialog::updateControls()
{
    const bool h5ad = m_choice.isH5ad();
    m_treeCaption->setText(h5ad ? u"What"_s : u"What goes along"_s);
    m_tree->setVisible(h5ad);
    const Element* raw = m_view.dataset()->raw();
    m_fromRaw->setVisible(h5ad && raw != nullptr && raw->child("X") != nullptr && raw->child("var") != nullptr);
    m_dropUnused->setVisible(h5ad);
    m_keep->setVisible(m_choice.audience == Audience::Python);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_storageCaption, m_storage, m_compression})
        widget->setVisible(h5ad);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_elementCaption, m_element})
        widget->setVisible(m_choice.hasElement());
    for (QWidget* widget : std::initializer_list<QWidget*>{m_formCaption, m_form})
        widget->setVisible(m_form->count() > 1);
    QString about;
    switch (m_choice.audience) {
    case Audience::Seurat:
        about = u"One folder to send: whole counts (from X, a layer or raw, wherever they are), every label of the cells, the maps, "
                "the colours, and load_seurat.R, which makes a Seurat object of it."_s;
        break;
    case Audience::Loom: about = u"X, layers, the columns of cells and genes, dense maps. Loom has no place for graphs, raw and uns."_s; break;
    case Audience::TenX: about = u"One matrix, genes by cells, with the names of both. Readers of this layout take it for counts."_s; break;
    case Audience::Table: about = u"One table or matrix with its names first; missing values are empty."_s; break;
    case Audience::Numpy: about = u"One array, without names."_s; break;
    case Audience::RObject: about = u"An h5ad for anndataR and zellkonverter; what they cannot read is left out and named."_s; break;
    case Audience::CellxGene:
        about = u"Matrices by cell, no stored zeros, counts as float32; columns that the portal adds itself are left out."_s;
        break;
    case Audience::Python: break;
    }
    m_about->setText(about);
    m_about->setVisible(!about.isEmpty());
}

QStringList ExportDialog::leftOut() const
{
    QStringList paths;
    for (int k = 0; k < m_tree->topLevelItemCount(); ++k) {
        const QTreeWidgetItem* item = m_tree->topLevelItem(k);
        if (item->checkState(0) == Qt::Unchecked) {
            paths.append(item->data(0, kPathRole).toString());
            continue;
        }
        for (int c = 0; c < item->childCount(); ++c)
            if (item->child(c)->checkState(0) == Qt::Unchecked)
                paths.append(item->child(c)->data(0, kPathRole).toString());
    }
    return paths;
}

void ExportDialog::readControls()
{
    m_choice.element = m_element->currentData().toString();
    m_choice.form = m_form->currentData().toString();
    m_choice.split = m_split->currentData().toString();
    m_choice.fromRaw = m_fromRaw->isChecked() && !m_fromRaw->isHidden();
    m_choice.dropUnused = m_dropUnused->isChecked();
    m_choice.keepEncodings = m_keep->isChecked();
    m_choice.storage = static_cast<Storage>(m_storage->currentData().toInt());
    m_choice.compression = m_compression->currentData().toString();
    m_choice.without = leftOut();
    m_choice.target = m_target->text().trimmed();
    changed();
}

void ExportDialog::propose()
{
    if (m_ownTarget)
        return;
    const QString view = !m_viewName.isEmpty()                     ? m_viewName
                       : m_view.obs().size() < m_view.obs().extent() ? QString::number(m_view.obs().size()) + u"-cells"_s
                                                                      : QString();
    m_target->setText(proposedTarget(m_choice, toQString(m_view.dataset()->file().path().string()), view));
    m_target->setCursorPosition(static_cast<int>(m_target->text().size()));
}

void ExportDialog::chooseTarget()
{
    const QString before = m_target->text();
    const QString path = m_choice.makesFolder()
                           ? QFileDialog::getSaveFileName(this, u"New folder"_s, before, {}, nullptr,
                                                          QFileDialog::ShowDirsOnly | QFileDialog::DontConfirmOverwrite)
                           : QFileDialog::getSaveFileName(this, u"New file"_s, before, {}, nullptr,
                                                          QFileDialog::DontConfirmOverwrite);
    if (!path.isEmpty())
        setTarget(path);
}

} // namespace cellfolio
