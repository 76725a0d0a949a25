// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/dense_stream.h"

#include "core/base/text.h"
#include "core/paging/scan.h"

#include <algorithm>

namespace cellfolio {

namespace {

constexpr Index kBlockValues = Index{256} << 10;

bool isWhole(const std::optional<Selection>& selection)
{
    return !selection || selection->isAll();
}

} // namespace

Result<DenseStream> DenseStream::open(std::shared_ptr<const Dataset> dataset, const Element& array,
                                      std::shared_ptr<Reading> reading,
                                      const std::optional<Selection>& rows,
                                      const std::optional<Selection>& columns)
{
    if (array.whyNot)
        return *array.whyNot;
    if (!array.values || !array.shape)
        return Error(ErrorCode::Refused, "\"" + array.path + "\" is no array of values.")
            .at(array.path);
    DenseStream stream;
    stream.m_dataset = dataset;
    stream.m_array = &array;
    stream.m_reading = reading;

    const std::vector<Index> stored = array.values.shape();
    const std::vector<Index>& shape = *array.shape;
    const bool flatRow = stored.size() == 1 && shape.size() == 2 && shape[1] != 1;
    // A field of records has no tiles of its own.
    const bool tiles = array.values.member < 0
                       && array.values.type().cls != hdf5::TypeClass::Array;
    if (tiles && isWhole(rows) && isWhole(columns)) {
        stream.m_scan = true;
        stream.m_byColumns = array.transposed || flatRow;
        stream.m_lines = array.values.length();
        for (std::size_t d = 1; d < stored.size(); ++d)
            stream.m_width *= stored[d];
        return stream;
    }

    if (shape.empty() || shape.size() > 2) {
        if (columns && !columns->isAll())
            return Error(ErrorCode::Refused,
                         "\"" + array.path + "\" has " + counted(static_cast<Index>(shape.size()),
                                                               "dimension", "dimensions")
                             + "; columns can be chosen of two.")
                .at(array.path);
        for (std::size_t d = 1; d < shape.size(); ++d)
            stream.m_width *= shape[d];
    } else {
        Result<std::shared_ptr<const MatrixReader>> matrix =
            MatrixReader::open(std::move(dataset), array, std::move(reading));
        if (!matrix)
            return std::move(matrix).error();
        stream.m_matrix = *std::move(matrix);
        stream.m_columns = columns ? *columns : Selection::all(stream.m_matrix->columns());
        stream.m_width = stream.m_columns->size();
    }
    stream.m_rows = rows ? *rows : Selection::all(shape.empty() ? 1 : shape[0]);
    stream.m_lines = stream.m_rows->size();
    return stream;
}

Result<void> DenseStream::run(std::stop_token stop, Progress* progress,
                              const std::function<Result<void>(const DenseBatch&)>& visit) const
{
    if (m_lines == 0 || m_width == 0)
        return {};
    return m_scan ? scanWhole(stop, progress, visit) : readBlocks(stop, progress, visit);
}

Result<void> DenseStream::scanWhole(std::stop_token stop, Progress* progress,
                                    const std::function<Result<void>(const DenseBatch&)>& visit) const
{
    if (m_array->values.shape().empty()) { // a scalar
        const ArrayReader reader(m_array->values, m_reading, m_array->path);
        Result<Values> value = reader.all(stop);
        if (!value)
            return std::move(value).error();
        return visit({0, 0, 0, 0, 1, 1, value->data()});
    }
    ScanOptions options;
    options.stop = stop;
    if (progress != nullptr)
        options.progress = [progress](Index count) { progress->advance(count); };
    return scanTiles(m_array->values, m_array->path, *m_reading, options, [&](const ScanTile& tile) {
        DenseBatch batch;
        batch.ordinal = tile.ordinal;
        batch.worker = tile.worker;
        batch.firstLine = tile.start[0];
        batch.firstColumn = tile.start.size() > 1 ? tile.start[1] : 0;
        batch.lines = tile.count[0];
        batch.width = tile.count[0] > 0 ? tile.values / tile.count[0] : 0;
        batch.values = tile.bytes.data();
        return visit(batch);
    });
}

Result<void> DenseStream::readBlocks(
    std::stop_token stop, Progress* progress,
    const std::function<Result<void>(const DenseBatch&)>& visit) const
{
    const ArrayReader whole(m_array->values, m_reading, m_array->path);
    const Index step = std::max(Index{1}, kBlockValues / m_width);
    Index ordinal = 0;
    for (Index first = 0; first < m_lines; first += step, ++ordinal) {
        const Index count = std::min(step, m_lines - first);
        const Selection rows = m_rows->part(first, count);
        Result<Values> block = m_matrix ? m_matrix->block(rows, *m_columns, stop)
                                        : whole.rows(rows, stop);
        if (!block)
            return std::move(block).error();
        if (Result<void> done = visit({ordinal, 0, first, 0, count, m_width, block->data()}); !done)
            return done;
        if (progress != nullptr)
            progress->advance(count * m_width);
    }
    return {};
}

} // namespace cellfolio
