// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/holds.h"

#include "core/base/text.h"
#include "core/matrix/holds_judge.h"
#include "core/matrix/matrix_reader.h"
#include "core/matrix/sparse_source.h"

#include <algorithm>
#include <cmath>

namespace cellfolio {

namespace {

constexpr Index kSpots = 3;
constexpr Index kCells = 40;                     // of a spot
constexpr Index kSpotValues = Index{128} << 10;  // read at a spot
// What a look may cost beyond the values it takes.
struct Allowance {
    Index decoded;     // values of the tall chunks that a spot lies in
    Index wholeMatrix; // stored entries that are read though they lie by gene
};
constexpr Allowance kQuick{Index{4} << 20, Index{1} << 20};
constexpr Allowance kThorough{Index{128} << 20, Index{1} << 40};

// Where the k-th spot begins when `count` of `length` are taken at each.
Index spotStart(Index k, Index length, Index count)
{
    return std::max(Index{0}, length - count) * k / (kSpots - 1);
}

void take(double value, HoldsSample& sample, HoldsSample::Cell& cell)
{
    if (std::isnan(value) || value == 0)
        return;
    sample.anyNonZero = true;
    sample.negative = sample.negative || value < 0;
    if (std::isinf(value)) {
        sample.infinite = true;
        return;
    }
    sample.fraction = sample.fraction || std::trunc(value) != value;
    cell.values.push_back(value);
}

// Entries of CSR lines are cells as they lie; of CSC lines only the values count.
Result<void> sampleLines(const SparseSource& source, HoldsSample& sample, std::stop_token stop)
{
    Index after = 0; // the first line that was not looked at
    for (Index spot = 0; spot < kSpots; ++spot) {
        const Index count = std::min(kCells, source.lines());
        const Index first = std::max(after, spotStart(spot, source.lines(), count));
        const Index last = std::min(source.lines(), first + count);
        if (first >= last)
            continue;
        after = last;
        Result<std::vector<Index>> bounds = source.pointers(first, last - first, stop);
        if (!bounds)
            return std::move(bounds).error();
        Index left = kSpotValues;
        for (Index line = first; line < last && left > 0; ++line) {
            const Index begin = (*bounds)[at(line - first)];
            const Index end = (*bounds)[at(line - first + 1)];
            // What is damaged is told where it matters; here it is passed over.
            if (!source.checkLine(line, begin, end))
                continue;
            const Index entries = std::min(left, end - begin);
            left -= entries;
            if (entries == 0)
                continue;
            Result<Values> values = source.readData(begin, entries, stop);
            if (!values)
                return std::move(values).error();
            HoldsSample::Cell cell;
            cell.complete = entries == end - begin;
            for (Index i = 0; i < entries; ++i)
                take(values->number(i), sample, cell);
            if (source.byRows())
                sample.cells.push_back(std::move(cell));
        }
    }
    return {};
}

// Columns that can be read of `rows` rows of a spot without decoding too much.
Index columnsOf(const MatrixReader& reader, Index rows, const Allowance& allowance)
{
    const Element& element = reader.element();
    Index deep = rows; // rows that are decoded with them
    if (!element.isSparse()) {
        const hdf5::ArrayInfo& info = element.values.info();
        if (info.layout == hdf5::Layout::Chunked && info.chunk.size() == 2)
            deep = std::max(deep, info.chunk[element.transposed ? 1 : 0]);
    }
    return std::clamp(std::min(allowance.decoded / std::max(Index{1}, deep),
                               kSpotValues / std::max(Index{1}, rows)),
                      Index{1}, reader.columns());
}

// One block of the rows of all spots: of dense matrices, and of CSC ones, which it passes once.
Result<void> sampleRows(const MatrixReader& reader, const Allowance& allowance, HoldsSample& sample,
                        std::stop_token stop)
{
    // Rather a few whole cells than parts of many, as long as three of a spot remain.
    const Index count =
        std::clamp(kSpotValues / reader.columns(), std::min(Index{3}, reader.rows()),
                   std::min(kCells, reader.rows()));
    std::vector<Index> rows;
    for (Index spot = 0; spot < kSpots; ++spot) {
        const Index first = spotStart(spot, reader.rows(), count);
        for (Index row = first; row < first + count; ++row)
            if (rows.empty() || row > rows.back())
                rows.push_back(row);
    }
    const auto taken = static_cast<Index>(rows.size());
    const Index columns = columnsOf(reader, count, allowance);
    Result<Values> block =
        reader.block(Selection::indices(reader.rows(), std::move(rows)),
                     Selection::of(reader.columns(), {0, 1, columns}), stop);
    if (!block)
        return std::move(block).error();
    for (Index row = 0; row < taken; ++row) {
        HoldsSample::Cell cell;
        cell.complete = columns == reader.columns();
        for (Index column = 0; column < columns; ++column)
            take(block->number(row * columns + column), sample, cell);
        sample.cells.push_back(std::move(cell));
    }
    return {};
}

// Means and spreads of some columns, over rows taken all along the matrix.
Result<void> sampleColumns(const MatrixReader& reader, HoldsSample& sample, std::stop_token stop)
{
    const Index rows = std::min(Index{256}, reader.rows());
    Index columns = std::min(Index{128}, reader.columns());
    if (reader.element().isSparse()) {
        // A CSC column is read whole.
        const Index each = *reader.element().stored / std::max(Index{1}, reader.columns());
        columns = std::clamp(kQuick.wholeMatrix / std::max(Index{1}, each), Index{1}, columns);
    }
    std::vector<Index> places;
    for (Index k = 0; k < rows; ++k)
        places.push_back(k / 32 * 32 * reader.rows() / rows + k % 32);
    for (Index& place : places)
        place = std::min(place, reader.rows() - 1);
    Result<Values> block = reader.block(Selection::indices(reader.rows(), std::move(places)),
                                        Selection::of(reader.columns(), {0, 1, columns}), stop);
    if (!block)
        return std::move(block).error();
    for (Index column = 0; column < columns; ++column) {
        double sum = 0;
        double squares = 0;
        Index n = 0;
        for (Index row = 0; row < rows; ++row) {
            const double value = block->number(row * columns + column);
            if (!std::isfinite(value))
                continue;
            ++n;
            sum += value;
            squares += value * value;
        }
        if (n < 2)
            continue;
        const double mean = sum / static_cast<double>(n);
        const double variance = squares / static_cast<double>(n) - mean * mean;
        if (variance <= 1e-12)
            continue;
        sample.columnMeans.push_back(mean);
        sample.columnDeviations.push_back(std::sqrt(variance));
    }
    return {};
}

} // namespace

std::string HoldsResult::text() const
{
    switch (holds) {
    case Holds::Unknown: return {};
    case Holds::Counts: return "whole counts";
    case Holds::Log1p:
        if (!total)
            return "log1p of counts";
        return "log1p of counts per "
               + (std::trunc(*total) == *total ? grouped(static_cast<Index>(*total), " ")
                                               : exactText(static_cast<float>(*total)));
    case Holds::Scaled: return "scaled";
    case Holds::Other: return "other values";
    }
    return {};
}

Result<HoldsResult> sampleHolds(const std::shared_ptr<const Dataset>& dataset, const Element& matrix,
                                const std::shared_ptr<Reading>& reading, std::stop_token stop,
                                HoldsEffort effort)
{
    const Allowance& allowance = effort == HoldsEffort::Quick ? kQuick : kThorough;
    Result<std::shared_ptr<const MatrixReader>> opened =
        MatrixReader::open(dataset, matrix, reading);
    if (!opened)
        return std::move(opened).error();
    const MatrixReader& reader = **opened;
    if (!isReal(reader.dtype()) || reader.rows() == 0 || reader.columns() == 0)
        return HoldsResult();

    HoldsSample sample;
    bool cells = true;
    if (matrix.isSparse()) {
        Result<SparseSource> source = SparseSource::open(dataset, matrix, reading);
        if (!source)
            return std::move(source).error();
        if (Result<void> done = sampleLines(*source, sample, stop); !done)
            return std::move(done).error();
        cells = source->byRows();
        if (!cells && source->stored() <= allowance.wholeMatrix && sample.fraction && !sample.negative) {
            if (Result<void> done = sampleRows(reader, allowance, sample, stop); !done)
                return std::move(done).error();
            cells = true;
        }
    } else if (Result<void> done = sampleRows(reader, allowance, sample, stop); !done) {
        return std::move(done).error();
    }
    if (sample.negative)
        if (Result<void> done = sampleColumns(reader, sample, stop); !done)
            return std::move(done).error();
    // Fractions by gene say nothing of cells: counts and negative values can be told, log1p not.
    if (!cells && sample.fraction && !sample.negative)
        return HoldsResult();
    return judge(sample);
}

} // namespace cellfolio
