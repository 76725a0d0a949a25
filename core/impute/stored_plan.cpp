// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/stored_plan.h"

#include "core/base/text.h"
#include "core/impute/stored_plan_parts.h"

#include <algorithm>
#include <cmath>

namespace cellfolio::impute {

namespace {

constexpr Index kPiece = Index{1} << 18; // values converted at once

Error notFinite(const std::string& name, Index row, Index column, double value)
{
    return Error(ErrorCode::Refused, name + " holds " + exactText(value) + " at row "
                                         + std::to_string(row) + ", column " + std::to_string(column)
                                         + "; weights of a plan are finite numbers.");
}

// A dense plan, read in strips of columns.
template <typename Real>
class GridPlan final : public PlanSource<Real>
{
public:
    GridPlan(StoredGrid grid, bool transposed, std::string name)
        : m_grid(std::move(grid)), m_transposed(transposed), m_name(std::move(name))
    {
    }

    Index rows() const override { return m_transposed ? m_grid.columns : m_grid.rows; }
    Index columns() const override { return m_transposed ? m_grid.rows : m_grid.columns; }
    Index bytesPerRow() const override { return kColumnTile * Index{sizeof(Real)}; }

    Result<void> begin(std::span<const Index> rows, const Running&) override
    {
        m_rows.assign(rows.begin(), rows.end());
        return {};
    }

    Result<void> load(Index firstColumn, Index columns, const Running& running) override
    {
        m_width = columns;
        m_strip.resize(m_rows.size() * at(columns));
        return m_transposed ? loadAcross(firstColumn, columns, running)
                            : loadAlong(firstColumn, columns, running);
    }

    void weights(Index first, const Tile<Real>& tile, double* rowSum) const override
    {
        for (Index i = 0; i < tile.rows; ++i) {
            const Real* from = m_strip.data() + (first + i) * m_width;
            std::copy_n(from, tile.columns, tile.values + i * tile.stride);
            for (Index k = 0; k < tile.columns && rowSum != nullptr; ++k)
                rowSum[i] += static_cast<double>(from[k]);
        }
    }

    Result<std::vector<double>> columnSums(const Running& running) override
    {
        std::vector<double> sums(at(columns()), 0.0);
        const Index band = std::max(Index{1}, kPiece / std::max(Index{1}, m_grid.columns));
        for (Index row = 0; row < m_grid.rows; row += band) {
            const Index count = std::min(band, m_grid.rows - row);
            for (Index column = 0; column < m_grid.columns; column += kPiece) {
                if (running.stop.stop_requested())
                    return Error::cancelled();
                const Index width = std::min(kPiece, m_grid.columns - column);
                if (auto done = readPiece(row, count, column, width); !done)
                    return std::move(done).error();
                for (Index i = 0; i < count; ++i)
                    for (Index k = 0; k < width; ++k)
                        sums[at(m_transposed ? row + i : column + k)] += m_piece[at(i * width + k)];
            }
        }
        return sums;
    }

private:
    Result<void> readPiece(Index row, Index rows, Index column, Index columns)
    {
        m_piece.resize(at(rows * columns));
        if (auto done = m_grid.read(row, rows, column, columns, m_piece.data()); !done)
            return done;
        for (Index k = 0; k < rows * columns; ++k)
            if (!std::isfinite(m_piece[at(k)]))
                return notFinite(m_name, row + k / columns, column + k % columns, m_piece[at(k)]);
        return {};
    }

    // Rows that follow each other in the file are read together.
    Result<void> loadAlong(Index firstColumn, Index columns, const Running& running)
    {
        const Index most = std::max(Index{1}, kPiece / columns);
        for (std::size_t k = 0; k < m_rows.size();) {
            if (running.stop.stop_requested())
                return Error::cancelled();
            std::size_t end = k + 1;
            while (end < m_rows.size() && m_rows[end] == m_rows[end - 1] + 1
                   && static_cast<Index>(end - k) < most)
                ++end;
            const auto count = static_cast<Index>(end - k);
            if (auto done = readPiece(m_rows[k], count, firstColumn, columns); !done)
                return done;
            std::transform(m_piece.begin(), m_piece.end(), m_strip.begin() + static_cast<Index>(k) * columns,
                           [](double value) { return static_cast<Real>(value); });
            k = end;
        }
        return {};
    }

