// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/impute/expression_rows.h"
#include "core/impute/inner_cost.h"
#include "core/run/progress.h"

#include <cstdint>
#include <vector>

namespace cellfolio::impute {

struct EmbeddingOptions {
    Index components = 30;
    std::uint64_t seed = 0;  // of the random start for very many genes
    Index blockBytes = Index{8} << 20; // of expression held at once
    // From so many genes on their covariance is not formed; a randomised search for its axes
    // (Halko, Martinsson, Tropp 2011) passes over the values instead.
    Index mostExactGenes = 5000;
    Progress* progress = nullptr; // cells passed
};

// Principal component scores of several clouds of cells with the same genes, centred together,
// streamed: memory grows with genes², not with cells. Where there are no more genes than
// components, the values themselves. The largest score of a component is positive.
// Refused for fewer than two cells in all.
template <typename Real>
Result<std::vector<Points<Real>>>
jointEmbedding(const std::vector<ExpressionRows<double>*>& clouds, const EmbeddingOptions& options,
               const Running& running);

// Bytes it takes beyond the scores.
Index embeddingBytes(Index genes, const EmbeddingOptions& options);

} // namespace cellfolio::impute
