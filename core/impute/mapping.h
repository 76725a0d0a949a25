// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/impute/fused_gw.h"
#include "core/impute/joint_features.h"
#include "core/impute/low_rank.h"
#include "core/impute/plan_source.h"

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cellfolio::impute {

struct MappingOptions {
    FeatureOptions features;
    CostKind cost = CostKind::SquaredEuclidean;
    CostScale scale;
    SinkhornOptions sinkhorn;
    std::optional<double> alpha; // fused Gromov-Wasserstein with this weight of structure
    std::string spatialKey = "spatial"; // obsm of the spatial file: its structure
    Index rank = 0;              // above 0: a low-rank coupling
    std::uint64_t seed = 0;
    bool doublePrecision = false;
    // One value a cell; empty: equal weights. Brought to a sum of 1.
    std::vector<double> spatialWeights;
    std::vector<double> referenceWeights;
    // A group for each spatial cell; each is mapped by itself. Empty: all together.
    std::vector<Index> batch;
    std::vector<std::string> batchNames;
    // Stages of the work, for people, and how far a stage is: iteration and error.
    std::function<void(const std::string& stage)> stage = {};
    std::function<void(Index iteration, double error)> report = {};
    Progress* progress = nullptr;
};

// What a mapping came to.
struct MappingFigures {
    Index iterations = 0; // of all parts
    double error = 0;     // the largest of a part
    bool converged = true;
    double cost = 0;      // transport cost, scaled; mean over parts by their cells
    double mass = 0;
    double perplexity = 0; // 0: not known (low rank)
    std::vector<double> history; // of the first part
};

template <typename Real>
struct Mapping {
    std::vector<SolvedPart<Real>> parts;
    std::optional<Factors> factors; // instead of parts
    MappingFigures figures;
    Index features = 0;          // dimensions of the joint space
    std::vector<std::string> genes; // that made it; empty: none
    std::vector<std::string> warnings;
    bool referenceLog1p = false;
};

// Solves a mapping of the spatial cells (rows) onto the reference cells (columns). Not converging is
// no error: the best potentials are kept and `converged` is false.
template <typename Real>
Result<Mapping<Real>> solveMapping(const MappingSide& spatial, const MappingSide& reference,
                                   const MappingOptions& options, const std::shared_ptr<Reading>& reading,
                                   const Running& running);

// The same from points of a joint space; `structure` of the reference where alpha is set.
template <typename Real>
struct JointClouds {
    Points<Real> spatial;
    Points<Real> reference;
    std::optional<Points<double>> spatialStructure;
    std::optional<Points<double>> referenceStructure;
};
template <typename Real>
Result<void> solveClouds(JointClouds<Real> clouds, const MappingOptions& options,
                         const Running& running, Mapping<Real>& mapping);

// Weights checked and brought to a sum of 1; equal ones for an empty list. Refused for negative ones
// and for none above 0.
Result<std::vector<double>> weightsOf(const std::vector<double>& given, Index count,
                                      const std::string& what);

} // namespace cellfolio::impute
