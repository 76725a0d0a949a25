// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/frame_source.h"

#include "widgets/models/category_colors.h"
#include "widgets/models/element_text.h"
#include "widgets/style/palettes.h"
#include "widgets/style/theme.h"

#include <algorithm>
#include <mutex>
#include <numeric>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

// Readers keep a column's category list, so they are shared by all requests of a table.
class ReaderStore
{
public:
    ReaderStore(std::shared_ptr<const Dataset> dataset, std::shared_ptr<Reading> reading)
        : m_dataset(std::move(dataset)), m_reading(std::move(reading))
    {
    }

    Result<ColumnReader> readerOf(const Element& column)
    {
        {
            const std::lock_guard lock(m_mutex);
            if (const auto found = m_readers.find(&column); found != m_readers.end())
                return found->second;
        }
        auto reader = ColumnReader::open(m_dataset, column, m_reading);
        if (reader) {
            const std::lock_guard lock(m_mutex);
            m_readers.emplace(&column, *reader);
        }
        return reader;
    }

private:
    std::shared_ptr<const Dataset> m_dataset;
    std::shared_ptr<Reading> m_reading;
    std::mutex m_mutex;
    std::map<const Element*, ColumnReader> m_readers;
};

bool isNumber(const Element* column)
{
    return column != nullptr
        && (column->column == ColumnKind::Numeric || column->column == ColumnKind::NullableInteger);
}

QString valueText(double value, bool whole)
{
    return whole ? numberText(value, 15) : numberText(value, 3);
}

} // namespace

Index ColumnPiece::bytes() const
{
    Index total = static_cast<Index>(sizeof(*this)) + values.values.bytes();
    for (const std::string& name : names)
        total += static_cast<Index>(sizeof(name) + name.capacity());
    return total;
}

FrameSource::FrameSource(ModelContext context, std::shared_ptr<const Dataset> dataset,
                         const Element& table, QObject* parent)
    : TableSource(parent), m_context(context), m_dataset(dataset), m_table(table),
      m_order(Selection::all(table.rows)), m_rows(Selection::all(table.rows)), m_profiles(context, dataset, table),
      m_pieces(context.quick, context.reading, MemoryTag::Strings,
               std::min<Index>(Index{8} << 20, context.reading->budget().limit() / 32)),
      m_sortRequest(context.patient)
{
    m_shown.resize(table.children.size() + 1);
    std::iota(m_shown.begin(), m_shown.end(), 0);
    m_places = m_shown;
    m_pieces.arrived = [this](const std::vector<PieceKey>& keys) { piecesArrived(keys); };
    m_pieces.failed = [this](const Error& error) {
        Q_EMIT readFailed(error);
        Q_EMIT changed(0, rowCount() - 1);
    };
    connect(&m_profiles, &ColumnProfiles::changed, this, [this](int any) {
        const int place = placeByNumber(any);
        if (place >= 0)
            Q_EMIT profilesChanged(place, place);
        if (isFilled())
            Q_EMIT filled();
    });
    installReader();
}

FrameSource::~FrameSource() = default;

void FrameSource::installReader()
{
    const auto store = std::make_shared<ReaderStore>(m_dataset, m_context.reading);
    m_pieces.setReader([store, dataset = m_dataset, reading = m_context.reading, table = &m_table,
                        order = m_order](const std::vector<PieceKey>& keys,
                                         std::stop_token stop) -> Result<Fetcher::Pieces> {
        Fetcher::Pieces pieces;
        for (const PieceKey& key : keys) {
            if (stop.stop_requested())
                return Error::cancelled();
            const Index first = key.first * kBlock;
            const Selection rows = order.part(first, std::min(kBlock, order.size() - first));
            ColumnPiece piece;
            if (key.second == 0) {
                auto names = readNames(dataset, *table, rows, reading, stop);
                if (names)
                    piece.names = std::move(*names);
                else
                    piece.problem = std::move(names).error();
            } else {
                const Element& column = *table->children[at(key.second - 1)];
                auto reader = store->readerOf(column);
                if (!reader) {
                    piece.problem = std::move(reader).error();
                } else if (auto values = reader->read(rows, stop)) {
                    piece.values = std::move(*values);
                } else {
                    piece.problem = std::move(values).error();
                }
            }
            if (piece.problem && piece.problem->code() == ErrorCode::Cancelled)
                return Error::cancelled();
            pieces.emplace_back(key, std::move(piece));
        }
        return pieces;
    });
}

