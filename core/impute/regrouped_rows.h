// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/impute/cell_scaling.h"
#include "core/impute/expression_rows.h"
#include "core/matrix/scratch_file.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace cellfolio::impute {

// Rows of a matrix that is stored by gene: regrouped by cell in a temporary file, then read from
// there. A cell takes 4 + sizeof(Real) bytes an entry: its genes, then their values.
template <typename Real>
class RegroupedRows final : public ExpressionRows<Real>
{
public:
    // Requires: a sparse matrix stored by gene.
    static Result<std::unique_ptr<RegroupedRows>> make(const ExpressionRequest& request,
                                                       CellScaling scaling,
                                                       const std::shared_ptr<Reading>& reading,
                                                       std::stop_token stop);

    Index cells() const override { return m_request.cells.size(); }
    Index genes() const override { return m_request.genes.size(); }
    Result<void> read(Index first, Index count, Index firstGene, Index geneCount, Real* into,
                      Index stride, std::stop_token stop) override;
    Index residentBytes() const override;
    Index temporaryBytes() const override { return m_file.size(); }

private:
    RegroupedRows(ExpressionRequest request, CellScaling scaling, ScratchFile file)
        : m_request(std::move(request)), m_scaling(std::move(scaling)), m_file(std::move(file))
    {
    }

    ExpressionRequest m_request;
    CellScaling m_scaling;
    ScratchFile m_file;
    std::vector<Index> m_starts;          // entries before each cell of the file
    std::vector<std::int32_t> m_columnOf; // of each gene among the chosen ones, or -1
    std::vector<std::byte> m_buffer;
};

} // namespace cellfolio::impute
