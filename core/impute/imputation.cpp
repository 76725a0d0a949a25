// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/imputation.h"

#include "core/impute/blas.h"
#include "core/run/work_sharing.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>

namespace cellfolio::impute {

namespace {

constexpr double kNoMass = 1e-300;
constexpr Index kApplyRows = 512; // of a tile that meets the expression

std::vector<double> inverse(const std::vector<double>& sums)
{
    std::vector<double> result(sums.size());
    std::transform(sums.begin(), sums.end(), result.begin(),
                   [](double sum) { return sum > kNoMass ? 1 / sum : 0.0; });
    return result;
}

template <typename Real>
void scaleRow(Real* row, Index count, double factor)
{
    for (Index k = 0; k < count; ++k)
        row[k] = static_cast<Real>(static_cast<double>(row[k]) * factor);
}

// Reads one tile of expression ahead, on a thread of its own, while the one before is used.
template <typename Real>
class ReadAhead
{
public:
    ReadAhead(ExpressionRows<Real>& expression, const std::vector<double>& factors, Index firstGene,
              Index genes, Index tile, std::stop_token stop)
        : m_expression(expression), m_factors(factors), m_firstGene(firstGene), m_genes(genes),
          m_tile(tile), m_stop(std::move(stop))
    {
        for (auto& room : m_rooms)
            room.reset(new Real[at(tile * genes)]);
    }
    ~ReadAhead()
    {
        if (m_thread.joinable())
            m_thread.join();
    }

    void start(Index first)
    {
        m_filling = 1 - m_filling;
        m_thread = std::thread([this, first, into = m_rooms[m_filling].get()] {
            const Index count = std::min(m_tile, m_expression.cells() - first);
            m_done = m_expression.read(first, count, m_firstGene, m_genes, into, m_genes, m_stop);
            if (!m_done || m_factors.empty())
                return;
            for (Index row = 0; row < count; ++row)
                scaleRow(into + row * m_genes, m_genes, m_factors[at(first + row)]);
        });
    }
    Result<const Real*> finish()
    {
        m_thread.join();
        if (!m_done)
            return m_done.error();
        return static_cast<const Real*>(m_rooms[m_filling].get());
    }

private:
    ExpressionRows<Real>& m_expression;
    const std::vector<double>& m_factors;
    Index m_firstGene;
    Index m_genes;
    Index m_tile;
    std::stop_token m_stop;
    std::unique_ptr<Real[]> m_rooms[2];
    int m_filling = 0;
    std::thread m_thread;
    Result<void> m_done;
};

template <typename Real>
class Run
{
public:
    Run(const ImputeRequest<Real>& request, const Running& running)
        : m_request(request), m_running(running),
          m_sums(at(request.chunks.rowBlock), 0.0)
    {
        m_block.reset(new Real[at(request.chunks.rowBlock * request.chunks.geneBlock)]);
        m_rows = std::min(kApplyRows, std::max(Index{1}, request.chunks.rowBlock));
        // Enough pieces for all threads where a block is short.
        while (m_rows > 64 && m_rows * running.threads > request.chunks.rowBlock)
            m_rows /= 2;
        m_threads = static_cast<int>(std::clamp(
            (request.chunks.rowBlock + m_rows - 1) / m_rows, Index{1}, Index{running.threads}));
        for (int worker = 0; worker < m_threads; ++worker)
            m_rooms.emplace_back(new Real[at(m_rows * kColumnTile)]);
    }

