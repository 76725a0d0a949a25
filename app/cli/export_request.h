// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/session.h"
#include "app/cli/view_options.h"
#include "core/export/export_options.h"
#include "core/export/text_export.h"

#include <optional>
#include <string>

namespace cellfolio::cli {

// What `export` was asked for, before any file is opened.
struct ExportRequest {
    ViewOptions view;
    FileKind kind = FileKind::H5ad;
    std::string output;    // with {} where it is split
    std::string element;   // of the kinds that hold one; empty: the default of the kind
    std::string split;     // column; empty: one file
    bool estimate = false;
    ExportOptions options; // without the view

    bool isSplit() const noexcept { return !split.empty(); }
};
// --storage and --dtype, of any command that has them.
struct AskedForm {
    Storage storage = Storage::None;
    std::optional<DType> dtype;
};
Result<AskedForm> matrixForm(const Arguments& arguments);
Result<ExportRequest> exportRequest(const Arguments& arguments);

} // namespace cellfolio::cli
