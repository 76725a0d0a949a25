// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/dtype.h"
#include "core/base/result.h"

#include <cstddef>
#include <functional>

namespace cellfolio {

enum class Rounding {
    Nearest, // floats may be rounded; whole numbers, infinities and NaN stay what they are
    Exact,   // no value may change: back in its old type it is equal (NaN is NaN, -0 equals 0)
    Lossy,   // every value becomes something: floats the nearest, fractions are cut towards zero, what
             // lies outside becomes the least or the largest of the type, NaN 0; booleans: not zero
};

// Makes numbers those of another type. Returns the position of the first value that the rule forbids, or
// -1; what is written from there on means nothing. Complex numbers become complex numbers only (see
// canConvert).
Index convertValues(DType from, const std::byte* values, Index count, DType to, std::byte* out,
                    Rounding rounding = Rounding::Nearest);
bool canConvert(DType from, DType to);

// Whether every value of a type has its equal in the other.
bool alwaysExact(DType from, DType to);
// Calls `found` with the position of each value that would change, ascending.
void findChanged(DType from, const std::byte* values, Index count, DType to,
                 const std::function<void(Index)>& found);

} // namespace cellfolio
