// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/paging/reading.h"

#include <memory>
#include <stop_token>
#include <vector>

namespace cellfolio {

// One pass over the pointers and indices of a sparse matrix: lines that end before they start or
// past the end (A032; A033 and A036 are told by lengths), indices outside the matrix (A034), lines
// out of order (B006) and entries at one place (B007). Lines are rows of CSR, columns of CSC.
// Damaged lines are counted and passed over. Duplicates of unsorted lines are counted exactly with
// a mark for every index; where those would burst the budget, the sentence says "at least".
Result<std::vector<Finding>> checkSparseEntries(const std::shared_ptr<const Dataset>& dataset,
                                                const Element& matrix,
                                                const std::shared_ptr<Reading>& reading,
                                                std::stop_token stop = {});

} // namespace cellfolio
