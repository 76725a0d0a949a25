// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/impute/low_rank.h"
#include "core/impute/plan_source.h"
#include "core/paging/reading.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace cellfolio::impute {

// A 1-D array of numbers somewhere on disk, read in pieces.
struct StoredNumbers {
    Index length = 0;
    std::function<Result<void>(Index first, Index count, double* into)> reals;
    std::function<Result<void>(Index first, Index count, Index* into)> integers;
};

// A dense matrix somewhere on disk, read in rectangles, row-major.
struct StoredGrid {
    Index rows = 0;
    Index columns = 0;
    std::function<Result<void>(Index row, Index rows, Index column, Index columns, double* into)> read;
};

// A sparse matrix somewhere on disk: its lines are rows (CSR) or columns (CSC).
struct StoredLines {
    bool byRows = true;
    Index rows = 0;
    Index columns = 0;
    StoredNumbers data;
    StoredNumbers indices;
    StoredNumbers indptr;
};

// A transport plan that another program solved, as it lies in a file: a matrix of NumPy (.npy), an
// archive of one dense array, a sparse matrix of SciPy or factors Q, R, g (.npz), or an element of
// any HDF5 file (FILE::ELEMENT: a dataset, a sparse group, a group with Q, R, g). Never held whole:
// blocks are read as they are needed; only factors are held.
class StoredPlan
{
public:
    static Result<StoredPlan> open(const std::string& location, const std::shared_ptr<Reading>& reading,
                                   const std::filesystem::path& scratch, std::stop_token stop);

    // As it is stored.
    Index rows() const noexcept { return m_rows; }
    Index columns() const noexcept { return m_columns; }
    // "dense", "sparse" or "factors".
    const char* form() const noexcept;
    // Set where the plan is given by factors; those of the transposed plan when asked for.
    bool isFactors() const noexcept { return m_factors.has_value(); }
    Factors factors(bool transposed) const;

    // The plan, or its transpose. Requires: no factors. The StoredPlan may go before the source.
    template <typename Real>
    std::unique_ptr<PlanSource<Real>> source(bool transposed) const;

private:
    std::string m_name;
    Index m_rows = 0;
    Index m_columns = 0;
    std::optional<StoredGrid> m_grid;
    std::optional<StoredLines> m_lines;
    std::optional<Factors> m_factors;
};

// Whether a stored plan fits so many cells on each side, and which way round. Refused, with the
// lengths, where it fits neither; `transposed` asked for is believed.
struct PlanOrientation {
    bool transposed = false;
    bool ambiguous = false; // it fits both ways and is taken as spatial × reference
};
Result<PlanOrientation> orientationOf(const StoredPlan& plan, std::optional<Index> spatialCells,
                                      Index referenceCells, bool askedTransposed);

} // namespace cellfolio::impute
