// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/hold_out.h"

#include "core/base/text.h"
#include "core/impute/blas.h"
#include "core/impute/random_stream.h"
#include "core/impute/tile_stream.h"
#include "core/run/work_sharing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cellfolio::impute {

namespace {

constexpr Index kSampled = 4000; // cells of a side on which an epsilon is chosen

// The cells of the target nearest to each of the source, by the cost; ties by their number.
template <typename Real>
Result<std::vector<std::int32_t>> nearestCells(const InnerCost<Real>& cost, Index count,
                                               const Running& running)
{
    const CostSide<Real> side = cost.byRows();
    const std::vector<Real> rowTerm(cost.r.begin(), cost.r.end());
    const std::vector<Real> columnTerm(cost.c.begin(), cost.c.end());
    std::vector<std::int32_t> nearest(at(side.rows * count));
    const Index blocks = (side.rows + kRowTile - 1) / kRowTile;
    WorkSharing sharing(blocks, running.stop);
    auto done = sharing.run(running.threads, [&](int, Index ordinal) -> Result<void> {
        const Index first = ordinal * kRowTile;
        std::vector<Real> room(at(kRowTile * kColumnTile));
        using Entry = std::pair<Real, std::int32_t>;
        std::vector<std::vector<Entry>> best(at(std::min(kRowTile, side.rows - first)));
        for (Index column = 0; column < side.columns; column += kColumnTile) {
            if (running.stop.stop_requested())
                return Error::cancelled();
            const Tile<Real> tile{room.data(), static_cast<Index>(best.size()),
                                  std::min(kColumnTile, side.columns - column), kColumnTile};
            costTile(side, first, column, 1.0, rowTerm.data(), columnTerm.data(), tile);
            for (Index i = 0; i < tile.rows; ++i) {
                std::vector<Entry>& heap = best[at(i)];
                for (Index j = 0; j < tile.columns; ++j) {
                    // Within a row its own term changes no order.
                    const Real value = tile.values[i * tile.stride + j]
                                     + (cost.isRoot() ? Real{0} : columnTerm[at(column + j)]);
                    const Entry entry{value, static_cast<std::int32_t>(column + j)};
                    if (static_cast<Index>(heap.size()) < count) {
                        heap.push_back(entry);
                        std::push_heap(heap.begin(), heap.end());
                    } else if (entry < heap.front()) {
                        std::pop_heap(heap.begin(), heap.end());
                        heap.back() = entry;
                        std::push_heap(heap.begin(), heap.end());
                    }
                }
            }
        }
        for (std::size_t i = 0; i < best.size(); ++i)
            for (std::size_t k = 0; k < best[i].size(); ++k)
                nearest[at(first * count) + i * at(count) + k] = best[i][k].second;
        return {};
    });
    if (!done)
        return std::move(done).error();
    return nearest;
}

template <typename Real>
class Folds
{
public:
    Folds(const MappingSide& spatial, const MappingSide& reference, const HoldOutOptions& options,
          const std::shared_ptr<Reading>& reading, const Running& running)
        : m_spatial(spatial), m_reference(reference), m_options(options), m_reading(reading),
          m_running(running)
    {
    }

