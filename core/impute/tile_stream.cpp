// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/tile_stream.h"

#include "core/impute/blas.h"
#include "core/run/work_sharing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace cellfolio::impute {

namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

static_assert(kColumnTile % kTilePad == 0);

Index tilesOf(Index length, Index tile)
{
    return (length + tile - 1) / tile;
}

// Room for one tile on each of the threads that a pass can use, made without touching it.
template <typename Real>
class TileRooms
{
public:
    TileRooms(const CostSide<Real>& side, const Running& running)
        : m_side(side),
          m_threads(static_cast<int>(
              std::clamp(tilesOf(side.rows, kRowTile), Index{1}, Index{running.threads}))),
          m_stride((std::min(kColumnTile, side.columns) + kTilePad - 1) / kTilePad * kTilePad)
    {
        for (int worker = 0; worker < m_threads; ++worker)
            m_rooms.emplace_back(new Real[at(std::min(kRowTile, side.rows) * m_stride)]);
    }

    int threads() const { return m_threads; }
    Tile<Real> tile(int worker, Index firstRow, Index firstColumn)
    {
        return {m_rooms[static_cast<std::size_t>(worker)].get(),
                std::min(kRowTile, m_side.rows - firstRow),
                std::min(kColumnTile, m_side.columns - firstColumn), m_stride};
    }

private:
    const CostSide<Real>& m_side;
    int m_threads;
    Index m_stride;
    std::vector<std::unique_ptr<Real[]>> m_rooms;
};

// (potential - term) / epsilon; of a root the term stays in the tile.
template <typename Real>
std::vector<Real> shifts(std::span<const double> potentials, const double* term, bool root,
                         double epsilon)
{
    std::vector<Real> shift(potentials.size());
    for (std::size_t i = 0; i < potentials.size(); ++i)
        shift[i] = static_cast<Real>((potentials[i] - (root ? 0.0 : term[i])) / epsilon);
    return shift;
}

template <typename Real>
std::vector<Real> terms(const double* term, Index count, bool root)
{
    std::vector<Real> list;
    if (root) {
        list.resize(at(count));
        std::transform(term, term + count, list.begin(),
                       [](double value) { return static_cast<Real>(value); });
    }
    return list;
}

} // namespace

template <typename Real>
void costTile(const CostSide<Real>& side, Index firstRow, Index firstColumn, double factor,
              const Real* rowTerm, const Real* columnTerm, const Tile<Real>& tile)
{
    const bool root = side.divisor > 0;
    Product<Real> product;
    product.rows = tile.rows;
    product.columns = tile.columns;
    product.inner = side.inner;
    product.a = side.u + firstRow * side.inner;
    product.strideA = side.inner;
    product.b = side.v + firstColumn * side.inner;
    product.strideB = side.inner;
    product.transposeB = true;
    product.c = tile.values;
    product.strideC = tile.stride;
    product.alpha = root ? Real{1} : static_cast<Real>(factor);
    multiply(product);
    if (root)
        takeRoots(tile, rowTerm + firstRow, columnTerm + firstColumn,
                  static_cast<Real>(factor / side.divisor));
}

template <typename Real>
Result<std::vector<double>> logSumExp(const CostSide<Real>& side, std::span<const double> g,
                                      double epsilon, const Running& running)
{
    const bool root = side.divisor > 0;
    const std::vector<Real> shift = shifts<Real>(g, side.c, root, epsilon);
    const std::vector<Real> rowTerm = terms<Real>(side.r, side.rows, root);
    const std::vector<Real> columnTerm = terms<Real>(side.c, side.columns, root);
    std::vector<double> result(at(side.rows), kNothing);
    TileRooms<Real> rooms(side, running);
    WorkSharing sharing(tilesOf(side.rows, kRowTile), running.stop);
    const auto block = [&](int worker, Index ordinal) -> Result<void> {
        const Index first = ordinal * kRowTile;
        const Index rows = std::min(kRowTile, side.rows - first);
        std::vector<Real> top(at(rows), -std::numeric_limits<Real>::infinity());
        std::vector<double> sum(at(rows), 0.0);
        for (Index column = 0; column < side.columns; column += kColumnTile) {
            if (running.stop.stop_requested())
                return Error::cancelled();
            const Tile<Real> tile = rooms.tile(worker, first, column);
            costTile(side, first, column, -1 / epsilon, rowTerm.data(), columnTerm.data(), tile);
            addToLogSumExp(tile, shift.data() + column, top.data(), sum.data());
        }
        for (Index row = 0; row < rows; ++row)
            if (sum[at(row)] > 0)
                result[at(first + row)] = static_cast<double>(top[at(row)]) + std::log(sum[at(row)])
                                        - (root ? 0.0 : side.r[first + row] / epsilon);
        return {};
    };
    if (Result<void> done = sharing.run(rooms.threads(), block); !done)
        return std::move(done).error();
    return result;
}

