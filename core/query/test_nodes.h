// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/query/text_nodes.h"
#include "core/select/index_set.h"

#include <array>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace cellfolio::query {

// Whether a comparison holds for an order of -1, 0 or 1.
bool holds(Comparison comparison, int order) noexcept;
// The truth of a comparison for the orders -1, 0 and 1, at 0, 1 and 2.
std::array<std::uint8_t, 3> truthsOf(Comparison comparison) noexcept;
constexpr std::uint8_t truthOf(bool value) noexcept
{
    return value ? kYes : kNo;
}
// What is left of a comparison when its sides change places.
Comparison turned(Comparison comparison) noexcept;

TestPointer constantTest(bool value);
// A boolean column, unknown where `mask` says so.
TestPointer booleanTest(int source, std::optional<int> mask);
// A truth for each category, looked up by code; `missing` where there is none.
TestPointer categoryTest(int codes, std::vector<std::uint8_t> truths,
                         std::uint8_t missing = kUnknown);
// Two ordered columns of one list of `count` categories.
TestPointer codesTest(int left, int right, Index count, Comparison comparison);
TestPointer numberTest(NumberPointer left, Comparison comparison, Numeral right);
TestPointer numbersTest(NumberPointer left, Comparison comparison, NumberPointer right);
TestPointer numberInTest(NumberPointer value, std::vector<Numeral> list);
TestPointer textsTest(TextPointer left, Comparison comparison, TextPointer right);
TestPointer textInTest(TextPointer value, std::unordered_set<std::string> list);
TestPointer patternTest(TextPointer value, TextPattern pattern);
// Whether two tests have one outcome (or not): Equal or NotEqual.
TestPointer testsTest(TestPointer left, Comparison comparison, TestPointer right);
TestPointer missingTest(NumberPointer value);
TestPointer missingTest(TextPointer value);
TestPointer missingTest(TestPointer value);
// Rows of the table that are in the set.
TestPointer selectionTest(IndexSet rows);

TestPointer notTest(TestPointer inner);
// The parts in the order of their cost.
TestPointer junction(JunctionNode::Kind kind, std::vector<TestPointer> parts,
                     const Sources& sources);

} // namespace cellfolio::query
