// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

namespace cellfolio::impute {

// How an imputation is cut so that it fits a budget. Lengths in rows and genes, memory in bytes.
struct ChunkPlan {
    bool resident = false;  // the reference's values are held and read once
    Index rowBlock = 0;     // rows of the result worked out at once
    Index rowPasses = 0;
    Index geneBlock = 0;    // genes of the result worked out at once
    Index genePasses = 0;
    Index columnTile = 0;   // cells of the reference taken at once
    Index bytes = 0;        // allocated at most
    Index fixedBytes = 0;   // of these: potentials, factors, buffers
    Index expressionBytes = 0; // held of the reference
    Index blockBytes = 0;   // accumulators, weights and expression tiles
    Index expressionReads = 0; // times the reference is read
    double exponentials = 0;
    double flops = 0;
};

struct ChunkRequest {
    Index rows = 0;      // n
    Index columns = 0;   // m
    Index genes = 0;
    Index inner = 0;     // dimension of the cost; 0: no cost is held
    Index elementBytes = 4;
    int threads = 1;
    Index budget = 0;
    Index buffers = Index{16} << 20; // reading, writing, bookkeeping
    Index residentBytes = -1; // of the reference held whole; below 0: not possible
    Index extraPerRow = 0;    // bytes a row of the block takes besides
};

// The largest blocks that fit. OutOfBudget, with the smallest budget that would do, where nothing
// does.
Result<ChunkPlan> planChunks(const ChunkRequest& request);

} // namespace cellfolio::impute
