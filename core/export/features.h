// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/export_options.h"

#include <functional>
#include <string>
#include <vector>

namespace cellfolio {

// Names of the genes and cells of a view as the files of 10x have them.
class Features
{
public:
    Features(const ExportOptions& options, const ExportContext& context, bool ofRaw);

    Index genes() const noexcept { return m_genes.size(); }
    Index cells() const noexcept { return m_options.view.obs().size(); }

    struct Window {
        std::vector<std::string> ids;    // of the column gene_ids, or the names
        std::vector<std::string> names;
        std::vector<std::string> types;  // of feature_types, or "Gene Expression"
        std::vector<std::string> genomes; // of genome, or empty
    };
    // In windows of some thousand, in their order.
    Result<void> forEachGene(const std::function<Result<void>(const Window&)>& visit) const;
    Result<void> forEachCell(const std::function<Result<void>(const std::vector<std::string>&)>& visit) const;

private:
    const ExportOptions& m_options;
    const ExportContext& m_context;
    const Element* m_table = nullptr;
    Selection m_genes;
};

} // namespace cellfolio
