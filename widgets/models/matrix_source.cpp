// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/matrix_source.h"

#include "widgets/models/element_text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

// A share of rows above zero is exact up to this many rows, and from so many of them beyond.
constexpr Index kExactShareRows = 2048;
constexpr Index kShareRows = 256;

Index extentOf(const Element& element, std::size_t dimension)
{
    if (!element.shape || element.shape->size() <= dimension)
        return element.shape && !element.shape->empty() ? 1 : 0;
    return (*element.shape)[dimension];
}

Result<ShadeRange> sampleRange(const MatrixReader& reader, std::stop_token stop)
{
    const bool byColumn = reader.element().storage == Storage::Csc;
    const Selection rows = byColumn ? spreadOver(reader.rows(), 2048, 2048)
                                    : spreadOver(reader.rows(), 64, 8);
    const Selection columns = byColumn ? spreadOver(reader.columns(), 32, 4)
                                       : spreadOver(reader.columns(), 2048, 2048);
    auto block = readTile(reader, rows, columns, stop);
    if (!block)
        return std::move(block).error();
    ShadeRange range;
    range.whole = true;
    std::vector<double> values;
    for (Index i = 0; i < block->values.size(); ++i) {
        const double value = block->values.number(i);
        if (value == 0 || !std::isfinite(value))
            continue;
        values.push_back(value);
        range.whole = range.whole && value == std::floor(value);
        range.negative = range.negative || value < 0;
    }
    if (values.empty())
        return range;
    const auto quantile = [&](double q) {
        const auto place = values.begin()
            + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
        std::nth_element(values.begin(), place, values.end());
        return *place;
    };
    range.high = quantile(0.99);
    range.low = range.negative ? quantile(0.01) : 0;
    if (range.high <= range.low)
        range.high = range.low + 1;
    return range;
}

NumberLook lookFor(const std::optional<ShadeRange>& range)
{
    if (!range || range->whole)
        return {-1, true};
    const double largest = std::max(std::abs(range->high), std::abs(range->low));
    const int order = static_cast<int>(std::floor(std::log10(std::max(largest, 1e-300))));
    return {std::clamp(order >= 0 ? 2 - order : 2, 0, 4), true};
}

} // namespace

Selection spreadOver(Index extent, Index most, Index runs)
{
    if (extent <= most)
        return Selection::all(extent);
    std::vector<Index> positions;
    positions.reserve(at(most));
    const Index length = most / runs;
    for (Index run = 0; run < runs; ++run) {
        const Index first = runs > 1
            ? static_cast<Index>(static_cast<double>(extent - length) * double(run) / double(runs - 1))
            : 0;
        for (Index k = 0; k < length; ++k)
            if (positions.empty() || first + k > positions.back())
                positions.push_back(first + k);
    }
    return Selection::indices(extent, std::move(positions));
}

Index NamesPiece::bytes() const
{
    Index total = static_cast<Index>(sizeof(*this)) + groups.values.bytes();
    for (const auto* list : {&names, &symbols})
        for (const std::string& name : *list)
            total += static_cast<Index>(sizeof(name) + name.capacity());
    return total;
}

MatrixSource::MatrixSource(ModelContext context, std::shared_ptr<const Dataset> dataset,
                           const Element& matrix, QObject* parent)
    : GridSource(parent), m_context(context), m_dataset(std::move(dataset)), m_matrix(matrix),
      m_rowTable(m_dataset->namesOf(matrix, 0)), m_columnTable(m_dataset->namesOf(matrix, 1)),
      m_rows(extentOf(matrix, 0)), m_columns(extentOf(matrix, 1)), m_order(Selection::all(m_rows)),
      m_columnOrder(Selection::all(m_columns)),
      m_tiles(context.quick, context.reading, MemoryTag::Pages,
              std::min<Index>(Index{8} << 20, context.reading->budget().limit() / 32)),
      m_names(context.quick, context.reading, MemoryTag::Strings, Index{1} << 20),
      m_shares(context.patient, context.reading, MemoryTag::Pages, Index{1} << 20),
      m_openRequest(context.quick), m_rangeRequest(context.patient)
{
    const auto came = [this](const std::vector<PieceKey>&) { arrived(); };
    const auto broke = [this](const Error& error) {
        m_tileProblem = error;
        Q_EMIT failed(error);
        arrived();
    };
    m_tiles.arrived = [this](const std::vector<PieceKey>& keys) {
        arrived();
        lookForProblems(keys);
    };
    m_names.arrived = came;
    m_shares.arrived = came;
    m_tiles.failed = broke;
    m_names.failed = broke;
    installNamesReader();
}

