// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/anndata/finding.h"

#include <algorithm>
#include <tuple>

namespace cellfolio {

void sortFindings(std::vector<Finding>& findings)
{
    std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
        return std::tie(a.severity, a.element, a.id) < std::tie(b.severity, b.element, b.id);
    });
}

} // namespace cellfolio
