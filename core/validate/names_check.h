// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/paging/reading.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

namespace cellfolio {

// Row names of a table that occur more than once (B013 for obs, B014 for var and raw/var), or
// nothing. Names are passed as 64-bit hashes, 8 bytes a row and at most a quarter of the budget:
// where that is too little for all, in several passes, a band of hashes each. Names whose hashes
// meet are then read again and compared. OutOfBudget where too many meet for that.
Result<std::optional<Finding>> checkNames(const std::shared_ptr<const Dataset>& dataset,
                                          const Element& table, std::string_view ruleId,
                                          const std::shared_ptr<Reading>& reading,
                                          std::stop_token stop = {});

} // namespace cellfolio
