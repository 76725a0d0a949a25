// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/gui/view_state.h"
#include "core/anndata/dataset_view.h"
#include "core/matrix/holds.h"
#include "widgets/bridge/latest.h"
#include "widgets/bridge/model_context.h"
#include "widgets/models/matrix_source.h"

#include <QtWidgets/QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

class QLabel;
class QToolButton;
class QStackedWidget;

namespace cellfolio {

class Banner;
class ChoiceBox;
class EmptyView;
class MatrixGrid;
class NameField;
class RampKey;

// X, raw, a layer or a graph as a grid of numbers and shades.
class MatrixTab : public QWidget
{
    Q_OBJECT
public:
    explicit MatrixTab(ModelContext context, QWidget* parent = nullptr);
    ~MatrixTab() override;

    void setDataset(std::shared_ptr<const Dataset> dataset);
    void clear();
    // Adds the element to the choice if it is not there. False where it cannot be shown.
    bool showMatrix(const Element& matrix);
    const Element* matrix() const { return m_source ? &m_source->matrix() : nullptr; }
    MatrixSource* source() const { return m_source.get(); }
    MatrixGrid* grid() const { return m_grid; }
    bool isFilled() const;

    // The cells and genes to show, of every matrix that has them; others stay whole.
    void setView(const DatasetView& view);
    // Columns with gene symbols, of var and of raw/var; may be null.
    void setSymbols(const Element* var, const Element* rawVar);
    void setGroups(const Element* column, const std::vector<QColor>& colors);
    // What the numbers are, in words: "log1p of counts per 10 000".
    void setHolds(std::function<const HoldsResult*(const Element&)> holds);
    void updateHolds();

    void goToGene(Index column);
    void goToCell(Index fileRow);
    void askForRow();
    void copy(bool withNames);
    // "cell · gene · exact value" of what is picked.
    QString pickedText() const;
    void focusFind(); // Ctrl+F
    // Matrix, order and place, and the same again in another version of the file.
    MatrixState state() const;
    void restore(const MatrixState& state);

Q_SIGNALS:
    void filled();
    void matrixShown(const cellfolio::Element* matrix);
    void valuePicked(const QString& cell, const QString& gene, const QString& value);
    void statusMessage(const QString& sentence);

private:
    void fillChoices();
    void makeSource(const Element& matrix);
    void applyOrder();
    void applyView();
    Selection shownOf(const Element* table, Index extent) const;
    void updateKey();
    void sayPicked();
    void showPlaceAgain();

    ModelContext m_context;
    std::shared_ptr<const Dataset> m_dataset;
    DatasetView m_view;
    std::vector<const Element*> m_matrices;
    const Element* m_symbols = nullptr;
    const Element* m_rawSymbols = nullptr;
    const Element* m_groups = nullptr;
    std::vector<QColor> m_groupColors;
    std::function<const HoldsResult*(const Element&)> m_holds;
    ChoiceBox* m_choice = nullptr;
    ChoiceBox* m_order = nullptr;
    NameField* m_find = nullptr;
    QLabel* m_kind = nullptr;
    RampKey* m_key = nullptr;
    QToolButton* m_numbers = nullptr;
    QToolButton* m_shades = nullptr;
    QStackedWidget* m_stack = nullptr;
    Banner* m_banner = nullptr;
    MatrixGrid* m_grid = nullptr;
    EmptyView* m_empty = nullptr;
    std::unique_ptr<MatrixSource> m_source;
    std::optional<MatrixState> m_restoring; // waits for the order of the rows
    Latest m_orderRequest;
    Latest m_rowRequest;
    Latest m_columnRequest;
};

} // namespace cellfolio
