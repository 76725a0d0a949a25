// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace cellfolio {

// Whether the CELLxGENE portal adds this column of obs or var by itself, so that a file to be
// submitted must not have it (rule C004).
bool isPortalColumn(std::string_view table, std::string_view column) noexcept;
// The same of an entry of uns.
bool isPortalEntry(std::string_view name) noexcept;

} // namespace cellfolio