    Result<HoldOutResult> run()
    {
        auto shared =
            shareGenes(m_spatial, m_reference, m_options.mapping.features, m_reading, m_running.stop);
        if (!shared)
            return std::move(shared).error();
        m_shared = std::move(*shared);
        const Index genes = m_shared.match.size();
        if (genes < 2 * m_options.folds)
            return Error(ErrorCode::Refused, counted(genes, "shared gene is", "shared genes are")
                                                 + " too few for "
                                                 + counted(m_options.folds, "fold", "folds") + ".")
                .advise("Use fewer --folds.");
        m_result.genes = m_shared.match.names;
        m_result.epsilons = m_options.epsilons;
        m_result.warnings = m_shared.warnings;
        m_result.agreements.assign(m_options.epsilons.size(), std::vector<Agreement>(at(genes)));
        m_result.baseline.resize(at(genes));
        m_all.resize(at(genes));
        std::iota(m_all.begin(), m_all.end(), Index{0});
        const std::vector<Index> order = RandomStream(m_options.seed, "folds").permutation(genes);
        if (m_options.mapping.progress != nullptr)
            m_options.mapping.progress->begin(
                m_options.folds * static_cast<Index>(m_options.epsilons.size() + 1));
        for (Index fold = 0; fold < m_options.folds; ++fold) {
            std::vector<Index> kept;
            std::vector<Index> held;
            for (Index gene = 0; gene < genes; ++gene)
                (order[at(gene)] % m_options.folds == fold ? held : kept).push_back(gene);
            if (m_options.mapping.stage)
                m_options.mapping.stage("Fold " + std::to_string(fold + 1) + " of "
                                        + std::to_string(m_options.folds));
            if (auto done = one(kept, held); !done)
                return std::move(done).error();
        }
        return std::move(m_result);
    }

private:
    Result<void> one(const std::vector<Index>& kept, const std::vector<Index>& held)
    {
        auto points = embedGenes<Real>(m_spatial, m_reference, m_shared, kept, m_options.mapping.features,
                                       m_reading, m_running, nullptr);
        if (!points)
            return std::move(points).error();
        InnerCost<Real> cost = costBetween<Real>(m_options.mapping.cost, std::move((*points)[0]),
                                                 std::move((*points)[1]));
        auto scale = scaleOf<Real>(cost, m_options.mapping.scale, m_running);
        if (!scale)
            return std::move(scale).error();
        cost.scale(*scale);
        auto a = weightsOf(m_options.mapping.spatialWeights, cost.rows(), "spatial cells");
        if (!a)
            return std::move(a).error();
        auto b = weightsOf(m_options.mapping.referenceWeights, cost.columns(), "reference cells");
        if (!b)
            return std::move(b).error();
        const Index count = std::min(kBaselineNeighbours, cost.columns());
        auto nearest = nearestCells<Real>(cost, count, m_running);
        if (!nearest)
            return std::move(nearest).error();
        std::vector<Potentials> solved;
        for (double epsilon : m_options.epsilons) {
            SinkhornOptions sinkhornOptions = m_options.mapping.sinkhorn;
            sinkhornOptions.epsilon = epsilon;
            sinkhornOptions.annealing = epsilon < 0.005;
            auto potentials = sinkhorn<Real>(cost, *a, *b, sinkhornOptions, m_running);
            if (!potentials)
                return std::move(potentials).error();
            if (!potentials->converged)
                warnOnce("At epsilon " + exactText(epsilon) + " the iteration did not converge.");
            solved.push_back(std::move(*potentials));
            advance();
        }
        return compare(cost, solved, *nearest, count, held);
    }

    // The held genes in blocks that fit a quarter of the budget.
    Result<void> compare(const InnerCost<Real>& cost, const std::vector<Potentials>& solved,
                         const std::vector<std::int32_t>& nearest, Index count,
                         const std::vector<Index>& held)
    {
        const std::filesystem::path& scratch = m_options.mapping.features.scratch;
        auto measured = openExpression<Real>(
            expressionOf(m_spatial, m_shared, SideOf::Spatial, held, m_all, scratch), m_reading,
            m_running.stop);
        if (!measured)
            return std::move(measured).error();
        auto carried = openExpression<Real>(
            expressionOf(m_reference, m_shared, SideOf::Reference, held, m_all, scratch), m_reading,
            m_running.stop);
        if (!carried)
            return std::move(carried).error();
        const Index n = cost.rows();
        const Index m = cost.columns();
        const auto total = static_cast<Index>(held.size());
        const Index block = std::clamp(m_reading->budget().limit() / 4
                                           / ((2 * n + m) * Index{sizeof(Real)}),
                                       Index{1}, total);
        for (Index first = 0; first < total; first += block) {
            const Index width = std::min(block, total - first);
            std::vector<Real> truth(at(n * width));
            if (auto done = (*measured)->read(0, n, first, width, truth.data(), width, m_running.stop);
                !done)
                return done;
            Matrix<Real> x{m, width, std::vector<Real>(at(m * width))};
            if (auto done = (*carried)->read(0, m, first, width, x.values.data(), width, m_running.stop);
                !done)
                return done;
            for (std::size_t e = 0; e < solved.size(); ++e) {
                auto predicted = softmaxApply<Real>(cost.byRows(), solved[e].g, solved[e].epsilon, x,
                                                    m_running);
                if (!predicted)
                    return std::move(predicted).error();
                judge(predicted->values, truth, width, held, first, m_result.agreements[e]);
            }
            std::vector<Real> average(at(n * width), Real{0});
            for (Index i = 0; i < n; ++i)
                for (Index k = 0; k < count; ++k) {
                    const Real* from =
                        x.values.data() + Index{nearest[at(i * count + k)]} * width;
                    for (Index gene = 0; gene < width; ++gene)
                        average[at(i * width + gene)] += from[gene];
                }
            for (Real& value : average)
                value /= static_cast<Real>(count);
            judge(average, truth, width, held, first, m_result.baseline);
        }
        advance();
        return {};
    }