void FrameSource::piecesArrived(const std::vector<PieceKey>& keys)
{
    Index first = m_order.size();
    Index last = -1;
    for (const PieceKey& key : keys) {
        first = std::min(first, key.first * kBlock);
        last = std::max(last, std::min(m_order.size(), (key.first + 1) * kBlock) - 1);
        const int any = static_cast<int>(key.second);
        const ColumnPiece* piece = m_pieces.peek(key);
        if (piece != nullptr && isNumber(elementOfColumn(any)))
            m_looks[any] = lookOf(piece->values.values, m_looks[any]);
    }
    if (first <= last)
        Q_EMIT changed(first, last);
    QTimer::singleShot(0, &m_guard, [this] {
        if (isFilled())
            Q_EMIT filled();
    });
}

int FrameSource::allColumnCount() const
{
    return static_cast<int>(m_table.children.size()) + 1;
}

const Element* FrameSource::elementOfColumn(int any) const
{
    return any <= 0 ? nullptr : m_table.children[static_cast<std::size_t>(any - 1)].get();
}

QString FrameSource::nameOfColumn(int any) const
{
    if (const Element* column = elementOfColumn(any))
        return toQString(column->name);
    const QString stored = toQString(m_table.indexName);
    return stored.isEmpty() || stored == "_index"_L1 ? u"index"_s : stored;
}

int FrameSource::columnOf(const Element* column) const
{
    for (std::size_t i = 0; i < m_table.children.size(); ++i)
        if (m_table.children[i].get() == column)
            return static_cast<int>(i) + 1;
    return -1;
}

int FrameSource::placeByNumber(int any) const
{
    return any >= 0 && any < static_cast<int>(m_places.size()) ? m_places[static_cast<std::size_t>(any)] : -1;
}

int FrameSource::shownPlaceOf(int any) const
{
    return placeByNumber(any);
}

void FrameSource::setShownColumns(std::vector<int> columns)
{
    m_shown = std::move(columns);
    std::fill(m_places.begin(), m_places.end(), -1);
    for (std::size_t place = 0; place < m_shown.size(); ++place)
        m_places[static_cast<std::size_t>(m_shown[place])] = static_cast<int>(place);
    Q_EMIT reset();
}

void FrameSource::setLeadColumn(const Element* column)
{
    const int any = columnOf(column);
    if (any < 0)
        return;
    std::vector<int> shown = m_shown;
    std::erase(shown, any);
    shown.insert(shown.begin(), any);
    setShownColumns(std::move(shown));
}

void FrameSource::setRows(Selection rows)
{
    if (rows == m_rows)
        return;
    m_rows = std::move(rows);
    m_profiles.setInside(m_rows.isAll() ? nullptr : std::make_shared<const IndexSet>(m_rows.toSet()));
    if (m_sortColumn < 0 && !isSorting()) {
        showInFileOrder();
        return;
    }
    m_rowsPending = true;
    if (!isSorting()) {
        m_askedColumn = m_sortColumn;
        m_askedMark = m_sortMark;
    }
    startSort(m_askedColumn, m_askedMark);
}

void FrameSource::showInFileOrder()
{
    m_sortColumn = -1;
    m_sortMark = SortMark::None;
    m_rowsPending = false;
    setOrder(m_rows);
    Q_EMIT sorted();
}

void FrameSource::sortBy(int shown, SortMark mark)
{
    if (mark == SortMark::None || shown < 0) {
        m_sortRequest.cancel();
        m_sorting = false;
        showInFileOrder();
        return;
    }
    startSort(m_shown[static_cast<std::size_t>(shown)], mark);
}

void FrameSource::startSort(int any, SortMark mark)
{
    const Element* column = elementOfColumn(any);
    const SortOrder order = mark == SortMark::Descending ? SortOrder::Descending : SortOrder::Ascending;
    m_askedColumn = any;
    m_askedMark = mark;
    m_sorting = true;
    Q_EMIT sortStarted();
    m_sortRequest.request<Selection>(
        [dataset = m_dataset, table = &m_table, column, order, rows = m_rows,
         reading = m_context.reading](std::stop_token stop) {
            return sortedRows(dataset, *table, column, order, rows, reading, stop);
        },
        [this, any, mark](Result<Selection> answer) {
            m_sorting = false;
            if (!answer) {
                if (m_rowsPending)
                    showInFileOrder();
                Q_EMIT sortFailed(answer.error());
                return;
            }
            m_sortColumn = any;
            m_sortMark = mark;
            m_rowsPending = false;
            setOrder(std::move(*answer));
            Q_EMIT sorted();
        });
}

