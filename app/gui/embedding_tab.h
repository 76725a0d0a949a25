// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/gui/view_state.h"
#include "core/query/gene_lookup.h"
#include "widgets/bridge/latest.h"
#include "widgets/bridge/model_context.h"
#include "widgets/models/embedding_data.h"
#include "widgets/models/gene_queue.h"

#include <QtWidgets/QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class QSplitter;
class QStackedWidget;
class QToolButton;

namespace cellfolio {

class CategoryLegend;
class ChoiceBox;
class ColorBar;
class EmptyView;
class GeneThreshold;
class ScatterView;
class TableTab;

// All cells of an embedding, coloured by a column of obs or by a gene, with the legend at the right
// and the cells table below. Coordinates and colours are read in the background; a newer choice
// wins. A gene that takes a pass over the matrix is painted as it comes.
class EmbeddingTab : public QWidget
{
    Q_OBJECT
public:
    explicit EmbeddingTab(ModelContext context, QWidget* parent = nullptr);
    ~EmbeddingTab() override;

    void setDataset(std::shared_ptr<const Dataset> dataset);
    void clear();
    bool hasEmbedding() const { return !m_embeddings.empty(); }

    // The cells of the view: the others are drawn thin and pale; legend and table count these.
    void setRows(const Selection& rows);
    // False where it cannot be drawn.
    bool showEmbedding(const Element& embedding);
    // False where there is no such column, or it cannot colour.
    bool colorBy(const QString& column);
    QString colorColumn() const; // empty: none, or a gene
    // Where genes come from, and what a matrix holds ("whole counts", empty: not known); before the
    // first file.
    using UnitOf = std::function<QString(const Element& matrix)>;
    void setGenes(GeneQueue& genes, UnitOf unitOf);
    // False where the matrix is none of this file's cells × genes.
    bool colorByGene(const GeneRef& gene);
    const std::optional<GeneRef>& gene() const { return m_gene; }
    // The same gene of another matrix; said where that does not have it.
    void showGeneOf(const Element& matrix);
    // The gene of another matrix where that has it, else of its own.
    void colorByGeneOf(const GeneRef& gene, const Element& matrix);
    // What the matrices hold has become known.
    void updateUnits();
    const std::optional<ColorData>& colors() const { return m_color; } // as far as they have come
    GeneThreshold* threshold() const { return m_threshold; }
    ColorBar* colorBar() const { return m_bar; }
    // Map, colour and the table below, and the same again in another version of the file.
    EmbeddingState state() const;
    void restore(const EmbeddingState& state);

    const Element* embedding() const { return m_embedding; } // null: none
    ScatterView* view() const { return m_view; }
    TableTab* table() const { return m_table; }
    void setTableShown(bool shown);
    bool isTableShown() const;
    // Coordinates and colours have come and are drawn.
    bool isFilled() const;
    // Colours of the column shown now; for the matrix's strip. Null: not by categories.
    const Element* labelColumn() const;
    const std::vector<QColor>& labelColors() const;

Q_SIGNALS:
    void filled();
    void elementShown(const cellfolio::Element* embedding);
    void colorsChanged();
    void statusMessage(const QString& sentence);
    // Only cells with these values of a gene, please: an expression, and what people call it.
    void geneFilterRequested(const QString& expression, const QString& label);

protected:
    void changeEvent(QEvent* event) override;

private:
    void readEmbeddingNow();
    void readColorNow();
    void choose(const Element* column, const std::optional<GeneRef>& gene);
    void takeGene(Result<GeneValues> answer);
    void afterGene();
    void goBack();
    using Found = std::function<void(Result<std::vector<GeneAnswer>>)>;
    void findAgain(const GeneRef& gene, const Element& var, Found found);
    void restoreGene(const EmbeddingState& state);
    void showThreshold();
    void countThreshold();
    void filterByThreshold();
    void showNumbers(const ColorData& color, std::optional<Index> outside);
    void applyColor();
    void sayNothingHere();
    void sayTrouble(const Error& error, const QString& what);
    void showLegend();
    void countShown();
    void announceFilled();
    void showPoint(qint64 point);

    ModelContext m_context;
    std::shared_ptr<const Dataset> m_dataset;
    std::vector<const Element*> m_embeddings;
    const Element* m_embedding = nullptr;
    const Element* m_colorColumn = nullptr;
    std::optional<EmbeddingData> m_data;
    std::optional<ColorData> m_color;
    // What m_color shows; lags behind the choice while that is read.
    struct ColoredBy {
        const Element* column = nullptr;
        std::optional<GeneRef> gene;
    };
    ColoredBy m_coloredBy;
    ColoredBy m_before; // the choice before a gene that is being read
    GeneQueue* m_genes = nullptr;
    UnitOf m_unitOf;
    std::optional<GeneRef> m_gene;
    int m_geneTicket = 0; // 0: nothing is being read
    std::string m_geneName; // by which expressions find it; empty: not known, or shared
    std::vector<GeneRef> m_recentGenes;
    Selection m_rows;
    std::shared_ptr<const IndexSet> m_inside; // the same; null: all cells
    std::optional<ColorCounts> m_shownCounts; // of m_rows; none: not yet known, or all cells
    bool m_fullRange = false;
    ChoiceBox* m_show = nullptr;
    ChoiceBox* m_colorBy = nullptr;
    ChoiceBox* m_geneMatrix = nullptr;
    QToolButton* m_fit = nullptr;
    QToolButton* m_names = nullptr;
    QToolButton* m_tableButton = nullptr;
    QStackedWidget* m_canvas = nullptr;
    ScatterView* m_view = nullptr;
    EmptyView* m_empty = nullptr;
    QStackedWidget* m_legends = nullptr;
    CategoryLegend* m_legend = nullptr;
    QWidget* m_numbers = nullptr; // the legend of numbers: m_bar and m_threshold
    ColorBar* m_bar = nullptr;
    GeneThreshold* m_threshold = nullptr;
    QSplitter* m_splitter = nullptr;
    TableTab* m_table = nullptr;
    Latest m_embeddingRequest;
    Latest m_colorRequest;
    Latest m_countRequest;
    Latest m_geneRequest; // names
    Latest m_thresholdRequest;
};

} // namespace cellfolio
