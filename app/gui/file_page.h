// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/gui/view_state.h"
#include "core/anndata/dataset.h"
#include "widgets/bridge/model_context.h"

#include <QtWidgets/QWidget>

#include <optional>

class QTabWidget;

namespace cellfolio {

class Banner;
class ColumnBoxes;
class ElidedLabel;
class EmbeddingTab;
class FilterBar;
class FindingsTab;
class MatrixTab;
class OfferBar;
class Session;
class TableTab;
class ValueTab;
struct Element;

// The middle of the window while a file is open: what it is in one line, what limits it, and the
// tabs Cells, Genes, Matrix, Embedding, Findings, and Value once one was asked for.
class FilePage : public QWidget
{
    Q_OBJECT
public:
    FilePage(Session& session, QWidget* parent = nullptr);
    ~FilePage() override;

    enum class Tab { Cells, Genes, Matrix, Embedding, Findings, Value };
    void showTab(Tab tab);
    // "cells", "genes" …, for settings and the command line; none for other names.
    static QString nameOf(Tab tab);
    static std::optional<Tab> tabNamed(const QString& name);
    Tab currentTab() const;
    QWidget* currentWidget() const;
    // The table in front: Cells, Genes, the one below the map; null in other tabs.
    TableTab* currentTable() const;

    TableTab* cells() const { return m_cells; }
    TableTab* genes() const { return m_genes; }
    MatrixTab* matrix() const { return m_matrix; }
    OfferBar* offerBar() const { return m_offer; }
    EmbeddingTab* embedding() const { return m_embedding; }
    FindingsTab* findings() const { return m_findings; }
    ValueTab* value() const { return m_value; }
    FilterBar* filterBar() const { return m_filter; }
    ColumnBoxes* cellBoxes() const { return m_cellBoxes; }
    ColumnBoxes* geneBoxes() const { return m_geneBoxes; }
    QString summary() const;

    // The session's file has been opened: fill everything. Again: it is another version of the file
    // that was shown; what was made of its views stays as far as it can.
    enum class Shown { First, Again };
    void showDataset(Shown shown = Shown::First);
    PageState state() const;
    // Goes where the element is shown: its tab, its column, or Value.
    void showElement(const Element& element);
    void goToGene(Index row, bool ofRaw);
    // Where the view in front shows genes one by one, goes there; else colours the map by it. From
    // X, or the matrix that the map shows genes of; what X does not have, from raw.
    void showGene(Index row, bool ofRaw, const QString& name);
    // Whether what is in front has come, so that a picture of it is worth taking.
    bool isFilled() const;
    void sayChangedOnDisk(const QString& sentence);
    void sayBeingWritten(const QString& sentence);
    QString selectionText() const;

Q_SIGNALS:
    void filled();
    void elementPicked(const cellfolio::Element* element); // by looking at it
    void valuePicked(const QString& cell, const QString& gene, const QString& value);
    void reloadRequested();
    void selectionChanged();
    void statusMessage(const QString& sentence);
    void axisChanged(cellfolio::Axis axis); // of the tab in front
    void settingsRequested(); // of prepared genes
    void helpRequested(const QString& page);

private:
    void restore(const PageState& state);
    void updateSummary();
    void showFacts();
    void pickWhatIsInFront();
    void applyView(Axis axis);
    Axis axisInFront() const;
    int indexOf(Tab tab) const;

    Session& m_session;
    Banner* m_changed = nullptr;
    Banner* m_limits = nullptr;
    OfferBar* m_offer = nullptr;
    ElidedLabel* m_summary = nullptr;
    FilterBar* m_filter = nullptr;
    ColumnBoxes* m_cellBoxes = nullptr;
    ColumnBoxes* m_geneBoxes = nullptr;
    QTabWidget* m_tabs = nullptr;
    TableTab* m_cells = nullptr;
    TableTab* m_genes = nullptr;
    MatrixTab* m_matrix = nullptr;
    EmbeddingTab* m_embedding = nullptr;
    FindingsTab* m_findings = nullptr;
    ValueTab* m_value = nullptr;
    std::shared_ptr<const Dataset> m_dataset; // what the tabs show
    bool m_chosen = false; // the user has chosen a tab
    bool m_filling = false; // from one file to the next
};

} // namespace cellfolio