    void judge(const std::vector<Real>& predicted, const std::vector<Real>& truth, Index width,
               const std::vector<Index>& held, Index first, std::vector<Agreement>& into) const
    {
        const Index n = static_cast<Index>(truth.size()) / width;
        std::vector<double> x(at(n));
        std::vector<double> y(at(n));
        for (Index gene = 0; gene < width; ++gene) {
            for (Index i = 0; i < n; ++i) {
                x[at(i)] = static_cast<double>(predicted[at(i * width + gene)]);
                y[at(i)] = static_cast<double>(truth[at(i * width + gene)]);
            }
            into[at(held[at(first + gene)])] = agreementOf(x, y);
        }
    }

    void advance()
    {
        if (m_options.mapping.progress != nullptr)
            m_options.mapping.progress->advance(1);
    }
    void warnOnce(const std::string& warning)
    {
        auto& list = m_result.warnings;
        if (std::find(list.begin(), list.end(), warning) == list.end())
            list.push_back(warning);
    }

    const MappingSide& m_spatial;
    const MappingSide& m_reference;
    const HoldOutOptions& m_options;
    const std::shared_ptr<Reading>& m_reading;
    const Running& m_running;
    SharedGenes m_shared;
    std::vector<Index> m_all;
    HoldOutResult m_result;
};

Selection sampled(const Selection& cells, std::uint64_t seed, std::string_view name)
{
    if (cells.size() <= kSampled)
        return cells;
    std::vector<Index> order = RandomStream(seed, name).permutation(cells.size());
    order.resize(at(kSampled));
    std::sort(order.begin(), order.end());
    return cells.then(Selection::indices(cells.size(), order));
}

} // namespace

std::size_t HoldOutResult::best() const
{
    std::size_t found = 0;
    double most = -2;
    for (std::size_t e = 0; e < agreements.size(); ++e) {
        std::vector<double> values;
        for (const Agreement& agreement : agreements[e])
            values.push_back(agreement.pearson);
        const double mean = spreadOf(std::move(values)).mean;
        if (mean > most) {
            most = mean;
            found = e;
        }
    }
    return found;
}

Result<HoldOutResult> holdOut(const MappingSide& spatial, const MappingSide& reference,
                              const HoldOutOptions& options, const std::shared_ptr<Reading>& reading,
                              const Running& running)
{
    const MappingOptions& mapping = options.mapping;
    if (!mapping.features.obsm.empty() || mapping.alpha || mapping.rank > 0 || !mapping.batch.empty())
        return Error(ErrorCode::BadUsage, "Genes are held out of linear mappings by genes only.")
            .advise("Leave out --features, --alpha, --rank and --batch.");
    if (auto prepared = prepareProducts(); !prepared)
        return std::move(prepared).error();
    const double least = *std::min_element(options.epsilons.begin(), options.epsilons.end());
    return mapping.doublePrecision || least < kLeastSingleEpsilon
             ? Folds<double>(spatial, reference, options, reading, running).run()
             : Folds<float>(spatial, reference, options, reading, running).run();
}

Result<double> chooseEpsilon(const MappingSide& spatial, const MappingSide& reference,
                             const MappingOptions& options, const std::shared_ptr<Reading>& reading,
                             const Running& running)
{
    MappingSide here = spatial;
    MappingSide there = reference;
    here.cells = sampled(spatial.cells, options.seed, "spatial-sample");
    there.cells = sampled(reference.cells, options.seed, "reference-sample");
    HoldOutOptions hold;
    hold.mapping = options;
    hold.mapping.spatialWeights.clear();
    hold.mapping.referenceWeights.clear();
    hold.mapping.batch.clear();
    hold.mapping.alpha.reset();
    hold.mapping.rank = 0;
    hold.epsilons = {0.5, 0.2, 0.1, 0.05, 0.02, 0.01};
    hold.seed = options.seed;
    auto result = holdOut(here, there, hold, reading, running);
    if (!result)
        return std::move(result).error();
    return result->epsilons[result->best()];
}

} // namespace cellfolio::impute
