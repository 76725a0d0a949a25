// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/query/nodes.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace re2 {
class RE2;
}

namespace cellfolio::query {

TextPointer constantText(std::string text);
// Values that come through a ColumnReader, numbers as their exact text.
TextPointer textOfColumn(int source);
// Texts behind the codes of a categorical column.
TextPointer categoryText(int codes, std::shared_ptr<const Values> categories);
// The numbers of the rows: names of a table that has none.
TextPointer rowNumberText();

// A pattern that texts are tried against: a regular expression (RE2 syntax, found anywhere), or a
// plain text held, begun or ended with, in upper or lower case (Unicode's simple case folding).
// Takes time in proportion to the text, whatever the pattern. Thread-safe.
class TextPattern
{
public:
    // BadUsage for what is malformed or too large.
    static Result<TextPattern> regular(const std::string& expression, bool ignoreCase);
    // kind: Contains, StartsWith or EndsWith.
    static Result<TextPattern> plain(NodeKind kind, const std::string& text);

    bool matches(std::string_view text) const;

private:
    explicit TextPattern(std::shared_ptr<const re2::RE2> expression)
        : m_expression(std::move(expression))
    {
    }
    std::shared_ptr<const re2::RE2> m_expression;
};

} // namespace cellfolio::query
