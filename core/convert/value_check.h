// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/anndata/finding.h"
#include "core/paging/reading.h"
#include "core/run/progress.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio {

// The stored values of a matrix that would change as another type: how many, and the first 20 in the
// order of the rows of a dense one, in stored order of a sparse one.
struct ChangedValues {
    Index count = 0;
    std::vector<FindingPlace> places;

    // "3 values of "X" would change as int32: 2.5 (row 4, column 7) …".
    std::string sentence(const std::string& path, DType to, const char* verb) const;
};

// One pass over the values alone; no pass where the types are such that none can change. Requires a
// readable dense or sparse matrix whose type can be converted (canConvert). `progress`: values.
Result<ChangedValues> checkValues(const std::shared_ptr<const Dataset>& dataset, const Element& matrix, DType to,
                                  const std::shared_ptr<Reading>& reading, std::stop_token stop = {},
                                  Progress* progress = nullptr);

} // namespace cellfolio