void FrameSource::cancelSort()
{
    m_sortRequest.cancel();
    m_sorting = false;
    if (m_rowsPending)
        showInFileOrder();
}

int FrameSource::sortColumn() const
{
    return m_sortColumn < 0 ? -1 : placeByNumber(m_sortColumn);
}

void FrameSource::setOrder(Selection order)
{
    const bool sameCount = order.size() == m_order.size();
    Q_EMIT orderAboutToChange();
    m_order = std::move(order);
    installReader(); // forgets the pieces of the old order
    if (sameCount)
        Q_EMIT changed(0, std::max<Index>(rowCount() - 1, 0));
    else
        Q_EMIT reset();
}

qint64 FrameSource::placeOf(Index fileRow) const
{
    if (fileRow < 0 || fileRow >= m_order.extent())
        return -1;
    if (const IndexSet* set = m_order.asSet())
        return set->contains(fileRow) ? set->rank(fileRow) : -1;
    if (const Slice* slice = m_order.asSlice()) {
        const Index steps = (fileRow - slice->first) / slice->step;
        return steps >= 0 && steps < slice->count && slice->first + steps * slice->step == fileRow ? steps : -1;
    }
    for (Index place = 0; place < m_order.size(); ++place)
        if (m_order[place] == fileRow)
            return place;
    return -1;
}

std::optional<RangeSet> FrameSource::fileRowsOf(const RangeSet& places) const
{
    if (m_order.isAll())
        return places;
    const qint64 count = places.count();
    if (count == m_order.size() && count == m_table.rows) {
        RangeSet all;
        if (count > 0)
            all.add(0, count - 1);
        return all;
    }
    if (count > kMostScattered)
        return std::nullopt;
    std::vector<qint64> rows;
    rows.reserve(at(count));
    for (const RangeSet::Range& range : places.ranges())
        for (qint64 place = range.first; place <= range.last; ++place)
            rows.push_back(m_order[place]);
    std::sort(rows.begin(), rows.end());
    return RangeSet::of(rows);
}

RangeSet FrameSource::placesOf(const RangeSet& fileRows) const
{
    RangeSet known = fileRows;
    known.limit(m_table.rows);
    if (m_order.isAll() || known.empty())
        return known;
    std::vector<bool> wanted(at(m_table.rows), false);
    for (const RangeSet::Range& range : known.ranges())
        std::fill(wanted.begin() + range.first, wanted.begin() + range.last + 1, true);
    std::vector<qint64> places;
    for (Index place = 0; place < m_order.size(); ++place)
        if (wanted[at(m_order[place])])
            places.push_back(place);
    return RangeSet::of(places);
}

QString FrameSource::nameAt(qint64 place) const
{
    const ColumnPiece* piece = place < 0 || place >= rowCount() ? nullptr : pieceAt(place, 0);
    const Index i = place % kBlock;
    return piece != nullptr && i < static_cast<Index>(piece->names.size()) ? toQString(piece->names[at(i)])
                                                                           : QString();
}

bool FrameSource::isFilled() const
{
    return m_pieces.isComplete() && m_profiles.isKnown();
}

qint64 FrameSource::rowCount() const
{
    return m_order.size();
}

int FrameSource::columnCount() const
{
    return static_cast<int>(m_shown.size());
}

const ColumnPiece* FrameSource::pieceAt(qint64 row, int any) const
{
    return m_pieces.peek({row / kBlock, any});
}

QColor FrameSource::dotOf(int any, const ColumnValues& values, Index i) const
{
    const auto colors = m_colors.find(any);
    if (colors == m_colors.end() || !isInteger(values.values.type()))
        return {};
    const std::int64_t code = values.values.integer(i);
    if (code < 0 || code >= static_cast<Index>(colors->second.size()))
        return {};
    return Theme::current().onCanvas(colors->second[at(code)]);
}

