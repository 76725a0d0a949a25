// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/paging/reading.h"

#include <memory>
#include <stop_token>
#include <vector>

namespace cellfolio {

// B001, B002 and B019 of one dense element of obsm: values that are NaN or infinite, and columns
// that are NaN throughout.
Result<std::vector<Finding>> checkEmbedding(const std::shared_ptr<const Dataset>& dataset,
                                            const Element& embedding,
                                            const std::shared_ptr<Reading>& reading,
                                            std::stop_token stop = {});

} // namespace cellfolio
