// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/chunk_plan.h"

#include "core/base/text.h"
#include "core/impute/tile_stream.h"

#include <algorithm>

namespace cellfolio::impute {

namespace {

constexpr Index kLeastRows = 64;          // below, exponentials are repeated rather than rows cut
constexpr Index kMostResidentRows = 4096; // more gain nothing

Index ceilDiv(Index a, Index b)
{
    return (a + b - 1) / b;
}

} // namespace

Result<ChunkPlan> planChunks(const ChunkRequest& request)
{
    const Index elem = request.elementBytes;
    const Index tile = std::min(kColumnTile, std::max(Index{1}, request.columns));
    const Index fixed = 24 * (request.rows + request.columns)
                      + (request.inner > 0
                             ? elem * (request.rows + request.columns) * (request.inner + 2)
                             : 0)
                      + request.buffers;
    // Accumulators twice (worked out and written behind), one strip of weights.
    const auto perRow = [&](Index genes) {
        return elem * (2 * genes + tile) + request.extraPerRow;
    };
    const auto cost = [&](Index rows, Index genes, Index extra) {
        return fixed + extra + elem * 2 * tile * genes + rows * perRow(genes);
    };
    const auto fitting = [&](Index genes, Index extra) {
        const Index room = request.budget - cost(0, genes, extra);
        return room > 0 ? std::min(request.rows, room / perRow(genes)) : Index{0};
    };
    const Index genes = std::max(Index{1}, request.genes);
    ChunkPlan plan;
    plan.columnTile = tile;
    plan.geneBlock = genes;
    plan.resident = request.residentBytes >= 0
                 && fitting(genes, request.residentBytes)
                        >= std::min(Index{512} * request.threads, request.rows);
    const Index extra = plan.resident ? request.residentBytes : 0;
    const Index least = std::min(kLeastRows, request.rows);
    while (fitting(plan.geneBlock, extra) < least && plan.geneBlock > 1)
        plan.geneBlock = (plan.geneBlock + 1) / 2;
    Index rows = fitting(plan.geneBlock, extra);
    if (rows < 1 && request.rows > 0)
        return Error(ErrorCode::OutOfBudget,
                     "This needs a memory budget of at least " + byteText(cost(least, 1, 0)) + ".")
            .advise("Give more with --memory, or choose fewer cells.");
    if (plan.resident)
        rows = std::min(rows, kMostResidentRows);
    plan.rowPasses = request.rows > 0 ? ceilDiv(request.rows, rows) : 0;
    plan.rowBlock = plan.rowPasses > 0 ? ceilDiv(request.rows, plan.rowPasses) : 0;
    plan.genePasses = ceilDiv(genes, plan.geneBlock);
    plan.fixedBytes = fixed;
    plan.expressionBytes = extra;
    plan.bytes = cost(plan.rowBlock, plan.geneBlock, extra);
    plan.blockBytes = plan.bytes - fixed - extra;
    plan.expressionReads = plan.resident ? 1 : plan.rowPasses * plan.genePasses;
    const double pairs = static_cast<double>(request.rows) * static_cast<double>(request.columns);
    plan.exponentials = pairs * static_cast<double>(plan.genePasses);
    plan.flops = 2 * pairs * static_cast<double>(request.genes)
               + 2 * static_cast<double>(request.inner) * plan.exponentials;
    return plan;
}

} // namespace cellfolio::impute
