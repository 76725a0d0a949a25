// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/element.h"

namespace cellfolio {

// What a matrix is in its data set: rules speak of raw, of X, of layers, or of every matrix.
enum class MatrixRole { X, Raw, Layer, Other };

struct MatrixPlace {
    MatrixRole role = MatrixRole::Other;
    const Element* dataSet = nullptr; // that holds it; null where there is none
    bool hasRaw = false;              // the data set has a raw/X

    // Whether raw counts are looked for in it: in raw, else in X.
    bool countsExpected() const noexcept
    {
        return role == MatrixRole::Raw || (role == MatrixRole::X && !hasRaw);
    }
};

MatrixPlace placeOf(const Element& matrix);

} // namespace cellfolio
