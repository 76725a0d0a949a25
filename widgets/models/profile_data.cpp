// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/profile_data.h"

#include "core/paging/array_reader.h"
#include "core/paging/scan.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <string_view>
#include <unordered_set>

namespace cellfolio {

namespace {

constexpr int kBins = 24;
constexpr Index kMostCategories = 100'000;

Index rowsOf(const ProfileTask& task)
{
    if (task.column == nullptr)
        return task.table->rows;
    return task.column->shape && !task.column->shape->empty() ? task.column->shape->front()
                                                              : task.table->rows;
}

bool isText(const ProfileTask& task)
{
    if (task.column == nullptr || task.column->column == ColumnKind::String
        || task.column->column == ColumnKind::NullableString)
        return true;
    // Barcodes stored as categories: one count a category would cost as much as the file is long.
    return task.column->column == ColumnKind::Categorical
        && task.column->categoryCount.value_or(0) > kMostCategories;
}

bool countsCodes(const Element& column)
{
    return column.column == ColumnKind::Categorical || column.column == ColumnKind::Boolean
        || column.column == ColumnKind::NullableBoolean;
}

// 16 runs spread evenly, or everything where that is no more.
std::vector<Slice> spreadRuns(Index rows)
{
    if (rows <= kSampleRows)
        return {Slice{0, 1, rows}};
    constexpr Index runs = 16;
    constexpr Index length = kSampleRows / runs;
    std::vector<Slice> slices;
    for (Index k = 0; k < runs; ++k)
        slices.push_back({(rows - length) / (runs - 1) * k, 1, length});
    return slices;
}

// What a column's values add up to; blocks may come in any order.
struct Tally {
    Index rows = 0;
    Index missing = 0;
    double lowest = HUGE_VAL;
    double highest = -HUGE_VAL;
    bool whole = true;

    void number(double value)
    {
        if (std::isnan(value)) {
            ++missing;
            return;
        }
        if (std::isinf(value))
            return;
        lowest = std::min(lowest, value);
        highest = std::max(highest, value);
        whole = whole && value == std::floor(value);
    }
    void join(const Tally& other)
    {
        rows += other.rows;
        missing += other.missing;
        lowest = std::min(lowest, other.lowest);
        highest = std::max(highest, other.highest);
        whole = whole && other.whole;
    }
};

struct Bins {
    double lowest = 0;
    double width = 1;
    std::vector<Index> counts;

