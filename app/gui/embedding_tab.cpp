// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/embedding_tab.h"

#include "app/gui/bar.h"
#include "app/gui/choice_box.h"
#include "app/gui/farewell.h"
#include "app/gui/table_tab.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/category_colors.h"
#include "widgets/models/element_text.h"
#include "widgets/models/gene_color.h"
#include "widgets/style/fonts.h"
#include "widgets/style/theme.h"
#include "widgets/views/category_legend.h"
#include "widgets/views/color_bar.h"
#include "widgets/views/empty_view.h"
#include "widgets/views/gene_threshold.h"
#include "widgets/views/scatter_view.h"

#include <QtCore/QEvent>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QSplitter>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <utility>

namespace cellfolio {

using namespace Qt::StringLiterals;

EmbeddingTab::EmbeddingTab(ModelContext context, QWidget* parent)
    : QWidget(parent), m_context(context), m_show(new ChoiceBox(u"Embedding"_s, this)),
      m_colorBy(new ChoiceBox(u"Colour by"_s, this)), m_geneMatrix(new ChoiceBox(u"Matrix of the gene"_s, this)),
      m_canvas(new QStackedWidget(this)),
      m_view(new ScatterView(this)), m_empty(new EmptyView(this)), m_legends(new QStackedWidget(this)),
      m_legend(new CategoryLegend(this)), m_numbers(new QWidget(this)), m_bar(new ColorBar(m_numbers)),
      m_threshold(new GeneThreshold(m_numbers)),
      m_splitter(new QSplitter(Qt::Vertical, this)),
      m_table(new TableTab(context, TableTab::Form::Compact, this)), m_embeddingRequest(context.quick),
      m_colorRequest(context.quick), m_countRequest(context.quick), m_geneRequest(context.quick),
      m_thresholdRequest(context.quick)
{
    auto* bar = new Bar(this);
    bar->addCaption(u"Show"_s);
    bar->addControl(m_show);
    bar->addCaption(u"Colour by"_s);
    bar->addControl(m_colorBy);
    bar->addControl(m_geneMatrix);
    bar->addStretch();
    m_fit = bar->addTool(u"focus-centered"_s, {}, u"Show all cells"_s);
    m_names = bar->addTool(u"letter-t"_s, {}, u"Write the labels into the map"_s, true);
    m_tableButton = bar->addTool(u"table"_s, {}, u"Show the cells table below the map"_s, true);
    m_tableButton->setChecked(true);

    m_canvas->addWidget(m_view);
    m_canvas->addWidget(m_empty);
    m_legends->addWidget(m_legend);
    auto* numbers = new QVBoxLayout(m_numbers);
    numbers->setContentsMargins(0, 0, 0, 0);
    numbers->setSpacing(0);
    numbers->addWidget(m_bar);
    numbers->addWidget(m_threshold);
    numbers->addStretch();
    m_numbers->setProperty("surface", u"base"_s);
    m_legends->addWidget(m_numbers);
    m_geneMatrix->hide();
    m_threshold->hide();
    m_legends->setFixedWidth(measures::kLegend);
    auto* rule = new QFrame(this);
    rule->setProperty("surface", u"frame"_s);
    rule->setFixedWidth(1);
    auto* map = new QWidget(this);
    auto* row = new QHBoxLayout(map);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_canvas, 1);
    row->addWidget(rule);
    row->addWidget(m_legends);
    m_splitter->addWidget(map);
    m_splitter->addWidget(m_table);
    m_splitter->setStretchFactor(0, 3);
    m_splitter->setStretchFactor(1, 2);
    m_splitter->setHandleWidth(1);
    m_splitter->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(m_splitter, 1);
    setFocusProxy(m_view);
    m_view->setAccessibleName(u"Map of the cells"_s);

