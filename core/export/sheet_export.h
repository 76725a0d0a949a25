// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/export_run.h"
#include "core/export/text_sink.h"

namespace cellfolio {

// Rows of a view of one element as text: names first, missing values empty, "." as the decimal
// mark, floats in the shortest text that reads back to the same value of their type.
class SheetExport
{
public:
    SheetExport(const ExportOptions& options, const ExportContext& context) : m_options(options), m_context(context) {}

    struct Form {
        char mark = ',';
        std::string corner; // head of the column of names; empty: "obs", "var" or "index"
    };
    // A table, or an array of one or two dimensions, dense or sparse. Refused for anything else.
    Result<void> write(const Element& element, TextSink& sink, const Form& form);
    // What a row of that many columns counts in the progress.
    static constexpr Index bytesARow(std::size_t columns) { return 8 * static_cast<Index>(columns + 1); }
    // Some columns of a table.
    Result<void> writeTable(const Element& table, const std::vector<const Element*>& columns, TextSink& sink,
                            const Form& form);

private:
    Result<void> writeGrid(const Element& array, TextSink& sink, const Form& form);
    Result<std::vector<std::string>> names(const Element& element, int dimension, const Selection& rows) const;
    Selection along(const Element& element, std::size_t dimension, Index extent) const;

    const ExportOptions& m_options;
    const ExportContext& m_context;
};

} // namespace cellfolio
