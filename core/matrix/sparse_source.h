// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/base/values.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio {

// Whole lines of a sparse matrix in the order they are stored: the entries of line k are
// indptr[k] … indptr[k + 1] - 1 of `indices` and `data`. Order and duplicates as on disk.
struct SparseBlock {
    Index first = 0;            // the first line
    std::vector<Index> indptr;  // lines + 1, from 0
    std::vector<Index> indices; // across the lines
    Values data;

    Index lines() const noexcept { return static_cast<Index>(indptr.size()) - 1; }
};

// Checked access to the three arrays of a CSR or CSC matrix. A "line" is what is stored together:
// a row of CSR, a column of CSC; an "index" says where in its line an entry stands. Nothing is
// trusted: what a call hands out lies inside the arrays and the matrix, or the call ends in
// Corrupt with the rule and the line. Only what is asked for is looked at, so a damaged line does
// not keep the others from being read. Thread-safe, blocking.
class SparseSource
{
public:
    static Result<SparseSource> open(std::shared_ptr<const Dataset> dataset, const Element& matrix,
                                     std::shared_ptr<Reading> reading);

    Index lines() const noexcept { return m_lines; }
    Index width() const noexcept { return m_width; } // indices lie in 0 … width - 1
    Index stored() const noexcept { return m_stored; } // entries that both arrays have
    bool byRows() const noexcept { return m_byRows; }
    DType dtype() const { return m_data.dtype(); }
    const ArrayRef& data() const noexcept { return m_data.array(); }
    const ArrayRef& indices() const noexcept { return m_indices.array(); }
    const ArrayRef& indptr() const noexcept { return m_indptr.array(); }
    const std::string& path() const noexcept { return m_path; }

    // Pointers first … first + count as stored (count + 1 of them; what does not fit 63 bits is
    // the largest Index). Corrupt (A030) where the array is too short.
    Result<std::vector<Index>> pointers(Index first, Index count, std::stop_token stop) const;
    // Whether the entries begin … end - 1 are a possible line.
    Result<void> checkLine(Index line, Index begin, Index end) const;
    // Adds the indices of the entries first … first + count - 1 to `into`, unchecked.
    Result<void> readIndices(Index first, Index count, std::vector<Index>& into,
                             std::stop_token stop) const;
    Result<Values> readData(Index first, Index count, std::stop_token stop) const;

    // Whole lines, checked. Refused (OutOfBudget) when their entries burst the budget.
    Result<SparseBlock> block(Index first, Index count, std::stop_token stop = {}) const;

    // "row" or "column": what a line is, and what an index names.
    const char* lineName() const noexcept { return m_byRows ? "row" : "column"; }
    const char* indexName() const noexcept { return m_byRows ? "column" : "row"; }
    // The error for an index outside its line, met at an entry.
    Error outside(Index line, Index index, Index entry) const;

private:
    SparseSource(ArrayReader data, ArrayReader indices, ArrayReader indptr)
        : m_data(std::move(data)), m_indices(std::move(indices)), m_indptr(std::move(indptr))
    {
    }

    std::shared_ptr<const Dataset> m_dataset; // keeps the file open
    std::shared_ptr<Reading> m_reading;
    ArrayReader m_data;
    ArrayReader m_indices;
    ArrayReader m_indptr;
    std::string m_path;
    bool m_byRows = true;
    Index m_lines = 0;
    Index m_width = 0;
    Index m_stored = 0;
    Index m_pointers = 0; // length of indptr
};

// Integers of any dtype as Index; uint64 past 63 bits becomes the largest Index, so that a later
// bounds check refuses it.
void appendAsIndex(DType type, const std::byte* values, Index count, std::vector<Index>& into);

} // namespace cellfolio