MatrixSource::~MatrixSource() = default;

void MatrixSource::open()
{
    m_asked = true;
    m_openRequest.request<std::shared_ptr<const MatrixReader>>(
        [dataset = m_dataset, matrix = &m_matrix, reading = m_context.reading](std::stop_token) {
            return MatrixReader::open(dataset, *matrix, reading);
        },
        [this](Result<std::shared_ptr<const MatrixReader>> answer) {
            if (answer) {
                opened(std::move(*answer));
                return;
            }
            m_problem = answer.error();
            Q_EMIT failed(*m_problem);
            Q_EMIT changed();
        });
}

void MatrixSource::opened(std::shared_ptr<const MatrixReader> reader)
{
    m_reader = std::move(reader);
    if (m_reader->rows() != m_order.extent() || m_reader->columns() != m_columnOrder.extent()) {
        m_rows = m_reader->rows();
        m_columns = m_reader->columns();
        m_order = Selection::all(m_rows);
        m_columnOrder = Selection::all(m_columns);
        Q_EMIT reset();
    }
    installTilesReader();
    installSharesReader();
    want(m_window);
    m_rangeRequest.request<ShadeRange>(
        [reader = m_reader](std::stop_token stop) { return sampleRange(*reader, stop); },
        [this](Result<ShadeRange> range) {
            // Without it the numbers stand unshaded; the tiles say themselves what is wrong.
            m_range = range ? *range : ShadeRange();
            if (!range)
                m_range->high = m_range->low;
            Q_EMIT rangeFound();
            Q_EMIT changed();
        });
}

void MatrixSource::installNamesReader()
{
    m_names.setReader([dataset = m_dataset, reading = m_context.reading, rowTable = m_rowTable,
                       columnTable = m_columnTable, symbols = m_symbols, groups = m_groups,
                       order = m_order, columns = m_columnOrder](
                          const std::vector<PieceKey>& keys,
                          std::stop_token stop) -> Result<Names::Pieces> {
        Names::Pieces pieces;
        for (const PieceKey& key : keys) {
            if (stop.stop_requested())
                return Error::cancelled();
            const Index first = key.first * kNames;
            const Selection& axis = key.second == 0 ? order : columns;
            const Selection part = axis.part(first, std::min(kNames, axis.size() - first));
            auto piece = readNamesPiece(dataset, reading, key.second == 0 ? rowTable : columnTable,
                                        key.second == 0 ? groups : nullptr,
                                        key.second == 0 ? nullptr : symbols, part, stop);
            if (!piece && piece.error().code() == ErrorCode::Cancelled)
                return std::move(piece).error();
            if (!piece) {
                NamesPiece nothing;
                nothing.problem = std::move(piece).error();
                pieces.emplace_back(key, std::move(nothing));
                continue;
            }
            pieces.emplace_back(key, std::move(*piece));
        }
        return pieces;
    });
}

Result<NamesPiece> MatrixSource::readNamesPiece(const std::shared_ptr<const Dataset>& dataset,
                                                const std::shared_ptr<Reading>& reading,
                                                const Element* table, const Element* groups,
                                                const Element* symbols, const Selection& part,
                                                std::stop_token stop)
{
    NamesPiece piece;
    if (table != nullptr) {
        auto names = readNames(dataset, *table, part, reading, stop);
        if (!names)
            return std::move(names).error();
        piece.names = std::move(*names);
    } else {
        for (Index i = 0; i < part.size(); ++i)
            piece.names.push_back(std::to_string(part[i]));
    }
    const Element* more = groups != nullptr ? groups : symbols;
    if (more == nullptr)
        return piece;
    auto reader = ColumnReader::open(dataset, *more, reading);
    if (!reader)
        return std::move(reader).error();
    auto values = reader->read(part, stop);
    if (!values)
        return std::move(values).error();
    if (groups != nullptr)
        piece.groups = std::move(*values);
    else
        for (Index i = 0; i < values->size(); ++i)
            piece.symbols.push_back(values->text(i));
    return piece;
}