template <typename Real>
PlanTiles<Real>::PlanTiles(const CostSide<Real>& side, std::span<const double> f,
                           std::span<const double> g, double epsilon)
    : m_side(side), m_epsilon(epsilon),
      m_rowShift(shifts<Real>(f, side.r, side.divisor > 0, epsilon)),
      m_columnShift(shifts<Real>(g, side.c, side.divisor > 0, epsilon)),
      m_rowTerm(terms<Real>(side.r, side.rows, side.divisor > 0)),
      m_columnTerm(terms<Real>(side.c, side.columns, side.divisor > 0))
{
}

template <typename Real>
void PlanTiles<Real>::weights(Index firstRow, Index firstColumn, const Tile<Real>& tile,
                              double* rowSum) const
{
    costTile(m_side, firstRow, firstColumn, -1 / m_epsilon, m_rowTerm.data(), m_columnTerm.data(),
             tile);
    exponentiate(tile, m_rowShift.data() + firstRow, m_columnShift.data() + firstColumn, rowSum);
}

template <typename Real>
void PlanTiles<Real>::weights(std::span<const Index> rows, Index firstColumn, const Tile<Real>& tile,
                              double* rowSum) const
{
    const bool root = m_side.divisor > 0;
    const Index inner = m_side.inner;
    std::vector<Real> u(rows.size() * at(inner));
    std::vector<Real> shift(rows.size());
    std::vector<Real> term(root ? rows.size() : 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::copy_n(m_side.u + rows[i] * inner, inner, u.data() + i * at(inner));
        shift[i] = m_rowShift[at(rows[i])];
        if (root)
            term[i] = m_rowTerm[at(rows[i])];
    }
    CostSide<Real> gathered = m_side;
    gathered.rows = static_cast<Index>(rows.size());
    gathered.u = u.data();
    costTile(gathered, 0, firstColumn, -1 / m_epsilon, term.data(), m_columnTerm.data(), tile);
    exponentiate(tile, shift.data(), m_columnShift.data() + firstColumn, rowSum);
}

template <typename Real>
Result<Applied<Real>> applyPlan(const CostSide<Real>& side, std::span<const double> f,
                                std::span<const double> g, double epsilon, const Matrix<Real>& x,
                                const Running& running)
{
    const PlanTiles<Real> plan(side, f, g, epsilon);
    Applied<Real> applied;
    applied.rowSum.assign(at(side.rows), 0.0);
    applied.product = {side.rows, x.columns, std::vector<Real>(at(side.rows * x.columns), Real{0})};
    TileRooms<Real> rooms(side, running);
    WorkSharing sharing(tilesOf(side.rows, kRowTile), running.stop);
    const auto block = [&](int worker, Index ordinal) -> Result<void> {
        const Index first = ordinal * kRowTile;
        for (Index column = 0; column < side.columns; column += kColumnTile) {
            if (running.stop.stop_requested())
                return Error::cancelled();
            const Tile<Real> tile = rooms.tile(worker, first, column);
            plan.weights(first, column, tile, applied.rowSum.data() + first);
            Product<Real> product;
            product.rows = tile.rows;
            product.columns = x.columns;
            product.inner = tile.columns;
            product.a = tile.values;
            product.strideA = tile.stride;
            product.b = x.values.data() + column * x.columns;
            product.strideB = x.columns;
            product.c = applied.product.values.data() + first * x.columns;
            product.strideC = x.columns;
            product.beta = 1;
            multiply(product);
        }
        return {};
    };
    if (Result<void> done = sharing.run(rooms.threads(), block); !done)
        return std::move(done).error();
    return applied;
}

