// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/matrix/gene_source.h"
#include "core/matrix/matrix_reader.h"
#include "core/paging/array_reader.h"

#include <memory>
#include <optional>
#include <vector>

namespace cellfolio::cli {

// Blocks of any array of one or more dimensions, dense or sparse, of numbers or text: rows ×
// columns × whatever further dimensions hold, row-major. One dimension counts as one column. A few
// genes of many cells come from the gene index where the user has one.
class GridReader
{
public:
    // Requires: kind Matrix or Array, with a shape of at least one dimension.
    static Result<GridReader> open(const std::shared_ptr<const Dataset>& dataset,
                                   const Element& element, const std::shared_ptr<Reading>& reading);
    // An array that is no element by itself: a field of records.
    static GridReader of(ArrayRef array, const std::shared_ptr<Reading>& reading, std::string path);

    const std::vector<Index>& shape() const noexcept { return m_shape; }
    DType dtype() const noexcept { return m_dtype; }
    Index columns() const noexcept { return m_shape.size() > 1 ? m_shape[1] : 1; }
    // Values behind each place of the first two dimensions: 1 for a matrix.
    Index inner() const noexcept;

    Result<Values> block(const Selection& rows, const Selection& columns,
                         std::stop_token stop) const;

    // Rows and columns of a block that stays within `bytes`; at least one of each.
    struct Piece {
        Index rows = 1;
        Index columns = 1;
    };
    Piece pieceOf(Index rows, Index columns, Index bytes) const;

private:
    GridReader() = default;
    std::optional<Values> fromIndex(const Selection& rows, const Selection& columns,
                                    std::stop_token stop) const;

    std::shared_ptr<const MatrixReader> m_matrix;
    std::shared_ptr<GeneSource> m_genes; // with an index; else none
    std::optional<ArrayReader> m_array;
    std::vector<Index> m_shape;
    DType m_dtype = DType::Other;
};

} // namespace cellfolio::cli
