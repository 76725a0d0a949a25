// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/text_table.h"

#include "core/base/text.h"

#include <algorithm>

namespace cellfolio::cli {

std::size_t displayWidth(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

std::string oneLine(std::string_view text, std::size_t most)
{
    std::string line = toUtf8(text);
    std::replace_if(line.begin(), line.end(),
                    [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    if (displayWidth(line) <= most)
        return line;
    std::size_t characters = 0;
    std::size_t end = 0;
    while (end < line.size()) {
        if ((static_cast<unsigned char>(line[end]) & 0xC0) != 0x80 && ++characters == most)
            break;
        ++end;
    }
    return line.substr(0, end) + "…";
}

void TextTable::widen(const std::vector<std::string>& cells)
{
    m_widths.resize(std::max(m_widths.size(), cells.size()));
    m_right.resize(m_widths.size());
    for (std::size_t c = 0; c < cells.size(); ++c)
        m_widths[c] = std::max(m_widths[c], displayWidth(cells[c]));
}

void TextTable::header(std::vector<std::string> cells)
{
    row(std::move(cells));
}

void TextTable::alignRight(std::size_t column, bool right)
{
    m_right.resize(std::max(m_right.size(), column + 1));
    m_right[column] = right;
}

void TextTable::row(std::vector<std::string> cells)
{
    for (std::string& cell : cells)
        cell = oneLine(cell);
    widen(cells);
    m_rows.push_back(std::move(cells));
}

void TextTable::write(Output& output)
{
    for (const auto& cells : m_rows)
        writeLine(output, cells);
    m_rows.clear();
}

void TextTable::writeLine(Output& output, const std::vector<std::string>& cells) const
{
    std::string line;
    bool begun = false;
    for (std::size_t c = 0; c < cells.size(); ++c) {
        if (m_widths[c] == 0)
            continue;
        const std::string blanks(m_widths[c] - displayWidth(cells[c]), ' ');
        if (begun)
            line += "  ";
        begun = true;
        line += m_right[c] ? blanks + cells[c] : cells[c] + blanks;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    output.write(line + "\n");
}

} // namespace cellfolio::cli
