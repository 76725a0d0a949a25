// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/dense_reader.h"

#include "core/matrix/block_layout.h"

#include <algorithm>
#include <cstdlib>

namespace cellfolio {

DenseReader::DenseReader(std::shared_ptr<const Dataset> dataset, const Element& matrix,
                         std::shared_ptr<Reading> reading)
    : MatrixReader(std::move(dataset), matrix, reading),
      m_values(matrix.values, std::move(reading), matrix.path),
      m_flat(matrix.values.shape().size() == 1)
{
}

Result<Values> DenseReader::doBlock(const Selection& rows, const Selection& columns,
                                    std::stop_token stop) const
{
    if (m_flat) {
        // One line lies flat: the selection along it is read, the one across it repeats the line.
        const bool oneRow = m_columns != 1;
        Result<Values> line = m_values.rows(oneRow ? columns : rows, stop);
        if (!line)
            return line;
        const Index repeats = oneRow ? rows.size() : columns.size();
        const std::vector<Index> places(at(repeats), 0);
        if (oneRow)
            return spread(*std::move(line), 1, columns.size(), places, {});
        return spread(*std::move(line), rows.size(), 1, {}, places);
    }
    if (!m_element->transposed)
        return stored(rows, columns, stop);
    Result<Values> block = stored(columns, rows, stop);
    if (!block)
        return block;
    return transposed(*block, columns.size(), rows.size());
}

Result<Values> DenseReader::stored(const Selection& lines, const Selection& across,
                                   std::stop_token stop) const
{
    Result<Values> block = m_values.rowsAndColumns(lines, across, stop);
    const Slice* slice = lines.asSlice();
    const bool apart = slice == nullptr || std::abs(slice->step) > 1;
    if (block || block.error().code() != ErrorCode::Corrupt || lines.size() < 2 || !apart)
        return block;
    // Close lines are read in one go; perhaps what is damaged lies between those that are wanted.
    Values result(m_dtype, lines.size() * across.size());
    for (Index k = 0; k < lines.size(); ++k) {
        Result<Values> line = m_values.rowsAndColumns(lines.part(k, 1), across, stop);
        if (!line)
            return line;
        place(*line, k * across.size(), result);
    }
    return result;
}

CostEstimate DenseReader::lineCost(int axis) const
{
    CostEstimate cost;
    const hdf5::ArrayInfo& info = m_values.array().info();
    const std::vector<Index> shape = m_values.array().shape();
    if (m_flat || shape.size() != 2 || shape[0] == 0 || shape[1] == 0)
        return cost;
    const Index length = shape[axis == 0 ? 1 : 0];
    if (info.layout == hdf5::Layout::Chunked && info.chunk.size() >= 2) {
        // Every chunk that the line passes through is decoded whole.
        const Index along = info.chunk[axis == 0 ? 1 : 0];
        const Index across = info.chunk[axis == 0 ? 0 : 1];
        cost.entries = (length + along - 1) / along * along * across;
        cost.againstStorage = across >= shape[axis == 0 ? 0 : 1];
    } else {
        cost.entries = length;
        // Row-major: a column passes the whole array, unless that is one page anyway.
        cost.againstStorage = axis == 1 && shape[1] > 1;
        if (cost.againstStorage)
            cost.entries = shape[0] * shape[1];
    }
    if (info.filters.empty())
        cost.bytesStored = cost.entries * m_values.array().type().size;
    return cost;
}

CostEstimate DenseReader::rowCost() const
{
    return lineCost(m_element->transposed ? 1 : 0);
}

CostEstimate DenseReader::columnCost() const
{
    return lineCost(m_element->transposed ? 0 : 1);
}

} // namespace cellfolio
