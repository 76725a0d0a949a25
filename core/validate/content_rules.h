// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/finding.h"

#include <string>
#include <string_view>
#include <vector>

namespace cellfolio {

// A finding of any rule, A or B, with the severity and advice the rule has.
Finding ruleFinding(std::string_view id, const std::string& elementPath, std::string message);

// The rules B: those that need no values, and those that do.
const std::vector<std::string>& quickContentRuleIds();
const std::vector<std::string>& contentRuleIds();

} // namespace cellfolio
