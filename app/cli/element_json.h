// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/session.h"
#include "core/anndata/dataset.h"
#include "core/matrix/holds.h"

#include <memory>
#include <optional>

namespace cellfolio::cli {

// One entry of the list of elements that `info` gives.
Result<void> writeElementJson(Session& session, const std::shared_ptr<const Dataset>& dataset,
                              const Element& element);

// What the numbers of X, a layer or raw/X are, from a sample; none for anything else, and where
// the sample cannot be read.
std::optional<HoldsResult> holdsOf(Session& session, const std::shared_ptr<const Dataset>& dataset,
                                   const Element& element);

// Bytes on disk of all arrays behind an element where that costs nothing, or was asked for.
Result<std::optional<Index>> storedBytes(Session& session, const Dataset& dataset,
                                         const Element& element);

} // namespace cellfolio::cli
