// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/export_options.h"

#include <filesystem>

namespace cellfolio {

// A view as a folder that Seurat can make an object of: whole counts in the layout of 10x, the table of
// the cells with all its labels, embeddings, the colours of categories, and load_seurat.R. Counts come from
// the matrix that holds them, X, a layer or raw/X; Refused where none does.
Result<ExportResult> exportSeurat(const ExportOptions& options, const std::filesystem::path& target,
                                  const ExportContext& context);

} // namespace cellfolio
