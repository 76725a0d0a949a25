// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/values.h"
#include "core/matrix/matrix_reader.h"

#include <stop_token>
#include <utility>
#include <vector>

namespace cellfolio {

// A row of a block (a column where the matrix is stored by columns) that cannot be shown, and why.
struct LineProblem {
    Index line = 0; // counted within the block
    Error error;
};

// A block of a matrix without the lines that cannot be read: damaged ones, and those that store
// more entries than can be passed for a screen.
struct MatrixTile {
    Values values; // of the lines that can be read; row by row
    Index columns = 0; // of `values`
    bool byRows = true; // whether a line is a row
    std::vector<LineProblem> problems; // by ascending line

    // Where the value of a row and column of the block stands in `values`; -1: problemOf says why
    // it does not.
    Index placeOf(Index row, Index column) const;
    const Error* problemOf(Index row, Index column) const;
    Index bytes() const;
};

// Reads a block; lines that cannot be read do not keep the others from being read. Each of them is
// tried by itself, for a bounded time; after that what is left counts as damaged too. Fails
// where nothing can be said of single lines: Cancelled, OutOfBudget, a filter that is not there.
Result<MatrixTile> readTile(const MatrixReader& reader, const Selection& rows,
                            const Selection& columns, std::stop_token stop = {});

// The same, cut into tiles of `width` columns, the last one narrower.
Result<std::vector<MatrixTile>> readTiles(const MatrixReader& reader, const Selection& rows,
                                          const Selection& columns, Index width,
                                          std::stop_token stop = {});

// Entries that one line may store to be read for a screen: more than any gene of ten million cells
// has, a fraction of a second.
inline constexpr Index kMostLineEntries = Index{16} << 20;

} // namespace cellfolio
