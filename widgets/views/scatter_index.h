// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QPointF>

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace cellfolio
{

// The box around all points that have two finite coordinates. A plain value; any thread.
struct ScatterBounds {
    double left = 0;
    double right = 0;
    double bottom = 0;
    double top = 0;
    std::int64_t drawn = 0; // points with finite coordinates

    bool empty() const { return drawn == 0; }
    double width() const { return right - left; }
    double height() const { return top - bottom; }
};

ScatterBounds boundsOf(const std::vector<float>& x, const std::vector<float>& y);

// From data to pixels: the same scale both ways. A plain value; any thread.
struct ScatterTransform {
    double scale = 1; // pixels a data unit
    double dx = 0;    // pixel = scale * x + dx
    double dy = 0;    // pixel = ySign * scale * y + dy
    double ySign = -1;

    QPointF map(double x, double y) const { return {scale * x + dx, ySign * scale * y + dy}; }
    QPointF unmap(QPointF pixel) const
    {
        return {(pixel.x() - dx) / scale, (pixel.y() - dy) / (ySign * scale)};
    }
    bool operator==(const ScatterTransform&) const = default;
};

// Points sorted into the cells of a square grid: finds the nearest one and those in a rectangle
// without looking at all of them. Immutable once built; any thread.
class ScatterGrid
{
public:
    // Empty (see isValid) when `stop` became true meanwhile.
    static ScatterGrid build(const std::vector<float>& x, const std::vector<float>& y,
                             const ScatterBounds& bounds, const std::atomic<bool>& stop);

    bool isValid() const { return !m_starts.empty(); }

    // Nearest point to (px, py) in data units within `radius`; the lowest index among equals;
    // -1: none.
    std::int64_t nearest(const std::vector<float>& x, const std::vector<float>& y, double px,
                         double py, double radius) const;

    // How many points lie in the cells that a rectangle touches.
    std::int64_t countNear(double left, double right, double bottom, double top) const;

    // Runs of point indices, cell by cell, of the cells that a rectangle touches.
    template <typename Take>
    void forEachNear(double left, double right, double bottom, double top, Take&& take) const
    {
        const Cells cells = cellsOf(left, right, bottom, top);
        for (int row = cells.top; row <= cells.bottom; ++row) {
            const auto base = std::size_t(row) * std::size_t(m_side);
            const std::uint32_t from = m_starts[base + std::size_t(cells.left)];
            const std::uint32_t to = m_starts[base + std::size_t(cells.right) + 1];
            for (std::uint32_t i = from; i < to; ++i)
                take(m_order[i]);
        }
    }

private:
    struct Cells {
        int left = 0, right = -1, top = 0, bottom = -1;
    };
    Cells cellsOf(double left, double right, double bottom, double top) const;
    int columnOf(double x) const;
    int rowOf(double y) const;

    int m_side = 0;
    ScatterBounds m_bounds;
    double m_cell = 1;                   // side of a cell in data units
    std::vector<std::uint32_t> m_starts; // side² + 1
    std::vector<std::uint32_t> m_order;
};

} // namespace cellfolio
