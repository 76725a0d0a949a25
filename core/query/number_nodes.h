// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/query/nodes.h"

#include <optional>

namespace cellfolio::query {

// Exact order of two numbers of any of the three forms, as if both were written out: -1, 0 or 1.
// Nothing is promised of NaN but that it does no harm.
int compareExactly(std::int64_t a, std::int64_t b) noexcept;
int compareExactly(std::int64_t a, std::uint64_t b) noexcept;
int compareExactly(std::int64_t a, double b) noexcept;
int compareExactly(std::uint64_t a, std::int64_t b) noexcept;
int compareExactly(std::uint64_t a, std::uint64_t b) noexcept;
int compareExactly(std::uint64_t a, double b) noexcept;
int compareExactly(double a, std::int64_t b) noexcept;
int compareExactly(double a, std::uint64_t b) noexcept;
int compareExactly(double a, double b) noexcept;
int compareExactly(const Numeral& a, const Numeral& b) noexcept;

double toReal(const Numeral& number) noexcept;
// The number as a value of that type would hold it, so that 0.1 finds what a column of float32
// shows as 0.1. Others, and what the type cannot hold, stay as they are.
Numeral inPrecisionOf(DType type, const Numeral& number);

// Fills `out` from native values of a real dtype.
void fillNumbers(DType type, const std::byte* values, Index count, Numbers& out);

NumberPointer constantNumber(Numeral number);
// Values of a column, masked where `mask` says so.
NumberPointer fixedNumber(int source, std::optional<int> mask);
// Values that come through a ColumnReader.
NumberPointer columnNumber(int source);
NumberPointer matrixNumber(Sources::MatrixPlace place);
// Numbers behind the codes of a categorical column.
NumberPointer categoryNumber(int codes, std::shared_ptr<const Values> categories);
NumberPointer negated(NumberPointer inner);
// Add, Subtract, Multiply or Divide.
NumberPointer arithmetic(NodeKind kind, NumberPointer left, NumberPointer right);
NumberPointer called(Function function, std::vector<NumberPointer> arguments);
NumberPointer aggregated(int number);

} // namespace cellfolio::query
