// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/paging/reading.h"
#include "core/run/progress.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio {

struct ValidationOptions {
    bool quick = false;            // only rules that read no values
    std::vector<std::string> only; // ids to check; empty: all there are
    std::stop_token stop = {};
    Progress* progress = nullptr;  // in elements
};

struct ValidationReport {
    struct LeftOut {
        std::string id;
        std::string why;
    };
    struct Unchecked {
        std::string element;
        std::string why;
    };
    std::vector<Finding> findings; // sorted: errors first, then by element
    std::vector<std::string> rulesChecked;
    std::vector<LeftOut> rulesLeftOut; // of the rules asked for, by id
    std::vector<Unchecked> unchecked;  // elements whose values could not be looked at

    Index count(Severity severity) const noexcept;
};

// Checks the rules A and B. Every matrix is passed once, in parallel, and all its rules are answered
// from that pass; other arrays are read in windows. Memory stays within the budget: what does not
// fit is left out and named. Fails only when it was stopped. Blocking; any thread.
Result<ValidationReport> validate(const std::shared_ptr<const Dataset>& dataset,
                                  const std::shared_ptr<Reading>& reading,
                                  const ValidationOptions& options = {});

} // namespace cellfolio
