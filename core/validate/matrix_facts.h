// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/digest.h"
#include "core/paging/reading.h"
#include "core/validate/place_list.h"
#include "core/validate/row_tally.h"
#include "core/validate/value_finds.h"

#include <optional>
#include <stop_token>
#include <string>

namespace cellfolio {

// Which rows are compared with each other: those of any matrix, or only where all values turn out to
// be counts.
enum class Twins { None, OfCounts, OfAnything };

// What a pass over a matrix is asked for. What is not asked for is not read either: structure alone
// needs no values, zeros and values alone no indices.
struct MatrixAsk {
    bool structure = false; // sparse: pointers, range of indices, order, duplicates
    bool values = false;    // digest, and the places that `wishes` and NaN and Inf give
    ValueWishes wishes;
    bool rows = false;      // RowFacts
    Twins twins = Twins::None; // which of them are compared with each other
    bool graph = false;     // symmetry and diagonal, of a square matrix
    std::stop_token stop = {};
};

struct GraphFacts {
    bool symmetric = true;        // in its values
    bool patternSymmetric = true; // in where they are
    PlaceList diagonal;           // values of a row with itself
};

// All that one pass over a matrix tells; the rules judge from it.
struct MatrixFacts {
    bool sparse = false;
    bool byRows = true; // a line is a row
    Index rows = 0;
    Index columns = 0;
    Index stored = 0; // entries that belong to a line; dense: all places
    DType type = DType::Other;

    // Structure of a sparse matrix.
    PlaceList falls; // lines whose pointers are impossible
    std::string firstFall;
    PlaceList outside;
    PlaceList unsorted;    // lines
    PlaceList duplicates;  // entries at a place that has one before them
    bool atLeast = false;  // there may be more duplicates
    Index pairs = 0;       // duplicates compared with the entry before them at their place …
    Index equalPairs = 0;  // … and equal to it
    PlaceList overflow;    // integer sums that leave the type

    Digest digest; // of the stored values
    ValueFinds finds;
    std::optional<RowFacts> rowFacts;
    std::optional<GraphFacts> graph;
};

} // namespace cellfolio