template <typename Real>
Result<Matrix<Real>> softmaxApply(const CostSide<Real>& side, std::span<const double> g,
                                  double epsilon, const Matrix<Real>& x, const Running& running)
{
    Result<std::vector<double>> sums = logSumExp(side, g, epsilon, running);
    if (!sums)
        return std::move(sums).error();
    const std::vector<double> f = softmaxPotentials(*sums, epsilon);
    Result<Applied<Real>> applied = applyPlan<Real>(side, f, g, epsilon, x, running);
    if (!applied)
        return std::move(applied).error();
    return std::move(applied->product);
}

std::vector<double> softmaxPotentials(std::span<const double> logSums, double epsilon)
{
    std::vector<double> f(logSums.size());
    std::transform(logSums.begin(), logSums.end(), f.begin(),
                   [&](double sum) { return std::isfinite(sum) ? -epsilon * sum : kNothing; });
    return f;
}

template <typename Real>
Result<CostSummary> summarise(const CostSide<Real>& side, const Running& running)
{
    const bool root = side.divisor > 0;
    const std::vector<Real> rowTerm = terms<Real>(side.r, side.rows, root);
    const std::vector<Real> columnTerm = terms<Real>(side.c, side.columns, root);
    const Index blocks = tilesOf(side.rows, kRowTile);
    std::vector<CostSummary> parts(at(blocks));
    TileRooms<Real> rooms(side, running);
    WorkSharing sharing(blocks, running.stop);
    const auto block = [&](int worker, Index ordinal) -> Result<void> {
        const Index first = ordinal * kRowTile;
        CostSummary& part = parts[at(ordinal)];
        for (Index column = 0; column < side.columns; column += kColumnTile) {
            if (running.stop.stop_requested())
                return Error::cancelled();
            const Tile<Real> tile = rooms.tile(worker, first, column);
            costTile(side, first, column, 1.0, rowTerm.data(), columnTerm.data(), tile);
            for (Index i = 0; i < tile.rows; ++i)
                for (Index j = 0; j < tile.columns; ++j) {
                    const double cost = static_cast<double>(tile.values[i * tile.stride + j])
                                      + (root ? 0.0 : side.r[first + i] + side.c[column + j]);
                    part.mean += cost;
                    part.meanSquare += cost * cost;
                    part.largest = std::max(part.largest, std::abs(cost));
                }
        }
        return {};
    };
    if (Result<void> done = sharing.run(rooms.threads(), block); !done)
        return std::move(done).error();
    CostSummary all;
    for (const CostSummary& part : parts) {
        all.mean += part.mean;
        all.meanSquare += part.meanSquare;
        all.largest = std::max(all.largest, part.largest);
    }
    const double pairs = static_cast<double>(side.rows) * static_cast<double>(side.columns);
    all.mean /= pairs;
    all.meanSquare /= pairs;
    return all;
}

template class PlanTiles<float>;
template class PlanTiles<double>;
#define CELLFOLIO_STREAMS_OF(Real)                                                                 \
    template void costTile(const CostSide<Real>&, Index, Index, double, const Real*, const Real*,  \
                           const Tile<Real>&);                                                     \
    template Result<std::vector<double>> logSumExp(const CostSide<Real>&, std::span<const double>, \
                                                   double, const Running&);                        \
    template Result<Applied<Real>> applyPlan(const CostSide<Real>&, std::span<const double>,       \
                                             std::span<const double>, double, const Matrix<Real>&, \
                                             const Running&);                                      \
    template Result<Matrix<Real>> softmaxApply(const CostSide<Real>&, std::span<const double>,     \
                                               double, const Matrix<Real>&, const Running&);       \
    template Result<CostSummary> summarise(const CostSide<Real>&, const Running&);
CELLFOLIO_STREAMS_OF(float)
CELLFOLIO_STREAMS_OF(double)
#undef CELLFOLIO_STREAMS_OF

} // namespace cellfolio::impute
