// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/arguments.h"
#include "core/base/result.h"
#include "core/convert/converter.h"
#include "core/export/export_options.h"

#include <optional>

namespace cellfolio::cli {

// What `convert` was asked for, before any file is opened.
struct ConvertRequest {
    ConvertOptions options;
    std::optional<Profile> profile; // none: keep for an h5ad, anndata for what becomes one
    bool estimate = false;
};
Result<ConvertRequest> convertRequest(const Arguments& arguments);

} // namespace cellfolio::cli
