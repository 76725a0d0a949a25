// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/canonical/line_merger.h"
#include "core/matrix/sparse_source.h"
#include "core/paging/reading.h"
#include "core/run/progress.h"
#include "core/write/sparse_writer.h"

#include <memory>
#include <optional>
#include <stop_token>

namespace cellfolio {

// What a pass over a sparse matrix found or did.
struct RewriteTally {
    MergeTally lines;
    Index before = 0; // entries read: those that belong to a line
    Index after = 0;  // entries handed out
    // Of everything handed out, whatever its order: equal for equal content.
    std::uint64_t content = 0;
    bool rising = true; // every line had strictly increasing indices as it was read
};

// Passes through a CSR or CSC matrix once, line after line, in parallel and within the budget, and
// brings each line into canonical form (FORMAT.md §3.1, §3.4). Work is cut into units of about
// kUnit entries; a line longer than a unit is gathered in ranges of its indices, each of which reads
// that line once more.
class MatrixRewrite
{
public:
    static constexpr Index kUnit = Index{1} << 20;

    struct Options {
        MergeRules rules;
        DType indexType = DType::Int32;  // of what is handed out: Int32 or Int64
        // Of the values handed out: that of the matrix, or a wider integer type of the same sign.
        DType valueType = DType::Float32;
        Index unit = kUnit;              // entries; smaller in tests and under a small budget
        std::stop_token stop = {};
        Progress* progress = nullptr;    // in entries read
    };

    MatrixRewrite(SparseSource source, std::shared_ptr<Reading> reading, Options options);

    // `writer` null: nothing is written, everything is counted. Corrupt names the line that cannot be
    // (A030 … A034); an integer sum that its type cannot hold: Refused (B007o) with row, column, sum.
    Result<RewriteTally> run(SparseWriter* writer);

    // Reads the indices alone: whether every line is strictly increasing (with `rules.merge` off: not
    // falling). Ends at the first that is not.
    Result<bool> isInForm();

    // Bytes that a pass needs at its best: about what `threads` units take.
    static Index bytesFor(const SparseSource& source, Index unit, int threads);

private:
    struct Unit {
        Index line = 0;  // first line
        Index lines = 0;
        Index begin = 0; // entries
        Index end = 0;
        // Of a line that is gathered in ranges of its indices.
        bool inRanges = false;
        Index first = 0;
        Index size = 0;
        bool last = true;
    };
    Result<void> plan();
    template <typename V>
    Result<RewriteTally> runAs(SparseWriter* writer);
    template <typename I, typename V>
    Result<RewriteTally> runAs(SparseWriter* writer);
    Error overflowed(Index line, const SumOverflow& overflow) const;

    SparseSource m_source;
    std::shared_ptr<Reading> m_reading;
    Options m_options;
    std::vector<Unit> m_units;
    bool m_planned = false;
};

} // namespace cellfolio