void MatrixSource::installTilesReader()
{
    m_tiles.setReader([reader = m_reader, order = m_order, shown = m_columnOrder](
                          const std::vector<PieceKey>& wanted,
                          std::stop_token stop) -> Result<Tiles::Pieces> {
        std::vector<PieceKey> keys = wanted;
        std::sort(keys.begin(), keys.end(), [](const PieceKey& a, const PieceKey& b) {
            return a.first != b.first ? a.first < b.first : a.second < b.second;
        });
        Tiles::Pieces pieces;
        // Neighbours in one row of tiles are read in one go: the rows are passed once.
        for (std::size_t begin = 0; begin < keys.size();) {
            std::size_t end = begin + 1;
            while (end < keys.size() && keys[end].first == keys[begin].first
                   && keys[end].second == keys[end - 1].second + 1)
                ++end;
            const Index firstRow = keys[begin].first * kTile;
            const Index rows = std::min(kTile, order.size() - firstRow);
            const Index firstColumn = keys[begin].second * kTile;
            const Index columns = std::min(static_cast<Index>(end - begin) * kTile, shown.size() - firstColumn);
            auto tiles = readTiles(*reader, order.part(firstRow, rows), shown.part(firstColumn, columns), kTile,
                                   stop);
            if (!tiles)
                return std::move(tiles).error();
            for (std::size_t k = begin; k < end; ++k)
                pieces.emplace_back(keys[k], std::move((*tiles)[k - begin]));
            begin = end;
        }
        return pieces;
    });
}

void MatrixSource::installSharesReader()
{
    m_shares.setReader([reader = m_reader, order = m_order, shown = m_columnOrder](
                           const std::vector<PieceKey>& keys, std::stop_token stop) -> Result<Shares::Pieces> {
        const bool few = order.size() <= kExactShareRows;
        Selection rows = few ? order : order.then(spreadOver(order.size(), kShareRows, 16));
        if (!rows.isAscending())
            rows = Selection::of(rows.toSet()); // a share knows no order; reading does
        Shares::Pieces pieces;
        for (const PieceKey& key : keys) {
            const Index first = key.first * kTile;
            const Index columns = std::min(kTile, shown.size() - first);
            auto block = readTile(*reader, rows, shown.part(first, columns), stop);
            if (!block)
                return std::move(block).error();
            SharePiece piece;
            // A share of fewer rows than the corner says would be another figure: none, then.
            const bool incomplete = block->byRows && !block->problems.empty();
            piece.shares.assign(at(columns), std::numeric_limits<double>::quiet_NaN());
            for (Index column = 0; column < columns && !incomplete; ++column) {
                if (block->problemOf(0, column) != nullptr)
                    continue;
                Index above = 0;
                for (Index row = 0; row < rows.size(); ++row)
                    above += block->values.number(block->placeOf(row, column)) > 0 ? 1 : 0;
                piece.shares[at(column)] = double(above) / double(std::max<Index>(rows.size(), 1));
            }
            pieces.emplace_back(key, std::move(piece));
        }
        return pieces;
    });
}

void MatrixSource::arrived()
{
    Q_EMIT changed();
    QTimer::singleShot(0, this, [this] {
        if (isFilled())
            Q_EMIT filled();
    });
}

bool MatrixSource::isFilled() const
{
    return m_problem || m_rows == 0 || m_columns == 0
        || (m_reader && m_tiles.isComplete() && m_names.isComplete() && m_range);
}

void MatrixSource::setSymbols(const Element* column)
{
    if (column == m_symbols || (column != nullptr && column->parent != m_columnTable))
        return;
    m_symbols = column;
    installNamesReader();
    Q_EMIT changed();
}

void MatrixSource::setGroups(const Element* column, std::vector<QColor> colors)
{
    if (column != nullptr && column->parent != m_rowTable)
        column = nullptr;
    m_groups = column;
    m_groupColors = std::move(colors);
    installNamesReader();
    Q_EMIT changed();
}

void MatrixSource::setRowOrder(Selection order, bool grouped)
{
    if (order == m_order && grouped == m_grouped && !grouped)
        return;
    m_order = std::move(order);
    m_grouped = grouped;
    m_rows = m_order.size();
    linesChanged();
}

