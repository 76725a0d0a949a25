// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/anndata/column_reader.h"
#include "core/matrix/digest.h"
#include "core/matrix/quantiles.h"
#include "core/matrix/stats.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace cellfolio {

namespace {

constexpr Index kWindow = Index{64} << 10;  // rows read at once
constexpr std::size_t kMostCommon = 20;
constexpr Index kTextCost = 96; // of a text in the table, but its characters: node, object, count

// The rows wanted, a window of them at a time.
template <typename Visit>
Result<void> forEachWindow(const ColumnReader& reader, const Selection& rows,
                           const StatsOptions& options, Visit&& visit)
{
    for (Index first = 0; first < rows.size(); first += kWindow) {
        const Index count = std::min(kWindow, rows.size() - first);
        Result<ColumnValues> values = reader.read(rows.part(first, count), options.stop);
        if (!values)
            return std::move(values).error();
        if (Result<void> done = visit(*values); !done)
            return done;
        if (options.progress != nullptr)
            options.progress->advance(count);
    }
    return {};
}

// Native values of those rows that are not missing.
std::vector<std::byte> present(const Values& values, Index& count)
{
    const Index size = static_cast<Index>(sizeOf(values.type()));
    std::vector<std::byte> kept(at(values.size() * size));
    count = 0;
    for (Index i = 0; i < values.size(); ++i)
        if (!values.isMissing(i))
            std::memcpy(kept.data() + count++ * size, values.data() + i * size, at(size));
    return kept;
}

class NumberColumn
{
public:
    NumberColumn(const ColumnReader& reader, const Selection& rows, MemoryBudget& budget,
                 const StatsOptions& options)
        : m_reader(reader), m_rows(rows), m_budget(budget), m_options(options)
    {
    }

    Result<void> run(ColumnStats& result)
    {
        Result<void> done =
            forEachWindow(m_reader, m_rows, m_options, [&](const ColumnValues& window) {
                m_type = window.values.type();
                Index count = 0;
                const std::vector<std::byte> kept = present(window.values, count);
                m_masked += window.size() - count;
                m_digest.add(digestOf(m_type, kept.data(), count));
                return Result<void>();
            });
        if (!done)
            return done;
        Figures figures = figuresOf(m_digest, m_type);
        figures.n = m_rows.size();
        figures.stored = m_rows.size();
        figures.missing = m_masked + m_digest.nan;
        result.missing = figures.missing;
        if (!m_options.quantiles.empty())
            if (Result<void> found = quantiles(figures); !found)
                return found;
        result.figures = std::move(figures);
        return {};
    }

private:
    // Of a column, all values fit where a matrix's would not: 8 bytes a row, held and sorted.
    Result<void> quantiles(Figures& figures)
    {
        const Index count = m_digest.values - m_digest.nan;
        Result<MemoryReservation> room =
            m_budget.reserve(MemoryTag::Job, count * static_cast<Index>(sizeof(double)));
        if (!room)
            return std::move(room).error();
        std::vector<double> numbers;
        numbers.reserve(at(count));
        Result<void> done =
            forEachWindow(m_reader, m_rows, m_options, [&](const ColumnValues& window) {
                for (Index i = 0; i < window.size(); ++i) {
                    const double number = window.values.number(i);
                    if (!window.isMissing(i) && !std::isnan(number))
                        numbers.push_back(number);
                }
                return Result<void>();
            });
        if (done)
            figures.quantiles = sortedQuantiles(numbers, 0, m_options.quantiles);
        return done;
    }

