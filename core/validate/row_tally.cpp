// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/validate/row_tally.h"

#include "core/base/text.h"
#include "core/matrix/clones.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace cellfolio {

namespace {

constexpr Index kShare = 4; // of the budget, one part for hashes
constexpr Index kMostRows = std::numeric_limits<std::uint32_t>::max();
constexpr Index kMostLengths = Index{1} << 22;

std::uint64_t rowMark(Index row, std::uint64_t low, std::uint32_t high) noexcept
{
    return mixed(mixed(low + static_cast<std::uint64_t>(row) * 0x9e3779b97f4a7c15ULL) + high);
}

} // namespace

CELLFOLIO_CLONES
RowSum placesSum(const Index* columns, const std::uint64_t* bits, std::size_t count) noexcept
{
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::uint64_t nonZero = 0;
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t x = bits[i] * 0x9e3779b97f4a7c15ULL
                        + static_cast<std::uint64_t>(columns[i]) * 0xe7037ed1a0b428dbULL;
        x ^= x >> 32;
        x *= 0xd6e8feb86659fd93ULL;
        x ^= x >> 29;
        x *= 0xa0761d6478bd642fULL;
        x ^= x >> 32;
        const std::uint64_t keep = bits[i] != 0 ? ~std::uint64_t{0} : 0;
        low += x & keep;
        high += (((x ^ (x >> 31)) * 0x8ebc6af09c88c6e3ULL) >> 32) & keep;
        nonZero += keep & 1;
    }
    return {low, high, static_cast<Index>(nonZero)};
}

RowTally::RowTally(Index rows, Index columns, Rows arrival)
    : m_arrival(arrival), m_rows(rows), m_columns(columns),
      m_lengths(at(std::min(columns, kMostLengths) + 1))
{
}

Result<std::unique_ptr<RowTally>> RowTally::make(Index rows, Index columns, Rows arrival, bool twins,
                                                 Reading& reading)
{
    const Index bits = (rows + columns) / 8 + (std::min(columns, kMostLengths) + 1) * 4;
    Result<MemoryReservation> room = reading.budget().reserve(MemoryTag::Job, bits);
    if (!room)
        return std::move(room).error();
    std::unique_ptr<RowTally> tally(new RowTally(rows, columns, arrival));
    constexpr Index kRowBytes = static_cast<Index>(sizeof(Row));
    const Index share = std::max(Index{4096}, reading.budget().limit() / kShare / kRowBytes);
    Index held = twins || arrival == Rows::InParts ? rows : 0;
    if (held > share) {
        if (arrival == Rows::InParts || rows > kMostRows) {
            tally->m_whyNot = "comparing its rows needs " + byteText(rows * kRowBytes)
                            + ", more than the budget has for it";
            held = 0;
        } else {
            tally->m_bands = (rows + share - 1) / share;
            // Hashes are spread evenly, but not exactly so.
            held = rows / tally->m_bands + rows / tally->m_bands / 8 + 4096;
        }
    }
    Result<MemoryReservation> more =
        reading.budget().reserve(MemoryTag::Job, bits + held * kRowBytes);
    if (!more) {
        tally->m_whyNot = more.error().message();
        held = 0;
    } else {
        room = std::move(more);
    }
    tally->m_room = *std::move(room);
    tally->m_hashes.resize(at(held));
    return tally;
}

void RowTally::rowDone(Index row, const RowSum& sum) noexcept
{
    if (sum.nonZero == 0)
        return;
    const auto high = static_cast<std::uint32_t>(sum.high);
    if (m_band == 0) {
        m_rows.mark(row);
        const auto length = std::min(at(sum.nonZero), m_lengths.size() - 1);
        m_lengths[length].fetch_add(1, std::memory_order_relaxed);
        const auto most = static_cast<std::uint64_t>(std::min(sum.nonZero, kMostRows));
        const std::uint64_t mark = most << 32 | static_cast<std::uint32_t>(~row);
        std::uint64_t before = m_longest.load(std::memory_order_relaxed);
        while (mark > before
               && !m_longest.compare_exchange_weak(before, mark, std::memory_order_relaxed)) {
        }
        m_fingerprint.fetch_add(rowMark(row, sum.low, high), std::memory_order_relaxed);
    }
    if (m_hashes.empty())
        return;
    const std::uint64_t width = std::numeric_limits<std::uint64_t>::max()
                              / static_cast<std::uint64_t>(m_bands);
    const auto band = std::min(static_cast<Index>(sum.low / std::max<std::uint64_t>(1, width)),
                               m_bands - 1);
    if (band != m_band)
        return;
    const std::size_t slot = m_held.fetch_add(1, std::memory_order_relaxed);
    if (slot < m_hashes.size())
        m_hashes[slot] = {sum.low, high, static_cast<std::uint32_t>(row)};
}

