// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/impute/sinkhorn.h"

namespace cellfolio::impute {

// The squared Euclidean cost of a cloud with itself, divided by its mean, as a product of two thin
// factors: C = A Bᵀ with dimensions + 2 columns. Centred first.
struct SelfCost {
    Index count = 0;
    Index width = 0; // dimensions + 2
    std::vector<double> a; // count × width
    std::vector<double> b;

    // Refused where all points lie in one place.
    static Result<SelfCost> of(const Points<double>& cloud, const std::string& what);
    // (C ∘ C) w, one a point.
    std::vector<double> squareTimes(std::span<const double> weights) const;
};

struct FusedOptions {
    double alpha = 0.5; // in (0, 1]; 1: structure alone
    Index leastOuter = 5;
    Index mostOuter = 50;
    double outerThreshold = 1e-3; // relative change of the value
    bool plainInner = false;      // no over-relaxation in the inner problems
    std::function<void(Index outer, Index iteration, double error)> report = {};
};

// Balanced fused Gromov-Wasserstein with the square loss (Peyré, Cuturi, Solomon 2016; Vayer et al.
// 2020): a fixed point of P = Sinkhorn(L ⊗ P + (1 - alpha) / alpha · C, epsilon) from P = a bᵀ. L ⊗ P
// is half the gradient, as in OTT and moscot. Not convex: the answer is a local solution.
template <typename Real>
struct FusedSolution {
    Potentials potentials;
    InnerCost<Real> cost; // the linear cost that the potentials belong to
    Index outerIterations = 0;
    std::vector<double> values; // after each outer iteration
    bool settled = false;       // the value came to rest
};

// `joint`: the scaled cost of the joint features; null for alpha = 1. `inner`: threshold, limits
// and epsilon of the inner problems; tau and entropy are not used.
template <typename Real>
Result<FusedSolution<Real>> fusedGromovWasserstein(const SelfCost& source, const SelfCost& target,
                                                   const InnerCost<Real>* joint,
                                                   std::span<const double> a,
                                                   std::span<const double> b,
                                                   const FusedOptions& options,
                                                   const SinkhornOptions& inner,
                                                   const Running& running);

// The linear cost at the plan for which middle = B_xᵀ P A_y (width_x × width_y).
template <typename Real>
InnerCost<Real> linearised(const SelfCost& source, const SelfCost& target,
                           const std::vector<double>& middle, std::span<const double> rowSums,
                           std::span<const double> columnSums, const InnerCost<Real>* joint,
                           double phi);

} // namespace cellfolio::impute
