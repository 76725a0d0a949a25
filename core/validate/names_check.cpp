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
constexpr Index kHashCost = static_cast<Index>(sizeof(std::uint64_t));
constexpr Index kLeastHashes = Index{1} << 20;

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

// Which hashes were met more than once. Bands of hashes come one after the other, ascending, so
// that only one band's hashes are held at a time.
class RepeatedHashes
{
public:
    explicit RepeatedHashes(std::size_t room) { m_band.reserve(room); }

    void add(std::uint64_t hash)
    {
        if (m_band.size() == m_band.capacity())
            fold(); // only where many names are the same: each is then held once
        m_band.push_back(hash);
    }

    void endBand()
    {
        fold();
        m_band.clear();
        std::sort(m_repeated.begin() + m_bandStart, m_repeated.end());
        m_repeated.erase(std::unique(m_repeated.begin() + m_bandStart, m_repeated.end()),
                         m_repeated.end());
        m_bandStart = static_cast<std::ptrdiff_t>(m_repeated.size());
    }

    // Ascending, each once.
    std::vector<std::uint64_t> take() && { return std::move(m_repeated); }

private:
    void fold()
    {
        std::sort(m_band.begin(), m_band.end());
        std::size_t kept = 0;
        for (std::size_t i = 0; i < m_band.size(); ++i) {
            if (kept == 0 || m_band[kept - 1] != m_band[i])
                m_band[kept++] = m_band[i];
            else if (static_cast<std::ptrdiff_t>(m_repeated.size()) == m_bandStart
                     || m_repeated.back() != m_band[i])
                m_repeated.push_back(m_band[i]);
        }
        m_band.resize(kept);
    }

    std::vector<std::uint64_t> m_band;
    std::vector<std::uint64_t> m_repeated;
    std::ptrdiff_t m_bandStart = 0;
};

} // namespace

Result<std::optional<Finding>> checkNames(const std::shared_ptr<const Dataset>& dataset,
                                          const Element& table, std::string_view ruleId,
                                          const std::shared_ptr<Reading>& reading,
                                          std::stop_token stop)
{
    if (!table.index || table.rows == 0)
        return std::optional<Finding>(); // numbered: unique by nature
    const Index share = reading->budget().limit() / 4 / kHashCost;
    const Index held = std::min(std::max(share, kLeastHashes), table.rows);
    Result<MemoryReservation> room =
        reading->budget().reserve(MemoryTag::Job, (held + held / 8) * kHashCost);
    if (!room)
        return std::move(room).error().at(table.path);
    RepeatedHashes repeats(at(held + held / 8));
    // Hashes are evenly spread, so each pass takes one band of them and keeps about `held`.
    const Index passes = (table.rows + held - 1) / held;
    const std::uint64_t band = ~std::uint64_t{0} / static_cast<std::uint64_t>(passes);
    Result<void> done;
    for (Index pass = 0; pass < passes; ++pass) {
        const std::uint64_t low = band * static_cast<std::uint64_t>(pass);
        const std::uint64_t high = pass + 1 == passes ? ~std::uint64_t{0} : low + (band - 1);
        done = forEachWindow(dataset, table, reading, stop,
                             [&](Index, const std::vector<std::string>& names) {
            for (const std::string& name : names) {
                const std::uint64_t hash = XXH3_64bits(name.data(), name.size());
                if (hash >= low && hash <= high)
                    repeats.add(hash);
            }
        });
        if (!done)
            return std::move(done).error().at(table.path);
        repeats.endBand();
    }
    const std::vector<std::uint64_t> hashes = std::move(repeats).take();
    const std::size_t kept = hashes.size();
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
