// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/base/values.h"
#include "core/select/selection.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio {

// What reading one row (a cell) or one column (a gene) costs, before it is done.
struct CostEstimate {
    Index bytesStored = 0;  // of compressed data, about; 0 when not known
    Index entries = 0;      // values to decode, about
    bool againstStorage = false; // the whole matrix must be passed
};

// Reads blocks of a 2-D matrix: dense, CSR or CSC; first axis first, whatever lies on disk.
// Virtual calls happen per block. Thread-safe, blocking; checks every index it meets: damaged
// pointers or indices end in Corrupt with rule, row and value, never in a foreign read.
class MatrixReader
{
public:
    // Requires a 2-D dense or sparse element (a 1-D dense one counts as one column; X stored flat
    // for one row counts as one row). Fails where element.whyNot says so.
    static Result<std::shared_ptr<const MatrixReader>> open(std::shared_ptr<const Dataset> dataset,
                                                            const Element& matrix,
                                                            std::shared_ptr<Reading> reading);
    virtual ~MatrixReader() = default;

    const Element& element() const noexcept { return *m_element; }
    Index rows() const noexcept { return m_rows; }
    Index columns() const noexcept { return m_columns; }
    DType dtype() const noexcept { return m_dtype; }

    // The outer product of two selections as rows.size() × columns.size() values, row-major, in
    // the matrix's dtype; entries stored twice at one place are added up (booleans: or; integers
    // that overflow: Corrupt). Refused (OutOfBudget) when the block itself bursts the budget.
    Result<Values> block(const Selection& rows, const Selection& columns,
                         std::stop_token stop = {}) const;

    // Whether it is stored row by row (CSR, dense) or column by column (CSC). A "line" is a row or a
    // column accordingly: what damage keeps from being read, and what a block of CSR or CSC has to
    // pass whole.
    bool byRows() const noexcept { return m_element->storage != Storage::Csc; }
    // Entries stored for each of the chosen lines, from the pointers alone. 0 for a dense matrix,
    // and where the pointers are damaged: reading the line then says how.
    virtual std::vector<Index> lineEntries(const Selection& lines, std::stop_token stop = {}) const;

    virtual CostEstimate rowCost() const = 0;
    virtual CostEstimate columnCost() const = 0;

protected:
    MatrixReader(std::shared_ptr<const Dataset> dataset, const Element& matrix,
                 std::shared_ptr<Reading> reading);
    virtual Result<Values> doBlock(const Selection& rows, const Selection& columns,
                                   std::stop_token stop) const = 0;

    std::shared_ptr<const Dataset> m_dataset;
    const Element* m_element;
    std::shared_ptr<Reading> m_reading;
    Index m_rows = 0;
    Index m_columns = 0;
    DType m_dtype = DType::Other;
};

} // namespace cellfolio