    Result<void> loadAcross(Index firstLine, Index lines, const Running& running)
    {
        const auto [least, most] = std::minmax_element(m_rows.begin(), m_rows.end());
        const Index hull = *most - *least + 1;
        const Index band = std::clamp(kPiece / hull, Index{1}, lines);
        for (Index line = 0; line < lines; line += band) {
            if (running.stop.stop_requested())
                return Error::cancelled();
            const Index count = std::min(band, lines - line);
            if (auto done = readPiece(firstLine + line, count, *least, hull); !done)
                return done;
            for (std::size_t i = 0; i < m_rows.size(); ++i)
                for (Index k = 0; k < count; ++k)
                    m_strip[i * at(lines) + at(line + k)] =
                        static_cast<Real>(m_piece[at(k * hull + m_rows[i] - *least)]);
        }
        return {};
    }

    StoredGrid m_grid;
    bool m_transposed;
    std::string m_name;
    std::vector<Index> m_rows;
    Index m_width = 0;
    std::vector<Real> m_strip;
    std::vector<double> m_piece;
};

// Entries of some lines of a sparse plan, checked.
class LineReader
{
public:
    LineReader(StoredLines lines, std::string name) : m_lines(std::move(lines)), m_name(std::move(name))
    {
    }
    const StoredLines& lines() const { return m_lines; }
    Index count() const { return m_lines.byRows ? m_lines.rows : m_lines.columns; }
    Index width() const { return m_lines.byRows ? m_lines.columns : m_lines.rows; }

    std::vector<Index> starts;
    std::vector<Index> places;
    std::vector<double> values;

    Result<void> read(Index first, Index count)
    {
        starts.resize(at(count + 1));
        if (auto done = m_lines.indptr.integers(first, count + 1, starts.data()); !done)
            return done;
        const Index begin = starts.front();
        const Index end = starts.back();
        const Index stored = std::min(m_lines.data.length, m_lines.indices.length);
        if (begin < 0 || end > stored || !std::is_sorted(starts.begin(), starts.end()))
            return Error(ErrorCode::Corrupt, m_name + " is damaged: the pointers of "
                                                 + (m_lines.byRows ? "rows " : "columns ")
                                                 + std::to_string(first) + " … lead outside.");
        places.resize(at(end - begin));
        values.resize(at(end - begin));
        if (end > begin) {
            if (auto done = m_lines.indices.integers(begin, end - begin, places.data()); !done)
                return done;
            if (auto done = m_lines.data.reals(begin, end - begin, values.data()); !done)
                return done;
        }
        for (Index& start : starts)
            start -= begin;
        for (std::size_t e = 0; e < places.size(); ++e) {
            if (places[e] < 0 || places[e] >= width())
                return Error(ErrorCode::Corrupt, m_name + " is damaged: index "
                                                     + std::to_string(places[e])
                                                     + " lies outside 0 … "
                                                     + std::to_string(width() - 1) + ".");
            if (!std::isfinite(values[e]))
                return notFinite(m_name, m_lines.byRows ? first : places[e],
                                 m_lines.byRows ? places[e] : first, values[e]);
        }
        return {};
    }

private:
    StoredLines m_lines;
    std::string m_name;
};

template <typename Real>
class LinePlan final : public PlanSource<Real>
{
public:
    LinePlan(StoredLines lines, bool transposed, std::string name)
        : m_reader(std::move(lines), std::move(name)),
          m_linesAreRows(m_reader.lines().byRows != transposed)
    {
    }