TableCell FrameSource::cell(qint64 row, int column) const
{
    const int any = m_shown[static_cast<std::size_t>(column)];
    const Element* element = elementOfColumn(any);
    TableCell cell;
    cell.number = isNumber(element);
    const ColumnPiece* piece = pieceAt(row, any);
    if (piece == nullptr) {
        cell.pending = !m_pieces.hasFailed({row / kBlock, any});
        cell.text = cell.pending ? QString() : u"cannot be read"_s;
        return cell;
    }
    const Index i = row % kBlock;
    if (piece->problem) {
        cell.text = u"cannot be read"_s;
        cell.number = false;
        return cell;
    }
    if (any == 0) {
        cell.text = i < static_cast<Index>(piece->names.size()) ? toQString(piece->names[at(i)]) : QString();
        return cell;
    }
    if (i >= piece->values.size())
        return cell;
    if (piece->values.isMissing(i)) {
        cell.missing = true;
        return cell;
    }
    const auto look = m_looks.find(any);
    cell.text = cellText(piece->values, i, look == m_looks.end() ? NumberLook() : look->second);
    if (piece->values.kind == ColumnKind::Categorical)
        cell.dot = dotOf(any, piece->values, i);
    return cell;
}

QString FrameSource::fullText(qint64 row, int column) const
{
    const int any = m_shown[static_cast<std::size_t>(column)];
    const ColumnPiece* piece = pieceAt(row, any);
    if (piece == nullptr)
        return {};
    if (piece->problem)
        return errorText(*piece->problem);
    const Index i = row % kBlock;
    if (any == 0)
        return i < static_cast<Index>(piece->names.size()) ? toQString(piece->names[at(i)]) : QString();
    if (i >= piece->values.size() || piece->values.isMissing(i))
        return {};
    return toQString(piece->values.text(i));
}

QString FrameSource::rowLabel(qint64 row) const
{
    return countText(m_order[row]);
}

void FrameSource::want(qint64 firstRow, qint64 lastRow, int firstColumn, int lastColumn)
{
    std::vector<PieceKey> keys;
    std::vector<int> columns;
    if (lastRow >= firstRow && m_order.size() > 0) {
        const Index firstBlock = std::max<Index>(firstRow, 0) / kBlock;
        const Index lastBlock = std::min<Index>(lastRow, m_order.size() - 1) / kBlock;
        for (Index block = firstBlock; block <= lastBlock; ++block)
            for (int column = std::max(firstColumn, 0); column <= std::min(lastColumn, columnCount() - 1);
                 ++column)
                keys.push_back({block, m_shown[static_cast<std::size_t>(column)]});
    }
    for (int column = std::max(firstColumn, 0); column <= std::min(lastColumn, columnCount() - 1); ++column) {
        columns.push_back(m_shown[static_cast<std::size_t>(column)]);
        wantColors(columns.back());
    }
    m_pieces.want(std::move(keys));
    m_profiles.want(std::move(columns));
}

void FrameSource::wantColors(int any)
{
    const Element* column = elementOfColumn(any);
    if (column == nullptr || column->column != ColumnKind::Categorical || !column->readable
        || column->categoryCount.value_or(0) > kMostCategoryColors || m_colorsAsked.contains(any))
        return;
    m_colorsAsked.insert(any);
    m_context.quick->run<std::vector<QColor>>(
        &m_guard,
        [dataset = m_dataset, column, reading = m_context.reading](std::stop_token stop) {
            return colorsOf(dataset, *column, {}, QColor(Qt::gray), reading, stop);
        },
        [this, any](Result<std::vector<QColor>> colors) {
            if (!colors)
                return; // dots are an ornament: without them the names still say it
            m_colors[any] = std::move(*colors);
            if (rowCount() > 0)
                Q_EMIT changed(0, rowCount() - 1);
            if (const int place = placeByNumber(any); place >= 0)
                Q_EMIT profilesChanged(place, place);
        });
}

ColumnProfile FrameSource::profile(int column) const
{
    const int any = m_shown[static_cast<std::size_t>(column)];
    const Element* element = elementOfColumn(any);
    ColumnProfile profile;
    profile.name = nameOfColumn(any);
    profile.icon = element == nullptr ? u"key"_s : iconOf(*element);
    profile.type = element == nullptr ? u"text"_s : briefOf(*element);
    if (element != nullptr && element->column == ColumnKind::Categorical && element->ordered)
        profile.type += u", ordered"_s;
    if (m_profiles.problemOf(any))
        profile.toolTip = profile.name + u'\n' + errorText(*m_profiles.problemOf(any));
    describe(any, profile);
    return profile;
}

