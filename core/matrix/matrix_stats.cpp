// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/digest.h"
#include "core/matrix/quantiles.h"
#include "core/matrix/stats.h"
#include "core/matrix/value_stream.h"

#include <mutex>
#include <vector>

namespace cellfolio {

namespace {

bool isExpression(const Element& element)
{
    return element.path == "X" || element.path == "raw/X"
           || (element.kind == ElementKind::Matrix && element.parent != nullptr);
}

// What the numbers are, now that all of them were looked at: signs and fractions are known of all,
// totals of cells still from a sample (HoldsResult.exact then speaks of the kind).
Result<HoldsResult> exactHolds(const Digest& digest, const std::shared_ptr<const Dataset>& dataset,
                               const Element& matrix, const std::shared_ptr<Reading>& reading,
                               std::stop_token stop)
{
    HoldsResult result;
    result.exact = true;
    if (digest.nonZero - digest.nan > 0 && digest.min >= 0 && !digest.fraction
        && digest.positiveInf == 0) {
        result.holds = Holds::Counts;
        return result;
    }
    Result<HoldsResult> sampled =
        sampleHolds(dataset, matrix, reading, stop, HoldsEffort::Thorough);
    if (!sampled)
        return sampled;
    const bool negative = digest.any && digest.min < 0;
    if (negative && sampled->holds != Holds::Scaled)
        sampled = HoldsResult{Holds::Other, {}, true};
    else if (!negative && sampled->holds == Holds::Counts) // a fraction lay outside the sample
        sampled = HoldsResult{Holds::Other, {}, true};
    else if (!negative && digest.positiveInf > 0)
        sampled = HoldsResult{Holds::Other, {}, true};
    sampled->exact = sampled->holds != Holds::Unknown;
    return sampled;
}

} // namespace

Result<MatrixStats> matrixStats(const std::shared_ptr<const Dataset>& dataset, const Element& matrix,
                                const std::shared_ptr<Reading>& reading, const StatsOptions& options)
{
    Result<ValueStream> stream = ValueStream::open(dataset, matrix, reading, options);
    if (!stream)
        return std::move(stream).error();
    if (options.progress != nullptr) {
        Result<Index> length = stream->passLength(options.stop);
        if (!length)
            return std::move(length).error();
        options.progress->begin(*length);
    }

    // One digest a block, added up in file order at the end.
    std::mutex mutex;
    std::vector<Digest> digests;
    const DType type = stream->dtype();
    Result<void> done =
        stream->run(options.stop, options.progress, [&](const ValueBatch& batch) -> Result<void> {
            const Digest digest = digestOf(type, batch.values, batch.count);
            const std::lock_guard lock(mutex);
            if (digests.size() <= at(batch.ordinal))
                digests.resize(at(batch.ordinal) + 1);
            digests[at(batch.ordinal)].add(digest);
            return {};
        });
    if (!done)
        return std::move(done).error();
    Digest all;
    for (const Digest& digest : digests)
        all.add(digest);

    const Digest stored = all;
    const Index zeros = std::max(Index{0}, stream->places() - stored.values);
    all.addZeros(zeros);
    MatrixStats result;
    result.figures = figuresOf(all, type);
    result.figures.n = stream->places();
    result.figures.stored = stored.values;
    result.figures.explicitZeros = stream->isSparse() ? stored.values - stored.nonZero : 0;
    if (!options.quantiles.empty()) {
        Result<Quantiles> quantiles =
            streamQuantiles(*stream, all.values - all.nan, zeros, options.quantiles,
                            reading->budget(), options.stop);
        if (!quantiles)
            return std::move(quantiles).error().at(matrix.path);
        result.figures.quantiles = *std::move(quantiles);
    }
    if (isExpression(matrix) && !options.rows && !options.columns) {
        Result<HoldsResult> holds = exactHolds(all, dataset, matrix, reading, options.stop);
        if (!holds)
            return std::move(holds).error();
        result.holds = *holds;
    }
    return result;
}

} // namespace cellfolio
