// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"

#include <memory>
#include <optional>
#include <stop_token>

namespace cellfolio {

// A054: more than a fifth of the file serves for nothing that is in it, and more than kSmallestWaste
// bytes do. Fails where that cannot be found out, since something in the file is damaged.
inline constexpr Index kSmallestWaste = Index{64} << 10; // what a repack of less saves is no gain
Result<std::optional<Finding>> checkSpace(const std::shared_ptr<const Dataset>& dataset,
                                          std::stop_token stop = {});

} // namespace cellfolio