    connect(m_show, &QComboBox::activated, this, [this](int place) {
        if (place >= 0 && place < static_cast<int>(m_embeddings.size()))
            showEmbedding(*m_embeddings[static_cast<std::size_t>(place)]);
    });
    connect(m_colorBy, &QComboBox::activated, this,
            [this](int place) {
                // Columns by their name, genes by their number among those shown lately.
                const QVariant choice = m_colorBy->itemData(place);
                if (choice.typeId() == QMetaType::Int)
                    colorByGene(m_recentGenes[static_cast<std::size_t>(choice.toInt())]);
                else
                    colorBy(choice.toString());
            });
    connect(m_geneMatrix, &QComboBox::activated, this, [this](int place) {
        const std::vector<const Element*> matrices = geneMatrices(*m_dataset);
        if (place >= 0 && place < static_cast<int>(matrices.size()))
            showGeneOf(*matrices[static_cast<std::size_t>(place)]);
    });
    connect(m_threshold, &GeneThreshold::changed, this, &EmbeddingTab::countThreshold);
    connect(m_threshold, &GeneThreshold::applied, this, &EmbeddingTab::filterByThreshold);
    connect(m_fit, &QToolButton::clicked, m_view, &ScatterView::fit);
    connect(m_names, &QToolButton::toggled, m_view, &ScatterView::setNamesShown);
    connect(m_tableButton, &QToolButton::toggled, this, &EmbeddingTab::setTableShown);
    connect(m_legend, &CategoryLegend::hovered, this, [this](qint64 code) {
        m_view->setEmphasis(code < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(code)));
    });
    connect(m_bar, &ColorBar::fullRangeRequested, this, [this] {
        m_fullRange = true;
        applyColor();
    });
    connect(m_view, &ScatterView::finished, this, &EmbeddingTab::announceFilled);
    connect(m_view, &ScatterView::clicked, this, [this](qint64 point) {
        if (point >= 0)
            m_table->goToFileRow(point);
    });
    connect(m_view, &ScatterView::hovered, this, &EmbeddingTab::showPoint);
    connect(m_table, &TableTab::filled, this, &EmbeddingTab::announceFilled);
    connect(m_table, &TableTab::statusMessage, this, &EmbeddingTab::statusMessage);
}

EmbeddingTab::~EmbeddingTab()
{
    partFromChildren(*this);
}

void EmbeddingTab::clear()
{
    m_embeddingRequest.cancel();
    m_colorRequest.cancel();
    m_countRequest.cancel();
    m_geneRequest.cancel();
    m_thresholdRequest.cancel();
    if (m_genes != nullptr)
        m_genes->release(std::exchange(m_geneTicket, 0));
    m_gene.reset();
    m_geneName.clear();
    m_recentGenes.clear();
    m_coloredBy = {};
    m_before = {};
    m_geneMatrix->clear();
    m_geneMatrix->hide();
    m_threshold->hide();
    m_shownCounts.reset();
    m_rows = {};
    m_inside.reset();
    m_view->setInside(nullptr);
    m_view->setPoints({});
    m_view->setColor(ScatterPlain{});
    m_legend->setContent({});
    m_table->clear();
    m_data.reset();
    m_color.reset();
    m_embeddings.clear();
    m_embedding = nullptr;
    m_colorColumn = nullptr;
    m_show->clear();
    m_colorBy->clear();
    m_dataset.reset();
}

void EmbeddingTab::setDataset(std::shared_ptr<const Dataset> dataset)
{
    clear();
    m_dataset = std::move(dataset);
    m_rows = Selection::all(m_dataset->nObs().value_or(0));
    m_embeddings = embeddingsOf(*m_dataset);
    for (const Element* embedding : m_embeddings)
        m_show->addChoice(iconOf(*embedding), toQString(embedding->name));
    m_colorBy->addChoice(u"minus"_s, u"nothing"_s, QString());
    const Element* obs = m_dataset->obs();
    if (obs != nullptr && obs->kind == ElementKind::Table) {
        for (const auto& column : obs->children)
            if (canColor(*column))
                m_colorBy->addChoice(iconOf(*column), toQString(column->name), toQString(column->name));
        m_table->setTable(m_dataset, *obs, u"cell"_s, u"cells"_s);
    }
    const Element* first = firstEmbedding(m_embeddings);
    for (QWidget* control : std::initializer_list<QWidget*>{m_show, m_colorBy, m_fit, m_names})
        control->setEnabled(first != nullptr);
    if (first == nullptr) {
        m_show->addChoice(u"minus"_s, u"none"_s);
        sayNothingHere();
        return;
    }
    showEmbedding(*first);
    if (const Element* labels = obs != nullptr ? likeliestLabels(*obs) : nullptr)
        colorBy(toQString(labels->name));
    else
        colorBy({});
}

