// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"

#include <memory>
#include <optional>
#include <stop_token>

namespace cellfolio {

// What the numbers of a matrix are. `total` is the sum a cell was brought to before log1p, when
// it is the same for the cells looked at (10 000 …).
struct HoldsResult {
    Holds holds = Holds::Unknown;
    std::optional<double> total;
    bool exact = false; // from all values, not from a sample

    // "whole counts", "log1p of counts per 10 000", "scaled", "other values"; for people.
    std::string text() const;
};

// Quick is for looking at a file; Thorough may decode more to see whole cells: chunks that are tall,
// and matrices stored by gene in one pass.
enum class HoldsEffort { Quick, Thorough };

// From a bounded sample: a few rows at the start, middle and end, at most about a million values,
// whatever the size. Reads values; not part of opening. Unknown where a quick look cannot tell:
// nothing but zeros, or fractions of a large matrix stored by gene.
Result<HoldsResult> sampleHolds(const std::shared_ptr<const Dataset>& dataset, const Element& matrix,
                                const std::shared_ptr<Reading>& reading, std::stop_token stop = {},
                                HoldsEffort effort = HoldsEffort::Quick);

} // namespace cellfolio
