// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/view_json.h"

namespace cellfolio::cli {

// `"value":…` of what lies in uns, and of every scalar, mapping and record array: mappings
// nested, records as one list a field. Arrays of more than 10 000 values inside a mapping come as
// {"shape","dtype"}; asked for by their own path they come whole.
Result<void> writeValueJson(const ViewRequest& request);

constexpr Index kValuesInMapping = 10'000;

} // namespace cellfolio::cli
