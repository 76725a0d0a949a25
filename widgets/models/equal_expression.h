// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/filter_steps.h"

namespace cellfolio {

// What the steps of an axis come to as one expression, and what of them no expression can say.
struct EqualExpression {
    QString text;         // empty: no expression narrows
    int picks = 0;        // steps of rows picked by hand
    Index picked = 0;     // rows of them, where it is one
    bool ordered = false; // mean(), quantile() … of a step speak of what those before it leave

    // Whether `text` alone chooses the same rows.
    bool isWhole() const { return picks == 0 && !ordered; }
};

// Of the steps that are switched on. `table`: obs or var; may be null.
EqualExpression equalExpression(const std::vector<FilterStep>& steps, const Element* table);

} // namespace cellfolio
