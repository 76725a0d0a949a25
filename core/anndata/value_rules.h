// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/paging/reading.h"
#include "core/run/progress.h"

#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio {

// The rules of FORMAT.md §4.A that must read values: A012, A018, A019, A020, A023, A025, A032,
// A034, A036, A051, A056. What is read is passed once, in windows, whatever its length; an array
// that several elements share is looked at once.
const std::vector<std::string>& valueRuleIds();

struct ValueRuleOptions {
    std::vector<std::string> only; // ids to check; empty: all
    std::stop_token stop = {};
    Progress* progress = nullptr; // in arrays
    const Element* element = nullptr; // check nothing else
    // Numbers that the caller passes itself and whose damage it tells: not read for A034 and A056.
    std::set<const hdf5::Object*> passedElsewhere = {};
};

// Checks every element that can be read. Findings are sorted; those the quick rules made are in
// dataset->findings(), not here. Fails only where the work was stopped or does not fit the budget:
// damage is a finding.
Result<std::vector<Finding>> valueFindings(const std::shared_ptr<const Dataset>& dataset,
                                           const std::shared_ptr<Reading>& reading,
                                           const ValueRuleOptions& options = {});

} // namespace cellfolio
