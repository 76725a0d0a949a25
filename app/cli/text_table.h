// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/output.h"

#include <string>
#include <vector>

namespace cellfolio::cli {

// Lines of cells in aligned columns, written batch by batch: a column is as wide as what has been
// seen of it so far. Texts too long for a line are shortened.
class TextTable
{
public:
    void header(std::vector<std::string> cells);
    void alignRight(std::size_t column, bool right);
    void row(std::vector<std::string> cells);
    // Writes what has gathered; the header the first time.
    void write(Output& output);

private:
    void widen(const std::vector<std::string>& cells);
    void writeLine(Output& output, const std::vector<std::string>& cells) const;

    std::vector<std::vector<std::string>> m_rows;
    std::vector<std::size_t> m_widths;
    std::vector<bool> m_right;
};

// The text on one line, valid UTF-8, at most `most` characters.
std::string oneLine(std::string_view text, std::size_t most = 60);
// Characters a text takes on a line, about.
std::size_t displayWidth(std::string_view text);

} // namespace cellfolio::cli
