// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/tile_math.h"

#include <cmath>
#include <cstddef>
#include <limits>

// Everything between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE is compiled once for each kind of
// processor, by including this very file again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/impute/tile_math.cpp"
#include <hwy/foreach_target.h>
// Not to be sorted: these expect the line above.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cellfolio::impute {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// exp(x), and 0 below a bound at which it counts for nothing: what lies just above 0 in the number
// format is slow to work with, here and in the products that follow.
template <class D, class V>
HWY_INLINE V expOrZero(D d, V x)
{
    using Real = hn::TFromD<D>;
    const auto least = hn::Set(d, static_cast<Real>(sizeof(Real) == 4 ? -80 : -690));
    return hn::IfThenElseZero(hn::Ge(x, least), hn::Exp(d, hn::Max(x, least)));
}

template <typename Real>
void addRowsToLogSumExp(const Tile<Real>& tile, const Real* columnShift, Real* top, double* sum)
{
    const hn::ScalableTag<Real> d;
    constexpr Real kLowest = -std::numeric_limits<Real>::infinity();
    const auto lanes = hn::Lanes(d);
    const auto columns = static_cast<std::size_t>(tile.columns);
    const std::size_t whole = columns / lanes * lanes;
    const std::size_t padded = (columns + lanes - 1) / lanes * lanes;
    for (Index row = 0; row < tile.rows; ++row) {
        Real* values = tile.values + row * tile.stride;
        auto largest = hn::Set(d, kLowest);
        for (std::size_t j = 0; j < whole; j += lanes) {
            const auto value = hn::Add(hn::LoadU(d, values + j), hn::LoadU(d, columnShift + j));
            hn::StoreU(value, d, values + j);
            largest = hn::Max(largest, value);
        }
        Real most = hn::GetLane(hn::MaxOfLanes(d, largest));
        for (std::size_t j = whole; j < columns; ++j) {
            values[j] += columnShift[j];
            most = values[j] > most ? values[j] : most;
        }
        for (std::size_t j = columns; j < padded; ++j)
            values[j] = kLowest;

        const Real before = top[row];
        const Real now = most > before ? most : before;
        const Real reference = now > kLowest ? now : Real{0};
        const auto away = hn::Set(d, reference);
        auto one = hn::Zero(d);
        auto other = hn::Zero(d);
        std::size_t j = 0;
        for (; j + 2 * lanes <= padded; j += 2 * lanes) {
            one = hn::Add(one, expOrZero(d, hn::Sub(hn::LoadU(d, values + j), away)));
            other = hn::Add(other, expOrZero(d, hn::Sub(hn::LoadU(d, values + j + lanes), away)));
        }
        if (j < padded)
            one = hn::Add(one, expOrZero(d, hn::Sub(hn::LoadU(d, values + j), away)));
        const Real added = hn::GetLane(hn::SumOfLanes(d, hn::Add(one, other)));
        const double kept = before > kLowest
                              ? sum[row] * std::exp(static_cast<double>(before)
                                                    - static_cast<double>(reference))
                              : 0.0;
        sum[row] = kept + static_cast<double>(added);
        top[row] = now;
    }
}

template <typename Real>
void exponentiateRows(const Tile<Real>& tile, const Real* rowShift, const Real* columnShift,
                      double* rowSum)
{
    const hn::ScalableTag<Real> d;
    const auto lanes = hn::Lanes(d);
    const auto columns = static_cast<std::size_t>(tile.columns);
    const std::size_t whole = columns / lanes * lanes;
    constexpr Real kLowest = -std::numeric_limits<Real>::infinity();
    for (Index row = 0; row < tile.rows; ++row) {
        Real* values = tile.values + row * tile.stride;
        const auto shift = hn::Set(d, rowShift[row]);
        auto total = hn::Zero(d);
        for (std::size_t j = 0; j < whole; j += lanes) {
            const auto exponent = hn::Add(
                hn::Add(hn::LoadU(d, values + j), hn::LoadU(d, columnShift + j)), shift);
            const auto weight = expOrZero(d, exponent);
            hn::StoreU(weight, d, values + j);
            total = hn::Add(total, weight);
        }
        if (whole < columns) {
            for (std::size_t j = whole; j < columns; ++j)
                values[j] += columnShift[j];
            for (std::size_t j = columns; j < whole + lanes; ++j)
                values[j] = kLowest;
            const auto weight = expOrZero(d, hn::Add(hn::LoadU(d, values + whole), shift));
            hn::StoreU(weight, d, values + whole);
            total = hn::Add(total, weight);
        }
        if (rowSum != nullptr)
            rowSum[row] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, total)));
    }
}