void MatrixSource::setColumns(Selection columns)
{
    if (columns == m_columnOrder)
        return;
    m_columnOrder = std::move(columns);
    m_columns = m_columnOrder.size();
    linesChanged();
}

void MatrixSource::linesChanged()
{
    installNamesReader();
    if (m_reader) {
        installTilesReader();
        installSharesReader();
    }
    Q_EMIT reset();
    want(m_window);
}

qint64 MatrixSource::columnPlaceOf(Index fileColumn) const
{
    if (m_columnOrder.isAll())
        return fileColumn < m_columns ? fileColumn : -1;
    for (Index place = 0; place < m_columnOrder.size(); ++place)
        if (m_columnOrder[place] == fileColumn)
            return place;
    return -1;
}

qint64 MatrixSource::placeOf(Index fileRow) const
{
    if (m_order.isAll())
        return fileRow < m_rows ? fileRow : -1;
    if (const IndexSet* set = m_order.asSet())
        return fileRow < set->extent() && set->contains(fileRow) ? set->rank(fileRow) : -1;
    for (Index place = 0; place < m_order.size(); ++place)
        if (m_order[place] == fileRow)
            return place;
    return -1;
}

void MatrixSource::want(const Window& window)
{
    m_window = window;
    if (!m_asked)
        open(); // on the first look: a matrix that nobody shows costs nothing
    const auto blocks = [](qint64 first, qint64 last, Index extent, Index size) {
        std::vector<Index> list;
        if (last >= first && extent > 0)
            for (Index block = std::max<Index>(first, 0) / size;
                 block <= std::min<Index>(last, extent - 1) / size; ++block)
                list.push_back(block);
        return list;
    };
    std::vector<PieceKey> names;
    for (const Index block : blocks(window.firstRow, window.lastRow, m_rows, kNames))
        names.push_back({block, 0});
    for (const Index block : blocks(window.firstColumn, window.lastColumn, m_columns, kNames))
        names.push_back({block, 1});
    m_names.want(std::move(names));
    if (!m_reader)
        return;
    const std::vector<Index> columns = blocks(window.firstColumn, window.lastColumn, m_columns, kTile);
    std::vector<PieceKey> tiles;
    for (const Index row : blocks(window.firstRow, window.lastRow, m_rows, kTile))
        for (const Index column : columns)
            tiles.push_back({row, column});
    m_tiles.want(std::move(tiles));
    std::vector<PieceKey> shares;
    for (const Index column : columns)
        shares.push_back({column, 0});
    m_shares.want(std::move(shares));
}

const MatrixTile* MatrixSource::tileAt(qint64 row, qint64 column) const
{
    return m_tiles.peek({row / kTile, column / kTile});
}

GridCell MatrixSource::value(qint64 row, qint64 column) const
{
    GridCell cell;
    const MatrixTile* tile = tileAt(row, column);
    if (tile == nullptr) {
        cell.damaged = m_problem || m_tiles.hasFailed({row / kTile, column / kTile});
        cell.pending = !cell.damaged;
        return cell;
    }
    const Index place = tile->placeOf(row % kTile, column % kTile);
    if (place < 0) {
        cell.damaged = true;
        return cell;
    }
    const double number = tile->values.number(place);
    if (std::isnan(number)) {
        cell.missing = true;
        return cell;
    }
    cell.zero = number == 0;
    cell.text = cell.zero ? u"0"_s : cellNumber(tile->values, place, lookFor(m_range));
    if (!cell.zero && m_range && m_range->high > m_range->low)
        cell.shade = std::clamp((number - m_range->low) / (m_range->high - m_range->low), 0.0, 1.0);
    return cell;
}

QString MatrixSource::exactText(qint64 row, qint64 column) const
{
    const MatrixTile* tile = tileAt(row, column);
    const Index place = tile == nullptr ? -1 : tile->placeOf(row % kTile, column % kTile);
    return place < 0 ? QString() : toQString(tile->values.text(place));
}

QString MatrixSource::whyNot(qint64 row, qint64 column) const
{
    if (m_problem)
        return errorText(*m_problem);
    const MatrixTile* tile = tileAt(row, column);
    if (tile == nullptr)
        return m_tileProblem ? errorText(*m_tileProblem) : QString();
    const Error* problem = tile->problemOf(row % kTile, column % kTile);
    return problem == nullptr ? QString() : errorText(*problem);
}

