// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/column_sort.h"

#include "core/base/text.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <limits>
#include <numeric>

namespace cellfolio {

namespace {

constexpr Index kBlock = 65536;

// A value mapped to an unsigned number of the same order, and its row.
struct Keyed {
    std::uint64_t key;
    std::uint32_t row;
};

std::uint64_t keyOf(std::int64_t value)
{
    return static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 63);
}

std::uint64_t keyOf(double value)
{
    if (value == 0)
        value = 0; // -0 and 0 are equal
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return (bits >> 63) != 0 ? ~bits : bits | (std::uint64_t{1} << 63);
}

Index rowsOf(const Element& table, const Element* column)
{
    return column != nullptr && column->shape && !column->shape->empty() ? column->shape->front()
                                                                        : table.rows;
}

// Place of every category in the order of the categories.
Result<std::vector<std::uint64_t>> ranksOf(const ColumnReader& reader, bool ordered,
                                           MemoryReservation& room, MemoryBudget& budget,
                                           std::stop_token stop)
{
    auto list = reader.categories(stop);
    if (!list)
        return std::move(list).error();
    const Values& names = **list;
    auto more = budget.reserve(MemoryTag::Strings, names.size() * 16);
    if (!more)
        return std::move(more).error();
    room = std::move(*more);
    std::vector<Index> order(at(names.size()));
    std::iota(order.begin(), order.end(), Index{0});
    if (!ordered) {
        if (isReal(names.type())) {
            std::stable_sort(order.begin(), order.end(),
                             [&](Index a, Index b) { return names.number(a) < names.number(b); });
        } else {
            std::vector<std::string> texts;
            texts.reserve(order.size());
            for (Index i = 0; i < names.size(); ++i)
                texts.push_back(names.text(i));
            std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
                return comesBefore(texts[at(a)], texts[at(b)]);
            });
        }
    }
    std::vector<std::uint64_t> ranks(order.size());
    for (std::size_t rank = 0; rank < order.size(); ++rank)
        ranks[at(order[rank])] = rank;
    return ranks;
}

// Keys and lists count the rows at hand; the answer is their order.
Selection finish(Index rows, std::vector<Keyed>& keyed, const std::vector<std::uint32_t>& last,
                 SortOrder order)
{
    if (order == SortOrder::Descending)
        for (Keyed& item : keyed)
            item.key = ~item.key;
    std::sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) {
        return a.key != b.key ? a.key < b.key : a.row < b.row;
    });
    std::vector<Index> positions;
    positions.reserve(at(rows));
    for (const Keyed& item : keyed)
        positions.push_back(item.row);
    positions.insert(positions.end(), last.begin(), last.end());
    return Selection::indices(rows, std::move(positions));
}

Result<Selection> sortValues(const std::shared_ptr<const Dataset>& dataset, const Element& column,
                             const Selection& among, SortOrder order, const std::shared_ptr<Reading>& reading,
                             std::stop_token stop)
{
    auto reader = ColumnReader::open(dataset, column, reading);
    if (!reader)
        return std::move(reader).error();
    MemoryReservation rankRoom;
    std::vector<std::uint64_t> ranks;
    if (column.column == ColumnKind::Categorical) {
        auto found = ranksOf(*reader, column.ordered, rankRoom, reading->budget(), stop);
        if (!found)
            return std::move(found).error();
        ranks = std::move(*found);
    }
    const Index rows = among.size();
    std::vector<Keyed> keyed;
    keyed.reserve(at(rows));
    std::vector<std::uint32_t> last;
    for (Index first = 0; first < rows; first += kBlock) {
        if (stop.stop_requested())
            return Error::cancelled();
        const Index count = std::min(kBlock, rows - first);
        auto block = reader->read(among.part(first, count), stop);
        if (!block)
            return std::move(block).error();
        const DType type = block->values.type();
        for (Index i = 0; i < count; ++i) {
            const auto row = static_cast<std::uint32_t>(first + i);
            if (block->isMissing(i)) {
                last.push_back(row);
            } else if (!ranks.empty()) {
                keyed.push_back({ranks[at(block->values.integer(i))], row});
            } else if (type == DType::UInt64) {
                keyed.push_back({static_cast<std::uint64_t>(block->values.integer(i)), row});
            } else if (isFloat(type)) {
                const double value = block->values.number(i);
                if (std::isnan(value))
                    last.push_back(row);
                else
                    keyed.push_back({keyOf(value), row});
            } else {
                keyed.push_back({keyOf(block->values.integer(i)), row});
            }
        }
    }
    return finish(rows, keyed, last, order);
}

