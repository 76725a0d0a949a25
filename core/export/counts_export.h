// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/export_options.h"
#include "core/write/staged_file.h"

#include <filesystem>
#include <string>
#include <vector>

namespace cellfolio {

// A matrix of a view in the layouts of 10x: genes × cells.
class CountsExport
{
public:
    CountsExport(const ExportOptions& options, const ExportContext& context) : m_options(options), m_context(context) {}

    // matrix.mtx.gz, barcodes.tsv.gz and features.tsv.gz in a folder that is there. The matrix is written
    // as whole numbers where all its values are.
    Result<ExportResult> writeFolder(const Element& matrix, const std::filesystem::path& folder);
    static const std::vector<std::string>& folderFiles();

    // One .h5 of version 3.
    Result<ExportResult> writeFile(const Element& matrix, const std::filesystem::path& target);

private:
    Result<Index> writeMatrixMarket(const Element& matrix, const std::filesystem::path& path);
    Result<void> writeNames(const Element& matrix, const std::filesystem::path& folder);
    Result<ExportResult> writeH5(const Element& matrix, const std::filesystem::path& target, DType type);
    void noteHolds(const Element& matrix, ExportResult& result) const;

    const ExportOptions& m_options;
    const ExportContext& m_context;
};

// A plain file below a folder that is being staged, gone unless it is closed.
class PlainFile
{
public:
    static Result<PlainFile> create(const std::filesystem::path& path);
    PlainFile(PlainFile&& other) noexcept;
    PlainFile& operator=(PlainFile&&) = delete;
    ~PlainFile();
    int descriptor() const noexcept { return m_descriptor; }

private:
    explicit PlainFile(int descriptor) : m_descriptor(descriptor) {}
    int m_descriptor;
};

} // namespace cellfolio
