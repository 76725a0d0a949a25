// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/export_options.h"

#include <filesystem>

namespace cellfolio {

// A view as a loom file (3.0.0): X as genes × cells, the layers, the columns of var and obs as row and
// column attributes (names as Gene and CellID; categories as their texts; values that may be missing as
// floats with NaN), dense embeddings as column attributes of two dimensions. What loom has no place for
// is left out and named.
Result<ExportResult> exportLoom(const ExportOptions& options, const std::filesystem::path& target,
                                const ExportContext& context);

} // namespace cellfolio
