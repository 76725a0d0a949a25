// SPDX-License-Identifier: GPL-3.0-or-later
// What colours the map, and the legend that says so.
#include "app/gui/choice_box.h"
#include "app/gui/embedding_tab.h"
#include "app/gui/table_tab.h"
#include "core/anndata/column_reader.h"
#include "core/base/text.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/category_colors.h"
#include "widgets/models/element_text.h"
#include "widgets/models/gene_color.h"
#include "widgets/style/palettes.h"
#include "widgets/style/theme.h"
#include "widgets/views/category_legend.h"
#include "widgets/views/color_bar.h"
#include "widgets/views/gene_threshold.h"
#include "widgets/views/scatter_view.h"

#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QToolButton>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kRecentGenes = 8;

// Whether zeros have a tint of their own: not among negative values, where 0 is one like others.
bool zerosApart(const ColorData& color)
{
    return color.zeros && color.lowest >= 0;
}

} // namespace

void EmbeddingTab::setGenes(GeneQueue& genes, UnitOf unitOf)
{
    m_genes = &genes;
    m_unitOf = std::move(unitOf);
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
    choose(column, std::nullopt);
    m_colorBy->setCurrentIndex(std::max(0, m_colorBy->findData(name)));
    if (column == nullptr) {
        m_color.reset();
        m_coloredBy = {};
        applyColor();
        Q_EMIT colorsChanged();
        return true;
    }
    readColorNow();
    return true;
}

// From now on this is wanted, and nothing else that is under way.
void EmbeddingTab::choose(const Element* column, const std::optional<GeneRef>& gene)
{
    m_colorRequest.cancel();
    m_geneRequest.cancel();
    m_thresholdRequest.cancel();
    if (m_genes != nullptr)
        m_genes->release(std::exchange(m_geneTicket, 0));
    m_colorColumn = column;
    m_gene = gene;
    m_geneName.clear();
    m_fullRange = false;
    m_geneMatrix->setVisible(gene.has_value() && m_geneMatrix->count() > 1);
}

bool EmbeddingTab::colorByGene(const GeneRef& gene)
{
    if (!m_dataset || m_genes == nullptr || gene.matrix == nullptr)
        return false;
    const std::vector<const Element*> matrices = geneMatrices(*m_dataset);
    const auto place = std::find(matrices.begin(), matrices.end(), gene.matrix);
    if (place == matrices.end() || gene.gene < 0 || gene.gene >= (*gene.matrix->shape)[1])
        return false;
    if (m_gene && m_gene->isSame(gene) && m_geneTicket != 0)
        return true; // on its way
    if (m_geneTicket == 0)
        m_before = {m_colorColumn, m_gene};
    updateUnits();
    choose(nullptr, gene);
    m_geneMatrix->setCurrentIndex(static_cast<int>(place - matrices.begin()));
    // Those shown lately stand at the top of the list of colours.
    std::erase_if(m_recentGenes, [&](const GeneRef& other) { return other.isSame(gene); });
    m_recentGenes.insert(m_recentGenes.begin(), gene);
    m_recentGenes.resize(std::min(m_recentGenes.size(), kRecentGenes));
    for (int i = m_colorBy->count() - 1; i >= 0; --i)
        if (m_colorBy->itemData(i).typeId() == QMetaType::Int)
            m_colorBy->removeItem(i);
    for (std::size_t i = 0; i < m_recentGenes.size(); ++i)
        m_colorBy->insertChoice(1 + static_cast<int>(i), u"helix"_s,
                                m_recentGenes[i].name + u" · "_s + matrixName(*m_recentGenes[i].matrix),
                                static_cast<int>(i));
    m_colorBy->setCurrentIndex(1);
    m_geneTicket = m_genes->want(gene, [this](Result<GeneValues> answer) { takeGene(std::move(answer)); });
    return true;
}

