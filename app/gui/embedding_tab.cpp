// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/embedding_tab.h"

#include "app/gui/bar.h"
#include "app/gui/choice_box.h"
#include "app/gui/farewell.h"
#include "app/gui/table_tab.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/category_colors.h"
#include "widgets/models/element_text.h"
#include "widgets/style/fonts.h"
#include "widgets/style/palettes.h"
#include "widgets/style/theme.h"
#include "widgets/views/category_legend.h"
#include "widgets/views/color_bar.h"
#include "widgets/views/empty_view.h"
#include "widgets/views/scatter_view.h"

#include <QtCore/QEvent>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QSplitter>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cellfolio {

using namespace Qt::StringLiterals;

EmbeddingTab::EmbeddingTab(ModelContext context, QWidget* parent)
    : QWidget(parent), m_context(context), m_show(new ChoiceBox(u"Embedding"_s, this)),
      m_colorBy(new ChoiceBox(u"Colour by"_s, this)), m_canvas(new QStackedWidget(this)),
      m_view(new ScatterView(this)), m_empty(new EmptyView(this)), m_legends(new QStackedWidget(this)),
      m_legend(new CategoryLegend(this)), m_bar(new ColorBar(this)),
      m_splitter(new QSplitter(Qt::Vertical, this)),
      m_table(new TableTab(context, TableTab::Form::Compact, this)), m_embeddingRequest(context.quick),
      m_colorRequest(context.quick), m_countRequest(context.quick)
{
    auto* bar = new Bar(this);
    bar->addCaption(u"Show"_s);
    bar->addControl(m_show);
    bar->addCaption(u"Colour by"_s);
    bar->addControl(m_colorBy);
    bar->addStretch();
    m_fit = bar->addTool(u"focus-centered"_s, {}, u"Show all cells"_s);
    m_names = bar->addTool(u"letter-t"_s, {}, u"Write the labels into the map"_s, true);
    m_tableButton = bar->addTool(u"table"_s, {}, u"Show the cells table below the map"_s, true);
    m_tableButton->setChecked(true);

    m_canvas->addWidget(m_view);
    m_canvas->addWidget(m_empty);
    m_legends->addWidget(m_legend);
    m_legends->addWidget(m_bar);
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
            [this](int place) { colorBy(m_colorBy->itemData(place).toString()); });
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

bool EmbeddingTab::colorBy(const QString& name)
{
    const Element* obs = m_dataset ? m_dataset->obs() : nullptr;
    const Element* column = nullptr;
    if (!name.isEmpty()) {
        column = obs != nullptr ? obs->child(toStdString(name)) : nullptr;
        if (column == nullptr || !canColor(*column))
            return false;
    }
    m_colorColumn = column;
    m_fullRange = false;
    m_colorBy->setCurrentIndex(std::max(0, m_colorBy->findData(name)));
    if (column == nullptr) {
        m_colorRequest.cancel();
        m_color.reset();
        applyColor();
        Q_EMIT colorsChanged();
        return true;
    }
    readColorNow();
    return true;
}

EmbeddingState EmbeddingTab::state() const
{
    return {m_embedding == nullptr ? std::string() : m_embedding->path, colorColumn(), m_table->state()};
}

void EmbeddingTab::restore(const EmbeddingState& state)
{
    if (!m_dataset)
        return;
    for (const Element* embedding : m_embeddings)
        if (embedding->path == state.path && embedding != m_embedding)
            showEmbedding(*embedding);
    if (m_embedding != nullptr && !colorBy(state.colorBy))
        Q_EMIT statusMessage(u"The file has no column “%1” to colour by any more."_s.arg(state.colorBy));
    m_table->restore(state.table);
}

QString EmbeddingTab::colorColumn() const
{
    return m_colorColumn == nullptr ? QString() : toQString(m_colorColumn->name);
}

