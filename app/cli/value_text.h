// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/view_json.h"

namespace cellfolio::cli {

// A scalar, a mapping or another thing without rows, for people: one line a member, short arrays
// in full, longer ones by shape and type.
Result<void> writeValueText(const ViewRequest& request);

// "csr float32 1,200 × 800", "table of 1,200 × 3", "7 categories" …: an element in a few words.
std::string shortKind(const Element& element);
// "1,200 × 800".
std::string shapeText(const std::vector<Index>& shape);

} // namespace cellfolio::cli