    Result<void> run()
    {
        if (m_request.scaling == Scaling::Target) {
            auto sums = m_request.plan->columnSums(m_running);
            if (!sums)
                return std::move(sums).error();
            m_columnFactors = inverse(*sums);
        }
        const auto total = static_cast<Index>(m_request.rows.size());
        for (Index first = m_request.firstRow; first < total; first += m_request.chunks.rowBlock) {
            const Index count = std::min(m_request.chunks.rowBlock, total - first);
            const std::span<const Index> rows(m_request.rows.data() + first, at(count));
            if (auto begun = m_request.plan->begin(rows, m_running); !begun)
                return begun;
            const Index genes = m_request.expression->genes();
            for (Index gene = 0; gene < genes; gene += m_request.chunks.geneBlock) {
                const Index width = std::min(m_request.chunks.geneBlock, genes - gene);
                if (auto done = block(count, gene, width); !done)
                    return done;
                const ImputedBlock<Real> finished{first, count,         gene,         width,
                                                  m_block.get(), m_sums.data()};
                if (auto taken = m_request.sink(finished); !taken)
                    return taken;
            }
        }
        return {};
    }

private:
    Result<void> block(Index count, Index firstGene, Index genes)
    {
        std::fill_n(m_block.get(), count * genes, Real{0});
        std::fill(m_sums.begin(), m_sums.end(), 0.0);
        const Index cells = m_request.expression->cells();
        ReadAhead<Real> ahead(*m_request.expression, m_columnFactors, firstGene, genes, kColumnTile,
                              m_running.stop);
        ahead.start(0);
        for (Index column = 0; column < cells; column += kColumnTile) {
            const Index width = std::min(kColumnTile, cells - column);
            auto loaded = m_request.plan->load(column, width, m_running);
            auto expression = ahead.finish();
            if (!loaded)
                return loaded;
            if (!expression)
                return std::move(expression).error();
            if (column + kColumnTile < cells)
                ahead.start(column + kColumnTile);
            if (auto done = tile(count, width, *expression, genes); !done)
                return done;
        }
        if (m_request.scaling == Scaling::Source)
            for (Index row = 0; row < count; ++row)
                scaleRow(m_block.get() + row * genes, genes,
                         m_sums[at(row)] > kNoMass ? 1 / m_sums[at(row)] : 0.0);
        return {};
    }

    Result<void> tile(Index count, Index width, const Real* expression, Index genes)
    {
        WorkSharing sharing((count + m_rows - 1) / m_rows, m_running.stop);
        return sharing.run(m_threads, [&](int worker, Index ordinal) -> Result<void> {
            const Index first = ordinal * m_rows;
            const Tile<Real> weights{m_rooms[static_cast<std::size_t>(worker)].get(),
                                     std::min(m_rows, count - first), width, kColumnTile};
            m_request.plan->weights(first, weights, m_sums.data() + first);
            Product<Real> product;
            product.rows = weights.rows;
            product.columns = genes;
            product.inner = width;
            product.a = weights.values;
            product.strideA = weights.stride;
            product.b = expression;
            product.strideB = genes;
            product.c = m_block.get() + first * genes;
            product.strideC = genes;
            product.beta = 1;
            multiply(product);
            if (m_request.progress != nullptr)
                m_request.progress->advance(weights.rows * width);
            return {};
        });
    }

