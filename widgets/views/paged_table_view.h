// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/views/long_scroll_area.h"
#include "widgets/views/range_set.h"
#include "widgets/views/table_source.h"

#include <QtCore/QPointer>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace cellfolio
{

class HeaderBoxes;
struct HeaderBox;
class ProfileHeader;
class TableCopy;

// A table over a TableSource with column profiles in its header. Scrolls in pixels with an offset
// of its own, 64 bits wide, so ten million rows and far more behave like ten; asks the source only
// for what is visible. Rows are selected, kept as ranges; one cell has the focus.
//
// Keys: arrows, Page Up/Down, Home/End (column), Ctrl+Home/End, Shift extends, Ctrl+A all rows,
// Ctrl+C copies, Ctrl+Shift+C with column names, Esc clears the selection.
class PagedTableView : public LongScrollArea
{
    Q_OBJECT
public:
    explicit PagedTableView(QWidget* parent = nullptr);
    ~PagedTableView() override;

    // Not owned; must live until another is set or the view is gone. May be null.
    // Where the source is reset and has as many rows as before (other columns are shown), the place
    // and the selection stay.
    void setSource(TableSource* source);
    TableSource* source() const { return m_source; }

    struct Cell {
        qint64 row = -1;
        int column = -1;
        bool operator==(const Cell&) const = default;
    };
    Cell currentCell() const { return m_current; }
    void setCurrentCell(Cell cell);

    const RangeSet& selectedRows() const { return m_selected; }
    void setSelectedRows(RangeSet rows);
    void selectAllRows();
    void clearSelection();

    // Scrolls so that the row stands in the middle (or as near as the ends let it), makes it
    // current and selects it. Rows outside are clamped.
    void goToRow(qint64 row);
    void scrollToCell(Cell cell);
    qint64 firstVisibleRow() const;
    qint64 lastVisibleRow() const; // -1 where there are none
    int rowHeight() const;

    // The mark in the header only; sorting is the source's business. column -1: none.
    void setSort(int column, SortMark mark);

    int columnWidth(int column) const;
    void setColumnWidth(int column, int width);
    // Columns, with their widths, that got one by setColumnWidth().
    std::vector<std::pair<int, int>> chosenWidths() const;
    // From names, captions and the cells in view. Done once by itself when a source is set and its
    // first rows have come; never after the user has set a width.
    void fitColumns();
    void fitColumn(int column);

    // A row of filter boxes below the heads; an empty function: none.
    void setHeaderBoxes(std::function<HeaderBox(int column)> describe);
    HeaderBoxes* headerBoxes() const { return m_boxes; } // null: none

    // Header row (file row numbers) before the first column; on by default.
    void setRowLabelsShown(bool shown);

    // Selected rows, or the current cell when none is selected, as tab-separated text. Rows that
    // are not in memory are fetched first: copied() says when it is in the clipboard. Nothing when
    // more than kCopyLimit cells are asked for: copyRefused() says so.
    void copy(CopyHeaders headers) override;
    static constexpr qint64 kCopyLimit = 2'000'000;
    static constexpr int kTextLimit = 5'000; // letters of one cell that are drawn or copied

    QRect cellRect(Cell cell) const;       // in viewport coordinates; may lie outside of it
    Cell cellAt(QPoint viewportPos) const; // {-1, -1} where there is none

    QSize sizeHint() const override;

Q_SIGNALS:
    void currentCellChanged(qint64 row, int column);
    void selectionChanged();
    void cellActivated(qint64 row, int column); // Enter or double click
    void sortRequested(int column);             // click on a column's name
    void contextMenuRequested(qint64 row, int column, const QPoint& globalPos);
    void headerMenuRequested(int column, const QPoint& globalPos);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void timerEvent(QTimerEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    int rowStep() const override { return rowHeight(); }
    int columnStep() const override { return 40; }
    bool ownsKey(const QKeyEvent& key) const override;
    void moved() override;
    QString toolTipAt(QPoint viewportPos) const override;

private:
    friend class HeaderBoxes;
    friend class ProfileHeader;
    enum class Extend { No, Yes, Toggle };
    enum class Width { Guessed, Fitted, ByUser }; // guessed: cells in view were still pending

    void sourceReset();
    void updateHeader();
    void placeHeader();
    void sourceChanged(qint64 first, qint64 last);
    void profilesChanged(int first, int last);
    void layoutColumns(int from);
    void updateScrollBars();
    void announceWindow(); // also fits columns that are seen for the first time
    void fitSeenColumns();
    int fittedWidth(int column, bool& pending) const;
    void moveTo(Cell cell, Extend extend);
    void selectTo(qint64 row, Extend extend);
    void dragTo(QPoint pos);
    void paintCells(QPainter& painter);
    void paintRowLabels(QPainter& painter);
    void paintCell(QPainter& painter, const QRect& where, const TableCell& cell) const;
    int labelWidth() const { return m_labelWidth; }
    void updateLabelWidth();
    int columnAtX(int viewportX) const;
    qint64 pageRows() const;
    void setHover(qint64 row);
    bool hasCells() const;

    TableSource* m_source = nullptr;
    ProfileHeader* m_header = nullptr;
    HeaderBoxes* m_boxes = nullptr;
    QPointer<TableCopy> m_copy;
    std::vector<int> m_widths;
    std::vector<qint64> m_lefts{0}; // content x of each column, and of the end
    std::vector<Width> m_widthKinds;
    Cell m_current;
    qint64 m_anchor = -1;
    qint64 m_rowsBefore = -1; // of the source when it was reset last; -1: it is a new one
    RangeSet m_selected;
    RangeSet m_selectedBefore; // what a drag or Shift adds to
    qint64 m_hoverRow = -1;
    int m_sortColumn = -1;
    SortMark m_sortMark = SortMark::None;
    bool m_rowLabels = true;
    bool m_dragging = false;
    int m_labelWidth = 0;
    int m_autoScrollTimer = 0;
    QPoint m_dragPos;
    struct Window {
        qint64 firstRow = -1, lastRow = -1;
        int firstColumn = -1, lastColumn = -1;
        bool operator==(const Window&) const = default;
    } m_window;
};

} // namespace cellfolio