// Of the file pale, of the rows shown solid; captions that are the file's say so.
void FrameSource::describeInside(int any, const ProfileData& data, ColumnProfile& profile) const
{
    profile.barsInView.assign(profile.bars.size(), 0.0);
    const ProfilePart* part = m_profiles.peekInside(any);
    if (part != nullptr && profile.kind == ColumnProfile::Kind::Histogram
        && part->histogram.size() == profile.bars.size()) {
        for (std::size_t i = 0; i < profile.bars.size(); ++i)
            profile.barsInView[i] = double(part->histogram[i]);
        profile.missing = countText(part->missing) + u" missing"_s;
    } else if (part != nullptr && profile.kind == ColumnProfile::Kind::Categories && !part->counts.empty()
               && data.most >= 0) {
        for (std::size_t i = 0; i < profile.bars.size(); ++i)
            profile.barsInView[i] = double(part->counts[at(data.largest[i])]);
        profile.captionRight = u"%1 of %2"_s.arg(countText(part->counts[at(data.most)]), countText(data.counts[at(data.most)]));
        profile.missing = countText(part->missing) + u" missing"_s;
    } else if (!profile.captionLeft.isEmpty() && profile.kind == ColumnProfile::Kind::Samples) {
        profile.captionLeft += u" in the file"_s;
    }
    profile.toolTip = profile.name + u'\n' + profile.type + u" · "_s + profile.missing
        + u"\nPale: all rows of the file; solid: the rows shown"_s;
}

void FrameSource::describe(int any, ColumnProfile& profile) const
{
    const ProfileData* data = m_profiles.peek(any);
    if (data == nullptr)
        return;
    profile.sampled = !data->exact;
    if (any != 0 || data->missing > 0)
        profile.missing = data->exact ? countText(data->missing) + u" missing"_s
                                      : (data->missing == 0 ? u"≈ 0 missing"_s
                                                            : u"≈ %1 % missing"_s.arg(numberText(
                                                                  100.0 * double(data->missing)
                                                                      / double(std::max<Index>(data->rows, 1)),
                                                                  2)));
    if (!data->samples.empty() || data->distinct) {
        profile.kind = ColumnProfile::Kind::Samples;
        for (const std::string& sample : data->samples)
            profile.samples.append(toQString(sample));
        if (data->unique && data->exact)
            profile.type += u" · unique"_s;
        if (data->distinct)
            profile.captionLeft = data->exact
                ? countText(*data->distinct) + u" different"_s
                : (data->unique ? u"all different"_s
                                : u"%1 of %2 different"_s.arg(countText(*data->distinct), countText(data->rows)));
    } else if (!data->counts.empty()) {
        profile.kind = ColumnProfile::Kind::Categories;
        const auto colors = m_colors.find(any);
        for (const Index code : data->largest) {
            profile.bars.push_back(double(data->counts[at(code)]));
            const bool known = colors != m_colors.end() && code < static_cast<Index>(colors->second.size());
            profile.colors.push_back(known ? colors->second[at(code)] : Theme::current().bar);
        }
        if (data->most >= 0) {
            profile.captionLeft = u"most: "_s + toQString(data->mostName);
            profile.captionRight = data->exact
                ? countText(data->counts[at(data->most)])
                : u"≈ %1 %"_s.arg(numberText(100.0 * double(data->counts[at(data->most)])
                                                / double(std::max<Index>(data->rows, 1)),
                                            2));
        }
    } else if (data->lowest) {
        profile.kind = ColumnProfile::Kind::Histogram;
        for (const Index count : data->histogram)
            profile.bars.push_back(double(count));
        profile.captionLeft = valueText(*data->lowest, data->whole);
        profile.captionRight = valueText(*data->highest, data->whole);
    }
    if (!m_rows.isAll())
        describeInside(any, *data, profile);
    if (profile.toolTip.isEmpty()) {
        profile.toolTip = profile.name + u'\n' + profile.type + u" · "_s + profile.missing;
        if (!data->exact)
            profile.toolTip += u"\nFrom %1 of %2 rows so far"_s.arg(countText(data->rows),
                                                                    countText(m_table.rows));
    }
}

} // namespace cellfolio
