// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace cellfolio::query {

// What a filter expression says, before anyone has looked at a file. Trees are made by the parser
// and never changed.

// A number as it was written: whole ones to the last digit as long as 64 bits hold them.
using Numeral = std::variant<std::int64_t, std::uint64_t, double>;

enum class Comparison { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
enum class Function { Log, Log1p, Log2, Log10, Exp, Sqrt, Abs, Round, Min, Max };
enum class Aggregate { Mean, Sd, Median, Quantile, Min, Max };

enum class NodeKind {
    Number,
    Text,
    Boolean,
    Column,     // text: its name
    RowName,
    Gene,       // text: its name
    Raw,
    Layer,      // more: the layer, text: the gene
    Obsm,       // more: the key; text or number: the column
    Negate,     // of children[0]
    Add, Subtract, Multiply, Divide,
    Call,       // function, of the children
    Aggregate,  // aggregate, of children[0]; number: the share of a quantile
    Compare,    // comparison, of children[0] and [1]
    Between,    // children[0], from [1] to [2]
    InList,     // children[0], in the literals that follow
    InFile,     // children[0]; text: the path
    Matches,    // children[0]; text: regular expression
    Contains, StartsWith, EndsWith, // children[0]; text
    IsMissing,  // children[0]
    Selection,  // text: its name
    Not, And, Or,
};

struct Node {
    NodeKind kind;
    Index offset = 0; // in bytes of the expression: its first character …
    Index end = 0;    // … and behind its last
    std::vector<std::unique_ptr<Node>> children;
    std::string text;
    std::string more;
    bool hasText = false;     // of Obsm: the column is named, not numbered
    Numeral number = std::int64_t{0};
    bool truth = false;       // of Boolean
    bool negated = false;     // the "not" inside "not in", "not between", "is not missing" …
    bool ignoreCase = false;  // of Matches
    Comparison comparison = Comparison::Equal;
    Function function = Function::Log;
    Aggregate aggregate = Aggregate::Mean;
};

} // namespace cellfolio::query
