// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/column_reader.h"
#include "core/base/values.h"

#include <QtCore/QString>

#include <string>
#include <string_view>

// Text of values for the screen, in the locale's way; what is copied or exported is the exact text.
namespace cellfolio {

QString toQString(std::string_view utf8);
std::string toStdString(const QString& text);

// "12,345,678" with the locale's thousands mark.
QString countText(Index count);
// "1 cell", "2,638 cells".
QString countedText(Index count, const QString& one, const QString& many);
// "700 × 765"
QString shapeText(const std::vector<Index>& shape);
// `digits` significant digits, no trailing zeros, true minus, exponent only where needed.
QString numberText(double value, int digits = 4);
// "1.8 MiB", "37.4 GiB".
QString sizeText(Index bytes);

// How the numbers of one column are written so that they line up: `decimals` digits behind the
// point, or -1: whole numbers.
struct NumberLook {
    int decimals = -1;
    bool known = false;
    bool operator==(const NumberLook&) const = default;
};
// Widens the look by the values at hand (grows only, so that a column does not jump about).
NumberLook lookOf(const Values& values, NumberLook before = {});

// A number of a column: grouped, lined up. Integers of any width to the last digit.
QString cellNumber(const Values& values, Index i, NumberLook look);
// The text of one value of a column for a table.
QString cellText(const ColumnValues& column, Index i, NumberLook look);

// The exact text with a thousands mark in its whole part; leaves anything else as it is.
QString groupedText(const QString& exact);

// The sentence of an error and what to do, in one paragraph each.
QString errorSentence(const Error& error);
QString errorText(const Error& error);

} // namespace cellfolio