    const ImputeRequest<Real>& m_request;
    const Running& m_running;
    std::vector<double> m_sums;
    std::vector<double> m_columnFactors; // empty: none
    std::unique_ptr<Real[]> m_block;
    Index m_rows = kApplyRows;
    int m_threads = 1;
    std::vector<std::unique_ptr<Real[]>> m_rooms;
};

} // namespace

template <typename Real>
Result<void> imputeBlocks(const ImputeRequest<Real>& request, const Running& running)
{
    return Run<Real>(request, running).run();
}

Marginals marginalsOf(const Factors& factors)
{
    const auto rank = at(factors.rank);
    const auto sumsOf = [&](const std::vector<double>& own, const std::vector<double>& other) {
        std::vector<double> weights(rank, 0.0); // columns of the other summed, over g
        for (std::size_t i = 0; i < other.size(); ++i)
            weights[i % rank] += other[i];
        for (std::size_t k = 0; k < rank; ++k)
            weights[k] = factors.g[k] != 0 ? weights[k] / factors.g[k] : 0;
        std::vector<double> sums(own.size() / rank, 0.0);
        for (std::size_t i = 0; i < own.size(); ++i)
            sums[i / rank] += own[i] * weights[i % rank];
        return sums;
    };
    return {sumsOf(factors.q, factors.r), sumsOf(factors.r, factors.q)};
}

template <typename Real>
Result<void> imputeThroughFactors(const FactorRequest<Real>& request, const Running& running)
{
    const Factors& factors = *request.factors;
    const Index rank = factors.rank;
    const Index cells = request.expression->cells();
    const Index genes = request.expression->genes();
    const Index geneBlock = request.geneBlock > 0 ? std::min(request.geneBlock, genes) : genes;
    const Marginals sums = marginalsOf(factors);
    const std::vector<double> columnFactors =
        request.scaling == Scaling::Target ? inverse(sums.columns) : std::vector<double>();
    const std::vector<double> rowFactors =
        request.scaling == Scaling::Source ? inverse(sums.rows) : std::vector<double>();
    const auto total = static_cast<Index>(request.rows.size());
    std::vector<double> middle(at(rank * geneBlock));
    std::vector<Real> tile(at(kColumnTile * geneBlock));
    std::vector<double> wide(at(kColumnTile * geneBlock));
    std::vector<double> left(at(request.rowBlock * rank));
    std::vector<double> product(at(request.rowBlock * geneBlock));
    std::vector<Real> block(at(request.rowBlock * geneBlock));
    std::vector<double> rowSums(at(request.rowBlock));
    for (Index gene = 0; gene < genes; gene += geneBlock) {
        const Index width = std::min(geneBlock, genes - gene);
        std::fill(middle.begin(), middle.end(), 0.0);
        for (Index first = 0; first < cells; first += kColumnTile) {
            if (running.stop.stop_requested())
                return Error::cancelled();
            const Index count = std::min(kColumnTile, cells - first);
            if (auto done = request.expression->read(first, count, gene, width, tile.data(), width,
                                                     running.stop);
                !done)
                return done;
            for (Index row = 0; row < count; ++row) {
                const double factor = columnFactors.empty() ? 1 : columnFactors[at(first + row)];
                for (Index k = 0; k < width; ++k)
                    wide[at(row * width + k)] =
                        static_cast<double>(tile[at(row * width + k)]) * factor;
            }
            Product<double> down;
            down.rows = rank;
            down.columns = width;
            down.inner = count;
            down.a = factors.r.data() + first * rank;
            down.strideA = rank;
            down.transposeA = true;
            down.b = wide.data();
            down.strideB = width;
            down.c = middle.data();
            down.strideC = width;
            down.beta = 1;
            multiply(down);
        }
        for (Index k = 0; k < rank; ++k)
            scaleRow(middle.data() + k * width, width, factors.g[at(k)] != 0 ? 1 / factors.g[at(k)] : 0);
        for (Index first = request.firstRow; first < total; first += request.rowBlock) {
            if (running.stop.stop_requested())
                return Error::cancelled();
            const Index count = std::min(request.rowBlock, total - first);
            for (Index row = 0; row < count; ++row) {
                const Index place = request.rows[at(first + row)];
                std::copy_n(factors.q.data() + place * rank, rank, left.data() + row * rank);
                rowSums[at(row)] = sums.rows[at(place)];
            }
            Product<double> up;
            up.rows = count;
            up.columns = width;
            up.inner = rank;
            up.a = left.data();
            up.strideA = rank;
            up.b = middle.data();
            up.strideB = width;
            up.c = product.data();
            up.strideC = width;
            multiply(up);
            for (Index row = 0; row < count; ++row) {
                const double factor =
                    rowFactors.empty() ? 1 : rowFactors[at(request.rows[at(first + row)])];
                for (Index k = 0; k < width; ++k)
                    block[at(row * width + k)] =
                        static_cast<Real>(product[at(row * width + k)] * factor);
            }
            const ImputedBlock<Real> finished{first, count,        gene,          width,
                                              block.data(), rowSums.data()};
            if (auto taken = request.sink(finished); !taken)
                return taken;
            if (request.progress != nullptr)
                request.progress->advance(count * width);
        }
    }
    return {};
}

#define CELLFOLIO_IMPUTATION_OF(Real)                                                              \
    template Result<void> imputeBlocks(const ImputeRequest<Real>&, const Running&);                \
    template Result<void> imputeThroughFactors(const FactorRequest<Real>&, const Running&);
CELLFOLIO_IMPUTATION_OF(float)
CELLFOLIO_IMPUTATION_OF(double)
#undef CELLFOLIO_IMPUTATION_OF

} // namespace cellfolio::impute
