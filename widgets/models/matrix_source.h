// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/column_reader.h"
#include "core/matrix/matrix_reader.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/bridge/latest.h"
#include "widgets/bridge/model_context.h"
#include "widgets/bridge/page_fetcher.h"
#include "widgets/models/matrix_tiles.h"
#include "widgets/views/matrix_grid.h"

#include <QtGui/QColor>

#include <memory>
#include <optional>
#include <vector>

namespace cellfolio {

// Names of a block of rows or columns.
struct NamesPiece {
    std::vector<std::string> names;
    std::vector<std::string> symbols; // columns: what people call them; empty: the names
    ColumnValues groups;              // rows: the label column
    std::optional<Error> problem;     // why there are none
    Index bytes() const;
};

// Share of rows above zero, for the columns of one tile.
struct SharePiece {
    std::vector<double> shares;
    Index bytes() const { return static_cast<Index>(shares.size() * sizeof(double) + sizeof(*this)); }
};

// The values that the ramp's ends stand for, from a bounded sample.
struct ShadeRange {
    double low = 0;  // 1st percentile of the values other than zero when it is negative, else 0
    double high = 1; // 99th; not above low: no shades
    bool whole = false;    // all values looked at are whole numbers
    bool negative = false;
};

// X, a layer, raw/X, obsp or any other 2-D array for a MatrixGrid: names on both sides, values in
// tiles, a strip of label colours beside the rows. Reads what is looked at and keeps a bounded
// number of tiles. UI thread only; never blocks.
class MatrixSource : public GridSource
{
    Q_OBJECT
public:
    MatrixSource(ModelContext context, std::shared_ptr<const Dataset> dataset,
                 const Element& matrix, QObject* parent = nullptr);
    ~MatrixSource() override;

    const Element& matrix() const { return m_matrix; }
    // The table that names the columns, and the column with symbols to show instead; may be null.
    const Element* columnTable() const { return m_columnTable; }
    const Element* rowTable() const { return m_rowTable; }
    void setSymbols(const Element* column);
    // Colours beside the rows; null: none.
    void setGroups(const Element* column, std::vector<QColor> colors);
    // Rows in another order (sorted by a label, say); grouped: write the label where it changes.
    void setRowOrder(Selection order, bool grouped);
    Index fileRow(qint64 row) const { return m_order[row]; }
    Index fileRows() const { return m_order.extent(); } // of the matrix, shown or not
    Index fileColumns() const { return m_columnOrder.extent(); }
    // Whether the rows stand as in the file, if not all of them.
    bool isInFileOrder() const { return !m_grouped; }
    // The columns that are shown: those of a view.
    void setColumns(Selection columns);
    Index fileColumn(qint64 column) const { return m_columnOrder[column]; }
    qint64 columnPlaceOf(Index fileColumn) const; // -1: not shown
    // Where a row of the file stands now; -1: nowhere. Costs a pass where rows are sorted.
    qint64 placeOf(Index fileRow) const;

    // Names as the tables have them, not the symbols shown; empty while they are not in memory.
    QString rowName(qint64 row) const;
    QString columnName(qint64 column) const;

    const std::optional<ShadeRange>& range() const { return m_range; }
    // Why the matrix as a whole cannot be shown. Lines that cannot be read say so by themselves.
    const std::optional<Error>& problem() const { return m_problem; }
    // Null until it has been opened.
    const std::shared_ptr<const MatrixReader>& reader() const { return m_reader; }
    bool isFilled() const;
    Index cachedBytes() const { return m_tiles.bytes() + m_names.bytes(); }

    qint64 rowCount() const override { return m_rows; }
    qint64 columnCount() const override { return m_columns; }
    GridCell value(qint64 row, qint64 column) const override;
    GridRowHead rowHead(qint64 row) const override;
    GridColumnHead columnHead(qint64 column) const override;
    QString exactText(qint64 row, qint64 column) const override;
    QString whyNot(qint64 row, qint64 column) const override;
    QString cornerTop() const override;
    QString cornerBottom() const override;
    void want(const Window& window) override;

Q_SIGNALS:
    void filled();
    void rangeFound();
    void failed(const cellfolio::Error& error);
    // Said once: some lines that were looked at cannot be read; the first of them.
    void partlyFailed(const cellfolio::Error& error);

private:
    static constexpr Index kTile = 32;
    static constexpr Index kNames = 128;
    using Tiles = PageFetcher<PieceKey, MatrixTile, PieceKeyHash>;
    using Names = PageFetcher<PieceKey, NamesPiece, PieceKeyHash>;
    using Shares = PageFetcher<PieceKey, SharePiece, PieceKeyHash>;

    void open();
    void opened(std::shared_ptr<const MatrixReader> reader);
    void installNamesReader();
    void installTilesReader();
    void installSharesReader();
    void arrived();
    void linesChanged();
    void lookForProblems(const std::vector<PieceKey>& keys);
    QString nameAt(qint64 place, Index axis) const;
    const MatrixTile* tileAt(qint64 row, qint64 column) const;
    static Result<NamesPiece> readNamesPiece(const std::shared_ptr<const Dataset>& dataset,
                                             const std::shared_ptr<Reading>& reading,
                                             const Element* table, const Element* groups,
                                             const Element* symbols, const Selection& part,
                                             std::stop_token stop);

    ModelContext m_context;
    std::shared_ptr<const Dataset> m_dataset;
    const Element& m_matrix;
    const Element* m_rowTable = nullptr;
    const Element* m_columnTable = nullptr;
    const Element* m_symbols = nullptr;
    const Element* m_groups = nullptr;
    std::vector<QColor> m_groupColors;
    bool m_grouped = false;
    Index m_rows = 0;
    Index m_columns = 0;
    Selection m_order;
    Selection m_columnOrder;
    std::shared_ptr<const MatrixReader> m_reader;
    std::optional<ShadeRange> m_range;
    std::optional<Error> m_problem;
    std::optional<Error> m_tileProblem; // of tiles that could not be read at all
    Tiles m_tiles;
    Names m_names;
    Shares m_shares;
    Latest m_openRequest;
    Latest m_rangeRequest;
    Window m_window;
    bool m_asked = false; // for the reader
    bool m_complained = false; // about lines
};

// The rows a bounded look takes: all of them, or runs spread over the axis.
Selection spreadOver(Index extent, Index most, Index runs);

} // namespace cellfolio
