// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/scatter_index.h"

#include <algorithm>
#include <cmath>

namespace cellfolio
{

namespace
{

constexpr std::size_t kStopEvery = 1 << 16;

} // namespace

ScatterBounds boundsOf(const std::vector<float>& x, const std::vector<float>& y)
{
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    float left = kInfinity;
    float right = -kInfinity;
    float bottom = kInfinity;
    float top = -kInfinity;
    ScatterBounds bounds;
    const std::size_t n = std::min(x.size(), y.size());
    for (std::size_t i = 0; i < n; ++i) {
        if (!std::isfinite(x[i]) || !std::isfinite(y[i]))
            continue;
        ++bounds.drawn;
        left = std::min(left, x[i]);
        right = std::max(right, x[i]);
        bottom = std::min(bottom, y[i]);
        top = std::max(top, y[i]);
    }
    if (bounds.drawn > 0) {
        bounds.left = left;
        bounds.right = right;
        bounds.bottom = bottom;
        bounds.top = top;
    }
    return bounds;
}

ScatterGrid ScatterGrid::build(const std::vector<float>& x, const std::vector<float>& y,
                               const ScatterBounds& bounds, const std::atomic<bool>& stop)
{
    ScatterGrid grid;
    if (bounds.empty())
        return grid;
    grid.m_bounds = bounds;
    // About eight points a cell were they spread evenly; real maps fill a third of the square.
    grid.m_side = std::clamp(int(std::sqrt(double(bounds.drawn) / 8)), 8, 1024);
    const double extent = std::max(bounds.width(), bounds.height());
    grid.m_cell = extent > 0 ? extent / grid.m_side : 1.0;

    const std::size_t n = std::min(x.size(), y.size());
    const auto cells = std::size_t(grid.m_side) * std::size_t(grid.m_side);
    std::vector<std::uint32_t> starts(cells + 1, 0);
    const auto cellOf = [&](std::size_t i) {
        return std::size_t(grid.rowOf(y[i])) * std::size_t(grid.m_side) +
               std::size_t(grid.columnOf(x[i]));
    };
    for (std::size_t i = 0; i < n; ++i) {
        if (i % kStopEvery == 0 && stop.load(std::memory_order_relaxed))
            return {};
        if (std::isfinite(x[i]) && std::isfinite(y[i]))
            ++starts[cellOf(i) + 1];
    }
    for (std::size_t c = 0; c < cells; ++c)
        starts[c + 1] += starts[c];
    std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
    std::vector<std::uint32_t> order(std::size_t(bounds.drawn));
    for (std::size_t i = 0; i < n; ++i) {
        if (i % kStopEvery == 0 && stop.load(std::memory_order_relaxed))
            return {};
        if (std::isfinite(x[i]) && std::isfinite(y[i]))
            order[next[cellOf(i)]++] = std::uint32_t(i);
    }
    grid.m_starts = std::move(starts);
    grid.m_order = std::move(order);
    return grid;
}

int ScatterGrid::columnOf(double x) const
{
    return int(std::clamp(std::floor((x - m_bounds.left) / m_cell), 0.0, double(m_side - 1)));
}

int ScatterGrid::rowOf(double y) const
{
    return int(std::clamp(std::floor((y - m_bounds.bottom) / m_cell), 0.0, double(m_side - 1)));
}

ScatterGrid::Cells ScatterGrid::cellsOf(double left, double right, double bottom, double top) const
{
    if (!isValid() || right < m_bounds.left || left > m_bounds.right || top < m_bounds.bottom ||
        bottom > m_bounds.top)
        return {};
    return {columnOf(left), columnOf(right), rowOf(bottom), rowOf(top)};
}

std::int64_t ScatterGrid::countNear(double left, double right, double bottom, double top) const
{
    const Cells cells = cellsOf(left, right, bottom, top);
    std::int64_t count = 0;
    for (int row = cells.top; row <= cells.bottom; ++row) {
        const auto base = std::size_t(row) * std::size_t(m_side);
        count += std::int64_t(m_starts[base + std::size_t(cells.right) + 1]) -
                 std::int64_t(m_starts[base + std::size_t(cells.left)]);
    }
    return count;
}

std::int64_t ScatterGrid::nearest(const std::vector<float>& x, const std::vector<float>& y,
                                  double px, double py, double radius) const
{
    std::int64_t best = -1;
    double bestDistance = radius * radius;
    forEachNear(px - radius, px + radius, py - radius, py + radius, [&](std::uint32_t i) {
        const double dx = double(x[i]) - px;
        const double dy = double(y[i]) - py;
        const double distance = dx * dx + dy * dy;
        if (distance < bestDistance ||
            (distance <= bestDistance && (best < 0 || std::int64_t(i) < best))) {
            bestDistance = distance;
            best = i;
        }
    });
    return best;
}

} // namespace cellfolio
