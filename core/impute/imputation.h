// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/impute/chunk_plan.h"
#include "core/impute/expression_rows.h"
#include "core/impute/low_rank.h"
#include "core/impute/plan_source.h"
#include "core/run/progress.h"

#include <functional>
#include <span>
#include <vector>

namespace cellfolio::impute {

// How the product of a plan and expression is scaled.
enum class Scaling {
    Source, // rows of the plan divided by their sums: averages, in the units of the expression
    Target, // columns divided by theirs: each reference cell is given away whole (moscot's
            // scale_by_marginals)
    None,   // P X itself
};

// A finished piece of the result: rows × genes, row-major without gaps, valid during the call.
template <typename Real>
struct ImputedBlock {
    Index firstRow = 0; // among the rows asked for
    Index rows = 0;
    Index firstGene = 0;
    Index genes = 0;
    const Real* values = nullptr;
    const double* rowSums = nullptr; // of the plan, one a row
};

template <typename Real>
struct ImputeRequest {
    PlanSource<Real>* plan = nullptr;
    ExpressionRows<Real>* expression = nullptr; // a row for each column of the plan
    std::vector<Index> rows;                    // of the plan, in the order of the result
    Index firstRow = 0;                         // rows before are there already (a block's end)
    Scaling scaling = Scaling::Source;
    ChunkPlan chunks;
    Progress* progress = nullptr; // counts rows × reference cells × passes over genes, in tiles
    // Blocks come in order: rows, then genes.
    std::function<Result<void>(const ImputedBlock<Real>&)> sink;
};

// P X in blocks that fit the plan of chunks. Exponentials are worked out once for all genes of a
// block. The bits of a result do not depend on the number of threads; on the length of a block only
// to rounding. Rows without mass (below 1e-300) are 0.
template <typename Real>
Result<void> imputeBlocks(const ImputeRequest<Real>& request, const Running& running);

// The same for a coupling given as factors: Q diag(1/g) (Rᵀ X), never formed.
template <typename Real>
struct FactorRequest {
    const Factors* factors = nullptr;
    ExpressionRows<Real>* expression = nullptr;
    std::vector<Index> rows;
    Index firstRow = 0;
    Scaling scaling = Scaling::Source;
    Index rowBlock = 1024;
    Index geneBlock = 0; // 0: all
    Progress* progress = nullptr;
    std::function<Result<void>(const ImputedBlock<Real>&)> sink;
};
template <typename Real>
Result<void> imputeThroughFactors(const FactorRequest<Real>& request, const Running& running);

// Sums of the rows and columns of a coupling of factors.
Marginals marginalsOf(const Factors& factors);

} // namespace cellfolio::impute
