// SPDX-License-Identifier: GPL-3.0-or-later
// A032, A034 and A036: the pointers and indices of sparse matrices.
#include "core/anndata/value_check.h"
#include "core/base/text.h"
#include "core/paging/array_reader.h"

#include <algorithm>
#include <limits>
#include <mutex>

namespace cellfolio {

namespace {

// A fall from beyond this to below zero is an overflow of 32 bits, not damage.
constexpr std::int64_t kLarge = std::int64_t{1} << 30;
constexpr Index kWrap = Index{1} << 32;

struct Fall {
    Index row; // that ends before it starts
    std::int64_t from;
    std::int64_t to;
};

struct PointerBlock {
    bool any = false;
    std::int64_t first = 0;
    std::int64_t last = 0;
    Index start = 0;
    Index count = 0;
    Index falls = 0;
    std::vector<Fall> places;
};

const char* majorName(const Element& matrix)
{
    return matrix.storage == Storage::Csc ? "Column" : "Row";
}

const char* minorName(const Element& matrix)
{
    return matrix.storage == Storage::Csc ? "row" : "column";
}

} // namespace

Result<void> ValueCheck::checkPointers(const Element& matrix)
{
    if ((!wants("A032") && !wants("A036")) || !first("A032", matrix.indptr))
        return {};
    ScanOptions options;
    options.stop = m_options.stop;
    const std::vector<ArrayRef> arrays{matrix.indptr};
    const ScanPlan plan = planScan(arrays, 0, matrix.indptr.length(), *m_reading, options);
    std::vector<PointerBlock> blocks(at(plan.blocks));
    auto scanned =
        scan(arrays, matrix.path, *m_reading, plan, options,
             [&](const ScanBlock& block) -> Result<void> {
                 PointerBlock& result = blocks[at(block.ordinal)];
                 visitReal(matrix.indptr.dtype(), [&]<typename T>(const T*) {
                     if constexpr (std::is_integral_v<T>) {
                         const auto values = block.as<T>(0);
                         result.any = block.count > 0;
                         result.start = block.first;
                         result.count = block.count;
                         if (!result.any)
                             return;
                         result.first = static_cast<std::int64_t>(values.front());
                         result.last = static_cast<std::int64_t>(values.back());
                         for (std::size_t i = 1; i < values.size(); ++i) {
                             if (values[i] >= values[i - 1])
                                 continue;
                             ++result.falls;
                             if (result.places.size() < kMostPlaces)
                                 result.places.push_back({block.first + static_cast<Index>(i) - 1,
                                                          static_cast<std::int64_t>(values[i - 1]),
                                                          static_cast<std::int64_t>(values[i])});
                         }
                     }
                 });
                 return {};
             });
    if (!scanned)
        return damaged(matrix, matrix.indptr, std::move(scanned).error());

    // Blocks in order: a fall may lie between two.
    Index falls = 0;
    std::vector<Fall> places;
    const PointerBlock* before = nullptr;
    for (const PointerBlock& block : blocks) {
        if (!block.any)
            continue;
        if (before && block.first < before->last) {
            ++falls;
            places.push_back({block.start - 1, before->last, block.first});
        }
        falls += block.falls;
        places.insert(places.end(), block.places.begin(), block.places.end());
        before = &block;
    }
    if (falls == 0)
        return {};
    std::sort(places.begin(), places.end(),
              [](const Fall& a, const Fall& b) { return a.row < b.row; });
    places.resize(std::min(places.size(), kMostPlaces));

    const Fall& first = places.front();
    const bool overflow =
        matrix.indptr.dtype() == DType::Int32 && first.to < 0 && first.from >= kLarge;
    const std::string where = inQuotes(matrix.path);
    if (overflow ? !wants("A036") : !wants("A032"))
        return {};
    Finding& finding =
        overflow
            ? report("A036", matrix,
                     "The pointers (indptr) of " + where +
                         " overflowed 32 bits when this file was " + "written, first at row " +
                         std::to_string(first.row) + "; later rows are unreadable as they stand.")
            : report("A032", matrix,
                     std::string(majorName(matrix)) + " " + std::to_string(first.row) + " of " +
                         where + " ends before it starts: indptr falls from " +
                         std::to_string(first.from) + " to " + std::to_string(first.to) +
                         " at row " + std::to_string(first.row) + ".");
    if (overflow && before && before->last + falls * kWrap == matrix.values.length()) {
        finding.fix = "Add 2^32 at every fall.";
        finding.fixable = true;
    }
    finding.count = falls;
    for (const Fall& fall : places) {
        FindingPlace place;
        place.row = fall.row;
        place.value = std::to_string(fall.to);
        finding.places.push_back(std::move(place));
    }
    return {};
}

Result<Index> ValueCheck::majorOf(const Element& matrix, Index offset)
{
    // The last pointer that is not above the offset; a few pages of indptr.
    const ArrayReader pointers(matrix.indptr, m_reading, matrix.path);
    Index low = 0;
    Index high = matrix.indptr.length() - 1;
    while (high - low > 1) {
        const Index middle = low + (high - low) / 2;
        auto value = pointers.rows(middle, 1, m_options.stop);
        if (!value)
            return std::move(value).error();
        (value->integer(0) <= offset ? low : high) = middle;
    }
    return low;
}

Result<void> ValueCheck::checkIndices(const Element& matrix)
{
    if (!matrix.shape || (!wants("A034") && !wants("A056")) ||
        m_options.passedElsewhere.count(matrix.indices.object) != 0 ||
        !first("A034", matrix.indices))
        return {};
    const Index minor = matrix.storage == Storage::Csc ? (*matrix.shape)[0] : (*matrix.shape)[1];
    struct Outside {
        Index offset;
        std::int64_t index;
    };
    std::mutex mutex;
    std::vector<Outside> outside;
    Index count = 0;
    ScanOptions options;
    options.stop = m_options.stop;
    const std::vector<ArrayRef> arrays{matrix.indices};
    const ScanPlan plan = planScan(arrays, 0, matrix.indices.length(), *m_reading, options);
    auto scanned = scan(arrays, matrix.path, *m_reading, plan, options,
                        [&](const ScanBlock& block) -> Result<void> {
                            std::vector<Outside> here;
                            Index found = 0;
                            visitReal(matrix.indices.dtype(), [&]<typename T>(const T*) {
                                if constexpr (std::is_integral_v<T>) {
                                    const auto values = block.as<T>(0);
                                    for (Index i = 0; i < block.count; ++i) {
                                        const auto index = static_cast<std::int64_t>(values[at(i)]);
                                        if (index >= 0 && index < minor)
                                            continue;
                                        ++found;
                                        if (here.size() < kMostPlaces)
                                            here.push_back({block.first + i, index});
                                    }
                                }
                            });
                            if (found > 0) {
                                const std::lock_guard lock(mutex);
                                count += found;
                                outside.insert(outside.end(), here.begin(), here.end());
                            }
                            return {};
                        });
    if (!scanned)
        return damaged(matrix, matrix.indices, std::move(scanned).error());
    if (count == 0 || !wants("A034"))
        return {};
    std::sort(outside.begin(), outside.end(),
              [](const Outside& a, const Outside& b) { return a.offset < b.offset; });
    outside.resize(std::min(outside.size(), kMostPlaces));
    std::vector<FindingPlace> places;
    for (const Outside& entry : outside) {
        auto row = majorOf(matrix, entry.offset);
        if (!row)
            return damaged(matrix, matrix.indptr, std::move(row).error());
        FindingPlace place;
        (matrix.storage == Storage::Csc ? place.column : place.row) = *row;
        place.offset = entry.offset;
        place.value = std::to_string(entry.index);
        places.push_back(std::move(place));
    }
    const Index line =
        matrix.storage == Storage::Csc ? *places.front().column : *places.front().row;
    Finding& finding = report("A034", matrix,
                              std::string(majorName(matrix)) + " " + std::to_string(line) + " of " +
                                  inQuotes(matrix.path) + " names " + minorName(matrix) + " " +
                                  places.front().value + " of " + grouped(minor) +
                                  (count > 1 ? "; " + grouped(count) + " indices are out of range."
                                             : " (indices out of range)."));
    finding.count = count;
    finding.places = std::move(places);
    return {};
}

} // namespace cellfolio
