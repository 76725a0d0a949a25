// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/query/nodes.h"

#include <memory>
#include <optional>
#include <string>

namespace cellfolio::query {

// Part of an expression whose type is known. Exactly one of test, number, text and category is
// set; literals keep their value beside the node.
struct Operand {
    enum class Type { Test, Number, Text, Category };
    // The values of a category: what it is compared with.
    enum class Kind { Text, Number, Truth };

    Type type = Type::Test;
    TestPointer test;
    NumberPointer number;
    TextPointer text;
    // Categories: codes and list; `ordered` compares by code.
    int codes = -1;
    std::shared_ptr<const Values> categories;
    bool ordered = false;
    const Element* column = nullptr; // what it was read from, for sentences and suggestions

    std::optional<Numeral> literalNumber;
    std::optional<std::string> literalText;
    std::optional<bool> literalTruth;
    DType precision = DType::Float64; // of the stored numbers, where they are compared as they are

    Index offset = 0; // in the expression
    std::string title; // as it was written

    bool isLiteral() const { return literalNumber || literalText || literalTruth; }
    Kind kind() const; // of a category: of its values; else what it is
};

// What a sentence calls an operand: "n_genes is a number".
std::string typeText(const Operand& operand);

// A category as a plain value of its kind; others as they are.
Operand withoutCategories(Operand operand);

} // namespace cellfolio::query
