// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/low_rank.h"

#include "core/impute/blas.h"
#include "core/impute/random_stream.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cellfolio::impute {

namespace {

using Doubles = std::vector<double>;

// log sum exp over the entries of each row (count × width) with `shift` added along it.
void rowSums(const Doubles& k, Index width, const Doubles& shift, Doubles& sums)
{
    const Index count = static_cast<Index>(sums.size());
    for (Index i = 0; i < count; ++i) {
        const double* row = k.data() + i * width;
        double top = -std::numeric_limits<double>::infinity();
        for (Index c = 0; c < width; ++c)
            top = std::max(top, row[c] + shift[at(c)]);
        const double reference = std::isfinite(top) ? top : 0;
        double sum = 0;
        for (Index c = 0; c < width; ++c)
            sum += std::exp(row[c] + shift[at(c)] - reference);
        sums[at(i)] = reference + std::log(sum);
    }
}

// The same over each column, `shift` along the rows.
void columnSums(const Doubles& k, Index width, const Doubles& shift, Doubles& sums)
{
    const Index count = static_cast<Index>(shift.size());
    Doubles top(at(width), -std::numeric_limits<double>::infinity());
    for (Index i = 0; i < count; ++i)
        for (Index c = 0; c < width; ++c)
            top[at(c)] = std::max(top[at(c)], k[at(i * width + c)] + shift[at(i)]);
    for (double& value : top)
        value = std::isfinite(value) ? value : 0;
    Doubles sum(at(width), 0.0);
    for (Index i = 0; i < count; ++i)
        for (Index c = 0; c < width; ++c)
            sum[at(c)] += std::exp(k[at(i * width + c)] + shift[at(i)] - top[at(c)]);
    for (Index c = 0; c < width; ++c)
        sums[at(c)] = top[at(c)] + std::log(sum[at(c)]);
}

Doubles logarithms(std::span<const double> values)
{
    Doubles logs(values.size());
    std::transform(values.begin(), values.end(), logs.begin(), [](double v) { return std::log(v); });
    return logs;
}

// exp(row scale + k + column scale); answers sum_i |row sum - wanted|.
double exponentials(const Doubles& k, Index width, const Doubles& rowScale, const Doubles& columnScale,
                    std::span<const double> wanted, Doubles& into)
{
    into.resize(k.size());
    double error = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        double sum = 0;
        for (std::size_t c = 0; c < at(width); ++c) {
            const double value = std::exp(rowScale[i] + k[i * at(width) + c] + columnScale[c]);
            into[i * at(width) + c] = value;
            sum += value;
        }
        error += std::abs(sum - wanted[i]);
    }
    return error;
}

// Logarithms of three kernels, to be brought onto the couplings.
struct Kernels {
    Doubles q;
    Doubles r;
    Doubles g;
};

// The KL projection onto Q 1 = a, R 1 = b, Qᵀ 1 = Rᵀ 1 = g, g >= leastWeight. The first sets are
// affine, so only the bound needs a correction (Dykstra).
Result<Factors> projected(const Kernels& kernels, std::span<const double> a, std::span<const double> b,
                          const LowRankOptions& options, const Running& running)
{
    const Doubles logA = logarithms(a);
    const Doubles logB = logarithms(b);
    const auto rank = static_cast<Index>(kernels.g.size());
    Factors factors;
    factors.rank = rank;
    Doubles scaleQ(at(rank), 0.0);
    Doubles scaleR(at(rank), 0.0);
    Doubles logG = kernels.g;
    Doubles correction(at(rank), 0.0);
    Doubles rowsQ(a.size());
    Doubles rowsR(b.size());
    Doubles sumQ(at(rank));
    Doubles sumR(at(rank));
    const double floor = std::log(options.leastWeight);
    for (Index iteration = 0; iteration < options.projectionMost; ++iteration) {
        if (running.stop.stop_requested())
            return Error::cancelled();
        rowSums(kernels.q, rank, scaleQ, rowsQ);
        rowSums(kernels.r, rank, scaleR, rowsR);
        for (std::size_t i = 0; i < rowsQ.size(); ++i)
            rowsQ[i] = logA[i] - rowsQ[i];
        for (std::size_t j = 0; j < rowsR.size(); ++j)
            rowsR[j] = logB[j] - rowsR[j];
        columnSums(kernels.q, rank, rowsQ, sumQ);
        columnSums(kernels.r, rank, rowsR, sumR);
        for (std::size_t k = 0; k < at(rank); ++k) {
            const double held = logG[k] + correction[k];
            const double bounded = std::max(held, floor);
            correction[k] = held - bounded;
            const double fromQ = scaleQ[k] + sumQ[k];
            const double fromR = scaleR[k] + sumR[k];
            logG[k] = (bounded + fromQ + fromR) / 3;
            scaleQ[k] += logG[k] - fromQ;
            scaleR[k] += logG[k] - fromR;
        }
        const double error = exponentials(kernels.q, rank, rowsQ, scaleQ, a, factors.q)
                           + exponentials(kernels.r, rank, rowsR, scaleR, b, factors.r);
        if (error < options.projectionThreshold)
            break;
    }
    factors.g.resize(at(rank));
    std::transform(logG.begin(), logG.end(), factors.g.begin(), [](double v) { return std::exp(v); });
    return factors;
}

