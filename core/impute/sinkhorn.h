// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/impute/inner_cost.h"

#include <functional>
#include <span>
#include <vector>

namespace cellfolio::impute {

// The measure against which the entropy of a plan is taken. Both give the same balanced plan;
// unbalanced ones differ (Counting makes the mass depend on the number of points).
enum class Entropy {
    Product,  // KL(P | a bᵀ)
    Counting, // sum P (log P - 1): what OTT and moscot use
};

// Smaller epsilons (of a cost scaled to a mean of about 1) need tiles in double: the rounding of an
// exponent grows as 1 / epsilon.
constexpr double kLeastSingleEpsilon = 5e-3;

struct SinkhornOptions {
    double epsilon = 0.1; // of the scaled cost
    double tauA = 1;      // 1: rows sum to a exactly; below: at the price rho KL(P1 | a),
    double tauB = 1;      // rho = epsilon tau / (1 - tau). Likewise for columns and b.
    Entropy entropy = Entropy::Product;
    double threshold = 1e-3; // of the error below
    Index maxIterations = 2000;
    double overRelaxation = 1.5; // of balanced problems from iteration 10 on; 1: none
    bool annealing = false;      // epsilon halves from 1 down to what is asked for
    std::vector<double> startF;  // empty: 0
    std::vector<double> startG;
    // What an interruption means: end in Cancelled, or keep the best potentials so far.
    enum class OnStop { Discard, Keep } onStop = OnStop::Discard;
    // After each iteration of the last stage.
    std::function<void(Index iteration, double error)> report = {};
};

// Potentials against the counting measure: P_ij = exp((f_i + g_j - C_ij) / epsilon). Points without
// weight have -infinity. Rows hold to rounding; the error is that of the columns,
// sum_j |(P^T 1)_j - wanted_j|.
struct Potentials {
    std::vector<double> f;
    std::vector<double> g;
    double epsilon = 0;
    Index iterations = 0; // of all stages
    double error = 0;
    bool converged = false;
    bool stopped = false;
    std::vector<double> history; // the error after each iteration of each stage
};

// Entropic optimal transport by Sinkhorn's iteration in the log domain (Cuturi 2013; unbalanced:
// Chizat et al. 2018; over-relaxation: Thibault et al. 2017), guarded: when the error rises above
// three times the best, ten plain iterations follow, and the last one is always plain. The error of
// (f, g) comes with the next update of g, so no pass is spent on it.
// `a`, `b`: not negative, each with a positive sum; one a row and column of the cost.
template <typename Real>
Result<Potentials> sinkhorn(const InnerCost<Real>& cost, std::span<const double> a,
                            std::span<const double> b, const SinkhornOptions& options,
                            const Running& running);

// Sums of the rows and columns of the plan: one pass each. A point without weight has 0.
struct Marginals {
    std::vector<double> rows;
    std::vector<double> columns;
};
template <typename Real>
Result<Marginals> marginalsOf(const InnerCost<Real>& cost, const Potentials& solved,
                              const Running& running);

// Numbers that describe a solved plan, by one pass that rebuilds it.
struct PlanFigures {
    double mass = 0;           // sum of all entries
    double transportCost = 0;  // sum P C
    double perplexity = 0;     // exp(entropy of a row): cells it averages; mean over rows with mass
};
template <typename Real>
Result<PlanFigures> figuresOf(const InnerCost<Real>& cost, const Potentials& solved,
                              const Running& running);

// The value of the dual problem for these potentials; at convergence that of the primal.
double dualValue(std::span<const double> a, std::span<const double> b, const Potentials& solved,
                 const SinkhornOptions& options, double mass);

// Infinity for tau = 1.
double rhoOf(double epsilon, double tau);

} // namespace cellfolio::impute
