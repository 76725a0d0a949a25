// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/validate/names_check.h"

#include "core/anndata/column_reader.h"
#include "core/anndata/rules.h"
#include "core/base/text.h"
#include "core/validate/content_rules.h"
#include "core/validate/place_list.h"

#include <algorithm>
#include <unordered_map>
#include <vector>
#include <xxhash.h>

namespace cellfolio {

namespace {

constexpr Index kWindow = Index{64} << 10;
constexpr Index kNameCost = 128; // of one candidate in the second pass, about

// Names of the table in windows: visit(first row, names).
template <typename Visit>
Result<void> forEachWindow(const std::shared_ptr<const Dataset>& dataset, const Element& table,
                           const std::shared_ptr<Reading>& reading, const std::stop_token& stop,
                           Visit&& visit)
{
    for (Index first = 0; first < table.rows; first += kWindow) {
        const Index count = std::min(kWindow, table.rows - first);
        Result<std::vector<std::string>> names = readNames(
            dataset, table, Selection::of(table.rows, {first, 1, count}), reading, stop);
        if (!names)
            return std::move(names).error();
        visit(first, *names);
    }
    return {};
}

} // namespace

Result<std::optional<Finding>> checkNames(const std::shared_ptr<const Dataset>& dataset,
                                          const Element& table, std::string_view ruleId,
                                          const std::shared_ptr<Reading>& reading,
                                          std::stop_token stop)
{
    if (!table.index || table.rows == 0)
        return std::optional<Finding>(); // numbered: unique by nature
    Result<MemoryReservation> room = reading->budget().reserve(
        MemoryTag::Job, table.rows * static_cast<Index>(sizeof(std::uint64_t)));
    if (!room)
        return std::move(room).error().at(table.path);
    std::vector<std::uint64_t> hashes;
    hashes.reserve(at(table.rows));
    Result<void> done = forEachWindow(dataset, table, reading, stop,
                                      [&](Index, const std::vector<std::string>& names) {
        for (const std::string& name : names)
            hashes.push_back(XXH3_64bits(name.data(), name.size()));
    });
    if (!done)
        return std::move(done).error().at(table.path);
    std::sort(hashes.begin(), hashes.end());
    // Each hash that occurs twice, once.
    std::size_t kept = 0;
    for (std::size_t i = 0; i + 1 < hashes.size(); ++i)
        if (hashes[i] == hashes[i + 1] && (kept == 0 || hashes[kept - 1] != hashes[i]))
            hashes[kept++] = hashes[i];
    hashes.resize(kept);
    if (hashes.empty())
        return std::optional<Finding>();

    Result<MemoryReservation> second =
        reading->budget().reserve(MemoryTag::Strings, static_cast<Index>(kept) * kNameCost);
    if (!second)
        return std::move(second).error().at(table.path);
    std::unordered_map<std::string, Index> times;
    PlaceList places; // of the second and later rows of a name
    Index repeated = 0;
    std::string example;
    done = forEachWindow(dataset, table, reading, stop,
                         [&](Index first, const std::vector<std::string>& names) {
        for (std::size_t k = 0; k < names.size(); ++k) {
            const std::uint64_t hash = XXH3_64bits(names[k].data(), names[k].size());
            if (!std::binary_search(hashes.begin(), hashes.end(), hash))
                continue;
            const Index n = ++times[names[k]];
            if (n < 2)
                continue;
            if (n == 2 && ++repeated == 1)
                example = names[k];
            FindingPlace place;
            place.row = first + static_cast<Index>(k);
            place.value = names[k];
            places.add(*place.row, std::move(place));
        }
    });
    if (!done)
        return std::move(done).error().at(table.path);
    if (places.count() == 0)
        return std::optional<Finding>();
    const std::string often = exactText(times[example]);
    Finding finding = ruleFinding(
        ruleId, table.path,
        "Row names of " + inQuotes(table.path) + " are not unique: " + inQuotes(toUtf8(example))
            + " occurs " + often + " times"
            + (repeated > 1 ? ", and so do " + counted(repeated - 1, "other name", "other names")
                                  + " more than once"
                            : "")
            + "; selection by name is ambiguous.");
    finding.count = places.count();
    finding.places = places.first();
    return std::optional<Finding>(std::move(finding));
}

} // namespace cellfolio