    Index rows() const override { return m_linesAreRows ? m_reader.count() : m_reader.width(); }
    Index columns() const override { return m_linesAreRows ? m_reader.width() : m_reader.count(); }
    Index bytesPerRow() const override
    {
        const Index each = m_reader.lines().data.length / std::max(Index{1}, m_reader.count()) + 1;
        return m_linesAreRows ? each * Index{sizeof(Real) + 4} + 16
                              : kColumnTile * Index{sizeof(Real)} + 16;
    }

    Result<void> begin(std::span<const Index> rows, const Running& running) override
    {
        m_rows.assign(rows.begin(), rows.end());
        if (!m_linesAreRows) {
            m_firstOf.assign(at(this->rows()), -1);
            m_nextOf.assign(m_rows.size(), -1);
            for (std::size_t k = m_rows.size(); k-- > 0;) {
                m_nextOf[k] = m_firstOf[at(m_rows[k])];
                m_firstOf[at(m_rows[k])] = static_cast<std::int32_t>(k);
            }
            return {};
        }
        m_starts.assign(1, 0);
        m_places.clear();
        m_values.clear();
        std::vector<std::pair<Index, double>> line;
        for (Index row : m_rows) {
            if (running.stop.stop_requested())
                return Error::cancelled();
            if (auto done = m_reader.read(row, 1); !done)
                return done;
            line.clear();
            for (std::size_t e = 0; e < m_reader.places.size(); ++e)
                line.emplace_back(m_reader.places[e], m_reader.values[e]);
            std::stable_sort(line.begin(), line.end(),
                             [](const auto& x, const auto& y) { return x.first < y.first; });
            for (const auto& [place, value] : line) {
                m_places.push_back(static_cast<std::uint32_t>(place));
                m_values.push_back(static_cast<Real>(value));
            }
            m_starts.push_back(static_cast<Index>(m_values.size()));
        }
        return {};
    }

    Result<void> load(Index firstColumn, Index columns, const Running&) override
    {
        m_firstColumn = firstColumn;
        m_width = columns;
        if (m_linesAreRows)
            return {};
        m_strip.assign(m_rows.size() * at(columns), Real{0});
        constexpr Index kLines = 64;
        for (Index line = 0; line < columns; line += kLines) {
            const Index count = std::min(kLines, columns - line);
            if (auto done = m_reader.read(firstColumn + line, count); !done)
                return done;
            for (Index k = 0; k < count; ++k)
                for (Index e = m_reader.starts[at(k)]; e < m_reader.starts[at(k + 1)]; ++e)
                    for (std::int32_t i = m_firstOf[at(m_reader.places[at(e)])]; i >= 0;
                         i = m_nextOf[static_cast<std::size_t>(i)])
                        m_strip[static_cast<std::size_t>(i) * at(columns) + at(line + k)] +=
                            static_cast<Real>(m_reader.values[at(e)]);
        }
        return {};
    }

    void weights(Index first, const Tile<Real>& tile, double* rowSum) const override
    {
        for (Index i = 0; i < tile.rows; ++i) {
            Real* to = tile.values + i * tile.stride;
            if (m_linesAreRows) {
                std::fill_n(to, tile.columns, Real{0});
                const auto begin = m_places.begin() + m_starts[at(first + i)];
                const auto end = m_places.begin() + m_starts[at(first + i + 1)];
                const auto from = static_cast<std::uint32_t>(m_firstColumn);
                const auto behind = static_cast<std::uint32_t>(m_firstColumn + tile.columns);
                for (auto place = std::lower_bound(begin, end, from); place != end && *place < behind;
                     ++place)
                    to[*place - from] += m_values[static_cast<std::size_t>(place - m_places.begin())];
            } else {
                std::copy_n(m_strip.data() + (first + i) * m_width, tile.columns, to);
            }
            for (Index k = 0; k < tile.columns && rowSum != nullptr; ++k)
                rowSum[i] += static_cast<double>(to[k]);
        }
    }

