// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/views/scatter_view.h"

#include <vector>

namespace cellfolio
{

// A category's name and where it stands, in data units.
struct ScatterLabel {
    QString text;
    QPointF at;
};

// Each category's name at the median of its points (of at most two thousand of them, evenly taken,
// so that it costs the same for ten million). Categories without points get none.
std::vector<ScatterLabel> placeLabels(const ScatterPoints& points,
                                      const ScatterCategories& categories,
                                      const QStringList& names,
                                      const IndexSet* inside = nullptr);

} // namespace cellfolio