// The first line that cannot be read is said aloud; the others show it where they stand.
void MatrixSource::lookForProblems(const std::vector<PieceKey>& keys)
{
    for (const PieceKey& key : keys) {
        const MatrixTile* tile = m_complained ? nullptr : m_tiles.peek(key);
        if (tile == nullptr || tile->problems.empty())
            continue;
        m_complained = true;
        Q_EMIT partlyFailed(tile->problems.front().error);
    }
}

QString MatrixSource::nameAt(qint64 place, Index axis) const
{
    const NamesPiece* piece = m_names.peek({place / kNames, axis});
    const Index i = place % kNames;
    return piece != nullptr && i < static_cast<Index>(piece->names.size()) ? toQString(piece->names[at(i)])
                                                                           : QString();
}

QString MatrixSource::rowName(qint64 row) const
{
    return nameAt(row, 0);
}

QString MatrixSource::columnName(qint64 column) const
{
    return nameAt(column, 1);
}

GridRowHead MatrixSource::rowHead(qint64 row) const
{
    GridRowHead head;
    const NamesPiece* piece = m_names.peek({row / kNames, 0});
    if (piece == nullptr) {
        head.pending = true;
        return head;
    }
    const Index i = row % kNames;
    if (piece->problem) {
        head.name = u"cannot be read"_s;
        head.toolTip = errorText(*piece->problem);
        return head;
    }
    if (i < static_cast<Index>(piece->names.size()))
        head.name = toQString(piece->names[at(i)]);
    if (m_groups == nullptr || i >= piece->groups.size())
        return head;
    if (!piece->groups.isMissing(i) && isInteger(piece->groups.values.type())) {
        const std::int64_t code = piece->groups.values.integer(i);
        if (code >= 0 && code < static_cast<Index>(m_groupColors.size()))
            head.strip = m_groupColors[at(code)];
    }
    if (m_grouped) {
        const NamesPiece* before = i > 0 ? piece : row > 0 ? m_names.peek({row / kNames - 1, 0}) : nullptr;
        const QString label = toQString(piece->groups.text(i));
        const Index previous = i > 0 ? i - 1 : before != nullptr ? before->groups.size() - 1 : -1;
        head.startsGroup = row == 0
            || (before != nullptr && previous >= 0 && toQString(before->groups.text(previous)) != label);
        if (head.startsGroup)
            head.group = label;
    }
    return head;
}

GridColumnHead MatrixSource::columnHead(qint64 column) const
{
    GridColumnHead head;
    const Index i = column % kNames;
    const NamesPiece* piece = m_names.peek({column / kNames, 1});
    if (piece == nullptr) {
        head.pending = true;
    } else if (piece->problem) {
        head.name = u"?"_s;
        head.toolTip = errorText(*piece->problem);
    } else if (i < static_cast<Index>(piece->names.size())) {
        const QString name = toQString(piece->names[at(i)]);
        const QString symbol = i < static_cast<Index>(piece->symbols.size())
            ? toQString(piece->symbols[at(i)])
            : QString();
        head.name = symbol.isEmpty() ? name : symbol;
        if (!symbol.isEmpty())
            head.toolTip = symbol + u"\n"_s + name;
    }
    if (const SharePiece* shares = m_shares.peek({column / kTile, 0});
        shares != nullptr && column % kTile < static_cast<Index>(shares->shares.size())
        && !std::isnan(shares->shares[at(column % kTile)])) {
        head.share = std::min(shares->shares[at(column % kTile)], 1.0);
        head.shareText = numberText(100 * head.share, head.share < 0.1 ? 1 : 2) + u" %"_s;
    }
    return head;
}

QString MatrixSource::cornerTop() const
{
    const bool cells = m_rowTable != nullptr && m_rowTable->path == "obs";
    const bool genes = m_rowTable != nullptr && m_rowTable->path == "var";
    return cells ? countedText(m_rows, u"cell"_s, u"cells"_s)
        : genes ? countedText(m_rows, u"gene"_s, u"genes"_s)
                : countedText(m_rows, u"row"_s, u"rows"_s);
}

QString MatrixSource::cornerBottom() const
{
    return m_rows <= kExactShareRows ? u"share above 0"_s
                                     : u"share above 0, of %1"_s.arg(countText(kShareRows));
}

} // namespace cellfolio
