// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/paging/reading.h"
#include "core/validate/place_list.h"
#include "core/validate/row_sum.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace cellfolio {

// Marks on one axis that any thread sets.
class SeenBits
{
public:
    explicit SeenBits(Index size) : m_size(size), m_words(at((size + 63) / 64)) {}

    void mark(Index position) noexcept
    {
        std::atomic<std::uint64_t>& word = m_words[at(position / 64)];
        const std::uint64_t bit = std::uint64_t{1} << (position % 64);
        // Nearly always set already; writing only then keeps threads off each other's caches.
        if ((word.load(std::memory_order_relaxed) & bit) == 0)
            word.fetch_or(bit, std::memory_order_relaxed);
    }
    bool has(Index position) const noexcept
    {
        return (m_words[at(position / 64)].load(std::memory_order_relaxed) >> (position % 64) & 1)
            != 0;
    }
    Index size() const noexcept { return m_size; }

private:
    Index m_size;
    std::vector<std::atomic<std::uint64_t>> m_words;
};

// What is known of rows (cells) and columns (genes) after a pass.
struct RowFacts {
    PlaceList emptyRows;    // nothing but zeros
    PlaceList emptyColumns;
    Index longest = 0; // places that are not zero
    Index longestRow = -1;
    Index medianLength = 0; // of the rows that have any; 0 where it is not known
    PlaceList twins;        // rows equal to one before them, which is the value of the place
    std::string whyNoTwins; // set: rows could not be compared
    std::optional<std::uint64_t> fingerprint; // equal for equal matrices
};

// Collects, from several threads, what a pass sees of the rows and columns of a matrix: 1 bit a
// row and a column, 4 bytes a column, 16 bytes a row. Where 16 bytes for every row are more than a
// quarter of the budget, rows that come whole are compared in bands of hashes, one pass each.
class RowTally
{
public:
    enum class Rows { Whole, InParts };
    // Without `twins` hashes of whole rows are not kept.
    static Result<std::unique_ptr<RowTally>> make(Index rows, Index columns, Rows arrival,
                                                  bool twins, Reading& reading);

    // Whether this pass only collects another band of hashes.
    bool repeated() const noexcept { return m_band > 0; }

    void seeColumn(Index column) noexcept { m_columns.mark(column); }
    // A whole row, all of it. Once for each row; rows without entries need not come.
    void rowDone(Index row, const RowSum& sum) noexcept;
    // Some of a row's places (Rows::InParts).
    void partOfRow(Index row, const RowSum& sum) noexcept;
    // Equality can no longer be told.
    void giveUp(const std::string& why);

    // Called between passes, by one thread: whether another pass is needed.
    bool nextBand();
    // After the last pass.
    RowFacts facts();

private:
    RowTally(Index rows, Index columns, Rows arrival);
    struct Row {
        std::uint64_t low = 0;
        std::uint32_t high = 0;
        std::uint32_t row = 0; // in parts: how many places are not zero
    };
    void findTwins();

    Rows m_arrival;
    SeenBits m_rows;
    SeenBits m_columns;
    // Rows of each length; the last: that or more.
    std::vector<std::atomic<std::uint32_t>> m_lengths;
    std::atomic<std::uint64_t> m_longest{0}; // length << 32 | ~row, so that the first wins
    std::atomic<std::uint64_t> m_fingerprint{0};
    std::vector<Row> m_hashes;
    std::atomic<std::size_t> m_held{0};
    Index m_band = 0;
    Index m_bands = 1;
    std::string m_whyNot;
    std::mutex m_mutex;
    MemoryReservation m_room;
    RowFacts m_facts;
};

} // namespace cellfolio