    Result<std::vector<double>> columnSums(const Running& running) override
    {
        std::vector<double> sums(at(columns()), 0.0);
        for (Index line = 0; line < m_reader.count(); ++line) {
            if (running.stop.stop_requested())
                return Error::cancelled();
            if (auto done = m_reader.read(line, 1); !done)
                return std::move(done).error();
            for (std::size_t e = 0; e < m_reader.places.size(); ++e)
                sums[at(m_linesAreRows ? m_reader.places[e] : line)] += m_reader.values[e];
        }
        return sums;
    }

private:
    LineReader m_reader;
    bool m_linesAreRows;
    std::vector<Index> m_rows;
    Index m_firstColumn = 0;
    Index m_width = 0;
    // Lines are rows: their entries, sorted by column.
    std::vector<Index> m_starts;
    std::vector<std::uint32_t> m_places;
    std::vector<Real> m_values;
    // Lines are columns: the block's rows by their number, and the strip of weights.
    std::vector<std::int32_t> m_firstOf;
    std::vector<std::int32_t> m_nextOf;
    std::vector<Real> m_strip;
};

} // namespace

Result<StoredPlan> StoredPlan::open(const std::string& location, const std::shared_ptr<Reading>& reading,
                                    const std::filesystem::path& scratch, std::stop_token stop)
{
    auto parts = openPlanParts(location, reading, scratch, stop);
    if (!parts)
        return std::move(parts).error();
    StoredPlan plan;
    plan.m_name = location;
    plan.m_grid = std::move(parts->grid);
    plan.m_lines = std::move(parts->lines);
    plan.m_factors = std::move(parts->factors);
    if (plan.m_grid) {
        plan.m_rows = plan.m_grid->rows;
        plan.m_columns = plan.m_grid->columns;
    } else if (plan.m_lines) {
        plan.m_rows = plan.m_lines->rows;
        plan.m_columns = plan.m_lines->columns;
    } else {
        plan.m_rows = plan.m_factors->rows();
        plan.m_columns = plan.m_factors->columns();
    }
    if (plan.m_rows < 1 || plan.m_columns < 1)
        return Error(ErrorCode::Refused, location + " is a plan without rows or columns.");
    return plan;
}

const char* StoredPlan::form() const noexcept
{
    return m_grid ? "dense" : m_lines ? "sparse" : "factors";
}

Factors StoredPlan::factors(bool transposed) const
{
    Factors factors = *m_factors;
    if (transposed)
        std::swap(factors.q, factors.r);
    return factors;
}

template <typename Real>
std::unique_ptr<PlanSource<Real>> StoredPlan::source(bool transposed) const
{
    if (m_grid)
        return std::make_unique<GridPlan<Real>>(*m_grid, transposed, m_name);
    return std::make_unique<LinePlan<Real>>(*m_lines, transposed, m_name);
}

Result<PlanOrientation> orientationOf(const StoredPlan& plan, std::optional<Index> spatialCells,
                                      Index referenceCells, bool askedTransposed)
{
    const bool along = plan.columns() == referenceCells
                    && (!spatialCells || plan.rows() == *spatialCells);
    const bool across = plan.rows() == referenceCells
                     && (!spatialCells || plan.columns() == *spatialCells);
    if (askedTransposed ? across : along)
        return PlanOrientation{askedTransposed, along && across && !askedTransposed};
    if (!askedTransposed && across)
        return PlanOrientation{true, false};
    std::string message = "The plan is " + grouped(plan.rows()) + " × " + grouped(plan.columns());
    if (askedTransposed)
        message += " (transposed)";
    message += ", but the reference has " + counted(referenceCells, "cell", "cells");
    if (spatialCells)
        message += " and the spatial file " + counted(*spatialCells, "cell", "cells");
    return Error(ErrorCode::Refused, message + ".")
        .advise(askedTransposed && along ? "Leave out --transposed."
                                         : "Check that these are the files that the plan was made of.");
}

template std::unique_ptr<PlanSource<float>> StoredPlan::source(bool) const;
template std::unique_ptr<PlanSource<double>> StoredPlan::source(bool) const;

} // namespace cellfolio::impute
