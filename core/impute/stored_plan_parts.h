// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/impute/stored_plan.h"

namespace cellfolio::impute {

// What a plan on disk is made of; one of the three is set.
struct PlanParts {
    std::optional<StoredGrid> grid;
    std::optional<StoredLines> lines;
    std::optional<Factors> factors;
};
Result<PlanParts> openPlanParts(const std::string& location, const std::shared_ptr<Reading>& reading,
                                const std::filesystem::path& scratch, std::stop_token stop);

} // namespace cellfolio::impute
