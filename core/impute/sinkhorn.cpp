// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/sinkhorn.h"

#include "core/impute/tile_stream.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cellfolio::impute {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Index kRelaxFrom = 10;
constexpr Index kRestAfterRise = 10;
constexpr double kStageThreshold = 1e-2;
constexpr Index kStageIterations = 25;

std::vector<double> logarithms(std::span<const double> weights)
{
    std::vector<double> logs(weights.size());
    std::transform(weights.begin(), weights.end(), logs.begin(),
                   [](double w) { return w > 0 ? std::log(w) : -kInfinity; });
    return logs;
}

std::vector<double> startingAt(const std::vector<double>& start, std::span<const double> weights)
{
    std::vector<double> potentials(weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i)
        potentials[i] = weights[i] > 0 ? (start.empty() ? 0.0 : start[i]) : -kInfinity;
    return potentials;
}

// One side of the problem.
struct Side {
    std::span<const double> weights;
    std::vector<double> logWeights;
    double tau = 1;

    // The update of this side's potentials for log-sum-exps of the other's.
    void update(std::vector<double>& potentials, const std::vector<double>& sums, double epsilon,
                Entropy entropy, double omega) const
    {
        for (std::size_t i = 0; i < potentials.size(); ++i) {
            if (!(weights[i] > 0))
                continue;
            const double fresh = entropy == Entropy::Product
                                   ? epsilon * logWeights[i] - tau * epsilon * sums[i]
                                   : tau * (epsilon * logWeights[i] - epsilon * sums[i]);
            potentials[i] = omega == 1 ? fresh : (1 - omega) * potentials[i] + omega * fresh;
        }
    }

    // How far the sums of the plan are from what they should be.
    double error(const std::vector<double>& potentials, const std::vector<double>& sums,
                 double epsilon, Entropy entropy) const
    {
        double total = 0;
        for (std::size_t i = 0; i < potentials.size(); ++i) {
            if (!(weights[i] > 0))
                continue;
            const double found = std::exp(potentials[i] / epsilon + sums[i]);
            double wanted = weights[i];
            if (tau < 1) {
                const double height =
                    potentials[i] - (entropy == Entropy::Product ? epsilon * logWeights[i] : 0.0);
                wanted *= std::exp(-height / rhoOf(epsilon, tau));
            }
            total += std::abs(found - wanted);
        }
        return total;
    }
};

std::vector<double> stagesTo(double epsilon, bool annealing)
{
    std::vector<double> stages;
    if (annealing)
        for (double stage = 1; stage > epsilon; stage *= 0.5)
            stages.push_back(stage);
    stages.push_back(epsilon);
    return stages;
}

// The weight of over-relaxation for each iteration.
class Relaxation
{
public:
    Relaxation(double omega, bool allowed) : m_omega(omega), m_allowed(allowed && omega > 1) {}

    double next(Index iteration, Index last, double error, double threshold)
    {
        double weight = 1;
        if (m_allowed) {
            if (error > 3 * m_best)
                m_rest = kRestAfterRise;
            if (iteration >= kRelaxFrom && iteration < last - 1 && m_rest == 0 && error >= threshold)
                weight = m_omega;
            m_rest = std::max(Index{0}, m_rest - 1);
        }
        m_best = std::min(m_best, error);
        return weight;
    }

private:
    double m_omega;
    bool m_allowed;
    double m_best = kInfinity;
    Index m_rest = 0;
};

template <typename Real>
class Solver
{
public:
    Solver(const InnerCost<Real>& cost, std::span<const double> a, std::span<const double> b,
           const SinkhornOptions& options, const Running& running)
        : m_cost(cost), m_options(options), m_running(running),
          m_rows{a, logarithms(a), options.tauA}, m_columns{b, logarithms(b), options.tauB}
    {
        m_solved.f = startingAt(options.startF, a);
        m_solved.g = startingAt(options.startG, b);
        m_solved.epsilon = options.epsilon;
        m_solved.error = kInfinity;
    }

    Result<Potentials> run()
    {
        const std::vector<double> stages = stagesTo(m_options.epsilon, m_options.annealing);
        for (std::size_t s = 0; s < stages.size(); ++s) {
            if (Result<void> done = stage(stages[s], s + 1 == stages.size()); !done)
                return std::move(done).error();
            if (m_solved.stopped)
                break;
        }
        if (balanced())
            settleGauge();
        return std::move(m_solved);
    }

private:
    bool balanced() const { return m_options.tauA >= 1 && m_options.tauB >= 1; }

