// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/export_run.h"
#include "core/export/ragged_cut.h"

namespace cellfolio {

// Writes ragged arrays with the rows of the view.
class RaggedExport
{
public:
    explicit RaggedExport(ExportRun& run) : m_run(run) {}

    // The array at `path`. False: its form or its buffers do not allow it; it was left out, with a
    // finding that says why.
    Result<bool> write(const Element& element, const std::string& path);
    // Whether write() would write it; if not, it was left out, with a finding that says why.
    Result<bool> canWrite(const Element& element);

private:
    // Nothing: it was left out.
    Result<std::optional<RaggedCut>> planned(const Element& element);
    Result<void> openGroup(const Element& element, const std::string& path);

    ExportRun& m_run;
};

} // namespace cellfolio
