// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/sparse_source.h"
#include "core/run/progress.h"
#include "core/select/selection.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace cellfolio {

// Entries of a view of a sparse matrix, in the order the view has them. "Line" and "index" as in
// SparseSource.
struct SubsetBatch {
    Index ordinal = 0; // 0, 1, 2 …: the order of the view; handed out ascending
    int worker = 0;    // below the number of threads; calls of one worker never overlap
    Index entries = 0;
    const std::byte* indices = nullptr; // positions in the view, Int32 or Int64; valid during the call
    const std::byte* values = nullptr;
    std::span<const Index> ends; // entries before the end of each line that ends in this batch
    std::stop_token stop;        // requested when another batch will not come: wait for none
};

// Streams the wanted lines and indices of a CSR or CSC matrix in the order and the repeats of two
// selections, past the page cache, by several threads, within the budget. Each batch is made by one
// thread from the chunks it needs: they are decoded, gathered and handed on, and nothing is kept. Lines
// whose order is such that chunks would be decoded again and again go through a temporary file. Within a
// line entries come as stored, explicit zeros and duplicates too; where the order of the indices is not
// that of the file they are sorted.
class SubsetStream
{
public:
    SubsetStream(SparseSource source, std::shared_ptr<Reading> reading, Selection lines, Selection indices);

    const SparseSource& source() const noexcept { return m_source; }
    Index lines() const noexcept { return m_lines.size(); }

    struct Options {
        int threads = 0;      // 0: those of the Reading
        Index batchLength = 0; // entries read for a batch; 0: chosen
        std::filesystem::path folder; // for a temporary file
        std::stop_token stop = {};
        Progress* progress = nullptr; // entries of the wanted lines
    };
    // One pass over the pointers of the wanted lines, which are checked. Before run().
    Result<void> plan(const Options& options);
    // Known from then on. Entries at most: those of the wanted lines, as often as their places are
    // asked for.
    Index mostEntries() const noexcept { return m_entries * m_repeats; }
    Index lineEntries() const noexcept { return m_entries; } // of the wanted lines
    Index batches() const noexcept { return static_cast<Index>(m_pieces.size()); }
    // Entries to be decoded, about.
    Index decoded() const noexcept { return m_decoded; }
    // Whether a temporary file will be used, and how large it may get.
    bool needsScratch() const noexcept { return m_scatter; }
    Index scratchBytes(DType indexType) const;
    // Memory a run takes beside what is read.
    Index memory() const;

    // Calls `visit` once for each batch. The first error ends it. Corrupt where a pointer or index is
    // impossible; OutOfBudget; OutOfDisk; Cancelled.
    Result<void> run(DType indexType, const Options& options,
                     const std::function<Result<void>(const SubsetBatch&)>& visit);

    // Some of the lines of the selection, read together.
    struct Piece {
        Index line = 0;  // number in the selection
        Index lines = 1;
        Index skip = 0;  // entries of the (only) line that belong to pieces before
        Index most = -1; // entries of it that belong to this piece; -1: all of all lines
        bool ends = true; // the line ends here
    };

private:
    Result<void> planPieces(const Options& options);
    Result<void> runThroughScratch(DType indexType, const Options& options,
                                   const std::function<Result<void>(const SubsetBatch&)>& visit);

    SparseSource m_source;
    std::shared_ptr<Reading> m_reading;
    Selection m_lines;
    Selection m_indices;
    Index m_repeats = 1; // of the index asked for most often
    Index m_batch = 0;
    Index m_entries = 0;
    Index m_decoded = 0;
    Index m_peak = 0;    // entries of the largest piece
    bool m_scatter = false;
    std::vector<Piece> m_pieces;
};

} // namespace cellfolio
