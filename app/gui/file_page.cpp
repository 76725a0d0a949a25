// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/file_page.h"

#include "app/gui/column_boxes.h"
#include "app/gui/embedding_tab.h"
#include "app/gui/farewell.h"
#include "app/gui/filter_bar.h"
#include "app/gui/findings_tab.h"
#include "app/gui/matrix_tab.h"
#include "app/gui/session.h"
#include "app/gui/table_tab.h"
#include "app/gui/value_tab.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/element_text.h"
#include "widgets/models/gene_color.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/views/banner.h"
#include "widgets/views/elided_label.h"
#include "widgets/views/matrix_grid.h"
#include "widgets/views/offer_bar.h"

#include <QtWidgets/QTabBar>
#include <QtWidgets/QTabWidget>
#include <QtWidgets/QVBoxLayout>

namespace cellfolio {

using namespace Qt::StringLiterals;

FilePage::FilePage(Session& session, QWidget* parent)
    : QWidget(parent), m_session(session), m_changed(new Banner(this)), m_limits(new Banner(this)), m_offer(new OfferBar(this)),
      m_summary(new ElidedLabel(this)), m_filter(new FilterBar(session.context(), session.view(), this)), m_tabs(new QTabWidget(this)),
      m_cells(new TableTab(session.context(), TableTab::Form::Whole, this)),
      m_genes(new TableTab(session.context(), TableTab::Form::Whole, this)),
      m_matrix(new MatrixTab(session.context(), this)),
      m_embedding(new EmbeddingTab(session.context(), this)), m_findings(new FindingsTab(this)),
      m_value(new ValueTab(session.context(), this))
{
    m_summary->setElideMode(Qt::ElideRight);
    m_summary->setCopyable(true);
    m_summary->setContentsMargins(14, 0, 14, 0);
    m_summary->setFixedHeight(32);
    m_summary->setFont(fonts::table());
    m_tabs->setDocumentMode(true);
    m_tabs->setIconSize({measures::kToolIcon, measures::kToolIcon});
    m_tabs->addTab(m_cells, icon("table"), u"Cells"_s);
    m_tabs->addTab(m_genes, icon("helix"), u"Genes"_s);
    m_tabs->addTab(m_matrix, icon("grid-dots"), u"Matrix"_s);
    m_tabs->addTab(m_embedding, icon("chart-scatter"), u"Embedding"_s);
    m_tabs->addTab(m_findings, icon("stethoscope"), u"Findings"_s);
    m_tabs->addTab(m_value, icon("braces"), u"Value"_s);
    m_tabs->tabBar()->setAccessibleName(u"Views of the file"_s);
    m_tabs->setTabVisible(indexOf(Tab::Value), false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_changed);
    layout->addWidget(m_limits);
    layout->addWidget(m_offer);
    layout->addWidget(m_summary);
    layout->addWidget(m_filter);
    layout->addWidget(m_tabs, 1);
    m_changed->hide();
    m_limits->hide();

    connect(m_changed, &Banner::buttonClicked, this, &FilePage::reloadRequested);
    connect(m_limits, &Banner::buttonClicked, this, [this] { showTab(Tab::Findings); });
    GenePreparation& preparation = session.preparation();
    connect(m_offer, &OfferBar::declined, &preparation, &GenePreparation::decline);
    connect(m_offer, &OfferBar::accepted, this, [this, &preparation] {
        const auto& offer = preparation.offer();
        if (offer && !offer->estimate.fits())
            Q_EMIT settingsRequested();
        else
            preparation.accept();
    });
    connect(&preparation, &GenePreparation::offerChanged, this, [this, &preparation] {
        const auto& offer = preparation.offer();
        m_offer->setVisible(offer.has_value());
        if (offer)
            m_offer->showOffer(GenePreparation::sentenceOf(*offer),
                               offer->estimate.fits() ? u"Prepare"_s : u"Settings…"_s, u"Not now"_s);
    });
    connect(m_tabs, &QTabWidget::tabBarClicked, this, [this] { m_chosen = true; });
    connect(m_tabs, &QTabWidget::currentChanged, this, [this] {
        if (!m_tabs->tabBar()->hasFocus())
            m_tabs->currentWidget()->setFocus();
        pickWhatIsInFront();
        m_filter->setAxis(axisInFront());
        Q_EMIT axisChanged(axisInFront());
        Q_EMIT selectionChanged();
    });
    connect(m_filter, &FilterBar::left, this, [this] { m_tabs->currentWidget()->setFocus(); });
    connect(m_filter, &FilterBar::helpRequested, this, [this] { Q_EMIT helpRequested(u"filters.md"_s); });
    connect(&session, &Session::factsFound, this, &FilePage::showFacts);
    connect(&session.view(), &ViewModel::viewChanged, this, &FilePage::applyView);
    connect(&session, &Session::holdsFound, this, [this] {
        updateSummary();
        m_matrix->updateHolds();
        m_embedding->updateUnits();
    });
    m_embedding->setGenes(session.genes(), [this](const Element& matrix) {
        const HoldsResult* holds = m_session.holdsOf(matrix);
        return holds == nullptr || holds->holds == Holds::Unknown ? QString() : toQString(holds->text());
    });
    connect(m_embedding, &EmbeddingTab::geneFilterRequested, this, [this](const QString& expression, const QString& label) {
        // The same gene and matrix again is the same step.
        ViewModel& view = m_session.view();
        const QString origin = u"gene "_s + expression.left(expression.lastIndexOf(u')') + 1);
        const FilterStep* step = view.stepOf(Axis::Obs, origin);
        view.setStep(Axis::Obs, step != nullptr ? step->id : 0, expression, {label, origin});
    });
    m_matrix->setHolds([this](const Element& matrix) { return m_session.holdsOf(matrix); });
    for (TableTab* table : {m_cells, m_genes}) {
        connect(table, &TableTab::filled, this, &FilePage::filled);
        connect(table, &TableTab::selectionChanged, this, &FilePage::selectionChanged);
        connect(table, &TableTab::statusMessage, this, &FilePage::statusMessage);
        connect(table, &TableTab::columnPicked, this, [this](const Element* column) {
            if (column != nullptr)
                Q_EMIT elementPicked(column);
        });
    }
    const auto pick = [this](Axis axis) {
        return [this, axis](const Selection& rows, const QString& label) {
            m_session.view().setPicked(axis, 0, rows, {label, {}});
        };
    };
    connect(m_cells, &TableTab::onlyRowsRequested, this, pick(Axis::Obs));
    connect(m_embedding->table(), &TableTab::onlyRowsRequested, this, pick(Axis::Obs));
    connect(m_genes, &TableTab::onlyRowsRequested, this, pick(Axis::Var));
    m_cellBoxes = new ColumnBoxes(session.view(), Axis::Obs, *m_cells);
    m_geneBoxes = new ColumnBoxes(session.view(), Axis::Var, *m_genes);
    connect(m_embedding, &EmbeddingTab::filled, this, &FilePage::filled);
    connect(m_embedding, &EmbeddingTab::statusMessage, this, &FilePage::statusMessage);
    // Only what is in front moves the tree: on opening, several views choose by themselves.
    connect(m_embedding, &EmbeddingTab::elementShown, this, [this](const Element* element) {
        if (m_tabs->currentWidget() == m_embedding && !m_filling)
            Q_EMIT elementPicked(element);
    });
    connect(m_embedding, &EmbeddingTab::colorsChanged, this, [this] {
        m_matrix->setGroups(m_embedding->labelColumn(), m_embedding->labelColors());
    });
    connect(m_matrix, &MatrixTab::filled, this, &FilePage::filled);
    connect(m_matrix, &MatrixTab::statusMessage, this, &FilePage::statusMessage);
    connect(m_matrix, &MatrixTab::matrixShown, this, [this](const Element* element) {
        if (m_tabs->currentWidget() == m_matrix && !m_filling)
            Q_EMIT elementPicked(element);
    });
    connect(m_matrix, &MatrixTab::valuePicked, this, &FilePage::valuePicked);
    connect(m_matrix, &MatrixTab::valuePicked, this, &FilePage::selectionChanged);
    connect(m_findings, &FindingsTab::elementRequested, this, [this](const QString& path) {
        const auto element = m_session.dataset()->find(toStdString(path));
        if (element)
            showElement(**element);
    });
    connect(m_value, &ValueTab::filled, this, &FilePage::filled);
    connect(m_value, &ValueTab::statusMessage, this, &FilePage::statusMessage);
    connect(m_value, &ValueTab::elementRequested, this, [this](const Element* element) { showElement(*element); });
}

FilePage::~FilePage()
{
    partFromChildren(*this);
}

int FilePage::indexOf(Tab tab) const
{
    switch (tab) {
    case Tab::Cells: return m_tabs->indexOf(m_cells);
    case Tab::Genes: return m_tabs->indexOf(m_genes);
    case Tab::Matrix: return m_tabs->indexOf(m_matrix);
    case Tab::Embedding: return m_tabs->indexOf(m_embedding);
    case Tab::Findings: return m_tabs->indexOf(m_findings);
    case Tab::Value: return m_tabs->indexOf(m_value);
    }
    return 0;
}

QString FilePage::nameOf(Tab tab)
{
    switch (tab) {
    case Tab::Cells: return u"cells"_s;
    case Tab::Genes: return u"genes"_s;
    case Tab::Matrix: return u"matrix"_s;
    case Tab::Embedding: return u"embedding"_s;
    case Tab::Findings: return u"findings"_s;
    case Tab::Value: return u"value"_s;
    }
    return {};
}

std::optional<FilePage::Tab> FilePage::tabNamed(const QString& name)
{
    for (const Tab tab : {Tab::Cells, Tab::Genes, Tab::Matrix, Tab::Embedding, Tab::Findings})
        if (nameOf(tab) == name)
            return tab;
    return std::nullopt;
}

void FilePage::showTab(Tab tab)
{
    m_chosen = true;
    m_tabs->setCurrentIndex(indexOf(tab));
}

FilePage::Tab FilePage::currentTab() const
{
    for (const Tab tab : {Tab::Cells, Tab::Genes, Tab::Matrix, Tab::Embedding, Tab::Findings})
        if (m_tabs->currentIndex() == indexOf(tab))
            return tab;
    return Tab::Value;
}

Axis FilePage::axisInFront() const
{
    return currentTab() == Tab::Genes ? Axis::Var : Axis::Obs;
}

QWidget* FilePage::currentWidget() const
{
    return m_tabs->currentWidget();
}

TableTab* FilePage::currentTable() const
{
    switch (currentTab()) {
    case Tab::Cells: return m_cells;
    case Tab::Genes: return m_genes;
    case Tab::Embedding: return m_embedding->isTableShown() ? m_embedding->table() : nullptr;
    default: return nullptr;
    }
}

QString FilePage::summary() const
{
    return m_summary->text();
}

PageState FilePage::state() const
{
    PageState state;
    state.tab = nameOf(currentTab());
    if (currentTab() == Tab::Value && m_value->element() != nullptr)
        state.valuePath = m_value->element()->path;
    state.cells = m_cells->state();
    state.genes = m_genes->state();
    state.matrix = m_matrix->state();
    state.embedding = m_embedding->state();
    return state;
}

void FilePage::restore(const PageState& state)
{
    m_cells->restore(state.cells);
    m_genes->restore(state.genes);
    m_matrix->restore(state.matrix);
    m_embedding->restore(state.embedding);
    if (!state.valuePath.empty()) {
        if (const auto element = m_session.dataset()->find(state.valuePath))
            showElement(**element);
        return;
    }
    const auto tab = tabNamed(state.tab);
    if (tab && m_tabs->isTabEnabled(indexOf(*tab)))
        m_tabs->setCurrentIndex(indexOf(*tab));
}

void FilePage::showDataset(Shown shown)
{
    const PageState before = shown == Shown::Again ? state() : PageState();
    m_filling = true; // tabs still show elements of the file before this one: none of them is picked
    const std::shared_ptr<const Dataset>& dataset = m_session.dataset();
    m_changed->hide();
    m_value->clear();
    m_tabs->setTabVisible(indexOf(Tab::Value), false);
    const auto setTable = [&](TableTab* tab, const Element* table, const QString& one, const QString& many) {
        const bool there = table != nullptr && table->kind == ElementKind::Table && table->readable;
        m_tabs->setTabEnabled(m_tabs->indexOf(tab), there);
        if (there)
            tab->setTable(dataset, *table, one, many);
        else
            tab->clear();
    };
    setTable(m_cells, dataset->obs(), u"cell"_s, u"cells"_s);
    setTable(m_genes, dataset->var(), u"gene"_s, u"genes"_s);
    m_embedding->setDataset(dataset);
    m_matrix->setDataset(dataset);
    m_dataset = dataset;
    m_filter->setDataset(dataset);
    applyView(Axis::Obs);
    applyView(Axis::Var);
    m_findings->setFindings(dataset->findings());
    const QString limits = m_findings->model()->limitingSentence();
    if (limits.isEmpty())
        m_limits->hide();
    else
        m_limits->showMessage(Banner::Tone::Warning, limits, u"Details"_s);
    const int worries = m_findings->model()->countOf(Severity::Error) + m_findings->model()->countOf(Severity::Warning);
    m_tabs->setTabText(indexOf(Tab::Findings), worries > 0 ? u"Findings  %1"_s.arg(worries) : u"Findings"_s);
    if (!m_chosen)
        m_tabs->setCurrentIndex(indexOf(m_embedding->hasEmbedding() ? Tab::Embedding
                                            : m_tabs->isTabEnabled(indexOf(Tab::Cells)) ? Tab::Cells
                                                                                         : Tab::Matrix));
    m_filling = false;
    if (shown == Shown::Again)
        restore(before);
    pickWhatIsInFront();
    updateSummary();
}

// Every tab shows the view. Between the opening of another file and its first screen the tabs still
// show the one before; its view is not for them.
void FilePage::applyView(Axis axis)
{
    const DatasetView& view = m_session.view().view();
    if (view.dataset() != m_dataset || !m_dataset)
        return;
    if (axis == Axis::Obs) {
        m_cells->setRows(view.obs());
        m_embedding->setRows(view.obs());
    } else {
        m_genes->setRows(view.var());
    }
    m_matrix->setView(view);
    Q_EMIT selectionChanged();
}

void FilePage::showFacts()
{
    const DatasetFacts& facts = m_session.facts();
    m_genes->setSymbols(facts.symbols);
    m_matrix->setSymbols(facts.symbols, facts.rawSymbols);
    m_filter->setSymbols(facts.symbols, facts.rawSymbols);
    updateSummary();
    Q_EMIT filled();
}

void FilePage::pickWhatIsInFront()
{
    const Element* element = nullptr;
    if (m_filling)
        return;
    if (m_tabs->currentWidget() == m_matrix)
        element = m_matrix->matrix();
    else if (m_tabs->currentWidget() == m_embedding)
        element = m_embedding->embedding();
    if (element != nullptr)
        Q_EMIT elementPicked(element);
}

void FilePage::updateSummary()
{
    if (m_session.dataset())
        m_summary->setText(summaryLine(*m_session.dataset(), m_session.facts(), m_session.holds()));
    if (m_session.holdsKnown())
        Q_EMIT filled();
}

void FilePage::showElement(const Element& element)
{
    m_chosen = true;
    Q_EMIT elementPicked(&element);
    const Dataset& dataset = *m_session.dataset();
    const Element* table = element.kind == ElementKind::Column ? element.parent : &element;
    if (table == dataset.obs() || table == dataset.var()) {
        TableTab* tab = table == dataset.obs() ? m_cells : m_genes;
        if (tab->source() != nullptr) {
            m_tabs->setCurrentWidget(tab);
            if (element.kind == ElementKind::Column)
                tab->goToColumn(element);
            return;
        }
    }
    if (element.parent != nullptr && element.parent->path == "obsm" && m_embedding->showEmbedding(element)) {
        m_tabs->setCurrentWidget(m_embedding);
        return;
    }
    if (isShownAsMatrix(element)) {
        m_matrix->showMatrix(element);
        m_tabs->setCurrentWidget(m_matrix);
        return;
    }
    if (element.path.empty())
        return;
    m_value->showElement(m_session.dataset(), element);
    m_tabs->setTabVisible(indexOf(Tab::Value), true);
    m_tabs->setTabText(indexOf(Tab::Value), pathOf(element));
    m_tabs->setTabToolTip(indexOf(Tab::Value), pathOf(element));
    m_tabs->setCurrentWidget(m_value);
}

void FilePage::goToGene(Index row, bool ofRaw)
{
    if (currentTab() == Tab::Genes && !ofRaw) {
        m_genes->goToFileRow(row);
        return;
    }
    if (m_matrix->matrix() == nullptr) {
        showTab(Tab::Genes);
        m_genes->goToFileRow(row);
        return;
    }
    // The box finds names of var: a matrix of raw or cells × cells would show another column.
    const Element* raw = m_session.dataset()->raw();
    const Element* x = ofRaw ? (raw != nullptr ? raw->child("X") : nullptr) : m_session.dataset()->x();
    if (m_matrix->matrix()->secondAxis != Axis::Var || m_matrix->matrix()->ofRaw != ofRaw)
        if (x != nullptr && isShownAsMatrix(*x))
            m_matrix->showMatrix(*x);
    showTab(Tab::Matrix);
    m_matrix->goToGene(row);
}

void FilePage::showGene(Index row, bool ofRaw, const QString& name)
{
    const Dataset& dataset = *m_session.dataset();
    const bool listed = (currentTab() == Tab::Genes && !ofRaw) || currentTab() == Tab::Matrix;
    const Element* matrix = nullptr;
    for (const Element* each : geneMatrices(dataset))
        if (each->ofRaw == ofRaw && matrix == nullptr)
            matrix = each;
    if (listed || matrix == nullptr || !m_embedding->hasEmbedding()) {
        goToGene(row, ofRaw);
        return;
    }
    if (ofRaw && dataset.var() != nullptr)
        Q_EMIT statusMessage(u"%1 is shown from raw: it is not among the %2 genes of X."_s.arg(
            name, countText(dataset.var()->rows)));
    showTab(Tab::Embedding);
    const auto& before = m_embedding->gene();
    m_embedding->colorByGeneOf({matrix, row, name}, before && !ofRaw ? *before->matrix : *matrix);
}

bool FilePage::isFilled() const
{
    if (!m_session.dataset() || !m_session.factsKnown() || !m_session.holdsKnown())
        return false;
    switch (currentTab()) {
    case Tab::Cells: return m_cells->source() == nullptr || m_cells->source()->isFilled();
    case Tab::Genes: return m_genes->source() == nullptr || m_genes->source()->isFilled();
    case Tab::Matrix: return m_matrix->isFilled();
    case Tab::Embedding: return m_embedding->isFilled();
    case Tab::Findings: return true;
    case Tab::Value: return m_value->isFilled();
    }
    return true;
}

void FilePage::sayChangedOnDisk(const QString& sentence)
{
    m_changed->showMessage(Banner::Tone::Warning, sentence, u"Reload"_s);
}

void FilePage::sayBeingWritten(const QString& sentence)
{
    m_changed->showMessage(Banner::Tone::Warning, sentence, u"Reload"_s);
}

QString FilePage::selectionText() const
{
    if (const TableTab* table = currentTable())
        return table->selectionText();
    return currentTab() == Tab::Matrix ? m_matrix->pickedText() : QString();
}

} // namespace cellfolio
