// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/dtype.h"
#include "core/base/index.h"

#include <string>
#include <string_view>
#include <vector>

namespace cellfolio {

// Shortest text that reads back to the same value of the same type; "NaN", "Infinity",
// "-Infinity" for what is no number.
std::string exactText(double value);
std::string exactText(float value);
std::string exactText(Half value);
std::string exactText(std::int64_t value);
std::string exactText(std::uint64_t value);

// Text to a number, locale free; the whole text must be one. Returns false otherwise.
bool parseInteger(std::string_view text, std::int64_t& value);
bool parseNumber(std::string_view text, double& value);

// "12 345 678" with the given mark between groups of three.
std::string grouped(Index value, std::string_view mark = ",");
// "0 bytes", "512 bytes", "1.5 KiB", "37.4 GiB".
std::string byteText(Index bytes);
// "1 cell", "2 cells".
std::string counted(Index n, std::string_view one, std::string_view many);

// ASCII letters in lower case; all else as it is.
std::string lowered(std::string_view text);

// Whether the bytes are well-formed UTF-8.
bool isUtf8(std::string_view text) noexcept;
// The text with every ill-formed sequence replaced by U+FFFD.
std::string toUtf8(std::string_view text);

// Names nearest to `name` by edit distance (case ignored first), best first, at most `most`.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& names,
                                 std::size_t most = 3);

// Parts of a path between slashes; empty parts are left out.
std::vector<std::string> splitPath(std::string_view path);
std::string joinPath(std::string_view parent, std::string_view name);

} // namespace cellfolio
