// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/sheet.h"

#include "app/cli/text_table.h"
#include "core/base/text.h"

#include <algorithm>

namespace cellfolio::cli {
namespace {

void writeField(Output& output, std::string_view text, char mark)
{
    const bool plain = text.find_first_of("\"\r\n") == std::string_view::npos
                    && text.find(mark) == std::string_view::npos;
    if (plain) {
        output.write(text);
        return;
    }
    output.write('"');
    for (const char c : text) {
        if (c == '"')
            output.write('"');
        output.write(c);
    }
    output.write('"');
}

// Columns of one line, in parts where a line is wider than a piece.
Index columnsAtOnce(const Session& session, const Sheet& sheet)
{
    return std::clamp<Index>(sheet.columns, 1, std::max<Index>(1, session.pieceBytes() / 256));
}

Result<void> writeHeader(Session& session, const Sheet& sheet, char mark, std::string_view newline)
{
    bool first = true;
    if (!sheet.corner.empty()) {
        writeField(session.output, sheet.corner, mark);
        first = false;
    }
    for (Index column = 0; column < sheet.columns; column += kNamesWindow) {
        auto names = sheet.header(column, std::min(kNamesWindow, sheet.columns - column));
        if (!names)
            return std::move(names).error();
        for (const std::string& name : *names) {
            if (!first)
                session.output.write(mark);
            first = false;
            writeField(session.output, name, mark);
        }
    }
    session.output.write(newline);
    return {};
}

} // namespace

Result<void> writeSeparated(Session& session, const Sheet& sheet, char mark)
{
    // RFC 4180 ends a line with both; tab-separated text has no such rule.
    const std::string_view newline = mark == ',' ? "\r\n" : "\n";
    if (auto header = writeHeader(session, sheet, mark, newline); !header)
        return header;
    Output& output = session.output;
    const Index width = columnsAtOnce(session, sheet);
    const bool whole = width >= sheet.columns;
    const Index step = whole ? sheet.rowsAtOnce(std::max<Index>(1, sheet.columns)) : 1;
    for (Index row = 0; row < sheet.rows; row += step) {
        const Index rowCount = std::min(step, sheet.rows - row);
        std::vector<std::string> names;
        if (!sheet.corner.empty()) {
            auto read = sheet.rowNames(row, rowCount);
            if (!read)
                return std::move(read).error();
            names = std::move(*read);
        }
        for (Index column = 0; column == 0 || column < sheet.columns; column += width) {
            if (auto on = session.mayGoOn(); !on)
                return on;
            const Index columnCount = std::min(width, sheet.columns - column);
            Sheet::Block block;
            if (columnCount > 0) {
                auto read = sheet.block(row, rowCount, column, columnCount);
                if (!read)
                    return std::move(read).error();
                block = std::move(*read);
            }
            for (Index r = 0; r < rowCount; ++r) {
                bool first = true;
                if (column == 0 && !names.empty()) {
                    writeField(output, names[at(r)], mark);
                    first = false;
                }
                for (Index c = 0; c < columnCount; ++c) {
                    if (!first || column > 0)
                        output.write(mark);
                    first = false;
                    writeField(output, block.text(r, c), mark);
                }
                if (column + columnCount >= sheet.columns)
                    output.write(newline);
            }
        }
    }
    return {};
}

Result<void> writeAligned(Session& session, const Sheet& sheet, const SheetLimits& limits)
{
    const Index rows = std::min(sheet.rows, limits.rows);
    const Index columns = std::min(sheet.columns, limits.columns);
    auto header = sheet.header(0, columns);
    if (!header)
        return std::move(header).error();
    std::vector<std::string> head{sheet.corner};
    head.insert(head.end(), header->begin(), header->end());
    const Index step =
        std::min<Index>(1000, sheet.rowsAtOnce(std::max<Index>(1, columns)));
    TextTable table;
    table.header(std::move(head));
    if (rows == 0)
        table.write(session.output);
    for (Index row = 0; row < rows; row += step) {
        if (auto on = session.mayGoOn(); !on)
            return on;
        const Index count = std::min(step, rows - row);
        auto names = sheet.rowNames(row, count);
        if (!names)
            return std::move(names).error();
        Sheet::Block block;
        if (columns > 0) {
            auto read = sheet.block(row, count, 0, columns);
            if (!read)
                return std::move(read).error();
            block = std::move(*read);
        }
        for (Index c = 0; c < columns; ++c)
            table.alignRight(at(c) + 1, block.isNumber(c));
        for (Index r = 0; r < count; ++r) {
            std::vector<std::string> line{(*names)[at(r)]};
            for (Index c = 0; c < columns; ++c)
                line.push_back(block.text(r, c));
            table.row(std::move(line));
        }
        table.write(session.output);
    }
    std::string left;
    if (rows < sheet.rows)
        left += counted(sheet.rows - rows, "more row", "more rows");
    if (columns < sheet.columns)
        left += (left.empty() ? "" : " and ") +
                counted(sheet.columns - columns, "more column", "more columns");
    if (!left.empty())
        session.output.write("… " + left +
                             "; a selection such as --rows : or --cols : shows them, --csv and "
                             "--json everything.\n");
    return {};
}

} // namespace cellfolio::cli
