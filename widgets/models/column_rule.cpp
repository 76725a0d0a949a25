// SPDX-License-Identifier: GPL-3.0-or-later
// Which rule suits a column.
#include "widgets/models/filter_rule.h"

namespace cellfolio {

FilterRule::Kind ruleKindOf(const Element& column)
{
    if (!column.readable)
        return FilterRule::Kind::Other;
    switch (column.column) {
    case ColumnKind::Numeric:
        return column.dtype && isReal(*column.dtype) ? FilterRule::Kind::Range : FilterRule::Kind::Other;
    case ColumnKind::NullableInteger: return FilterRule::Kind::Range;
    case ColumnKind::Boolean:
    case ColumnKind::NullableBoolean: return FilterRule::Kind::Categories;
    case ColumnKind::String:
    case ColumnKind::NullableString: return FilterRule::Kind::Names;
    case ColumnKind::Categorical:
        return column.categoryCount.value_or(0) > kMostRuleCategories ? FilterRule::Kind::Names
                                                                      : FilterRule::Kind::Categories;
    case ColumnKind::Opaque: return FilterRule::Kind::Other;
    }
    return FilterRule::Kind::Other;
}

RuleLiteral literalOf(const Element& column)
{
    if (column.column == ColumnKind::Boolean || column.column == ColumnKind::NullableBoolean)
        return RuleLiteral::Boolean;
    if (column.column != ColumnKind::Categorical || !column.dtype)
        return RuleLiteral::Text;
    return *column.dtype == DType::Bool ? RuleLiteral::Boolean
        : isReal(*column.dtype)         ? RuleLiteral::Number
                                        : RuleLiteral::Text;
}

} // namespace cellfolio