// All letters in one string: a std::string a row would cost four times as much.
struct Texts {
    std::string letters;
    std::vector<std::size_t> starts{0};
    void add(std::string_view text)
    {
        letters.append(text);
        starts.push_back(letters.size());
    }
    std::string_view operator[](std::uint32_t row) const
    {
        return std::string_view(letters).substr(starts[row], starts[row + 1] - starts[row]);
    }
};

Result<Selection> sortTexts(const std::shared_ptr<const Dataset>& dataset, const Element& table,
                            const Element* column, const Selection& among, SortOrder order,
                            const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    const Index rows = among.size();
    std::optional<ColumnReader> reader;
    if (column != nullptr) {
        auto opened = ColumnReader::open(dataset, *column, reading);
        if (!opened)
            return std::move(opened).error();
        reader = std::move(*opened);
    }
    Texts texts;
    MemoryReservation room;
    std::vector<std::uint32_t> present;
    std::vector<std::uint32_t> last;
    for (Index first = 0; first < rows; first += kBlock) {
        if (stop.stop_requested())
            return Error::cancelled();
        const Selection part = among.part(first, std::min(kBlock, rows - first));
        const auto take = [&](Index i, bool missing, std::string_view text) {
            const auto row = static_cast<std::uint32_t>(first + i);
            (missing ? last : present).push_back(row);
            texts.add(missing ? std::string_view() : text);
        };
        if (reader) {
            auto block = reader->read(part, stop);
            if (!block)
                return std::move(block).error();
            for (Index i = 0; i < block->size(); ++i)
                take(i, block->isMissing(i), block->text(i));
        } else {
            auto names = readNames(dataset, table, part, reading, stop);
            if (!names)
                return std::move(names).error();
            for (std::size_t i = 0; i < names->size(); ++i)
                take(static_cast<Index>(i), false, (*names)[i]);
        }
        const Index held = static_cast<Index>(texts.letters.capacity() + texts.starts.capacity() * 8);
        room.release();
        auto more = reading->budget().reserve(MemoryTag::Strings, held);
        if (!more)
            return std::move(more).error();
        room = std::move(*more);
    }
    const auto less = [&](std::uint32_t a, std::uint32_t b) {
        const int compared = texts[a].compare(texts[b]);
        if (compared != 0)
            return order == SortOrder::Ascending ? compared < 0 : compared > 0;
        return a < b;
    };
    std::sort(present.begin(), present.end(), less);
    std::vector<Index> positions(present.begin(), present.end());
    positions.insert(positions.end(), last.begin(), last.end());
    return Selection::indices(rows, std::move(positions));
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

} // namespace

bool comesBefore(std::string_view a, std::string_view b)
{
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() && j < b.size()) {
        if (isDigit(a[i]) && isDigit(b[j])) {
            std::size_t endA = i;
            std::size_t endB = j;
            while (endA < a.size() && isDigit(a[endA]))
                ++endA;
            while (endB < b.size() && isDigit(b[endB]))
                ++endB;
            while (i + 1 < endA && a[i] == '0')
                ++i;
            while (j + 1 < endB && b[j] == '0')
                ++j;
            if (endA - i != endB - j)
                return endA - i < endB - j;
            const int compared = a.substr(i, endA - i).compare(b.substr(j, endB - j));
            if (compared != 0)
                return compared < 0;
            i = endA;
            j = endB;
            continue;
        }
        const int left = std::tolower(static_cast<unsigned char>(a[i]));
        const int right = std::tolower(static_cast<unsigned char>(b[j]));
        if (left != right)
            return left < right;
        ++i;
        ++j;
    }
    if (a.size() - i != b.size() - j)
        return a.size() - i < b.size() - j;
    return a < b;
}

Result<Selection> sortedRows(const std::shared_ptr<const Dataset>& dataset, const Element& table,
                             const Element* column, SortOrder order, const Selection& rows,
                             const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    if (rows.size() > Index{std::numeric_limits<std::uint32_t>::max()})
        return Error(ErrorCode::Refused, "A table of more than four billion rows cannot be sorted.");
    auto room = reading->budget().reserve(MemoryTag::Job, rows.size() * 24);
    if (!room)
        return std::move(room).error().within("sorting " + table.path);
    const bool texts = column == nullptr || column->column == ColumnKind::String
        || column->column == ColumnKind::NullableString;
    auto sorted = texts ? sortTexts(dataset, table, column, rows, order, reading, stop)
                        : sortValues(dataset, *column, rows, order, reading, stop);
    if (!sorted)
        return sorted;
    return rows.then(*sorted);
}

Result<Selection> sortedRows(const std::shared_ptr<const Dataset>& dataset, const Element& table,
                             const Element* column, SortOrder order,
                             const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    return sortedRows(dataset, table, column, order, Selection::all(rowsOf(table, column)), reading, stop);
}

} // namespace cellfolio
