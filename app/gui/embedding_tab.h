// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/gui/view_state.h"
#include "widgets/bridge/latest.h"
#include "widgets/bridge/model_context.h"
#include "widgets/models/embedding_data.h"

#include <QtWidgets/QWidget>

#include <memory>
#include <optional>

class QSplitter;
class QStackedWidget;
class QToolButton;

namespace cellfolio {

class CategoryLegend;
class ChoiceBox;
class ColorBar;
class EmptyView;
class ScatterView;
class TableTab;

// All cells of an embedding, coloured by a column of obs, with the legend at the right and the
// cells table below. Coordinates and colours are read in the background; a newer choice wins.
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
    QString colorColumn() const;
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

protected:
    void changeEvent(QEvent* event) override;

private:
    void readEmbeddingNow();
    void readColorNow();
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
    Selection m_rows;
    std::shared_ptr<const IndexSet> m_inside; // the same; null: all cells
    std::optional<ColorCounts> m_shownCounts; // of m_rows; none: not yet known, or all cells
    bool m_fullRange = false;
    ChoiceBox* m_show = nullptr;
    ChoiceBox* m_colorBy = nullptr;
    QToolButton* m_fit = nullptr;
    QToolButton* m_names = nullptr;
    QToolButton* m_tableButton = nullptr;
    QStackedWidget* m_canvas = nullptr;
    ScatterView* m_view = nullptr;
    EmptyView* m_empty = nullptr;
    QStackedWidget* m_legends = nullptr;
    CategoryLegend* m_legend = nullptr;
    ColorBar* m_bar = nullptr;
    QSplitter* m_splitter = nullptr;
    TableTab* m_table = nullptr;
    Latest m_embeddingRequest;
    Latest m_colorRequest;
    Latest m_countRequest;
};

} // namespace cellfolio
