// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/paging/reading.h"

#include <memory>
#include <optional>
#include <stop_token>

namespace cellfolio {

// B019 of one element of obsm: infinite values, or columns that are NaN throughout; or nothing.
Result<std::optional<Finding>> checkEmbedding(const std::shared_ptr<const Dataset>& dataset,
                                              const Element& embedding,
                                              const std::shared_ptr<Reading>& reading,
                                              std::stop_token stop = {});

} // namespace cellfolio
