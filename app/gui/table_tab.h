// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/gui/view_state.h"
#include "widgets/bridge/latest.h"
#include "widgets/bridge/model_context.h"
#include "widgets/models/frame_source.h"

#include <QtWidgets/QWidget>

#include <memory>

class QLabel;
class QToolButton;

namespace cellfolio {

class Banner;
class Bar;
class NameField;
class PagedTableView;

// Cells, Genes or another table of the file: bar with count, columns, search; the table below. The
// compact form, beside an embedding, has a bar as well but less in it.
class TableTab : public QWidget
{
    Q_OBJECT
public:
    enum class Form { Whole, Compact };

    TableTab(ModelContext context, Form form, QWidget* parent = nullptr);
    ~TableTab() override;

    // `one`, `many`: nouns of the rows ("cell", "cells").
    void setTable(std::shared_ptr<const Dataset> dataset, const Element& table, const QString& one,
                  const QString& many);
    void clear();
    // The rows of the view, ascending; the table shows no others.
    void setRows(const Selection& rows);
    // Gene symbols: shown first and searched as well.
    void setSymbols(const Element* column);

    FrameSource* source() const { return m_source.get(); }
    PagedTableView* view() const { return m_view; }
    NameField* nameField() const { return m_find; }
    // A button in the bar, after the columns; for what is added to the table from outside.
    QToolButton* addTool(const QString& iconName, const QString& toolTip);

    void goToFileRow(Index row);
    void goToColumn(const Element& column);
    void askForRow();      // Ctrl+L
    void focusFind();      // Ctrl+F
    void chooseColumns();
    void copy(bool withHeaders);
    void sortBy(int column);
    // What was made of the table, and the same again in another version of it: columns by name, the
    // order, rows by name where they have moved.
    TableState state() const;
    void restore(const TableState& state);
    // "3 rows selected", or nothing.
    QString selectionText() const;

Q_SIGNALS:
    void filled();
    void columnPicked(const cellfolio::Element* column);
    void rowPicked(qint64 fileRow);
    void selectionChanged();
    void statusMessage(const QString& sentence);
    // The view is to have these rows of the file only, or all but these.
    void onlyRowsRequested(const cellfolio::Selection& rows, const QString& label);

private:
    void keepSelection();
    void ordered();
    void showPlaceAgain(const TableState& state);
    void goToMovedRow(const TableState& state, std::optional<Index> now);
    void showSortState();
    void sayTrouble(const Error& error);
    void headerMenu(int column, const QPoint& where);
    void updateCount();
    void updateFind();
    void chooseSelected(bool only);
    void rowMenu(qint64 row, int column, const QPoint& where);

    ModelContext m_context;
    Form m_form;
    std::shared_ptr<const Dataset> m_dataset;
    QString m_one;
    QString m_many;
    Bar* m_bar = nullptr;
    QLabel* m_count = nullptr;
    QLabel* m_noun = nullptr;
    QLabel* m_sorting = nullptr;
    QToolButton* m_stopSorting = nullptr;
    QToolButton* m_columns = nullptr;
    NameField* m_find = nullptr;
    Banner* m_banner = nullptr;
    PagedTableView* m_view = nullptr;
    const Element* m_symbols = nullptr;
    std::unique_ptr<FrameSource> m_source;
    std::optional<RangeSet> m_kept;        // selected rows of the file while the order changes
    std::optional<TableState> m_restoring; // waits for its order
    bool m_columnsChosen = false;          // by the user, before: symbols do not move them
    Latest m_rowRequest;
};

} // namespace cellfolio