void EmbeddingTab::takeGene(Result<GeneValues> answer)
{
    if (!answer) {
        m_geneTicket = 0;
        if (answer.error().code() != ErrorCode::Cancelled)
            Q_EMIT statusMessage(errorText(answer.error()));
        goBack();
        return;
    }
    m_color = geneColor(*answer);
    m_coloredBy = {nullptr, m_gene};
    if (!answer->complete) {
        applyColor();
        return;
    }
    m_geneTicket = 0;
    if (answer->damaged > 0)
        Q_EMIT statusMessage(u"%1 could not be read: %2"_s.arg(
            countedText(answer->damaged, u"cell"_s, u"cells"_s), answer->damage));
    afterGene();
    applyColor();
    Q_EMIT colorsChanged();
}

// A gene that was given up or cannot be read leaves what was there before.
void EmbeddingTab::goBack()
{
    const ColoredBy before = std::exchange(m_before, {});
    m_gene.reset();
    if (before.gene && colorByGene(*before.gene))
        return;
    if (!colorBy(before.column != nullptr ? toQString(before.column->name) : QString()))
        colorBy({});
}

// The name by which expressions find it, for the threshold.
void EmbeddingTab::afterGene()
{
    const Element* var = genesOf(*m_dataset, *m_gene->matrix);
    m_geneRequest.request<std::string>(
        [dataset = m_dataset, var, gene = *m_gene, reading = m_context.reading](std::stop_token stop) {
            return nameOfGene(dataset, *var, gene.gene, toStdString(gene.name), reading, stop);
        },
        [this](Result<std::string> name) {
            if (name)
                m_geneName = *std::move(name);
            showThreshold();
            announceFilled();
        });
}

// A gene by the name of its row and the name people have for it, among the genes of another matrix.
void EmbeddingTab::findAgain(const GeneRef& gene, const Element& var, Found found)
{
    const Element* from = genesOf(*m_dataset, *gene.matrix);
    m_geneRequest.request<std::vector<GeneAnswer>>(
        [dataset = m_dataset, from, to = &var, gene,
         reading = m_context.reading](std::stop_token stop) -> Result<std::vector<GeneAnswer>> {
            auto names = readNames(dataset, *from, Selection::indices(from->rows, {gene.gene}), reading, stop);
            if (!names)
                return std::move(names).error();
            names->push_back(toStdString(gene.name));
            return findGenes(dataset, *to, *names, reading, stop);
        },
        std::move(found));
}

void EmbeddingTab::showGeneOf(const Element& matrix)
{
    if (!m_gene)
        return;
    const Element* to = genesOf(*m_dataset, matrix);
    if (genesOf(*m_dataset, *m_gene->matrix) == to) {
        colorByGene({&matrix, m_gene->gene, m_gene->name});
        return;
    }
    findAgain(*m_gene, *to, [this, name = m_gene->name, to, matrix = &matrix](Result<std::vector<GeneAnswer>> answers) {
        QString trouble = answers ? u"%1 is not among the %2 genes of %3."_s.arg(name, countText(to->rows), matrixName(*matrix))
                                  : errorText(answers.error());
        for (std::size_t k = 0; answers && k < answers->size(); ++k) {
            const GeneAnswer& answer = (*answers)[k];
            if (answer.count == 1 && colorByGene({matrix, answer.rows.front(), name}))
                return;
            if (answer.count > 1)
                trouble = u"%1 is the name of %2 genes of %3: choose one in the gene box."_s.arg(
                    name, countText(answer.count), matrixName(*matrix));
        }
        updateUnits(); // the list shows the matrix that is shown
        Q_EMIT statusMessage(trouble);
    });
}

void EmbeddingTab::colorByGeneOf(const GeneRef& gene, const Element& matrix)
{
    const Element* to = genesOf(*m_dataset, matrix);
    if (genesOf(*m_dataset, *gene.matrix) == to) {
        colorByGene({&matrix, gene.gene, gene.name});
        return;
    }
    findAgain(gene, *to, [this, gene, matrix = &matrix](Result<std::vector<GeneAnswer>> answers) {
        for (std::size_t k = 0; answers && k < answers->size(); ++k)
            if ((*answers)[k].count == 1 && colorByGene({matrix, (*answers)[k].rows.front(), gene.name}))
                return;
        colorByGene(gene);
    });
}

