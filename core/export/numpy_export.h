// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/export_options.h"

#include <filesystem>

namespace cellfolio {

// One array of a view as NumPy reads it: .npy (dense, sparse ones made dense) or .npz (dense as
// arr_0, sparse as scipy.sparse.load_npz reads it). Not packed.
Result<ExportResult> exportNpy(const ExportOptions& options, const Element& array, const std::filesystem::path& target,
                               const ExportContext& context);
Result<ExportResult> exportNpz(const ExportOptions& options, const Element& array, const std::filesystem::path& target,
                               const ExportContext& context);

} // namespace cellfolio
