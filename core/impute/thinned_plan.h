// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/impute/plan_source.h"

#include <memory>

namespace cellfolio::impute {

// A plan of which only the `keep` largest weights of each row count; of equal ones those in front.
// Looks at each block of rows twice and holds `keep` weights a row.
template <typename Real>
std::unique_ptr<PlanSource<Real>> thinned(std::unique_ptr<PlanSource<Real>> plan, Index keep);

} // namespace cellfolio::impute
