// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/element.h"
#include "core/validate/matrix_facts.h"
#include "core/validate/matrix_role.h"

#include <vector>

namespace cellfolio {

// Whether all values are whole and none is negative, infinite or missing, and some is not zero.
bool holdCounts(const MatrixFacts& facts);

// What the rules say of a matrix whose facts are known: A032, A034, B001–B004, B006–B009, B011,
// B012, B015, B016, B020, B025, B029. Reads nothing.
std::vector<Finding> judgeMatrix(const Element& matrix, const MatrixPlace& place,
                                 const MatrixFacts& facts);

// What needs no values: B005, B010, B023, B024 of one matrix.
std::vector<Finding> judgeStorage(const Element& matrix, const MatrixPlace& place);

} // namespace cellfolio