    Bins(double low, double high, bool whole) : lowest(low)
    {
        Index bins = kBins;
        if (whole && high - low < kBins)
            bins = static_cast<Index>(high - low) + 1;
        counts.assign(at(std::max<Index>(bins, 1)), 0);
        // Whole numbers get a bin each, or bins of equal width that hold the highest too.
        const double span = whole && high - low < kBins ? high - low + 1 : high - low;
        width = span > 0 ? span / static_cast<double>(counts.size()) : 1;
    }
    void add(double value)
    {
        if (!std::isfinite(value))
            return;
        const double place = (value - lowest) / width;
        const auto last = static_cast<double>(counts.size() - 1);
        ++counts[static_cast<std::size_t>(std::clamp(std::floor(place), 0.0, last))];
    }
};

void rankCodes(ProfileData& data)
{
    std::vector<Index> codes(data.counts.size());
    std::iota(codes.begin(), codes.end(), Index{0});
    const auto most = static_cast<std::ptrdiff_t>(std::min(codes.size(), ProfileData::kMostBars));
    std::partial_sort(codes.begin(), codes.begin() + most, codes.end(), [&](Index a, Index b) {
        const Index left = data.counts[at(a)];
        const Index right = data.counts[at(b)];
        return left != right ? left > right : a < b;
    });
    codes.resize(static_cast<std::size_t>(most));
    while (!codes.empty() && data.counts[at(codes.back())] == 0)
        codes.pop_back();
    data.largest = std::move(codes);
    data.most = data.largest.empty() ? -1 : data.largest.front();
}

// The name of the most frequent code, read alone: a list of categories may be as long as the file.
Result<void> nameMost(const ProfileTask& task, ProfileData& data, std::stop_token stop)
{
    if (data.most < 0)
        return {};
    if (task.column->column != ColumnKind::Categorical) {
        data.mostName = data.most == 0 ? "false" : "true";
        return {};
    }
    if (!task.column->fixedCategories.empty()) {
        if (at(data.most) < task.column->fixedCategories.size())
            data.mostName = task.column->fixedCategories[at(data.most)];
        return {};
    }
    if (!task.column->categories)
        return {};
    const ArrayReader reader(task.column->categories, task.reading, task.column->path);
    auto name = reader.rows(data.most, 1, stop);
    if (!name)
        return std::move(name).error();
    data.mostName = name->text(0);
    return {};
}

Index codesOf(const Element& column)
{
    return column.column == ColumnKind::Categorical ? column.categoryCount.value_or(0) : 2;
}

struct TextTally {
    std::vector<std::size_t> hashes;
    void add(std::string_view text) { hashes.push_back(std::hash<std::string_view>()(text)); }
    Index distinct()
    {
        std::sort(hashes.begin(), hashes.end());
        return std::unique(hashes.begin(), hashes.end()) - hashes.begin();
    }
};

Result<std::vector<std::string>> readTexts(const ProfileTask& task, const Selection& rows,
                                           std::vector<std::uint8_t>& missing, std::stop_token stop)
{
    missing.assign(at(rows.size()), 0);
    if (task.column == nullptr)
        return readNames(task.dataset, *task.table, rows, task.reading, stop);
    auto reader = ColumnReader::open(task.dataset, *task.column, task.reading);
    if (!reader)
        return std::move(reader).error();
    auto values = reader->read(rows, stop);
    if (!values)
        return std::move(values).error();
    std::vector<std::string> texts;
    for (Index i = 0; i < values->size(); ++i) {
        missing[at(i)] = values->isMissing(i) ? 1 : 0;
        texts.push_back(values->text(i));
    }
    return texts;
}

Result<ProfileData> textProfile(const ProfileTask& task, const std::vector<Slice>& parts, bool exact,
                                std::stop_token stop)
{
    ProfileData data;
    TextTally tally;
    const Index rows = rowsOf(task);
    for (const Slice& part : parts) {
        if (stop.stop_requested())
            return Error::cancelled();
        std::vector<std::uint8_t> missing;
        auto texts = readTexts(task, Selection::of(rows, part), missing, stop);
        if (!texts)
            return std::move(texts).error();
        for (std::size_t i = 0; i < texts->size(); ++i) {
            if (missing[i] != 0) {
                ++data.missing;
                continue;
            }
            tally.add((*texts)[i]);
            if (data.samples.size() < 2
                && (data.samples.empty() || data.samples.front() != (*texts)[i]))
                data.samples.push_back((*texts)[i]);
        }
        data.rows += part.count;
    }
    const Index present = static_cast<Index>(tally.hashes.size());
    const Index distinct = tally.distinct();
    data.exact = exact;
    data.distinct = distinct;
    data.unique = present > 0 && distinct == present && data.missing == 0;
    return data;
}

// Which numbers of a block are masked; empty: none.
using Mask = std::vector<std::uint8_t>;

ProfileData numbersFrom(const Tally& tally, const Bins& bins)
{
    ProfileData data;
    data.rows = tally.rows;
    data.missing = tally.missing;
    data.whole = tally.whole;
    if (tally.lowest <= tally.highest) {
        data.lowest = tally.lowest;
        data.highest = tally.highest;
        data.histogram = bins.counts;
    }
    return data;
}

Bins binsFor(const Tally& tally)
{
    const bool any = tally.lowest <= tally.highest;
    return Bins(any ? tally.lowest : 0, any ? tally.highest : 0, tally.whole);
}

Result<ProfileData> sampleValues(const ProfileTask& task, std::stop_token stop)
{
    auto reader = ColumnReader::open(task.dataset, *task.column, task.reading);
    if (!reader)
        return std::move(reader).error();
    ProfileData data;
    std::vector<double> numbers;
    Tally tally;
    const bool codes = countsCodes(*task.column);
    if (codes)
        data.counts.assign(at(codesOf(*task.column)), 0);
    const Index rows = rowsOf(task);
    for (const Slice& part : spreadRuns(rows)) {
        if (stop.stop_requested())
            return Error::cancelled();
        auto values = reader->read(Selection::of(rows, part), stop);
        if (!values)
            return std::move(values).error();
        for (Index i = 0; i < values->size(); ++i) {
            if (values->isMissing(i)) {
                ++tally.missing;
            } else if (codes) {
                const std::int64_t code = values->values.integer(i);
                if (code >= 0 && code < static_cast<Index>(data.counts.size()))
                    ++data.counts[at(code)];
            } else {
                const double number = values->values.number(i);
                tally.number(number);
                numbers.push_back(number);
            }
        }
        tally.rows += part.count;
    }
    if (codes) {
        data.rows = tally.rows;
        data.missing = tally.missing;
        rankCodes(data);
        if (auto named = nameMost(task, data, stop); !named)
            return std::move(named).error();
    } else {
        Bins bins = binsFor(tally);
        for (const double number : numbers)
            bins.add(number);
        data = numbersFrom(tally, bins);
    }
    data.exact = rows <= kSampleRows;
    return data;
}

// Calls visit(worker, row, value, isMissing) for each value of the column, from several threads.
template <typename Visit>
Result<void> scanColumn(const ProfileTask& task, std::stop_token stop, int threads, Visit&& visit)
{
    const Element& column = *task.column;
    std::vector<ArrayRef> arrays{column.values};
    if (column.mask)
        arrays.push_back(column.mask);
    ScanOptions options;
    options.stop = stop;
    options.threads = threads;
    const ScanPlan plan = planScan(arrays, 0, rowsOf(task), *task.reading, options);
    return scan(arrays, column.path, *task.reading, plan, options,
                [&](const ScanBlock& block) -> Result<void> {
                    const auto masked = [&](Index i) {
                        return arrays.size() > 1 && block.as<Flag>(1)[at(i)].byte != 0;
                    };
                    visitReal(column.values.dtype(), [&]<typename T>(const T*) {
                        const std::span<const T> values = block.as<T>(0);
                        for (Index i = 0; i < block.count; ++i)
                            visit(block.worker, block.first + i, values[at(i)], masked(i));
                    });
                    return {};
                });
}

int threadsFor(const ProfileTask& task)
{
    // Half of the machine: this is done while somebody looks on.
    return std::max(1, task.reading->threads() / 2);
}

Result<ProfileData> exactCodes(const ProfileTask& task, std::stop_token stop)
{
    const int threads = threadsFor(task);
    const Index codes = codesOf(*task.column);
    std::vector<std::vector<Index>> counts(static_cast<std::size_t>(threads),
                                           std::vector<Index>(at(codes), 0));
    std::vector<Index> missing(static_cast<std::size_t>(threads), 0);
    auto scanned = scanColumn(task, stop, threads, [&](int worker, Index, auto value, bool masked) {
        const double number = toDouble(value);
        const auto w = static_cast<std::size_t>(worker);
        if (masked || number < 0 || number >= static_cast<double>(codes))
            ++missing[w];
        else
            ++counts[w][static_cast<std::size_t>(number)];
    });
    if (!scanned)
        return std::move(scanned).error();
    ProfileData data;
    data.rows = rowsOf(task);
    data.missing = std::accumulate(missing.begin(), missing.end(), Index{0});
    data.counts.assign(at(codes), 0);
    for (const auto& part : counts)
        std::transform(part.begin(), part.end(), data.counts.begin(), data.counts.begin(),
                       std::plus<>());
    rankCodes(data);
    if (auto named = nameMost(task, data, stop); !named)
        return std::move(named).error();
    data.exact = true;
    return data;
}

Result<ProfileData> exactNumbers(const ProfileTask& task, std::stop_token stop)
{
    const int threads = threadsFor(task);
    std::vector<Tally> tallies(static_cast<std::size_t>(threads));
    auto scanned = scanColumn(task, stop, threads, [&](int worker, Index, auto value, bool masked) {
        Tally& tally = tallies[static_cast<std::size_t>(worker)];
        if (masked)
            ++tally.missing;
        else
            tally.number(toDouble(value));
    });
    if (!scanned)
        return std::move(scanned).error();
    Tally total;
    for (const Tally& tally : tallies)
        total.join(tally);
    total.rows = rowsOf(task);

    std::vector<Bins> bins(static_cast<std::size_t>(threads), binsFor(total));
    scanned = scanColumn(task, stop, threads, [&](int worker, Index, auto value, bool masked) {
        if (!masked)
            bins[static_cast<std::size_t>(worker)].add(toDouble(value));
    });
    if (!scanned)
        return std::move(scanned).error();
    Bins sum = binsFor(total);
    for (const Bins& part : bins)
        std::transform(part.counts.begin(), part.counts.end(), sum.counts.begin(),
                       sum.counts.begin(), std::plus<>());
    ProfileData data = numbersFrom(total, sum);
    data.exact = true;
    return data;
}

Result<void> checkReadable(const ProfileTask& task)
{
    if (task.column == nullptr || task.column->readable)
        return {};
    if (task.column->whyNot)
        return *task.column->whyNot;
    return Error(ErrorCode::UnsupportedEncoding, "This column cannot be read.").at(task.column->path);
}

} // namespace

Result<ProfileData> sampleProfile(const ProfileTask& task, std::stop_token stop)
{
    if (auto readable = checkReadable(task); !readable)
        return std::move(readable).error();
    const Index rows = rowsOf(task);
    if (isText(task))
        return textProfile(task, spreadRuns(rows), rows <= kSampleRows, stop);
    return sampleValues(task, stop);
}

Result<ProfileData> exactProfile(const ProfileTask& task, std::stop_token stop)
{
    if (auto readable = checkReadable(task); !readable)
        return std::move(readable).error();
    const Index rows = rowsOf(task);
    if (rows <= kSampleRows)
        return sampleProfile(task, stop);
    if (!isText(task))
        return countsCodes(*task.column) ? exactCodes(task, stop) : exactNumbers(task, stop);
    if (rows > kMostTexts)
        return sampleProfile(task, stop);
    auto room = task.reading->budget().reserve(MemoryTag::Strings, rows * 8);
    if (!room)
        return sampleProfile(task, stop);
    constexpr Index step = 16384;
    std::vector<Slice> parts;
    for (Index first = 0; first < rows; first += step)
        parts.push_back({first, 1, std::min(step, rows - first)});
    return textProfile(task, parts, true, stop);
}

Result<ProfilePart> partOfProfile(const ProfileTask& task, const ProfileData& whole, const IndexSet& inside,
                                  std::stop_token stop)
{
    if (auto readable = checkReadable(task); !readable)
        return std::move(readable).error();
    ProfilePart part;
    part.rows = inside.size();
    if (isText(task) || inside.extent() != rowsOf(task))
        return part;
    const auto threads = static_cast<std::size_t>(threadsFor(task));
    const bool codes = countsCodes(*task.column);
    const Bins empty(whole.lowest.value_or(0), whole.highest.value_or(0), whole.whole);
    std::vector<Bins> bins(threads, empty);
    std::vector<std::vector<Index>> counts(threads, std::vector<Index>(codes ? whole.counts.size() : 0, 0));
    std::vector<Index> missing(threads, 0);
    auto scanned = scanColumn(task, stop, threadsFor(task), [&](int worker, Index row, auto value, bool masked) {
        if (!inside.contains(row))
            return;
        const double number = toDouble(value);
        const auto w = static_cast<std::size_t>(worker);
        if (masked || std::isnan(number))
            ++missing[w];
        else if (!codes)
            bins[w].add(number);
        else if (number >= 0 && number < static_cast<double>(counts[w].size()))
            ++counts[w][static_cast<std::size_t>(number)];
        else
            ++missing[w];
    });
    if (!scanned)
        return std::move(scanned).error();
    part.missing = std::accumulate(missing.begin(), missing.end(), Index{0});
    const auto sum = [](std::vector<Index>& into, const std::vector<Index>& from) {
        into.resize(from.size(), 0);
        std::transform(from.begin(), from.end(), into.begin(), into.begin(), std::plus<>());
    };
    for (std::size_t w = 0; w < threads; ++w) {
        sum(part.counts, counts[w]);
        if (!codes && !whole.histogram.empty())
            sum(part.histogram, bins[w].counts);
    }
    return part;
}

ProfileData geneProfile(const Values& values)
{
    Tally tally;
    Index zeros = 0;
    for (Index i = 0; i < values.size(); ++i) {
        const double number = values.number(i);
        if (number == 0)
            ++zeros;
        else
            tally.number(number);
    }
    tally.rows = values.size();
    Bins bins = binsFor(tally);
    for (Index i = 0; i < values.size(); ++i)
        if (const double number = values.number(i); number != 0)
            bins.add(number);
    ProfileData data = numbersFrom(tally, bins);
    data.counts = {zeros};
    data.exact = true;
    return data;
}

ProfilePart partOfGene(const Values& values, const ProfileData& whole, const IndexSet& inside)
{
    ProfilePart part;
    part.rows = inside.size();
    part.counts = {0};
    Bins bins(whole.lowest.value_or(0), whole.highest.value_or(0), whole.whole);
    inside.forEachRun([&](Index first, Index count) {
        for (Index i = first; i < first + count; ++i) {
            const double number = values.number(i);
            if (number == 0)
                ++part.counts.front();
            else if (std::isnan(number))
                ++part.missing;
            else
                bins.add(number);
        }
    });
    if (!whole.histogram.empty())
        part.histogram = bins.counts;
    return part;
}

double barWidth(const ProfileData& profile)
{
    const auto bars = static_cast<double>(std::max<std::size_t>(profile.histogram.size(), 1));
    const double span = profile.highest.value_or(0) - profile.lowest.value_or(0);
    if (profile.whole && span < kBins)
        return 1;
    return span > 0 ? span / bars : 1;
}

} // namespace cellfolio
