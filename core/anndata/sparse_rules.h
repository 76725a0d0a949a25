// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/build_context.h"

#include <optional>

namespace cellfolio {

// What the axes of the data set say the shape of an element should be; unknown where empty.
struct ExpectedShape {
    std::optional<Index> first;
    std::optional<Index> second;
};

// Settles the shape of a sparse element (a missing or wrong one comes from the axes where its
// pointers agree with them) and checks what its lengths, types and two pointers can tell:
// A029 to A031, A033, A035 to A037.
void checkSparse(BuildContext& context, Element& element, const ExpectedShape& expected);

// "4 × 3".
std::string shapeText(const std::vector<Index>& shape);

} // namespace cellfolio
