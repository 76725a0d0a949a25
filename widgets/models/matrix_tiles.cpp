// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/matrix_tiles.h"

#include "core/base/text.h"

#include <algorithm>
#include <chrono>
#include <map>

namespace cellfolio {

namespace {

// How long lines are tried one by one: a damaged chunk is unpacked anew for each of them.
constexpr auto kPatience = std::chrono::seconds(2);

// The lines of one block and what is wrong with some of them.
class LineSort
{
public:
    LineSort(const MatrixReader& reader, const Selection& rows, const Selection& columns)
        : m_reader(reader), m_rows(rows), m_columns(columns), m_byRows(reader.byRows())
    {
    }

    const Selection& lines() const { return m_byRows ? m_rows : m_columns; }
    bool isSound(Index line) const { return !m_problems.contains(line); }

    void leaveOutLong(std::stop_token stop)
    {
        const std::vector<Index> entries = m_reader.lineEntries(lines(), stop);
        for (Index k = 0; k < lines().size(); ++k)
            if (entries[at(k)] > kMostLineEntries)
                m_problems.emplace(k, tooLong(lines()[k], entries[at(k)]));
    }

    // One by one; Cancelled or what concerns them all ends it.
    Result<void> leaveOutDamaged(const Error& whole, std::stop_token stop)
    {
        const auto until = std::chrono::steady_clock::now() + kPatience;
        for (Index k = 0; k < lines().size(); ++k) {
            if (!isSound(k))
                continue;
            if (std::chrono::steady_clock::now() > until) {
                m_problems.emplace(k, whole);
                continue;
            }
            const Selection one = Selection::indices(lines().extent(), {lines()[k]});
            auto values = m_byRows ? m_reader.block(one, m_columns, stop)
                                   : m_reader.block(m_rows, one, stop);
            if (values)
                continue;
            if (values.error().code() != ErrorCode::Corrupt)
                return std::move(values).error();
            m_problems.emplace(k, std::move(values).error());
        }
        return {};
    }

    void leaveOutAll(const Error& why)
    {
        for (Index k = 0; k < lines().size(); ++k)
            if (isSound(k))
                m_problems.emplace(k, why);
    }

    Result<Values> readSound(std::stop_token stop) const
    {
        if (m_problems.empty())
            return m_reader.block(m_rows, m_columns, stop);
        std::vector<Index> sound;
        for (Index k = 0; k < lines().size(); ++k)
            if (isSound(k))
                sound.push_back(lines()[k]);
        const Selection rest = Selection::indices(lines().extent(), std::move(sound));
        return m_byRows ? m_reader.block(rest, m_columns, stop)
                        : m_reader.block(m_rows, rest, stop);
    }

    MatrixTile tile(Values values) const
    {
        MatrixTile tile;
        tile.values = std::move(values);
        tile.byRows = m_byRows;
        tile.columns = m_columns.size() - (m_byRows ? 0 : static_cast<Index>(m_problems.size()));
        for (const auto& [line, error] : m_problems)
            tile.problems.push_back({line, error});
        return tile;
    }

private:
    Error tooLong(Index line, Index entries) const
    {
        const std::string name = m_byRows ? "Row " : "Column ";
        const Index width = m_byRows ? m_reader.columns() : m_reader.rows();
        const std::string path = m_reader.element().path;
        return Error(ErrorCode::Refused,
                     name + exactText(line) + " of \"" + path + "\" stores " + exactText(entries)
                         + " entries for "
                         + (m_byRows ? counted(width, "column", "columns") : counted(width, "row", "rows"))
                         + ": too many to pass for a screen.")
            .at(path)
            .advise(std::string("\"cellfolio-cli view FILE ") + path
                    + (m_byRows ? " --obs " : " --var ") + exactText(line)
                    + "\" reads it all the same; that takes minutes.");
    }

    const MatrixReader& m_reader;
    const Selection& m_rows;
    const Selection& m_columns;
    bool m_byRows;
    std::map<Index, Error> m_problems;
};

} // namespace

Index MatrixTile::placeOf(Index row, Index column) const
{
    const Index line = byRows ? row : column;
    Index before = 0;
    for (const LineProblem& problem : problems) {
        if (problem.line == line)
            return -1;
        before += problem.line < line ? 1 : 0;
    }
    return byRows ? (row - before) * columns + column : row * columns + column - before;
}

const Error* MatrixTile::problemOf(Index row, Index column) const
{
    for (const LineProblem& problem : problems)
        if (problem.line == (byRows ? row : column))
            return &problem.error;
    return nullptr;
}

Index MatrixTile::bytes() const
{
    Index total = values.bytes() + static_cast<Index>(sizeof(*this));
    for (const LineProblem& problem : problems)
        total += static_cast<Index>(sizeof(problem) + problem.error.message().capacity()
                                    + problem.error.fix().capacity());
    return total;
}

Result<MatrixTile> readTile(const MatrixReader& reader, const Selection& rows,
                            const Selection& columns, std::stop_token stop)
{
    LineSort sort(reader, rows, columns);
    sort.leaveOutLong(stop);
    Result<Values> values = sort.readSound(stop);
    if (!values && values.error().code() == ErrorCode::Corrupt) {
        const Error whole = values.error();
        if (Result<void> done = sort.leaveOutDamaged(whole, stop); !done)
            return std::move(done).error();
        values = sort.readSound(stop);
        // Each by itself could be read, together they cannot: then none of them is to be trusted.
        if (!values && values.error().code() == ErrorCode::Corrupt) {
            sort.leaveOutAll(whole);
            values = sort.readSound(stop);
        }
    }
    if (!values)
        return std::move(values).error();
    return sort.tile(std::move(*values));
}

Result<std::vector<MatrixTile>> readTiles(const MatrixReader& reader, const Selection& rows,
                                          const Selection& columns, Index width,
                                          std::stop_token stop)
{
    Result<MatrixTile> all = readTile(reader, rows, columns, stop);
    if (!all)
        return std::move(all).error();
    const Index valueRows = all->columns > 0 ? all->values.size() / all->columns : 0;
    std::vector<MatrixTile> tiles;
    Index left = 0; // in the columns that could be read
    for (Index first = 0; first < columns.size(); first += width) {
        const Index wide = std::min(width, columns.size() - first);
        MatrixTile tile;
        tile.byRows = all->byRows;
        tile.columns = wide;
        for (const LineProblem& problem : all->problems) {
            if (tile.byRows) {
                tile.problems.push_back(problem);
            } else if (problem.line >= first && problem.line < first + wide) {
                tile.problems.push_back({problem.line - first, problem.error});
                --tile.columns;
            }
        }
        std::vector<Index> places;
        places.reserve(at(valueRows * tile.columns));
        for (Index row = 0; row < valueRows; ++row)
            for (Index column = 0; column < tile.columns; ++column)
                places.push_back(row * all->columns + left + column);
        tile.values = all->values.gather(places);
        left += tile.columns;
        tiles.push_back(std::move(tile));
    }
    return tiles;
}

} // namespace cellfolio
