// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/column_reader.h"
#include "core/select/selection.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/bridge/latest.h"
#include "widgets/bridge/model_context.h"
#include "widgets/bridge/page_fetcher.h"
#include "widgets/models/column_profiles.h"
#include "widgets/models/column_sort.h"
#include "widgets/views/range_set.h"
#include "widgets/views/table_source.h"

#include <QtGui/QColor>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace cellfolio {

// A piece of one column: the values of a block of rows, or why there are none.
struct ColumnPiece {
    ColumnValues values;
    std::vector<std::string> names; // of rows, for column 0
    std::optional<Error> problem;
    Index bytes() const;
};

// A table of the file (obs, var, raw/var, a table in obsm) for a PagedTableView. Reads only the
// rows and columns that are looked at, in blocks; keeps a bounded number of them. Column 0 is the
// row names, then the table's columns in their order; which of them are shown can be chosen. Rows
// stand in the file's order or in that of a column, as a Selection. UI thread only; never blocks.
class FrameSource : public TableSource
{
    Q_OBJECT
public:
    FrameSource(ModelContext context, std::shared_ptr<const Dataset> dataset, const Element& table,
                QObject* parent = nullptr);
    ~FrameSource() override;

    const Element& table() const { return m_table; }
    // Every column of the table, names included: what setShownColumns() counts.
    int allColumnCount() const;
    QString nameOfColumn(int any) const;
    const Element* elementOfColumn(int any) const; // null for the names
    const std::vector<int>& shownColumns() const { return m_shown; }
    void setShownColumns(std::vector<int> columns);
    // Brings a column (gene symbols) to the front, before the names.
    void setLeadColumn(const Element* column);
    int shownPlaceOf(int any) const; // -1: not shown
    int columnOf(const Element* column) const; // -1: not of this table

    // The rows of the table that are shown, ascending: those of a view; all of them at first. At
    // once in file order; where they are sorted, once the new ones are, and sorted() says it.
    void setRows(Selection rows);
    const Selection& rows() const { return m_rows; }

    // Sorts by a shown column in the background; None goes back to the file's order. The rows
    // change when sorted() is said, or stay as they are when sortFailed() is.
    void sortBy(int shown, SortMark mark);
    void cancelSort();
    bool isSorting() const { return m_sorting; }
    int sortColumn() const; // shown place, -1: file order
    SortMark sortMark() const { return m_sortMark; }
    const Selection& order() const { return m_order; }
    void setOrder(Selection order);
    Index fileRow(qint64 row) const { return m_order[row]; }
    // The place of a row of the file; -1 where it is not shown. Costs a pass in sorted tables.
    qint64 placeOf(Index fileRow) const;
    // Rows of the file at these places, and back; nothing where they are scattered and more than
    // kMostScattered. A pass in sorted tables.
    std::optional<RangeSet> fileRowsOf(const RangeSet& places) const;
    RangeSet placesOf(const RangeSet& fileRows) const;
    static constexpr qint64 kMostScattered = 1'000'000;
    // The name of the row at a place; empty while it is not in memory.
    QString nameAt(qint64 place) const;

    // Whether every value that is looked at has come, and what the heads say at first.
    bool isFilled() const;
    bool isSettled() const { return isFilled() && m_profiles.isSettled(); }
    Index cachedBytes() const { return m_pieces.bytes(); }

    qint64 rowCount() const override;
    int columnCount() const override;
    TableCell cell(qint64 row, int column) const override;
    QString fullText(qint64 row, int column) const override;
    QString rowLabel(qint64 row) const override;
    ColumnProfile profile(int column) const override;
    void want(qint64 firstRow, qint64 lastRow, int firstColumn, int lastColumn) override;

Q_SIGNALS:
    void filled(); // everything wanted has come
    void sortStarted();
    void orderAboutToChange(); // other rows will stand at the places
    void sorted();
    void sortFailed(const cellfolio::Error& error);
    void readFailed(const cellfolio::Error& error);

private:
    static constexpr Index kBlock = 128;
    using Fetcher = PageFetcher<PieceKey, ColumnPiece, PieceKeyHash>;

    void installReader();
    void startSort(int any, SortMark mark);
    void showInFileOrder();
    void piecesArrived(const std::vector<PieceKey>& keys);
    void wantColors(int any);
    const ColumnPiece* pieceAt(qint64 row, int any) const;
    QColor dotOf(int any, const ColumnValues& values, Index i) const;
    void describe(int any, ColumnProfile& profile) const;
    void describeInside(int any, const ProfileData& data, ColumnProfile& profile) const;
    int placeByNumber(int any) const;

    ModelContext m_context;
    std::shared_ptr<const Dataset> m_dataset;
    const Element& m_table;
    std::vector<int> m_shown;
    std::vector<int> m_places; // of every column among the shown, -1
    Selection m_order;
    Selection m_rows; // ascending; m_order puts them into an order
    bool m_rowsPending = false; // the order is still that of other rows
    bool m_sorting = false;
    int m_askedColumn = -1; // of the sort under way
    SortMark m_askedMark = SortMark::None;
    int m_sortColumn = -1; // any
    SortMark m_sortMark = SortMark::None;
    ColumnProfiles m_profiles;
    Fetcher m_pieces;
    Latest m_sortRequest;
    std::map<int, std::vector<QColor>> m_colors;
    std::set<int> m_colorsAsked;
    std::map<int, NumberLook> m_looks;
    QObject m_guard;
};

} // namespace cellfolio