void RowTally::partOfRow(Index row, const RowSum& sum) noexcept
{
    if (sum.nonZero == 0 && sum.low == 0 && sum.high == 0)
        return;
    if (m_hashes.empty()) {
        m_rows.mark(row); // else its sum tells, once it is complete
        return;
    }
    Row& own = m_hashes[at(row)];
    std::atomic_ref(own.low).fetch_add(sum.low, std::memory_order_relaxed);
    std::atomic_ref(own.high).fetch_add(static_cast<std::uint32_t>(sum.high),
                                        std::memory_order_relaxed);
    std::atomic_ref(own.row).fetch_add(static_cast<std::uint32_t>(sum.nonZero),
                                       std::memory_order_relaxed);
}

void RowTally::giveUp(const std::string& why)
{
    const std::lock_guard lock(m_mutex);
    if (m_whyNot.empty())
        m_whyNot = why;
}

bool RowTally::nextBand()
{
    if (m_arrival == Rows::InParts) {
        // Rows are complete only now.
        std::vector<Row> rows = std::exchange(m_hashes, {});
        std::size_t kept = 0;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const RowSum sum{rows[row].low, rows[row].high, static_cast<Index>(rows[row].row)};
            if (sum.nonZero == 0)
                continue;
            rowDone(static_cast<Index>(row), sum); // nothing is kept by it: there is no room yet
            rows[kept++] = {sum.low, static_cast<std::uint32_t>(sum.high),
                            static_cast<std::uint32_t>(row)};
        }
        rows.resize(kept);
        m_hashes = std::move(rows);
        m_held = kept;
        m_arrival = Rows::Whole;
    }
    findTwins();
    ++m_band;
    m_held = 0;
    return m_band < m_bands && m_whyNot.empty();
}

void RowTally::findTwins()
{
    if (m_held > m_hashes.size())
        giveUp("its rows are too unevenly spread to be compared in this budget");
    if (!m_whyNot.empty())
        return;
    const auto end = m_hashes.begin() + static_cast<std::ptrdiff_t>(m_held.load());
    std::sort(m_hashes.begin(), end, [](const Row& a, const Row& b) {
        return std::tie(a.low, a.high, a.row) < std::tie(b.low, b.high, b.row);
    });
    auto first = m_hashes.begin();
    for (auto row = m_hashes.begin(); row != end; ++row) {
        if (row->low != first->low || row->high != first->high)
            first = row;
        if (row == first)
            continue;
        m_facts.twins.meet(Index{row->row}, [&] {
            FindingPlace place;
            place.row = Index{row->row};
            place.value = "as row " + exactText(Index{first->row});
            return place;
        });
    }
}

RowFacts RowTally::facts()
{
    const auto unseen = [](const SeenBits& seen, bool rows, PlaceList& list) {
        for (Index k = 0; k < seen.size(); ++k)
            if (!seen.has(k))
                list.meet(k, [&] {
                    FindingPlace place;
                    (rows ? place.row : place.column) = k;
                    return place;
                });
    };
    unseen(m_rows, true, m_facts.emptyRows);
    unseen(m_columns, false, m_facts.emptyColumns);
    const std::uint64_t longest = m_longest;
    if (longest != 0) {
        m_facts.longest = static_cast<Index>(longest >> 32);
        m_facts.longestRow = static_cast<Index>(static_cast<std::uint32_t>(~longest));
    }
    Index rows = 0;
    for (const auto& n : m_lengths)
        rows += Index{n.load()};
    Index before = 0;
    for (std::size_t length = 0; length < m_lengths.size() && rows > 0; ++length) {
        before += Index{m_lengths[length].load()};
        if (2 * before >= rows) {
            m_facts.medianLength = static_cast<Index>(length);
            break;
        }
    }
    m_facts.whyNoTwins = m_whyNot;
    if (m_whyNot.empty())
        m_facts.fingerprint = m_fingerprint.load();
    return std::move(m_facts);
}

} // namespace cellfolio
