// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/finding.h"

#include <string>
#include <string_view>

namespace cellfolio {

// A finding of the rule `id` (A001 … A056) with the severity, advice and fixability the rule has
// by default. Callers change what the case at hand needs.
Finding makeFinding(std::string_view id, std::string element, std::string message);

// "/" for the root, else the path: how findings name an element.
std::string findingElement(const std::string& path);

inline std::string inQuotes(const std::string& name)
{
    return "\"" + name + "\"";
}

} // namespace cellfolio