template <typename Real>
void takeRootsOfRows(const Tile<Real>& tile, const Real* rowTerm, const Real* columnTerm, Real factor)
{
    const hn::ScalableTag<Real> d;
    const auto lanes = hn::Lanes(d);
    const auto columns = static_cast<std::size_t>(tile.columns);
    const std::size_t whole = columns / lanes * lanes;
    const auto scale = hn::Set(d, factor);
    for (Index row = 0; row < tile.rows; ++row) {
        Real* values = tile.values + row * tile.stride;
        const auto term = hn::Set(d, rowTerm[row]);
        for (std::size_t j = 0; j < whole; j += lanes) {
            const auto square = hn::Add(
                hn::Add(hn::LoadU(d, values + j), hn::LoadU(d, columnTerm + j)), term);
            hn::StoreU(hn::Mul(scale, hn::Sqrt(hn::Max(square, hn::Zero(d)))), d, values + j);
        }
        for (std::size_t j = whole; j < columns; ++j) {
            const Real square = values[j] + columnTerm[j] + rowTerm[row];
            values[j] = factor * std::sqrt(square > 0 ? square : Real{0});
        }
    }
}

void addFloats(const Tile<float>& tile, const float* columnShift, float* top, double* sum)
{
    addRowsToLogSumExp(tile, columnShift, top, sum);
}
void addDoubles(const Tile<double>& tile, const double* columnShift, double* top, double* sum)
{
    addRowsToLogSumExp(tile, columnShift, top, sum);
}
void exponentiateFloats(const Tile<float>& tile, const float* rowShift, const float* columnShift,
                        double* rowSum)
{
    exponentiateRows(tile, rowShift, columnShift, rowSum);
}
void exponentiateDoubles(const Tile<double>& tile, const double* rowShift,
                         const double* columnShift, double* rowSum)
{
    exponentiateRows(tile, rowShift, columnShift, rowSum);
}
void takeFloatRoots(const Tile<float>& tile, const float* rowTerm, const float* columnTerm,
                    float factor)
{
    takeRootsOfRows(tile, rowTerm, columnTerm, factor);
}
void takeDoubleRoots(const Tile<double>& tile, const double* rowTerm, const double* columnTerm,
                     double factor)
{
    takeRootsOfRows(tile, rowTerm, columnTerm, factor);
}
const char* targetName()
{
    return hwy::TargetName(HWY_TARGET);
}

} // namespace HWY_NAMESPACE
} // namespace cellfolio::impute
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace cellfolio::impute {

HWY_EXPORT(addFloats);
HWY_EXPORT(addDoubles);
HWY_EXPORT(exponentiateFloats);
HWY_EXPORT(exponentiateDoubles);
HWY_EXPORT(takeFloatRoots);
HWY_EXPORT(takeDoubleRoots);
HWY_EXPORT(targetName);

void addToLogSumExp(const Tile<float>& tile, const float* columnShift, float* top, double* sum)
{
    HWY_DYNAMIC_DISPATCH(addFloats)(tile, columnShift, top, sum);
}

void addToLogSumExp(const Tile<double>& tile, const double* columnShift, double* top, double* sum)
{
    HWY_DYNAMIC_DISPATCH(addDoubles)(tile, columnShift, top, sum);
}

void exponentiate(const Tile<float>& tile, const float* rowShift, const float* columnShift,
                  double* rowSum)
{
    HWY_DYNAMIC_DISPATCH(exponentiateFloats)(tile, rowShift, columnShift, rowSum);
}

void exponentiate(const Tile<double>& tile, const double* rowShift, const double* columnShift,
                  double* rowSum)
{
    HWY_DYNAMIC_DISPATCH(exponentiateDoubles)(tile, rowShift, columnShift, rowSum);
}

void takeRoots(const Tile<float>& tile, const float* rowTerm, const float* columnTerm, float factor)
{
    HWY_DYNAMIC_DISPATCH(takeFloatRoots)(tile, rowTerm, columnTerm, factor);
}

void takeRoots(const Tile<double>& tile, const double* rowTerm, const double* columnTerm,
               double factor)
{
    HWY_DYNAMIC_DISPATCH(takeDoubleRoots)(tile, rowTerm, columnTerm, factor);
}

const char* vectorTarget()
{
    return HWY_DYNAMIC_DISPATCH(targetName)();
}

} // namespace cellfolio::impute

#endif // HWY_ONCE