    Result<void> stage(double epsilon, bool last)
    {
        const double threshold =
            last ? m_options.threshold : std::max(m_options.threshold, kStageThreshold);
        const Index most = last ? m_options.maxIterations : kStageIterations;
        Relaxation relaxation(m_options.overRelaxation, last && balanced());
        double omega = 1;
        for (Index iteration = 0; iteration <= most; ++iteration) {
            auto sums = logSumExp<Real>(m_cost.byColumns(), m_solved.f, epsilon, m_running);
            if (!sums)
                return stopped(std::move(sums).error());
            if (iteration > 0) {
                const double error =
                    m_columns.error(m_solved.g, *sums, epsilon, m_options.entropy);
                m_solved.error = error;
                m_solved.history.push_back(error);
                if (last && m_options.report)
                    m_options.report(iteration, error);
                if (!std::isfinite(error))
                    return Error(ErrorCode::Refused, "The iteration went out of bounds.")
                        .advise("Use a larger epsilon, or float64.");
                if (error < threshold && omega == 1) {
                    m_solved.converged = last;
                    return {};
                }
                if (iteration == most)
                    return {};
                omega = relaxation.next(iteration, most, error, threshold);
            }
            std::vector<double> before = m_solved.g;
            m_columns.update(m_solved.g, *sums, epsilon, m_options.entropy, omega);
            auto rowSums = logSumExp<Real>(m_cost.byRows(), m_solved.g, epsilon, m_running);
            if (!rowSums) {
                m_solved.g = std::move(before); // f belongs to it
                return stopped(std::move(rowSums).error());
            }
            m_rows.update(m_solved.f, *rowSums, epsilon, m_options.entropy, omega);
            ++m_solved.iterations;
        }
        return {};
    }

    Result<void> stopped(Error error)
    {
        if (error.code() != ErrorCode::Cancelled
            || m_options.onStop == SinkhornOptions::OnStop::Discard)
            return error;
        m_solved.stopped = true;
        return {};
    }

    // A constant may move between f and g; the mean of f over points with weight is made 0.
    void settleGauge()
    {
        double sum = 0;
        Index count = 0;
        for (double value : m_solved.f)
            if (std::isfinite(value)) {
                sum += value;
                ++count;
            }
        const double shift = sum / static_cast<double>(std::max(Index{1}, count));
        for (double& value : m_solved.f)
            value -= shift;
        for (double& value : m_solved.g)
            value += shift;
    }

    const InnerCost<Real>& m_cost;
    const SinkhornOptions& m_options;
    const Running& m_running;
    Side m_rows;
    Side m_columns;
    Potentials m_solved;
};

} // namespace

double rhoOf(double epsilon, double tau)
{
    return tau >= 1 ? kInfinity : epsilon * tau / (1 - tau);
}

template <typename Real>
Result<Potentials> sinkhorn(const InnerCost<Real>& cost, std::span<const double> a,
                            std::span<const double> b, const SinkhornOptions& options,
                            const Running& running)
{
    return Solver<Real>(cost, a, b, options, running).run();
}

template <typename Real>
Result<Marginals> marginalsOf(const InnerCost<Real>& cost, const Potentials& solved,
                              const Running& running)
{
    const auto sumsOf = [&](const CostSide<Real>& side, const std::vector<double>& own,
                            const std::vector<double>& other) -> Result<std::vector<double>> {
        auto sums = logSumExp<Real>(side, other, solved.epsilon, running);
        if (!sums)
            return sums;
        for (std::size_t i = 0; i < own.size(); ++i)
            (*sums)[i] = std::isfinite(own[i]) ? std::exp(own[i] / solved.epsilon + (*sums)[i]) : 0.0;
        return sums;
    };
    auto rows = sumsOf(cost.byRows(), solved.f, solved.g);
    if (!rows)
        return std::move(rows).error();
    auto columns = sumsOf(cost.byColumns(), solved.g, solved.f);
    if (!columns)
        return std::move(columns).error();
    return Marginals{std::move(*rows), std::move(*columns)};
}

