// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/export_options.h"

#include <filesystem>

namespace cellfolio {

// Writes a view of a data set as a new h5ad file: every slot, rows and columns in the order and the
// repeats of the view; elements that the view leaves whole are copied as they are stored. The source
// is never touched, and the target appears whole or not at all.
class H5adExport
{
public:
    // NotFound, with near misses, for slots that are not there; Refused where the options exclude
    // each other (from raw, without raw).
    static Result<H5adExport> plan(ExportOptions options, const ExportContext& context);

    // What it will take, without doing it. Reads pointers, and a sample of each large matrix.
    Result<ExportEstimate> estimate(const std::filesystem::path& target, const ExportContext& context) const;
    // Bytes that pass, about: the total of the progress.
    Index bytesToPass() const noexcept { return m_bytes; }

    Result<ExportResult> run(const std::filesystem::path& target, const ExportContext& context) const;

    const ExportOptions& options() const noexcept { return m_options; }
    Index nObs() const noexcept { return m_options.view.obs().size(); }
    Index nVars() const noexcept { return m_options.genes().size(); }

private:
    explicit H5adExport(ExportOptions options) : m_options(std::move(options)) {}

    ExportOptions m_options;
    Index m_bytes = 0;
    Index m_output = 0; // bytes of the new file, about, from shapes alone
};

// The values of a column of obs in the view, each with its part of the view: one file each. The
// order is that of the categories, or of the names. Missing values are in none. Refused beyond 1 000.
struct SplitPart {
    std::string label;
    DatasetView view;
};
Result<std::vector<SplitPart>> splitView(const DatasetView& view, const std::string& column,
                                         const ExportContext& context);

} // namespace cellfolio
