// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/grid_reader.h"

#include "core/matrix/gene_index_settings.h"

#include <algorithm>
#include <cstring>

namespace cellfolio::cli {
namespace {

// Rows from which a gene is better taken from the index than row by row.
constexpr Index kManyRows = 64;

} // namespace

Result<GridReader> GridReader::open(const std::shared_ptr<const Dataset>& dataset,
                                    const Element& element, const std::shared_ptr<Reading>& reading)
{
    if (!element.readable && element.whyNot)
        return *element.whyNot;
    GridReader grid;
    grid.m_shape = element.shape.value_or(std::vector<Index>());
    const DType stored = element.values ? element.values.dtype() : DType::Other;
    const bool matrix = element.isSparse() || element.transposed
                     || (grid.m_shape.size() == 2 && isReal(stored));
    if (matrix) {
        auto reader = MatrixReader::open(dataset, element, reading);
        if (!reader)
            return std::move(reader).error();
        grid.m_matrix = std::move(*reader);
        grid.m_dtype = grid.m_matrix->dtype();
        if (element.storage == Storage::Csr && grid.m_shape[0] > kManyRows) {
            auto genes = GeneSource::open(dataset, element, reading);
            const auto settings = GeneIndexSettings::read();
            if (genes && settings && (*genes)->lookForIndex(settings->store()))
                grid.m_genes = *std::move(genes);
        }
        return grid;
    }
    if (!element.values || stored == DType::Other)
        return Error(ErrorCode::UnsupportedEncoding,
                     "Its values are of a type that cannot be shown.")
            .at(element.path);
    grid.m_array.emplace(element.values, reading, element.path);
    grid.m_dtype = stored;
    return grid;
}

GridReader GridReader::of(ArrayRef array, const std::shared_ptr<Reading>& reading, std::string path)
{
    GridReader grid;
    grid.m_shape = array.shape();
    grid.m_dtype = array.dtype();
    grid.m_array.emplace(std::move(array), reading, std::move(path));
    return grid;
}

Index GridReader::inner() const noexcept
{
    Index count = 1;
    for (std::size_t d = 2; d < m_shape.size(); ++d)
        count *= m_shape[d];
    return count;
}

Result<Values> GridReader::block(const Selection& rows, const Selection& columns,
                                 std::stop_token stop) const
{
    if (auto quick = fromIndex(rows, columns, stop))
        return *std::move(quick);
    if (m_matrix)
        return m_matrix->block(rows, columns, stop);
    if (m_shape.size() == 1)
        return m_array->rows(rows, stop);
    return m_array->rowsAndColumns(rows, columns, stop);
}

// None where there is no index or it does not do: then the matrix itself answers, and says what is
// wrong, if anything is.
std::optional<Values> GridReader::fromIndex(const Selection& rows, const Selection& columns,
                                            std::stop_token stop) const
{
    if (!m_genes || rows.size() <= kManyRows || columns.empty()
        || columns.size() > GeneSource::kMostAtOnce)
        return std::nullopt;
    GeneSource::Request request;
    request.genes = columns.positions();
    request.cells = rows;
    request.stop = stop;
    auto found = m_genes->read(request);
    if (!found || found->damage)
        return std::nullopt;
    if (columns.size() == 1)
        return std::move(found->genes.front());
    Values block(m_dtype, rows.size() * columns.size());
    const std::size_t item = sizeOf(m_dtype);
    std::byte* to = block.data();
    for (Index row = 0; row < rows.size(); ++row)
        for (const Values& gene : found->genes) {
            std::memcpy(to, gene.data() + static_cast<std::size_t>(row) * item, item);
            to += item;
        }
    return block;
}

GridReader::Piece GridReader::pieceOf(Index rows, Index columns, Index bytes) const
{
    // A text is reckoned with what a short one costs; a place of a matrix with the value and what
    // the reader needs beside it.
    const Index place = m_dtype == DType::String ? 96 : 2 * narrow<Index>(sizeOf(m_dtype));
    const Index cell = std::max<Index>(1, place * inner());
    const Index cells = std::max<Index>(1, bytes / cell);
    Piece piece;
    piece.columns = std::clamp<Index>(columns, 1, cells);
    piece.rows = std::clamp<Index>(cells / piece.columns, 1, std::max<Index>(1, rows));
    return piece;
}

} // namespace cellfolio::cli
