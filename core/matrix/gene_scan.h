// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/axis_map.h"
#include "core/matrix/gene_vectors.h"
#include "core/matrix/sparse_source.h"
#include "core/run/progress.h"

#include <optional>
#include <stop_token>

namespace cellfolio {

// A few genes of all (or many) cells from a matrix stored by cell; of a matrix stored by gene, a
// few cells: "line" and "index" as in SparseSource. One pass over the indices, past the page
// cache, in parallel; values are decoded only where a wanted index was met, so several genes cost
// about what one costs.
// Damage keeps no other line from being read: lines with impossible pointers, lines that hold an
// impossible index and lines whose chunks cannot be decoded are marked as unknown and told.
class GeneScan
{
public:
    static constexpr Index kMostAtOnce = 64;

    // `wanted`: distinct, ascending, at most kMostAtOnce of them. No selection: all lines.
    GeneScan(SparseSource source, std::shared_ptr<Reading> reading,
             const std::optional<Selection>& lines, std::vector<Index> wanted);

    // The distinct lines, ascending; the vectors have one place for each.
    const AxisMap& lines() const noexcept { return m_lines; }

    struct Pass {
        std::stop_token stop = {};
        Progress* progress = nullptr; // in entries
        GenePartVisitor part = {};
        Index blockLength = 0; // entries read at once; 0: chosen
    };
    // One vector for each wanted index. OutOfBudget where the vectors or the scan's buffers do not
    // fit; integer sums that overflow their type are damage.
    Result<GeneVectors> run(const Pass& pass) const;

    // Memory the vectors take.
    Index resultBytes() const noexcept;

private:
    SparseSource m_source;
    std::shared_ptr<Reading> m_reading;
    AxisMap m_lines;
    std::vector<Index> m_wanted;
};

} // namespace cellfolio
