// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/fused_gw.h"

#include "core/impute/blas.h"
#include "core/impute/tile_stream.h"

#include <cmath>

namespace cellfolio::impute {

namespace {

using Doubles = std::vector<double>;

// Aᵀ B for two lists of rows of one length.
Doubles crossProduct(const Doubles& a, Index widthA, const Doubles& b, Index widthB, Index count)
{
    Doubles result(at(widthA * widthB));
    Product<double> product;
    product.rows = widthA;
    product.columns = widthB;
    product.inner = count;
    product.a = a.data();
    product.strideA = widthA;
    product.transposeA = true;
    product.b = b.data();
    product.strideB = widthB;
    product.c = result.data();
    product.strideC = widthB;
    multiply(product);
    return result;
}

// rows × width times (right or its transpose) times alpha.
Doubles timesSmall(const Doubles& rows, Index count, Index width, const Doubles& right, Index columns,
                   bool transposed, double alpha)
{
    Doubles result(at(count * columns));
    Product<double> product;
    product.rows = count;
    product.columns = columns;
    product.inner = width;
    product.a = rows.data();
    product.strideA = width;
    product.b = right.data();
    product.strideB = transposed ? width : columns;
    product.transposeB = transposed;
    product.c = result.data();
    product.strideC = columns;
    product.alpha = alpha;
    multiply(product);
    return result;
}

// Sums of the rows of a list, weighted.
Doubles weightedSum(const Doubles& rows, Index width, std::span<const double> weights)
{
    Doubles sum(at(width), 0.0);
    for (std::size_t i = 0; i < weights.size(); ++i)
        for (Index k = 0; k < width; ++k)
            sum[at(k)] += weights[i] * rows[i * at(width) + at(k)];
    return sum;
}

Doubles weighted(const Doubles& rows, Index width, std::span<const double> weights)
{
    Doubles result(rows);
    for (std::size_t i = 0; i < weights.size(); ++i)
        for (Index k = 0; k < width; ++k)
            result[i * at(width) + at(k)] *= weights[i];
    return result;
}

// Two lists of rows side by side, in the precision of tiles.
template <typename Real>
std::vector<Real> beside(const Doubles& left, Index leftWidth, const std::vector<Real>& right,
                         Index rightWidth, double rightFactor, Index count)
{
    std::vector<Real> rows;
    rows.reserve(at(count * (leftWidth + rightWidth)));
    for (Index i = 0; i < count; ++i) {
        for (Index k = 0; k < leftWidth; ++k)
            rows.push_back(static_cast<Real>(left[at(i * leftWidth + k)]));
        for (Index k = 0; k < rightWidth; ++k)
            rows.push_back(static_cast<Real>(rightFactor
                                             * static_cast<double>(right[at(i * rightWidth + k)])));
    }
    return rows;
}

double linearValue(std::span<const double> weights, const Doubles& potentials, double epsilon)
{
    double value = 0;
    for (std::size_t i = 0; i < weights.size(); ++i)
        if (weights[i] > 0)
            value += weights[i] * (potentials[i] - epsilon * std::log(weights[i]));
    return value;
}

} // namespace

Result<SelfCost> SelfCost::of(const Points<double>& cloud, const std::string& what)
{
    SelfCost cost;
    cost.count = cloud.count;
    cost.width = cloud.dimensions + 2;
    Doubles mean(at(cloud.dimensions), 0.0);
    for (Index i = 0; i < cloud.count; ++i)
        for (Index k = 0; k < cloud.dimensions; ++k)
            mean[at(k)] += cloud[i][k] / static_cast<double>(cloud.count);
    double scale = 0; // twice the mean squared length: the mean over all pairs
    for (Index i = 0; i < cloud.count; ++i) {
        double square = 0;
        for (Index k = 0; k < cloud.dimensions; ++k) {
            const double value = cloud[i][k] - mean[at(k)];
            square += value * value;
        }
        cost.a.insert(cost.a.end(), {square, 1.0});
        cost.b.insert(cost.b.end(), {1.0, square});
        for (Index k = 0; k < cloud.dimensions; ++k) {
            const double value = cloud[i][k] - mean[at(k)];
            cost.a.push_back(value);
            cost.b.push_back(-2 * value);
        }
        scale += 2 * square / static_cast<double>(cloud.count);
    }
    if (!(scale > 0) || !std::isfinite(scale))
        return Error(ErrorCode::Refused, "All points of " + what + " lie in one place, so they have no "
                                                                   "structure.");
    for (double& value : cost.b)
        value /= scale;
    return cost;
}

std::vector<double> SelfCost::squareTimes(std::span<const double> weights) const
{
    const Doubles inner = crossProduct(weighted(b, width, weights), width, b, width, count);
    const Doubles half = timesSmall(a, count, width, inner, width, false, 1);
    Doubles result(at(count), 0.0);
    for (Index i = 0; i < count; ++i)
        for (Index k = 0; k < width; ++k)
            result[at(i)] += half[at(i * width + k)] * a[at(i * width + k)];
    return result;
}

template <typename Real>
InnerCost<Real> linearised(const SelfCost& source, const SelfCost& target,
                           const std::vector<double>& middle, std::span<const double> rowSums,
                           std::span<const double> columnSums, const InnerCost<Real>* joint,
                           double phi)
{
    InnerCost<Real> cost;
    cost.r = source.squareTimes(rowSums);
    cost.c = target.squareTimes(columnSums);
    // The thinner side keeps its own factor, so that the inner dimension grows by that one.
    const bool keepSource = source.width <= target.width;
    const Index width = keepSource ? source.width : target.width;
    const Doubles left = keepSource ? source.a
                                    : timesSmall(source.a, source.count, source.width, middle,
                                                 target.width, false, -2);
    const Doubles right = keepSource ? timesSmall(target.b, target.count, target.width, middle,
                                                  source.width, true, -2)
                                     : target.b;
    const Index more = joint != nullptr ? joint->inner : 0;
    static const std::vector<Real> kNone;
    cost.u = beside<Real>(left, width, joint != nullptr ? joint->u : kNone, more, phi, source.count);
    cost.v = beside<Real>(right, width, joint != nullptr ? joint->v : kNone, more, 1, target.count);
    cost.inner = width + more;
    if (joint != nullptr) {
        for (std::size_t i = 0; i < cost.r.size(); ++i)
            cost.r[i] += phi * joint->r[i];
        for (std::size_t j = 0; j < cost.c.size(); ++j)
            cost.c[j] += phi * joint->c[j];
    }
    return cost;
}

template <typename Real>
Result<FusedSolution<Real>> fusedGromovWasserstein(const SelfCost& source, const SelfCost& target,
                                                   const InnerCost<Real>* joint,
                                                   std::span<const double> a,
                                                   std::span<const double> b,
                                                   const FusedOptions& options,
                                                   const SinkhornOptions& inner,
                                                   const Running& running)
{
    const double phi = joint == nullptr ? 0 : (1 - options.alpha) / options.alpha;
    SinkhornOptions each = inner;
    each.tauA = each.tauB = 1;
    each.onStop = SinkhornOptions::OnStop::Discard;
    if (options.plainInner)
        each.overRelaxation = 1;

    const Doubles sourceSum = weightedSum(source.b, source.width, a);
    const Doubles targetSum = weightedSum(target.a, target.width, b);
    Doubles middle;
    for (double x : sourceSum)
        for (double y : targetSum)
            middle.push_back(x * y);

    Matrix<Real> targetRows{target.count, target.width, {}};
    for (double value : target.a)
        targetRows.values.push_back(static_cast<Real>(value));

    FusedSolution<Real> solution;
    for (Index outer = 0; outer < options.mostOuter; ++outer) {
        solution.cost = linearised(source, target, middle, a, b, joint, phi);
        if (options.report)
            each.report = [&](Index iteration, double error) {
                options.report(outer, iteration, error);
            };
        auto solved = sinkhorn<Real>(solution.cost, a, b, each, running);
        if (!solved)
            return std::move(solved).error();
        each.startF = solved->f;
        each.startG = solved->g;
        const Index before = solution.potentials.iterations;
        solution.potentials = std::move(*solved);
        solution.potentials.iterations += before;
        ++solution.outerIterations;
        solution.values.push_back(
            linearValue(a, solution.potentials.f, inner.epsilon)
            + linearValue(b, solution.potentials.g, inner.epsilon));
        auto applied = applyPlan<Real>(solution.cost.byRows(), solution.potentials.f,
                                       solution.potentials.g, inner.epsilon, targetRows, running);
        if (!applied)
            return std::move(applied).error();
        const Doubles product(applied->product.values.begin(), applied->product.values.end());
        middle = crossProduct(source.b, source.width, product, target.width, source.count);
        const std::size_t k = solution.values.size();
        if (outer + 1 >= options.leastOuter && k > 1
            && std::abs(solution.values[k - 1] - solution.values[k - 2])
                   <= options.outerThreshold * std::abs(solution.values[k - 1])) {
            solution.settled = true;
            break;
        }
    }
    return solution;
}

#define CELLFOLIO_FUSED_OF(Real)                                                                   \
    template InnerCost<Real> linearised(const SelfCost&, const SelfCost&,                          \
                                        const std::vector<double>&, std::span<const double>,       \
                                        std::span<const double>, const InnerCost<Real>*, double);  \
    template Result<FusedSolution<Real>> fusedGromovWasserstein(                                   \
        const SelfCost&, const SelfCost&, const InnerCost<Real>*, std::span<const double>,         \
        std::span<const double>, const FusedOptions&, const SinkhornOptions&, const Running&);
CELLFOLIO_FUSED_OF(float)
CELLFOLIO_FUSED_OF(double)
#undef CELLFOLIO_FUSED_OF

} // namespace cellfolio::impute