void EmbeddingTab::readColorNow()
{
    m_colorRequest.request<ColorData>(
        [dataset = m_dataset, column = m_colorColumn, reading = m_context.reading,
         others = Theme::current().outside](std::stop_token stop) {
            return readColor(dataset, *column, others, reading, stop);
        },
        [this](Result<ColorData> answer) {
            if (!answer) {
                m_color.reset();
                Q_EMIT statusMessage(errorText(answer.error()));
            } else {
                m_color = std::move(*answer);
            }
            applyColor();
            Q_EMIT colorsChanged();
        });
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

// In the background: a pass over the cells.
void EmbeddingTab::countShown()
{
    m_countRequest.cancel();
    if (!m_color || m_rows.isAll()) {
        m_shownCounts.reset();
        showLegend();
        return;
    }
    m_countRequest.request<ColorCounts>(
        [color = *m_color, rows = m_rows](std::stop_token) -> Result<ColorCounts> { return countColors(color, rows); },
        [this](Result<ColorCounts> counts) {
            if (!counts) {
                Q_EMIT statusMessage(errorText(counts.error()));
                return;
            }
            m_shownCounts = std::move(*counts);
            showLegend();
            announceFilled();
        });
}

void EmbeddingTab::applyColor()
{
    countShown();
    if (!m_data)
        return;
    if (!m_color) {
        m_view->setCategoryNames({});
        m_view->setColor(ScatterPlain{});
    } else if (m_color->categories) {
        QStringList names;
        for (const std::string& name : m_color->names)
            names.append(toQString(name));
        m_view->setCategoryNames(names.size() <= kMostCategoryColors ? names : QStringList());
        m_view->setColor(ScatterCategories{m_color->codes, m_color->colors});
    } else {
        const double low = m_fullRange ? m_color->lowest : m_color->low;
        const double high = m_fullRange ? m_color->highest : m_color->high;
        m_view->setCategoryNames({});
        m_view->setColor(ScatterValues{m_color->values, NumberMap::Viridis, static_cast<float>(low),
                                       static_cast<float>(high), false});
    }
    m_names->setEnabled(m_color && m_color->categories);
}

void EmbeddingTab::showLegend()
{
    m_legends->setVisible(m_color.has_value());
    if (!m_color || m_colorColumn == nullptr)
        return;
    const bool narrowed = m_shownCounts.has_value() && m_shownCounts->counts.size() == m_color->counts.size();
    const std::vector<Index>& counts = narrowed ? m_shownCounts->counts : m_color->counts;
    const Index missing = narrowed ? m_shownCounts->missing : m_color->missing;
    const std::optional<std::int64_t> outside
        = narrowed ? std::optional<std::int64_t>(m_rows.extent() - m_rows.size()) : std::nullopt;
    if (!m_color->categories) {
        ColorBarContent content;
        content.title = toQString(m_colorColumn->name);
        content.subtitle = u"obs · "_s + columnTypeText(*m_colorColumn);
        const double low = m_fullRange ? m_color->lowest : m_color->low;
        const double high = m_fullRange ? m_color->highest : m_color->high;
        content.low = numberText(low, 3);
        content.high = numberText(high, 3);
        content.clippedLow = low > m_color->lowest;
        content.clippedHigh = high < m_color->highest;
        content.fullRange = u"%1 to %2"_s.arg(numberText(m_color->lowest, 3), numberText(m_color->highest, 3));
        content.outside = outside;
        if (m_color->missing > 0)
            content.missing = missing;
        m_bar->setContent(std::move(content));
        m_legends->setCurrentWidget(m_bar);
        return;
    }
    LegendContent content;
    content.title = toQString(m_colorColumn->name);
    const Index categories = static_cast<Index>(m_color->colors.size());
    content.subtitle = countedText(categories, u"category"_s, u"categories"_s) + (narrowed ? u" · cells shown"_s : u" · all cells"_s);
    const bool crowded = categories > kMostCategoryColors;
    std::vector<Index> codes(static_cast<std::size_t>(categories));
    std::iota(codes.begin(), codes.end(), Index{0});
    if (crowded)
        std::stable_sort(codes.begin(), codes.end(),
                         [&](Index a, Index b) { return m_color->counts[at(a)] > m_color->counts[at(b)]; });
    for (const Index code : codes) {
        if (code >= static_cast<Index>(m_color->names.size()))
            break;
        content.entries.push_back({static_cast<std::uint32_t>(code), toQString(m_color->names[at(code)]),
                                   m_color->colors[at(code)], counts[at(code)]});
    }
    if (crowded && m_color->names.empty()) {
        content.othersCategories = categories;
        content.othersCount = std::accumulate(counts.begin(), counts.end(), Index{0});
    }
    content.outside = outside;
    if (m_color->missing > 0)
        content.missing = missing;
    m_legend->setContent(std::move(content));
    m_legends->setCurrentWidget(m_legend);
}

void EmbeddingTab::sayTrouble(const Error& error, const QString& what)
{
    m_empty->setContent({u"alert-circle"_s, what + u" cannot be read"_s, errorText(error), {}, {}, true});
    m_canvas->setCurrentWidget(m_empty);
    m_legends->hide();
    Q_EMIT filled();
}

void EmbeddingTab::showPoint(qint64 point)
{
    if (point < 0) {
        m_view->setToolTip({});
        return;
    }
    QString text = u"cell %1"_s.arg(countText(point));
    const auto place = static_cast<std::size_t>(point);
    if (m_color && m_color->categories && place < m_color->codes->size()) {
        const std::uint32_t code = (*m_color->codes)[place];
        text += u" · "_s + (code < m_color->names.size() ? toQString(m_color->names[code]) : u"missing"_s);
    } else if (m_color && !m_color->categories && place < m_color->values->size()
               && !std::isnan((*m_color->values)[place])) {
        text += u" · %1 %2"_s.arg(colorColumn(), numberText((*m_color->values)[place]));
    }
    if (m_inside && !m_inside->contains(point))
        text += u" · outside the filters"_s;
    m_view->setToolTip(text);
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
        || (m_data && !m_colorRequest.isBusy() && !m_countRequest.isBusy() && m_view->isFinished());
    const bool tableReady = m_table->isHidden() || m_table->source() == nullptr || m_table->source()->isFilled();
    return m_dataset && mapReady && tableReady;
}

void EmbeddingTab::announceFilled()
{
    if (isFilled())
        Q_EMIT filled();
}

const Element* EmbeddingTab::labelColumn() const
{
    return m_color && m_color->categories ? m_colorColumn : nullptr;
}

const std::vector<QColor>& EmbeddingTab::labelColors() const
{
    static const std::vector<QColor> none;
    return m_color && m_color->categories ? m_color->colors : none;
}

void EmbeddingTab::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_color)
        showLegend();
}

} // namespace cellfolio