void EmbeddingTab::restoreGene(const EmbeddingState& state)
{
    const auto matrix = m_dataset->find(state.geneMatrix);
    const Element* var = matrix ? genesOf(*m_dataset, **matrix) : nullptr;
    const QString name = toQString(state.gene);
    if (var == nullptr) {
        Q_EMIT statusMessage(u"The file has no %1 to colour by %2 any more."_s.arg(toQString(state.geneMatrix), name));
        return;
    }
    m_geneRequest.request<std::vector<GeneAnswer>>(
        [dataset = m_dataset, var, gene = state.gene, reading = m_context.reading](std::stop_token stop) {
            return findGenes(dataset, *var, {gene}, reading, stop);
        },
        [this, name, matrix = *matrix](Result<std::vector<GeneAnswer>> answers) {
            if (!answers || answers->front().count != 1
                || !colorByGene({matrix, answers->front().rows.front(), name}))
                Q_EMIT statusMessage(u"The file has no gene “%1” to colour by any more."_s.arg(name));
        });
}

void EmbeddingTab::updateUnits()
{
    if (!m_dataset)
        return;
    m_geneMatrix->clear();
    const std::vector<const Element*> matrices = geneMatrices(*m_dataset);
    for (const Element* matrix : matrices) {
        const QString unit = m_unitOf ? m_unitOf(*matrix) : QString();
        m_geneMatrix->addChoice(iconOf(*matrix), unit.isEmpty() ? matrixName(*matrix)
                                                                : matrixName(*matrix) + u" · "_s + unit);
        if (m_gene && m_gene->matrix == matrix)
            m_geneMatrix->setCurrentIndex(m_geneMatrix->count() - 1);
    }
    m_geneMatrix->setVisible(m_gene.has_value() && m_geneMatrix->count() > 1);
    if (m_coloredBy.gene)
        showLegend();
}

// Below the legend, once all of the gene is there.
void EmbeddingTab::showThreshold()
{
    const bool there = m_gene && m_coloredBy.gene && m_gene->isSame(*m_coloredBy.gene) && m_geneTicket == 0;
    m_threshold->setVisible(there);
    if (!there)
        return;
    const Element& matrix = *m_gene->matrix;
    m_threshold->setGene(m_gene->name, matrixName(matrix), m_unitOf ? m_unitOf(matrix) : QString());
    const QString expression = geneExpression(*m_dataset, matrix, toQString(m_geneName));
    m_threshold->setRefusal(!expression.isEmpty() ? QString()
                            : m_geneRequest.isBusy() ? u"Its name is being looked for."_s
                                                     : u"Several genes have this name and each of its ids, so no filter can name it."_s);
    countThreshold();
}

// In the background: a pass over the cells shown.
void EmbeddingTab::countThreshold()
{
    const std::optional<double> value = m_threshold->value();
    if (!value || !m_color || !m_color->values || m_threshold->isHidden()) {
        m_thresholdRequest.cancel();
        return;
    }
    const QString comparison = m_threshold->comparison();
    const bool orEqual = comparison.endsWith(u'=');
    const bool above = comparison.startsWith(u'>');
    m_thresholdRequest.request<Index>(
        [values = m_color->values, rows = m_rows, limit = static_cast<float>(*value), orEqual,
         above](std::stop_token) -> Result<Index> {
            Index kept = 0;
            rows.forEach([&](Index row) {
                const float v = (*values)[at(row)];
                kept += (above ? v > limit : v < limit) || (orEqual && v == limit) ? 1 : 0;
            });
            return kept;
        },
        [this](Result<Index> kept) {
            if (kept)
                m_threshold->setCount(*kept, m_rows.size());
            announceFilled();
        });
}