namespace {

// What is added up of each row.
struct RowParts {
    double sum = 0;      // of P
    double exponent = 0; // sum P log P
    double cost = 0;     // sum P C
};

// With the inner form all of it follows from P [V, shift]: C and log P are linear in them.
template <typename Real>
Result<std::vector<RowParts>> innerParts(const InnerCost<Real>& cost, const Potentials& solved,
                                         const Running& running)
{
    const CostSide<Real> side = cost.byRows();
    const Index width = side.inner + 2;
    Matrix<Real> x{side.columns, width, std::vector<Real>(at(side.columns * width))};
    for (Index j = 0; j < side.columns; ++j) {
        Real* row = x.values.data() + j * width;
        std::copy(side.v + j * side.inner, side.v + (j + 1) * side.inner, row);
        const double g = solved.g[at(j)];
        row[side.inner] = std::isfinite(g) ? static_cast<Real>(g) : Real{0};
        row[side.inner + 1] = static_cast<Real>(side.c[j]);
    }
    auto applied = applyPlan<Real>(side, solved.f, solved.g, solved.epsilon, x, running);
    if (!applied)
        return std::move(applied).error();
    std::vector<RowParts> parts(at(side.rows));
    for (Index i = 0; i < side.rows; ++i) {
        const double f = solved.f[at(i)];
        if (!std::isfinite(f))
            continue;
        const Real* row = applied->product.values.data() + i * width;
        RowParts& part = parts[at(i)];
        part.sum = applied->rowSum[at(i)];
        part.cost = side.r[i] * part.sum + static_cast<double>(row[side.inner + 1]);
        for (Index k = 0; k < side.inner; ++k)
            part.cost += static_cast<double>(side.u[i * side.inner + k]) * static_cast<double>(row[k]);
        part.exponent = (f * part.sum + static_cast<double>(row[side.inner]) - part.cost)
                      / solved.epsilon;
    }
    return parts;
}

// A root is no inner product: its weights are looked at one by one.
template <typename Real>
Result<std::vector<RowParts>> rootParts(const InnerCost<Real>& cost, const Potentials& solved,
                                        const Running& running)
{
    const CostSide<Real> side = cost.byRows();
    const PlanTiles<Real> plan(side, solved.f, solved.g, solved.epsilon);
    std::vector<Real> room(at(kRowTile * kColumnTile));
    std::vector<RowParts> parts(at(side.rows));
    for (Index i = 0; i < side.rows; i += kRowTile) {
        for (Index j = 0; j < side.columns; j += kColumnTile) {
            if (running.stop.stop_requested())
                return Error::cancelled();
            const Tile<Real> tile{room.data(), std::min(kRowTile, side.rows - i),
                                  std::min(kColumnTile, side.columns - j), kColumnTile};
            plan.weights(i, j, tile, nullptr);
            for (Index row = 0; row < tile.rows; ++row)
                for (Index column = 0; column < tile.columns; ++column) {
                    const auto weight =
                        static_cast<double>(tile.values[row * tile.stride + column]);
                    if (!(weight > 0))
                        continue;
                    RowParts& part = parts[at(i + row)];
                    const double exponent = std::log(weight);
                    part.sum += weight;
                    part.exponent += weight * exponent;
                    part.cost += weight
                               * (solved.f[at(i + row)] + solved.g[at(j + column)]
                                  - solved.epsilon * exponent);
                }
        }
    }
    return parts;
}

} // namespace

template <typename Real>
Result<PlanFigures> figuresOf(const InnerCost<Real>& cost, const Potentials& solved,
                              const Running& running)
{
    auto parts = cost.isRoot() ? rootParts(cost, solved, running)
                               : innerParts(cost, solved, running);
    if (!parts)
        return std::move(parts).error();
    PlanFigures figures;
    Index counted = 0;
    for (const RowParts& part : *parts) {
        if (!(part.sum > 0))
            continue;
        figures.mass += part.sum;
        figures.transportCost += part.cost;
        figures.perplexity += std::exp(std::log(part.sum) - part.exponent / part.sum);
        ++counted;
    }
    figures.perplexity /= static_cast<double>(std::max(Index{1}, counted));
    return figures;
}

double dualValue(std::span<const double> a, std::span<const double> b, const Potentials& solved,
                 const SinkhornOptions& options, double mass)
{
    const double epsilon = solved.epsilon;
    const bool balanced = options.tauA >= 1 && options.tauB >= 1;
    const bool product = options.entropy == Entropy::Product || balanced;
    const auto sumOf = [](std::span<const double> weights) {
        double sum = 0;
        for (double weight : weights)
            sum += weight;
        return sum;
    };
    double value = (product ? sumOf(a) * sumOf(b) - mass : -mass) * epsilon;
    const auto add = [&](std::span<const double> weights, const std::vector<double>& potentials,
                         double tau) {
        for (std::size_t i = 0; i < weights.size(); ++i) {
            if (!(weights[i] > 0))
                continue;
            const double height = potentials[i] - (product ? epsilon * std::log(weights[i]) : 0.0);
            const double rho = rhoOf(epsilon, tau);
            value += tau >= 1 ? weights[i] * height : -rho * weights[i] * std::expm1(-height / rho);
        }
    };
    add(a, solved.f, options.tauA);
    add(b, solved.g, options.tauB);
    return value;
}

#define CELLFOLIO_SINKHORN_OF(Real)                                                                \
    template Result<Potentials> sinkhorn(const InnerCost<Real>&, std::span<const double>,          \
                                         std::span<const double>, const SinkhornOptions&,          \
                                         const Running&);                                          \
    template Result<Marginals> marginalsOf(const InnerCost<Real>&, const Potentials&,              \
                                           const Running&);                                        \
    template Result<PlanFigures> figuresOf(const InnerCost<Real>&, const Potentials&, const Running&);
CELLFOLIO_SINKHORN_OF(float)
CELLFOLIO_SINKHORN_OF(double)
#undef CELLFOLIO_SINKHORN_OF

} // namespace cellfolio::impute
