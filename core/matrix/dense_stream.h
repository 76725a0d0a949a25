// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/matrix_reader.h"
#include "core/run/progress.h"

#include <functional>
#include <memory>
#include <optional>

namespace cellfolio {

// Whole lines of a dense array, row-major.
struct DenseBatch {
    Index ordinal = 0; // each batch has its own, in the order of the lines
    int worker = 0;    // below DenseStream::workers(); calls of one worker never overlap
    Index first = 0;   // number of the first line among the wanted ones
    Index lines = 0;
    Index width = 0;   // values a line
    const std::byte* values = nullptr; // native; valid during the call
};

// The wanted values of a dense array of any rank, streamed. What is wanted whole, or as a range of
// rows, is scanned past the page cache by several threads; other choices are read as blocks.
class DenseStream
{
public:
    static Result<DenseStream> open(std::shared_ptr<const Dataset> dataset, const Element& array,
                                    std::shared_ptr<Reading> reading,
                                    const std::optional<Selection>& rows,
                                    const std::optional<Selection>& columns);

    // Whether a line of a batch is a column of the array (stored the other way round, or one row
    // stored flat), not a row.
    bool byColumns() const noexcept { return m_byColumns; }
    Index lines() const noexcept { return m_lines; }
    Index width() const noexcept { return m_width; }
    Index values() const noexcept { return m_lines * m_width; }
    int workers() const noexcept { return m_reading->threads(); }

    Result<void> run(std::stop_token stop, Progress* progress,
                     const std::function<Result<void>(const DenseBatch&)>& visit) const;

private:
    DenseStream() = default;
    Result<void> scanWhole(std::stop_token stop, Progress* progress,
                           const std::function<Result<void>(const DenseBatch&)>& visit) const;
    Result<void> readBlocks(std::stop_token stop, Progress* progress,
                            const std::function<Result<void>(const DenseBatch&)>& visit) const;

    std::shared_ptr<const Dataset> m_dataset;
    const Element* m_array = nullptr;
    std::shared_ptr<Reading> m_reading;
    std::shared_ptr<const MatrixReader> m_matrix; // blocks of two dimensions
    std::optional<Selection> m_rows;              // of what is read in blocks
    std::optional<Selection> m_columns;
    bool m_byColumns = false;
    bool m_scan = false;
    Index m_first = 0; // of the range that is scanned
    Index m_lines = 0;
    Index m_width = 1;
};

} // namespace cellfolio
