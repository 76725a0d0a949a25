// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/view_json.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cellfolio::cli {

// Rows and columns of text: what the text form and CSV have in common. Read in blocks.
class Sheet
{
public:
    virtual ~Sheet() = default;

    // Header of the row names; empty where rows have none.
    std::string corner;
    Index rows = 0;
    Index columns = 0;

    virtual Result<std::vector<std::string>> header(Index first, Index count) const = 0;
    virtual Result<std::vector<std::string>> rowNames(Index first, Index count) const = 0;

    // Cells of a block, by row and column inside it; text is made when asked for.
    struct Block {
        std::function<std::string(Index row, Index column)> text;
        std::function<bool(Index column)> isNumber;
    };
    virtual Result<Block> block(Index firstRow, Index rowCount, Index firstColumn,
                                Index columnCount) const = 0;
    // Rows that may be asked for at once when so many columns are.
    virtual Index rowsAtOnce(Index columnCount) const = 0;
};

// The element as a sheet. Refused where it is none: mappings, scalars.
Result<std::unique_ptr<Sheet>> openSheet(const ViewRequest& request);

// Comma- or tab-separated: names first, missing empty, the decimal mark a point.
Result<void> writeSeparated(Session& session, const Sheet& sheet, char mark);

struct SheetLimits {
    Index rows;    // shown at most
    Index columns;
};
// Aligned columns for people; says what was left out.
Result<void> writeAligned(Session& session, const Sheet& sheet, const SheetLimits& limits);

} // namespace cellfolio::cli