void EmbeddingTab::filterByThreshold()
{
    const std::optional<double> value = m_threshold->value();
    if (!m_gene || !value || m_geneName.empty())
        return;
    const QString what = geneExpression(*m_dataset, *m_gene->matrix, toQString(m_geneName));
    Q_EMIT geneFilterRequested(what + u' ' + m_threshold->comparison() + u' ' + toQString(exactText(*value)),
                               m_threshold->sentence());
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
                m_coloredBy = {};
                Q_EMIT statusMessage(errorText(answer.error()));
            } else {
                m_color = std::move(*answer);
                m_coloredBy = {m_colorColumn, std::nullopt};
            }
            applyColor();
            Q_EMIT colorsChanged();
        });
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
                                       static_cast<float>(high), m_color->zeros && m_color->lowest < 0,
                                       zerosApart(*m_color)});
    }
    m_names->setEnabled(m_color && m_color->categories);
}

void EmbeddingTab::showLegend()
{
    m_legends->setVisible(m_color.has_value());
    if (!m_color || (m_coloredBy.column == nullptr && !m_coloredBy.gene))
        return;
    const bool narrowed = m_shownCounts.has_value() && m_shownCounts->counts.size() == m_color->counts.size();
    const std::vector<Index>& counts = narrowed ? m_shownCounts->counts : m_color->counts;
    const Index missing = narrowed ? m_shownCounts->missing : m_color->missing;
    const std::optional<std::int64_t> outside
        = narrowed ? std::optional<std::int64_t>(m_rows.extent() - m_rows.size()) : std::nullopt;
    if (!m_color->categories) {
        showNumbers(*m_color, outside);
        return;
    }
    LegendContent content;
    content.title = toQString(m_coloredBy.column->name);
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

void EmbeddingTab::showNumbers(const ColorData& color, std::optional<Index> outside)
{
    ColorBarContent content;
    if (m_coloredBy.gene) {
        content.title = m_coloredBy.gene->name;
        const Element& matrix = *m_coloredBy.gene->matrix;
        const QString unit = m_unitOf ? m_unitOf(matrix) : QString();
        content.subtitle = unit.isEmpty() ? matrixName(matrix) : matrixName(matrix) + u" · "_s + unit;
    } else {
        content.title = toQString(m_coloredBy.column->name);
        content.subtitle = u"obs · "_s + columnTypeText(*m_coloredBy.column);
    }
    const double low = m_fullRange ? color.lowest : color.low;
    const double high = m_fullRange ? color.highest : color.high;
    content.low = numberText(low, 3);
    content.high = numberText(high, 3);
    content.clippedLow = low > color.lowest;
    content.clippedHigh = high < color.highest;
    content.fullRange = u"%1 to %2"_s.arg(numberText(color.lowest, 3), numberText(color.highest, 3));
    content.outside = outside;
    const bool narrowed = outside && m_shownCounts;
    if (zerosApart(color))
        content.zeros = narrowed ? m_shownCounts->zeros : *color.zeros;
    if (color.unread > 0)
        content.unread = color.unread;
    if (color.missing > 0)
        content.missing = narrowed ? m_shownCounts->missing : color.missing;
    m_bar->setContent(std::move(content));
    m_legends->setCurrentWidget(m_numbers);
    showThreshold();
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
        text += u" · %1 %2"_s.arg(m_coloredBy.gene ? m_coloredBy.gene->name : colorColumn(),
                                  numberText((*m_color->values)[place]));
    }
    if (m_inside && !m_inside->contains(point))
        text += u" · outside the filters"_s;
    m_view->setToolTip(text);
}

const Element* EmbeddingTab::labelColumn() const
{
    return m_color && m_color->categories ? m_coloredBy.column : nullptr;
}

const std::vector<QColor>& EmbeddingTab::labelColors() const
{
    static const std::vector<QColor> none;
    return m_color && m_color->categories ? m_color->colors : none;
}

} // namespace cellfolio
