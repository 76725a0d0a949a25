// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/paging/reading.h"

#include <memory>
#include <stop_token>
#include <vector>

namespace cellfolio {

// B026 and B027 of one column of obs or var: categories no row has, and columns that say the same
// in every row or nothing at all. One pass in windows; 1 bit a category.
Result<std::vector<Finding>> checkColumn(const std::shared_ptr<const Dataset>& dataset,
                                         const Element& column,
                                         const std::shared_ptr<Reading>& reading,
                                         std::stop_token stop = {});

// B028: lists of colours in uns that do not fit the categories of their column. Reads no values.
std::vector<Finding> checkColors(const Dataset& dataset);

} // namespace cellfolio
