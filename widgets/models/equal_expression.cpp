// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/equal_expression.h"

#include "widgets/models/filter_rule.h"

namespace cellfolio {

EqualExpression equalExpression(const std::vector<FilterStep>& steps, const Element* table)
{
    EqualExpression equal;
    QStringList parts;
    bool narrowed = false; // by an earlier step
    for (const FilterStep& step : steps) {
        if (!step.enabled)
            continue;
        if (step.picked) {
            equal.picked = ++equal.picks == 1 ? step.picked->size() : 0;
            narrowed = true;
            continue;
        }
        equal.ordered = equal.ordered || (narrowed && hasAggregate(step.expression));
        const QString text = step.keepsMissing ? keepingMissing(step.expression, table) : step.expression;
        if (!text.isEmpty())
            parts.append(text);
        narrowed = true;
    }
    equal.text = joinedByAnd(parts);
    return equal;
}

} // namespace cellfolio
