// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/impute/correlation.h"
#include "core/impute/mapping.h"

#include <functional>
#include <vector>

namespace cellfolio::impute {

constexpr Index kBaselineNeighbours = 50;

struct HoldOutOptions {
    MappingOptions mapping; // its epsilon is not looked at
    Index folds = 5;
    std::vector<double> epsilons{0.1};
    std::uint64_t seed = 0;  // of the folds
};

// How well shared genes are predicted that had no part in the mapping: per epsilon one agreement a
// gene, in the order of `genes`; and the average of the nearest cells in the same joint space.
struct HoldOutResult {
    std::vector<std::string> genes;
    std::vector<double> epsilons;
    std::vector<std::vector<Agreement>> agreements;
    std::vector<Agreement> baseline;
    std::vector<std::string> warnings;

    // The epsilon with the largest mean Pearson.
    std::size_t best() const;
};

// Genes are dealt into folds by a seeded permutation; for each fold the joint space and the mapping
// are made anew of the others, and the fold's genes carried across and compared with what was
// measured. Linear mappings by genes only.
Result<HoldOutResult> holdOut(const MappingSide& spatial, const MappingSide& reference,
                              const HoldOutOptions& options, const std::shared_ptr<Reading>& reading,
                              const Running& running);

// The epsilon that a hold-out on at most 4000 cells of each side picks from 0.5 … 0.01.
Result<double> chooseEpsilon(const MappingSide& spatial, const MappingSide& reference,
                             const MappingOptions& options, const std::shared_ptr<Reading>& reading,
                             const Running& running);

} // namespace cellfolio::impute
