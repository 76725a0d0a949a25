// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/bridge/model_context.h"
#include "widgets/bridge/page_fetcher.h"
#include "widgets/views/table_source.h"

#include <memory>
#include <vector>

namespace cellfolio {

// Any dense array of the file (mostly in uns) as a table: a vector is one column, a matrix is what
// it is, further axes are laid side by side, records have a column a field. Reads blocks of what
// is looked at. UI thread only; never blocks.
class ArraySource : public TableSource
{
    Q_OBJECT
public:
    // `parts`: one array a column for records, else the one array.
    ArraySource(ModelContext context, std::shared_ptr<const Dataset> dataset, const Element& array,
                QObject* parent = nullptr);
    ~ArraySource() override;

    bool isFilled() const { return m_pieces.isComplete(); }

    qint64 rowCount() const override { return m_rows; }
    int columnCount() const override { return m_columns; }
    TableCell cell(qint64 row, int column) const override;
    QString fullText(qint64 row, int column) const override;
    ColumnProfile profile(int column) const override;
    void want(qint64 firstRow, qint64 lastRow, int firstColumn, int lastColumn) override;

Q_SIGNALS:
    void readFailed(const cellfolio::Error& error);

private:
    struct Block {
        Values values;
        Index columns = 1;
        Index bytes() const { return values.bytes() + static_cast<Index>(sizeof(*this)); }
    };
    static constexpr Index kRows = 64;
    static constexpr Index kColumns = 64;
    using Fetcher = PageFetcher<PieceKey, Block, PieceKeyHash>;

    void installReader();
    const Block* blockAt(qint64 row, int column, Index& place) const;

    ModelContext m_context;
    std::shared_ptr<const Dataset> m_dataset;
    const Element& m_element;
    std::vector<ArrayRef> m_fields; // records: one a column
    bool m_asColumn = false;        // categories or masked values: read as a column is
    std::vector<Index> m_shape;
    Index m_rows = 0;
    int m_columns = 0;
    Fetcher m_pieces;
};

} // namespace cellfolio
