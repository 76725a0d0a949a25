// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/export_options.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace cellfolio {

// What an export can become.
enum class FileKind { H5ad, Csv, Tsv, Mtx, TenX, Seurat, Loom, Npy, Npz };
std::optional<FileKind> fileKindNamed(std::string_view name); // "h5ad", "10x" …
// By the ending of a file's name: .h5ad, .csv, .csv.gz, .tsv, .tsv.gz, .h5 (10x), .loom, .npy, .npz.
std::optional<FileKind> fileKindByName(std::string_view name);

// A view, or one element of it, as a file (or folder) that other programs read.
struct FileExport {
    FileKind kind = FileKind::Csv;
    std::string element; // empty: obs for tables, X for matrices
    ExportOptions options;
};

// Writes it; any kind but H5ad. The target appears whole or not at all. NotFound: no such element;
// Refused: the kind cannot hold it.
Result<ExportResult> exportFile(const FileExport& wanted, const std::filesystem::path& target,
                                const ExportContext& context);
Result<ExportEstimate> estimateFile(const FileExport& wanted, const std::filesystem::path& target,
                                    const ExportContext& context);

} // namespace cellfolio
