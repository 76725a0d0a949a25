// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/export_options.h"

namespace cellfolio {

// Of an estimate of memory: the program without data, its library and its threads.
constexpr Index kProcessBytes = Index{24} << 20;

// What an export moves, from shapes and types alone, quickly.
struct ExportSize {
    Index bytesRead = 0; // decoded
    Index output = 0;    // bytes of the new file, about
};
ExportSize measureExport(const ExportOptions& options, const ExportContext& context);

// What it takes: the same, with the pointers of the matrices read, the speed of this machine measured
// on a sample, and the free space looked at.
Result<ExportEstimate> estimateExport(const ExportOptions& options, const std::filesystem::path& target,
                                      const ExportContext& context);

} // namespace cellfolio
