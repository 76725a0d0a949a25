// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/matrix_reader.h"
#include "core/run/progress.h"

#include <functional>
#include <memory>
#include <optional>

namespace cellfolio {

// A rectangle of a dense array, row-major. Of an array of more than two dimensions only the
// values mean anything, not their places.
struct DenseBatch {
    Index ordinal = 0; // each batch has its own
    int worker = 0;    // below DenseStream::workers(); calls of one worker never overlap
    Index firstLine = 0;
    Index firstColumn = 0;
    Index lines = 0;
    Index width = 0;
    const std::byte* values = nullptr; // native; valid during the call

    Index count() const noexcept { return lines * width; }
};

// The wanted values of a dense array of any rank, streamed. What is wanted whole is scanned tile
// by tile past the page cache, by several threads; other choices are read as blocks.
class DenseStream
{
public:
    static Result<DenseStream> open(std::shared_ptr<const Dataset> dataset, const Element& array,
                                    std::shared_ptr<Reading> reading,
                                    const std::optional<Selection>& rows,
                                    const std::optional<Selection>& columns);

    // Whether the lines of a batch are columns of the array (stored the other way round, or one
    // row stored flat), not rows.
    bool byColumns() const noexcept { return m_byColumns; }
    Index lines() const noexcept { return m_lines; } // wanted ones, repeats included
    Index width() const noexcept { return m_width; } // values a line
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
    Index m_lines = 0;
    Index m_width = 1;
};

} // namespace cellfolio