void EmbeddingTab::sayNothingHere()
{
    m_empty->setContent({u"chart-scatter"_s, u"No embedding in this file"_s,
                         u"A map of the cells would be here, from obsm (X_umap, X_tsne, spatial …). "
                         u"This file has none; the tables and matrices work without it."_s,
                         {}, {}, false});
    m_canvas->setCurrentWidget(m_empty);
    m_legends->hide();
}

bool EmbeddingTab::showEmbedding(const Element& embedding)
{
    const auto place = std::find(m_embeddings.begin(), m_embeddings.end(), &embedding);
    if (place == m_embeddings.end())
        return false;
    m_embedding = &embedding;
    m_show->setCurrentIndex(static_cast<int>(place - m_embeddings.begin()));
    readEmbeddingNow();
    Q_EMIT elementShown(m_embedding);
    return true;
}

void EmbeddingTab::readEmbeddingNow()
{
    m_canvas->setCurrentWidget(m_view);
    const QString axis = axisName(*m_embedding);
    m_view->setAxisNames(axis + u" 1"_s, axis + u" 2"_s);
    m_view->setYDown(axis.contains(u"spatial"_s, Qt::CaseInsensitive));
    m_embeddingRequest.request<EmbeddingData>(
        [dataset = m_dataset, embedding = m_embedding, reading = m_context.reading](std::stop_token stop) {
            return readEmbedding(dataset, *embedding, reading, stop);
        },
        [this](Result<EmbeddingData> answer) {
            if (!answer) {
                sayTrouble(answer.error(), toQString(m_embedding->path));
                return;
            }
            m_data = std::move(*answer);
            m_view->setPoints({m_data->x, m_data->y});
            applyColor();
        });
}

EmbeddingState EmbeddingTab::state() const
{
    EmbeddingState state;
    state.path = m_embedding == nullptr ? std::string() : m_embedding->path;
    state.colorBy = colorColumn();
    if (m_gene) {
        state.geneMatrix = m_gene->matrix->path;
        state.gene = m_geneName.empty() ? toStdString(m_gene->name) : m_geneName;
    }
    state.table = m_table->state();
    return state;
}

void EmbeddingTab::restore(const EmbeddingState& state)
{
    if (!m_dataset)
        return;
    for (const Element* embedding : m_embeddings)
        if (embedding->path == state.path && embedding != m_embedding)
            showEmbedding(*embedding);
    if (m_embedding != nullptr && !state.gene.empty())
        restoreGene(state);
    else if (m_embedding != nullptr && !colorBy(state.colorBy))
        Q_EMIT statusMessage(u"The file has no column “%1” to colour by any more."_s.arg(state.colorBy));
    m_table->restore(state.table);
}

void EmbeddingTab::setRows(const Selection& rows)
{
    if (!m_dataset || rows.extent() != m_rows.extent())
        return;
    m_table->setRows(rows);
    if (rows == m_rows)
        return;
    m_rows = rows;
    m_inside = rows.isAll() ? nullptr : std::make_shared<const IndexSet>(rows.toSet());
    m_view->setInside(m_inside);
    countShown();
}

void EmbeddingTab::sayTrouble(const Error& error, const QString& what)
{
    m_empty->setContent({u"alert-circle"_s, what + u" cannot be read"_s, errorText(error), {}, {}, true});
    m_canvas->setCurrentWidget(m_empty);
    m_legends->hide();
    Q_EMIT filled();
}

void EmbeddingTab::setTableShown(bool shown)
{
    m_tableButton->setChecked(shown);
    m_table->setVisible(shown);
}

bool EmbeddingTab::isTableShown() const
{
    return m_tableButton->isChecked();
}

bool EmbeddingTab::isFilled() const
{
    const bool mapReady = m_canvas->currentWidget() == m_empty
        || (m_data && !m_colorRequest.isBusy() && !m_countRequest.isBusy() && m_geneTicket == 0
            && !m_geneRequest.isBusy() && !m_thresholdRequest.isBusy() && m_view->isFinished());
    const bool tableReady = m_table->isHidden() || m_table->source() == nullptr || m_table->source()->isFilled();
    return m_dataset && mapReady && tableReady;
}

void EmbeddingTab::announceFilled()
{
    if (isFilled())
        Q_EMIT filled();
}

void EmbeddingTab::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_color)
        showLegend();
}

} // namespace cellfolio
