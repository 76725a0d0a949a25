// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/convert/converter.h"

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio {

// The folder that Cell Ranger writes: `matrix.mtx` (genes × cells), `barcodes.tsv`, and `features.tsv` or,
// of old versions, `genes.tsv`; each plain or packed (.gz).
class TenXFolder
{
public:
    // NotFound: one of the files is missing. Corrupt: the head of the matrix is none.
    static Result<TenXFolder> open(const std::filesystem::path& folder);
    static bool isFolder(const std::string& file); // whether that is what it can only be: a folder

    Index nObs() const noexcept { return m_cells; }
    Index nVars() const noexcept { return m_genes; }
    Index entries() const noexcept { return m_entries; }
    // Of its values: int32 for whole numbers, else float32, as scanpy reads them.
    DType dtype() const noexcept { return m_type; }
    const std::filesystem::path& matrix() const noexcept { return m_matrix; }

    JobNeeds needs(const ConvertOptions& options, Reading& reading) const;

    // Writes the h5ad: names of the genes are the symbols, with gene_ids and feature_types beside them as
    // far as they are there. X is a CSR unless the options have another storage. Values in lines of their
    // own, genes and cells in range and in some order, or Corrupt; entries neither by cell nor by gene:
    // Refused. `progress`: bytes of the text.
    Result<ConvertedElement> write(const std::filesystem::path& target, const ConvertOptions& options,
                                   const std::shared_ptr<Reading>& reading, std::stop_token stop,
                                   Progress* progress = nullptr);
    Index bytes() const noexcept { return m_bytes; }          // of the new file
    Index temporary() const noexcept { return m_temporary; }  // bytes that were used
    const std::vector<Finding>& findings() const noexcept { return m_findings; }

private:
    TenXFolder() = default;
    Result<void> readHead();
    Result<void> writeCells(H5adWriter& writer) const;
    Result<void> writeGenes(H5adWriter& writer) const;
    enum class Order { ByCell, ByGene };
    // False: the entries are in another order.
    Result<bool> writeMatrix(H5adWriter& writer, Order order, const std::stop_token& stop, Progress* progress) const;

    std::filesystem::path m_matrix;
    std::filesystem::path m_barcodes;
    std::filesystem::path m_features;
    Index m_genes = 0;
    Index m_cells = 0;
    Index m_entries = 0;
    DType m_type = DType::Int32;
    bool m_pattern = false; // no values: each entry is one
    Index m_bytes = 0;
    Index m_temporary = 0;
    std::vector<Finding> m_findings;
};

} // namespace cellfolio