    const ColumnReader& m_reader;
    const Selection& m_rows;
    MemoryBudget& m_budget;
    const StatsOptions& m_options;
    DType m_type = DType::Float64;
    Index m_masked = 0;
    Digest m_digest;
};

Result<void> countCategories(const ColumnReader& reader, const Selection& rows,
                             MemoryBudget& budget, const StatsOptions& options, ColumnStats& result)
{
    Result<std::shared_ptr<const Values>> categories = reader.categories(options.stop);
    if (!categories)
        return std::move(categories).error();
    const Values& names = **categories;
    Result<MemoryReservation> room =
        budget.reserve(MemoryTag::Job, names.size() * static_cast<Index>(sizeof(Index)));
    if (!room)
        return std::move(room).error();
    std::vector<Index> counts(at(names.size()), 0);
    Result<void> done = forEachWindow(reader, rows, options, [&](const ColumnValues& window) {
        for (Index i = 0; i < window.size(); ++i) {
            const Index code = window.isMissing(i) ? -1 : window.values.integer(i);
            if (code >= 0 && code < names.size())
                ++counts[at(code)];
            else
                ++result.missing;
        }
        return Result<void>();
    });
    if (!done)
        return done;
    Result<MemoryReservation> list = budget.reserve(
        MemoryTag::Strings, names.size() * static_cast<Index>(sizeof(CategoryCount)) + names.bytes());
    if (!list)
        return std::move(list).error();
    Index used = 0;
    for (Index k = 0; k < names.size(); ++k) {
        used += counts[at(k)] > 0 ? 1 : 0;
        result.categories.push_back({names.text(k), counts[at(k)]});
    }
    result.distinct = used;
    result.ordered = reader.element().ordered;
    return {};
}

Result<void> countTexts(const ColumnReader& reader, const Selection& rows, MemoryBudget& budget,
                        const StatsOptions& options, ColumnStats& result)
{
    const Index most = (budget.limit() - budget.snapshot().total) / 2;
    MemoryReservation held;
    Index cost = 0;
    bool counting = true;
    std::unordered_map<std::string, Index> counts;
    Result<void> done = forEachWindow(reader, rows, options, [&](const ColumnValues& window) {
        for (Index i = 0; i < window.size(); ++i) {
            if (window.isMissing(i)) {
                ++result.missing;
            } else if (counting) {
                std::string text = window.text(i);
                const auto length = static_cast<Index>(text.size());
                const auto [place, fresh] = counts.try_emplace(std::move(text), 0);
                ++place->second;
                cost += fresh ? kTextCost + length : 0;
            }
        }
        if (counting && cost > most) { // too many different ones: their number stays unknown
            counting = false;
            counts = {};
            held.release();
        } else if (counting && cost > held.bytes()) {
            held.release();
            held = budget.force(MemoryTag::Strings, cost);
        }
        return Result<void>();
    });
    if (!done || !counting)
        return done;
    result.distinct = static_cast<Index>(counts.size());
    for (const auto& [text, count] : counts)
        result.mostCommon.push_back({text, count});
    const std::size_t shown = std::min(kMostCommon, result.mostCommon.size());
    std::partial_sort(result.mostCommon.begin(),
                      result.mostCommon.begin() + static_cast<std::ptrdiff_t>(shown),
                      result.mostCommon.end(), [](const CategoryCount& a, const CategoryCount& b) {
                          return a.count != b.count ? a.count > b.count : a.value < b.value;
                      });
    result.mostCommon.resize(shown);
    return {};
}

} // namespace

Result<ColumnStats> columnStats(const std::shared_ptr<const Dataset>& dataset, const Element& column,
                                const std::shared_ptr<Reading>& reading, const StatsOptions& options)
{
    Result<ColumnReader> opened = ColumnReader::open(dataset, column, reading);
    if (!opened)
        return std::move(opened).error();
    const ColumnReader& reader = *opened;
    const Selection rows = options.rows ? *options.rows : Selection::all(reader.rows());
    if (options.progress != nullptr)
        options.progress->begin(rows.size());

    ColumnStats result;
    result.kind = column.column;
    result.n = rows.size();
    Result<void> done;
    switch (column.column) {
    case ColumnKind::Categorical:
        done = countCategories(reader, rows, reading->budget(), options, result);
        break;
    case ColumnKind::String:
    case ColumnKind::NullableString:
        done = countTexts(reader, rows, reading->budget(), options, result);
        break;
    case ColumnKind::Numeric:
    case ColumnKind::Boolean:
    case ColumnKind::NullableInteger:
    case ColumnKind::NullableBoolean:
        done = NumberColumn(reader, rows, reading->budget(), options).run(result);
        break;
    case ColumnKind::Opaque:
        return Error(ErrorCode::UnsupportedEncoding,
                     "\"" + column.path + "\" holds values this program cannot show.")
            .at(column.path);
    }
    if (!done)
        return std::move(done).error().at(column.path);
    return result;
}

} // namespace cellfolio
