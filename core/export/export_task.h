// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/text_export.h"

#include <string>
#include <vector>

namespace cellfolio {

// An export as it is asked for: a view as a file of some kind, or as one file for each value of a column.
struct ExportTask {
    FileExport file;
    std::string split;  // column of obs; empty: one file
    std::string output; // path; with {} for the value where it is split
    bool isSplit() const noexcept { return !split.empty(); }
};

// One of the files to be written.
struct ExportPart {
    std::string output;
    DatasetView view;
};

// Reads the column of the split. Refused where two of its values would become one name.
Result<std::vector<ExportPart>> exportParts(const ExportTask& task, const ExportContext& context);
// What all parts need together: the memory and temporary files of the largest, the rest summed up.
Result<ExportEstimate> estimateParts(const ExportTask& task, const std::vector<ExportPart>& parts,
                                     const ExportContext& context);
// Writes one of them; of any kind.
Result<ExportResult> writePart(const ExportTask& task, const ExportPart& part, const ExportContext& context);

} // namespace cellfolio
