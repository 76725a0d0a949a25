// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/inner_cost.h"

#include "core/impute/tile_stream.h"

#include <algorithm>
#include <cmath>

namespace cellfolio::impute {

namespace {

template <typename Real>
double squaredLength(const Real* point, Index dimensions)
{
    double sum = 0;
    for (Index k = 0; k < dimensions; ++k)
        sum += static_cast<double>(point[k]) * static_cast<double>(point[k]);
    return sum;
}

template <typename Real>
void centre(Points<Real>& source, Points<Real>& target)
{
    const Index dimensions = source.dimensions;
    std::vector<double> mean(at(dimensions), 0.0);
    for (const Points<Real>* cloud : {&source, &target})
        for (Index i = 0; i < cloud->count; ++i)
            for (Index k = 0; k < dimensions; ++k)
                mean[at(k)] += static_cast<double>((*cloud)[i][k]);
    const auto both = static_cast<double>(source.count + target.count);
    for (Points<Real>* cloud : {&source, &target})
        for (Index i = 0; i < cloud->count; ++i)
            for (Index k = 0; k < dimensions; ++k) {
                Real& value = cloud->values[at(i * dimensions + k)];
                value = static_cast<Real>(static_cast<double>(value) - mean[at(k)] / both);
            }
}

template <typename Real>
void toUnitLength(Points<Real>& cloud)
{
    constexpr double kRidge = 1e-8; // shorter vectors have no direction
    for (Index i = 0; i < cloud.count; ++i) {
        Real* point = cloud.values.data() + i * cloud.dimensions;
        const double length = std::sqrt(squaredLength(point, cloud.dimensions));
        for (Index k = 0; k < cloud.dimensions; ++k)
            point[k] = length > kRidge ? static_cast<Real>(static_cast<double>(point[k]) / length)
                                       : Real{0};
    }
}

// Averages over all pairs that the inner form gives without looking at pairs.
struct Moments {
    double mean = 0;
    double meanSquare = 0;
};

// Averages over one side: of its term, its factor, and their products.
struct SideMoments {
    double term = 0;
    double termSquare = 0;
    std::vector<double> factor;
    std::vector<double> termFactor;
    std::vector<double> products; // inner × inner
};

template <typename Real>
SideMoments momentsOf(const std::vector<double>& term, const std::vector<Real>& factor, Index inner)
{
    SideMoments m;
    m.factor.assign(at(inner), 0.0);
    m.termFactor.assign(at(inner), 0.0);
    m.products.assign(at(inner * inner), 0.0);
    const auto count = static_cast<Index>(term.size());
    for (Index i = 0; i < count; ++i) {
        const Real* row = factor.data() + i * inner;
        const double own = term[at(i)];
        m.term += own;
        m.termSquare += own * own;
        for (Index k = 0; k < inner; ++k) {
            const auto value = static_cast<double>(row[k]);
            m.factor[at(k)] += value;
            m.termFactor[at(k)] += own * value;
            for (Index l = 0; l < inner; ++l)
                m.products[at(k * inner + l)] += value * static_cast<double>(row[l]);
        }
    }
    const auto n = static_cast<double>(count);
    m.term /= n;
    m.termSquare /= n;
    for (auto* list : {&m.factor, &m.termFactor, &m.products})
        for (double& value : *list)
            value /= n;
    return m;
}

double dot(const std::vector<double>& a, const std::vector<double>& b)
{
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k)
        sum += a[k] * b[k];
    return sum;
}

template <typename Real>
Moments momentsOf(const InnerCost<Real>& cost)
{
    const SideMoments x = momentsOf(cost.r, cost.u, cost.inner);
    const SideMoments y = momentsOf(cost.c, cost.v, cost.inner);
    Moments moments;
    moments.mean = x.term + y.term + dot(x.factor, y.factor);
    moments.meanSquare = x.termSquare + y.termSquare + 2 * x.term * y.term
                       + dot(x.products, y.products) + 2 * dot(x.termFactor, y.factor)
                       + 2 * dot(x.factor, y.termFactor);
    return moments;
}

} // namespace

template <typename Real>
void InnerCost<Real>::scale(double by)
{
    if (isRoot()) {
        divisor *= by;
        return;
    }
    for (auto* list : {&r, &c})
        for (double& value : *list)
            value /= by;
    for (Real& value : u)
        value = static_cast<Real>(static_cast<double>(value) / by);
}

template <typename Real>
InnerCost<Real> costBetween(CostKind kind, Points<Real> source, Points<Real> target)
{
    InnerCost<Real> cost;
    cost.inner = source.dimensions;
    cost.r.resize(at(source.count));
    cost.c.resize(at(target.count));
    if (kind == CostKind::Cosine) {
        toUnitLength(source);
        toUnitLength(target);
        std::fill(cost.r.begin(), cost.r.end(), 0.5);
        std::fill(cost.c.begin(), cost.c.end(), 0.5);
        for (Real& value : source.values)
            value = -value;
    } else {
        centre(source, target);
        for (Index i = 0; i < source.count; ++i)
            cost.r[at(i)] = squaredLength(source[i], cost.inner);
        for (Index j = 0; j < target.count; ++j)
            cost.c[at(j)] = squaredLength(target[j], cost.inner);
        for (Real& value : source.values)
            value *= Real{-2};
        cost.divisor = kind == CostKind::Euclidean ? 1 : 0;
    }
    cost.u = std::move(source.values);
    cost.v = std::move(target.values);
    return cost;
}

template <typename Real>
Result<double> scaleOf(const InnerCost<Real>& cost, const CostScale& scale, const Running& running)
{
    double by = 1;
    if (scale.mode == ScaleMode::Number) {
        by = scale.number;
    } else if (scale.mode != ScaleMode::None) {
        Moments moments;
        double largest = 0;
        if (cost.isRoot() || scale.mode == ScaleMode::Max) {
            Result<CostSummary> summary = summarise(cost.byRows(), running);
            if (!summary)
                return std::move(summary).error();
            moments = {summary->mean, summary->meanSquare};
            largest = summary->largest;
        } else {
            moments = momentsOf(cost);
        }
        by = scale.mode == ScaleMode::Max  ? largest
           : scale.mode == ScaleMode::Mean ? moments.mean
                                           : std::sqrt(std::max(
                                                 moments.meanSquare - moments.mean * moments.mean, 0.0));
    }
    if (!(by > 0) || !std::isfinite(by))
        return Error(ErrorCode::Refused, "All cells lie in one place of the joint space, so there is "
                                         "no cost to tell them apart.")
            .advise("Choose other features.");
    return by;
}

template struct InnerCost<float>;
template struct InnerCost<double>;
template InnerCost<float> costBetween(CostKind, Points<float>, Points<float>);
template InnerCost<double> costBetween(CostKind, Points<double>, Points<double>);
template Result<double> scaleOf(const InnerCost<float>&, const CostScale&, const Running&);
template Result<double> scaleOf(const InnerCost<double>&, const CostScale&, const Running&);

} // namespace cellfolio::impute
