// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/element.h"
#include "core/base/result.h"

#include <QtCore/QString>

#include <optional>

namespace cellfolio {

// The expression (CLI.md §2.4) that a filter box under the head of a column stands for:
//
//     plain text    contains it, ignoring case; in numbers and booleans: is it
//     > >= < <= = <>  compared with what follows
//     a..b          between a and b, both included; a.. and ..b are open
//     /regex/       matches it
//     NULL          is missing
//
// `column`: of the table; null: the names of the rows. Empty where the box is. BadExpression with a
// sentence where the text does not suit the column.
Result<QString> boxExpression(const Element* column, const QString& text);

// A number as an expression writes it, from one as people write it: 1,000 and −3 as the table shows
// them, a decimal comma where that is the custom. Empty where it is none.
std::optional<QString> writtenNumber(QString text);

// What an empty box says it understands: "contains", "> < a..b".
QString boxPlaceholder(const Element* column);

} // namespace cellfolio
