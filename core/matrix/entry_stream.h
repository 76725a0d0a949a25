// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/axis_map.h"
#include "core/matrix/sparse_source.h"
#include "core/run/progress.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace cellfolio {

// What a pass tells of the place of an entry. "Line" and "index" as in SparseSource.
enum class EntryPlace { None, ByLine, ByIndex, Both };

// Entries that follow each other in one line: values begin … end - 1 of the batch.
struct LineSegment {
    Index line = 0; // number among the distinct wanted lines
    Index begin = 0;
    Index end = 0;
    bool whole = false; // all of the line's entries
};

struct EntryBatch {
    Index ordinal = 0; // batches of one ordinal come in file order, from one thread
    int worker = 0;    // below EntryStream::workers(); calls of one worker never overlap
    Index count = 0;
    const std::byte* values = nullptr;      // native, of the matrix's dtype; valid during the call
    std::span<const std::int32_t> indices; // ByIndex, Both: number among the wanted indices
    std::span<const LineSegment> segments; // ByLine, Both
};

// The stored entries of a sparse matrix that lie in the wanted lines and indices, streamed past
// the page cache by several threads. `indices` is read only where it is needed: by a choice of
// indices, or to tell them. An entry in a repeated line or index comes as often as its place was
// asked for, but in the dimension that is told: there it comes once.
class EntryStream
{
public:
    // No selection means all.
    EntryStream(SparseSource source, std::shared_ptr<Reading> reading,
                const std::optional<Selection>& lines, const std::optional<Selection>& indices);

    const SparseSource& source() const noexcept { return m_source; }
    const AxisMap& lines() const noexcept { return m_lines; }
    const AxisMap& indices() const noexcept { return m_indices; }
    int workers() const noexcept { return m_reading->threads(); }

    struct Pass {
        EntryPlace place = EntryPlace::None;
        std::stop_token stop = {};
        Progress* progress = nullptr;
    };
    // Checks every pointer and index it meets. The first error ends it.
    Result<void> run(const Pass& pass,
                     const std::function<Result<void>(const EntryBatch&)>& visit) const;

    // Entries that lie in the wanted lines, about: what a pass moves.
    Result<Index> entries(std::stop_token stop) const;

private:
    SparseSource m_source;
    std::shared_ptr<Reading> m_reading;
    AxisMap m_lines;
    AxisMap m_indices;
    bool m_allIndices = false;
    std::vector<std::int32_t> m_lineTimes;  // how often each distinct one; empty: once
    std::vector<std::int32_t> m_indexTimes;
};

} // namespace cellfolio
