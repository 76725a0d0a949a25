// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio::impute {

// How much of the machine a calculation may use. Results never depend on `threads`.
struct Running {
    int threads = 1;
    std::stop_token stop = {};
};

// Points in a space: count × dimensions, row-major.
template <typename Real>
struct Points {
    Index count = 0;
    Index dimensions = 0;
    std::vector<Real> values;

    const Real* operator[](Index i) const noexcept { return values.data() + i * dimensions; }
};

// One way of looking at a cost: rows × columns of it, C_ij = r_i + c_j + U_i · V_j; with `divisor`
// above 0, C_ij = sqrt(r_i + c_j + U_i · V_j) / divisor. Borrows from its InnerCost.
template <typename Real>
struct CostSide {
    Index rows = 0;
    Index columns = 0;
    Index inner = 0;
    const double* r = nullptr;
    const double* c = nullptr;
    const Real* u = nullptr;
    const Real* v = nullptr;
    double divisor = 0;
};

// A cost between n source points and m target points that is never held as a matrix. Terms and
// their sums are double; the factors are of the precision in which tiles are worked out.
template <typename Real>
struct InnerCost {
    std::vector<double> r; // n
    std::vector<double> c; // m
    std::vector<Real> u;   // n × inner
    std::vector<Real> v;   // m × inner
    Index inner = 0;
    double divisor = 0; // above 0: the root of it, divided by this

    Index rows() const noexcept { return static_cast<Index>(r.size()); }
    Index columns() const noexcept { return static_cast<Index>(c.size()); }
    bool isRoot() const noexcept { return divisor > 0; }
    CostSide<Real> byRows() const noexcept
    {
        return {rows(), columns(), inner, r.data(), c.data(), u.data(), v.data(), divisor};
    }
    // The same with source and target exchanged.
    CostSide<Real> byColumns() const noexcept
    {
        return {columns(), rows(), inner, c.data(), r.data(), v.data(), u.data(), divisor};
    }
    // Divides the cost.
    void scale(double by);
};

enum class CostKind { SquaredEuclidean, Cosine, Euclidean };

// Takes both clouds over. Squared Euclidean and Euclidean: their pooled mean is subtracted first,
// which changes no distance and keeps single precision from cancelling. Cosine: 1 - cos; a vector
// of no length has cost 1 to everything.
template <typename Real>
InnerCost<Real> costBetween(CostKind kind, Points<Real> source, Points<Real> target);

enum class ScaleMode { None, Mean, Sd, Max, Number };
struct CostScale {
    ScaleMode mode = ScaleMode::Mean;
    double number = 1;
};

// What the cost is to be divided by, over all n·m pairs with equal weights. Mean and standard
// deviation of the inner form take (n + m) · inner² steps; Max, and all of a root, one pass over
// tiles. Refused where it is not above 0 (all points lie in one place).
template <typename Real>
Result<double> scaleOf(const InnerCost<Real>& cost, const CostScale& scale, const Running& running);

extern template struct InnerCost<float>;
extern template struct InnerCost<double>;

} // namespace cellfolio::impute
