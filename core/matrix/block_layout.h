// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/values.h"

#include <vector>

namespace cellfolio {

// The block of rows × columns values with rows and columns exchanged.
Values transposed(const Values& block, Index rows, Index columns);

// Copies a run of values into a block at a place.
void place(const Values& run, Index start, Values& block);

// The block (of `columns` values a row) whose rows and columns are those of `block` at the given
// places; an empty list means all of them as they stand. `rows` × `columns` is the given block.
Values spread(Values block, Index rows, Index columns, const std::vector<Index>& rowPlaces,
              const std::vector<Index>& columnPlaces);

} // namespace cellfolio
