// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/impute/inner_cost.h"

#include <functional>
#include <span>
#include <vector>

namespace cellfolio::impute {

// A coupling P = Q diag(1/g) Rᵀ that is never formed: Q n × rank and R m × rank, row-major, with
// Q 1 = a, R 1 = b, Qᵀ 1 = Rᵀ 1 = g.
struct Factors {
    Index rank = 0;
    std::vector<double> q;
    std::vector<double> r;
    std::vector<double> g;

    Index rows() const noexcept { return static_cast<Index>(q.size()) / rank; }
    Index columns() const noexcept { return static_cast<Index>(r.size()) / rank; }
};

struct LowRankOptions {
    double gamma = 10;           // step, divided by the squared largest gradient
    Index mostSteps = 1000;
    double threshold = 1e-3;     // of the symmetrised KL between successive factors; 0: all steps
    double projectionThreshold = 1e-12; // of the marginal error of each projection, L1
    Index projectionMost = 10000;
    double leastWeight = 1e-10;  // of g
    std::function<void(Index step, double change)> report = {};
};

struct LowRankSolution {
    Factors factors;
    std::vector<double> values; // sum P C after each step
    Index steps = 0;
    double change = 0;   // the last one
    bool converged = false;
};

// Low-rank optimal transport by mirror descent without entropy (Scetbon, Cuturi, Peyré 2021). Not
// convex: the answer depends on the start. Weights must be positive. Works in double.
Result<LowRankSolution> lowRankTransport(const InnerCost<double>& cost, std::span<const double> a,
                                         std::span<const double> b, Factors start,
                                         const LowRankOptions& options, const Running& running);

// Positive random rows with the right sums and a common g.
Result<Factors> lowRankStart(std::span<const double> a, std::span<const double> b, Index rank,
                             std::uint64_t seed, const Running& running);

} // namespace cellfolio::impute
