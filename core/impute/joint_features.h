// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/impute/expression_rows.h"
#include "core/impute/gene_matching.h"
#include "core/impute/inner_cost.h"
#include "core/impute/joint_embedding.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace cellfolio::impute {

// One side of a mapping: some cells of a file, and a matrix of theirs with some of its genes.
struct MappingSide {
    std::shared_ptr<const Dataset> dataset;
    const Element* matrix = nullptr;
    Selection cells;
    Selection genes; // of the matrix's own var axis
};

struct FeatureOptions {
    std::string obsm;    // the key of an embedding that both files have; empty: shared genes
    std::string genesBy; // a column of var to match by; empty: the names
    NameCase nameCase = NameCase::Matters;
    Normalize normalize = Normalize::Auto;
    Index components = 30;
    std::uint64_t seed = 0;
    std::filesystem::path scratch;
};

// The genes of both sides that make the joint space, as positions in the matrices.
struct SharedGenes {
    GeneMatch match;
    std::vector<Index> spatial;
    std::vector<Index> reference;
    bool spatialLog1p = false;
    bool referenceLog1p = false;
    std::vector<std::string> warnings; // for people: few genes, one side counts and one not …
};
Result<SharedGenes> shareGenes(const MappingSide& spatial, const MappingSide& reference,
                               const FeatureOptions& options, const std::shared_ptr<Reading>& reading,
                               std::stop_token stop);

// Expression of shared genes of one side. `chosen`: numbers in the match, ascending; each cell is
// brought to its total over `total` of them.
enum class SideOf { Spatial, Reference };
ExpressionRequest expressionOf(const MappingSide& side, const SharedGenes& shared, SideOf of,
                               const std::vector<Index>& chosen, const std::vector<Index>& total,
                               const std::filesystem::path& scratch);

// Both clouds in the joint space of these shared genes, spatial cells first.
template <typename Real>
Result<std::vector<Points<Real>>> embedGenes(const MappingSide& spatial, const MappingSide& reference,
                                             const SharedGenes& shared,
                                             const std::vector<Index>& chosen,
                                             const FeatureOptions& options,
                                             const std::shared_ptr<Reading>& reading,
                                             const Running& running, Progress* progress);

// An embedding that is stored: rows of obsm/KEY. Refused where values are no finite numbers, with
// how many and the first three cells.
template <typename Real>
Result<Points<Real>> storedPoints(const std::shared_ptr<const Dataset>& dataset, const std::string& key,
                                  const Selection& cells, const std::shared_ptr<Reading>& reading,
                                  std::stop_token stop);

// Principal components of all genes of one side, by themselves.
Result<Points<double>> embedAlone(const MappingSide& side, bool log1p, const FeatureOptions& options,
                                  const std::shared_ptr<Reading>& reading, const Running& running);

} // namespace cellfolio::impute
