// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/validate/matrix_role.h"

namespace cellfolio {

MatrixPlace placeOf(const Element& matrix)
{
    MatrixPlace place;
    const Element* parent = matrix.parent;
    if (parent == nullptr)
        return place;
    if (parent->isDataSet || parent->path.empty()) {
        place.dataSet = parent;
        place.role = matrix.name == "X" ? MatrixRole::X : MatrixRole::Other;
    } else if (parent->parent != nullptr
               && (parent->parent->isDataSet || parent->parent->path.empty())) {
        place.dataSet = parent->parent;
        if (parent->name == "raw" && matrix.name == "X")
            place.role = MatrixRole::Raw;
        else if (parent->name == "layers")
            place.role = MatrixRole::Layer;
    }
    if (place.dataSet != nullptr) {
        const Element* raw = place.dataSet->child("raw");
        place.hasRaw = raw != nullptr && raw->child("X") != nullptr;
    }
    return place;
}

} // namespace cellfolio