// [term 1 factor] (or [1 term factor]) as rows.
Doubles fullFactor(const Doubles& term, const Doubles& factor, Index inner, bool termFirst)
{
    Doubles rows;
    rows.reserve(term.size() * at(inner + 2));
    for (std::size_t i = 0; i < term.size(); ++i) {
        rows.push_back(termFirst ? term[i] : 1.0);
        rows.push_back(termFirst ? 1.0 : term[i]);
        const auto begin = factor.begin() + static_cast<std::ptrdiff_t>(i * at(inner));
        rows.insert(rows.end(), begin, begin + static_cast<std::ptrdiff_t>(inner));
    }
    return rows;
}

// left (otherᵀ x): the cost times a thin matrix, without the cost.
Doubles throughCost(const Doubles& left, const Doubles& other, Index width, const Doubles& x, Index rank)
{
    const Index leftCount = static_cast<Index>(left.size()) / width;
    const Index otherCount = static_cast<Index>(other.size()) / width;
    Doubles small(at(width * rank));
    Product<double> down;
    down.rows = width;
    down.columns = rank;
    down.inner = otherCount;
    down.a = other.data();
    down.strideA = width;
    down.transposeA = true;
    down.b = x.data();
    down.strideB = rank;
    down.c = small.data();
    down.strideC = rank;
    multiply(down);
    Doubles result(at(leftCount * rank));
    Product<double> up;
    up.rows = leftCount;
    up.columns = rank;
    up.inner = width;
    up.a = left.data();
    up.strideA = width;
    up.b = small.data();
    up.strideB = rank;
    up.c = result.data();
    up.strideC = rank;
    multiply(up);
    return result;
}

// sum_i Q_ik (C R)_ik, one a k.
Doubles diagonal(const Doubles& q, const Doubles& cr, Index rank)
{
    Doubles sums(at(rank), 0.0);
    for (std::size_t i = 0; i < q.size(); ++i)
        sums[i % at(rank)] += q[i] * cr[i];
    return sums;
}

double valueOf(const Doubles& omega, const Doubles& g)
{
    double value = 0;
    for (std::size_t k = 0; k < g.size(); ++k)
        value += omega[k] / g[k];
    return value;
}

double largest(const Doubles& values)
{
    double most = 0;
    for (double value : values)
        most = std::max(most, std::abs(value));
    return most;
}

// KL(x|y) + KL(y|x), where both are positive.
double symmetricKl(const Doubles& x, const Doubles& y)
{
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i] > 0 && y[i] > 0)
            sum += (x[i] - y[i]) * (std::log(x[i]) - std::log(y[i]));
    return sum;
}

void descend(Doubles& logs, const Doubles& gradient, double step)
{
    for (std::size_t i = 0; i < logs.size(); ++i)
        logs[i] -= step * gradient[i];
}

} // namespace

Result<LowRankSolution> lowRankTransport(const InnerCost<double>& cost, std::span<const double> a,
                                         std::span<const double> b, Factors start,
                                         const LowRankOptions& options, const Running& running)
{
    LowRankSolution solution;
    solution.factors = std::move(start);
    const Index rank = solution.factors.rank;
    const Index width = cost.inner + 2;
    const Doubles left = fullFactor(cost.r, cost.u, cost.inner, true);
    const Doubles right = fullFactor(cost.c, cost.v, cost.inner, false);
    Doubles costR = throughCost(left, right, width, solution.factors.r, rank);
    for (Index step = 0; step < options.mostSteps; ++step) {
        Factors& now = solution.factors;
        Doubles gradientQ = costR;
        Doubles gradientR = throughCost(right, left, width, now.q, rank);
        const Doubles omega = diagonal(now.q, gradientQ, rank);
        Doubles gradientG(at(rank));
        for (std::size_t k = 0; k < at(rank); ++k)
            gradientG[k] = -omega[k] / (now.g[k] * now.g[k]);
        for (auto* gradient : {&gradientQ, &gradientR})
            for (std::size_t i = 0; i < gradient->size(); ++i)
                (*gradient)[i] /= now.g[i % at(rank)];
        const double most = std::max({largest(gradientQ), largest(gradientR), largest(gradientG)});
        const double length = options.gamma / (most * most);
        Kernels kernels{logarithms(now.q), logarithms(now.r), logarithms(now.g)};
        descend(kernels.q, gradientQ, length);
        descend(kernels.r, gradientR, length);
        descend(kernels.g, gradientG, length);
        auto next = projected(kernels, a, b, options, running);
        if (!next)
            return std::move(next).error();
        solution.change = symmetricKl(now.q, next->q) + symmetricKl(now.r, next->r)
                        + symmetricKl(now.g, next->g);
        solution.factors = std::move(*next);
        ++solution.steps;
        costR = throughCost(left, right, width, solution.factors.r, rank);
        solution.values.push_back(
            valueOf(diagonal(solution.factors.q, costR, rank), solution.factors.g));
        if (options.report)
            options.report(solution.steps, solution.change);
        if (solution.change < options.threshold) {
            solution.converged = true;
            break;
        }
    }
    return solution;
}

Result<Factors> lowRankStart(std::span<const double> a, std::span<const double> b, Index rank,
                             std::uint64_t seed, const Running& running)
{
    RandomStream stream(seed, "low-rank-init");
    const auto rows = [&](std::span<const double> weights) {
        Doubles logs;
        logs.reserve(weights.size() * at(rank));
        for (double weight : weights)
            for (Index k = 0; k < rank; ++k)
                logs.push_back(std::log(weight * (0.5 + stream.uniform())));
        return logs;
    };
    Kernels kernels;
    kernels.q = rows(a);
    kernels.r = rows(b);
    kernels.g.assign(at(rank), -std::log(static_cast<double>(rank)));
    return projected(kernels, a, b, LowRankOptions(), running);
}

} // namespace cellfolio::impute
