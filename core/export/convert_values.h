// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/dtype.h"
#include "core/base/result.h"

#include <cstddef>

namespace cellfolio {

// Makes numbers those of another type. Floats are rounded to the nearest of the type; whole numbers
// must stay what they are, so must infinities and NaN. Returns the position of the first value that
// cannot, or -1. Complex numbers become complex numbers only (Internal otherwise: see canConvert).
Index convertValues(DType from, const std::byte* values, Index count, DType to, std::byte* out);
bool canConvert(DType from, DType to);

} // namespace cellfolio
