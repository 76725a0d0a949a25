// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"

#include <QtGui/QColor>

#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

namespace cellfolio {

// Colours of a column's categories as users of scanpy know them: those of uns/<column>_colors where
// there is a valid one for each category (more are ignored), else the usual palettes. Booleans act
// as the categories False, True. Other columns: none. `counts`: cells a category, for columns of
// more than 102; may be empty. `others`: the colour of those without one of their own. Blocking.
Result<std::vector<QColor>> colorsOf(const std::shared_ptr<const Dataset>& dataset,
                                     const Element& column, const std::vector<Index>& counts,
                                     const QColor& others, const std::shared_ptr<Reading>& reading,
                                     std::stop_token stop = {});

// "#1f77b4", "#1f77b4ff" (alpha last, ignored), a name of CSS, "0.5" (grey); none otherwise.
std::optional<QColor> parseColor(std::string_view text);

// The obs column by which people most likely want to see their cells, by name and number of
// categories (2 to 100); null where there is none.
const Element* likeliestLabels(const Element& obs);

} // namespace cellfolio
