// SPDX-License-Identifier: GPL-3.0-or-later
// A018 to A020: codes and category lists.
#include "core/anndata/value_check.h"
#include "core/base/text.h"
#include "core/paging/array_reader.h"

#include <algorithm>
#include <cmath>
#include <mutex>

namespace cellfolio {

namespace {

struct BadCode {
    Index row;
    std::int64_t code;
};

// Lists beyond this are compared by 64-bit hashes of their texts instead of whole.
constexpr Index kCategoryWindow = 65536;

std::uint64_t hashOf(std::string_view text)
{
    return std::hash<std::string_view>{}(text);
}

} // namespace

Result<void> ValueCheck::checkCategorical(const Element& column)
{
    if (!wants("A018") || !first("A018", column.values))
        return {};
    const Index count = column.categoryCount.value_or(0);
    std::mutex mutex;
    std::vector<BadCode> bad;
    Index badCount = 0;
    ScanOptions options;
    options.stop = m_options.stop;
    const std::vector<ArrayRef> arrays{column.values};
    const ScanPlan plan = planScan(arrays, 0, column.values.length(), *m_reading, options);
    auto scanned = scan(arrays, column.path, *m_reading, plan, options,
                        [&](const ScanBlock& block) -> Result<void> {
                            std::vector<BadCode> here;
                            Index found = 0;
                            visitReal(column.values.dtype(), [&]<typename T>(const T*) {
                                if constexpr (std::is_integral_v<T>) {
                                    const auto codes = block.as<T>(0);
                                    for (Index i = 0; i < block.count; ++i) {
                                        const auto code = static_cast<std::int64_t>(codes[at(i)]);
                                        if (code >= -1 && code < count)
                                            continue;
                                        ++found;
                                        if (here.size() < kMostPlaces)
                                            here.push_back({block.first + i, code});
                                    }
                                }
                            });
                            if (found > 0) {
                                const std::lock_guard lock(mutex);
                                badCount += found;
                                bad.insert(bad.end(), here.begin(), here.end());
                            }
                            return {};
                        });
    if (!scanned)
        return damaged(column, column.values, std::move(scanned).error());
    if (badCount == 0)
        return {};
    std::sort(bad.begin(), bad.end(),
              [](const BadCode& a, const BadCode& b) { return a.row < b.row; });
    bad.resize(std::min(bad.size(), kMostPlaces));
    Finding& finding = report(
        "A018", column,
        "Row " + std::to_string(bad.front().row) + " of " + inQuotes(column.path) +
            " refers to category " + std::to_string(bad.front().code) + " of " + grouped(count) +
            (badCount > 1 ? " (" + grouped(badCount) + " rows do so)." : "."));
    finding.count = badCount;
    for (const BadCode& code : bad) {
        FindingPlace place;
        place.row = code.row;
        place.value = std::to_string(code.code);
        finding.places.push_back(std::move(place));
    }
    return {};
}

// Two passes over the list: hashes of all (8 bytes a category, charged to the budget) tell which
// may be repeated, and the texts of those alone are compared.
Result<void> ValueCheck::checkCategories(const Element& column)
{
    if ((!wants("A019") && !wants("A020")) || !column.categories ||
        !first("A019", column.categories))
        return {};
    const Index count = column.categories.length();
    const ArrayReader reader(column.categories, m_reading, column.path);
    auto reserved = m_reading->budget().reserve(MemoryTag::Job,
                                                count * static_cast<Index>(sizeof(std::uint64_t)));
    if (!reserved)
        return std::move(reserved).error();
    std::vector<std::uint64_t> hashes;
    hashes.reserve(at(count));
    Index missing = 0;
    Index firstMissing = -1;
    const auto eachWindow = [&](auto&& visit) -> Result<void> {
        if (column.categories.shape().empty()) {
            auto values = reader.all(m_options.stop);
            if (!values)
                return damaged(column, column.categories, std::move(values).error());
            visit(0, *values);
            return {};
        }
        for (Index row = 0; row < count; row += kCategoryWindow) {
            auto values = reader.rows(row, std::min(kCategoryWindow, count - row), m_options.stop);
            if (!values)
                return damaged(column, column.categories, std::move(values).error());
            visit(row, *values);
        }
        return {};
    };
    auto read = eachWindow([&](Index row, const Values& values) {
        for (Index i = 0; i < values.size(); ++i) {
            if (isFloat(values.type()) && std::isnan(values.number(i))) {
                if (missing++ == 0)
                    firstMissing = row + i;
                continue;
            }
            hashes.push_back(hashOf(values.text(i)));
        }
    });
    if (!read)
        return read;

    std::sort(hashes.begin(), hashes.end());
    std::vector<std::uint64_t> repeated;
    for (std::size_t i = 1; i < hashes.size(); ++i)
        if (hashes[i] == hashes[i - 1] && (repeated.empty() || repeated.back() != hashes[i]))
            repeated.push_back(hashes[i]);
    if (!repeated.empty() && wants("A019")) {
        std::set<std::string> seen;
        Finding twice;
        Index extra = 0;
        read = eachWindow([&](Index row, const Values& values) {
            for (Index i = 0; i < values.size(); ++i) {
                std::string text = values.text(i);
                if (!std::binary_search(repeated.begin(), repeated.end(), hashOf(text)))
                    continue;
                if (seen.insert(text).second)
                    continue;
                if (++extra <= static_cast<Index>(kMostPlaces)) {
                    FindingPlace place;
                    place.offset = row + i;
                    place.value = std::move(text);
                    twice.places.push_back(std::move(place));
                }
            }
        });
        if (!read)
            return read;
        if (extra > 0) {
            Finding& finding =
                report("A019", column,
                       "Category " + inQuotes(twice.places.front().value) + " of " +
                           inQuotes(column.path) + " is listed twice" +
                           (extra > 1 ? " (" + grouped(extra) + " categories are)." : "."));
            finding.count = extra;
            finding.places = std::move(twice.places);
        }
    }
    if (missing > 0 && wants("A020")) {
        Finding& finding =
            report("A020", column,
                   "Category " + std::to_string(firstMissing) + " of " + inQuotes(column.path) +
                       " is \"not a number\"; a category " + "cannot be missing.");
        finding.count = missing;
    }
    return {};
}

} // namespace cellfolio
