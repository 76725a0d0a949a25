// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/matrix_reader.h"

#include "core/base/text.h"
#include "core/matrix/dense_reader.h"
#include "core/matrix/sparse_reader.h"

#include <algorithm>
#include <cassert>

namespace cellfolio {

namespace {

// What a text costs in memory, about: the object and a short heap block.
constexpr Index kTextBytes = 64;

// Damage on disk is found by chunk; the rows that were asked for say where to look.
Error nameRows(Error error, const Selection& rows, const Element& element)
{
    if (error.code() != ErrorCode::Corrupt || (!error.ruleId().empty() && error.ruleId() != "A056"))
        return error;
    const std::string which =
        rows.size() == 1 ? "Row " + exactText(rows[0])
        : rows.asSlice() != nullptr
            ? "Rows " + exactText(std::min(rows[0], rows[rows.size() - 1])) + " to "
                  + exactText(std::max(rows[0], rows[rows.size() - 1]))
            : "Not all of the " + exactText(rows.size()) + " rows asked for";
    return Error(ErrorCode::Corrupt,
                 which + " of \"" + element.path
                     + (rows.size() == 1 || rows.asSlice() != nullptr ? "\" cannot be read whole. "
                                                                      : "\" can be read. ")
                     + error.message())
        .at(error.element())
        .rule("A056")
        .advise(error.fix());
}

} // namespace

MatrixReader::MatrixReader(std::shared_ptr<const Dataset> dataset, const Element& matrix,
                           std::shared_ptr<Reading> reading)
    : m_dataset(std::move(dataset)), m_element(&matrix), m_reading(std::move(reading)),
      m_dtype(matrix.values.dtype())
{
    const std::vector<Index>& shape = *matrix.shape;
    m_rows = shape[0];
    m_columns = shape.size() > 1 ? shape[1] : 1;
}

Result<std::shared_ptr<const MatrixReader>>
MatrixReader::open(std::shared_ptr<const Dataset> dataset, const Element& matrix,
                   std::shared_ptr<Reading> reading)
{
    if (matrix.whyNot)
        return *matrix.whyNot;
    if (!matrix.readable || !matrix.values || !matrix.shape)
        return Error(ErrorCode::Refused, "\"" + matrix.path + "\" is no array of values.")
            .at(matrix.path);
    const std::size_t rank = matrix.shape->size();
    if (rank != 1 && rank != 2)
        return Error(ErrorCode::Refused,
                     "\"" + matrix.path + "\" has " + std::to_string(rank)
                         + " dimensions; rows and columns can be read of two.")
            .at(matrix.path)
            .rule("A038");
    if (matrix.values.dtype() == DType::Other)
        return Error(ErrorCode::UnsupportedEncoding,
                     "The values of \"" + matrix.path + "\" are "
                         + matrix.values.type().describe() + ", not numbers or text.")
            .at(matrix.path);
    if (!matrix.isSparse()) {
        const std::size_t stored = matrix.values.shape().size();
        if (stored != rank && !(stored == 1 && rank == 2))
            return Error(ErrorCode::Corrupt, "The values of \"" + matrix.path
                                                 + "\" have not the shape it is said to have.")
                .at(matrix.path)
                .rule("A038");
        return std::shared_ptr<const MatrixReader>(
            std::make_shared<DenseReader>(std::move(dataset), matrix, std::move(reading)));
    }
    Result<SparseSource> source = SparseSource::open(dataset, matrix, reading);
    if (!source)
        return std::move(source).error();
    return std::shared_ptr<const MatrixReader>(std::make_shared<SparseReader>(
        std::move(dataset), matrix, std::move(reading), *std::move(source)));
}

std::vector<Index> MatrixReader::lineEntries(const Selection& lines, std::stop_token) const
{
    return std::vector<Index>(at(lines.size()), 0);
}

Result<Values> MatrixReader::block(const Selection& rows, const Selection& columns,
                                   std::stop_token stop) const
{
    assert(rows.extent() == m_rows && columns.extent() == m_columns);
    if (stop.stop_requested())
        return Error::cancelled();
    Index size = 0;
    const Index each = m_dtype == DType::String ? kTextBytes : static_cast<Index>(sizeOf(m_dtype));
    Index bytes = 0;
    if (__builtin_mul_overflow(rows.size(), columns.size(), &size)
        || __builtin_mul_overflow(size, each, &bytes))
        bytes = std::numeric_limits<Index>::max() / 2;
    if (bytes == 0)
        return Values(m_dtype, 0);
    // Given back at the end: from then on the block is the caller's to account for.
    Result<MemoryReservation> room = m_reading->budget().reserve(MemoryTag::Job, bytes);
    if (!room)
        return std::move(room).error().at(m_element->path);
    Result<Values> block = doBlock(rows, columns, stop);
    if (!block)
        return nameRows(std::move(block).error().at(m_element->path), rows, *m_element);
    assert(block->size() == size);
    return block;
}

} // namespace cellfolio
