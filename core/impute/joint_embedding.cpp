// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/joint_embedding.h"

#include "core/impute/blas.h"
#include "core/impute/random_stream.h"
#include "core/run/work_sharing.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <functional>

namespace cellfolio::impute {

namespace {

using Doubles = std::vector<double>;
using Clouds = std::vector<ExpressionRows<double>*>;

constexpr Index kPanel = 256;    // genes of the covariance worked out by one thread
constexpr Index kOversampling = 10;
constexpr int kPowerPasses = 4;

Index rowsAtOnce(Index genes, const EmbeddingOptions& options)
{
    return std::clamp(options.blockBytes / (std::max(Index{1}, genes) * Index{sizeof(double)}),
                      Index{16}, Index{1024});
}

// Hands every cloud through, block by block.
class Pass
{
public:
    Pass(const Clouds& clouds, const EmbeddingOptions& options, const Running& running)
        : m_clouds(clouds), m_options(options), m_running(running),
          m_genes(clouds.front()->genes()), m_rows(rowsAtOnce(m_genes, options)),
          m_block(at(m_rows * m_genes))
    {
    }

    // visit(cloud, first cell, cells, values)
    using Visit = std::function<Result<void>(std::size_t, Index, Index, double*)>;
    Result<void> run(const Visit& visit)
    {
        for (std::size_t c = 0; c < m_clouds.size(); ++c) {
            for (Index first = 0; first < m_clouds[c]->cells(); first += m_rows) {
                if (m_running.stop.stop_requested())
                    return Error::cancelled();
                const Index count = std::min(m_rows, m_clouds[c]->cells() - first);
                if (auto done = m_clouds[c]->read(first, count, 0, m_genes, m_block.data(), m_genes,
                                                  m_running.stop);
                    !done)
                    return done;
                if (auto done = visit(c, first, count, m_block.data()); !done)
                    return done;
                if (m_options.progress != nullptr)
                    m_options.progress->advance(count);
            }
        }
        return {};
    }

private:
    const Clouds& m_clouds;
    const EmbeddingOptions& m_options;
    const Running& m_running;
    Index m_genes;
    Index m_rows;
    Doubles m_block;
};

struct Axes {
    Index count = 0;
    Doubles mean;    // one a gene
    Doubles vectors; // count × genes
};

class AxisSearch
{
public:
    AxisSearch(const Clouds& clouds, const EmbeddingOptions& options, const Running& running)
        : m_options(options), m_running(running), m_pass(clouds, options, running),
          m_genes(clouds.front()->genes())
    {
        for (const auto* cloud : clouds)
            m_cells += cloud->cells();
        m_axes.count = std::min({options.components, m_genes, m_cells});
        m_axes.mean.assign(at(m_genes), 0.0);
    }

    Result<Axes> run()
    {
        Result<void> done = m_genes <= m_options.mostExactGenes ? exact() : randomised();
        if (!done)
            return std::move(done).error();
        return std::move(m_axes);
    }
    Pass& pass() { return m_pass; }

private:
    void addToMean(Index count, const double* values)
    {
        for (Index row = 0; row < count; ++row)
            for (Index k = 0; k < m_genes; ++k)
                m_axes.mean[at(k)] += values[row * m_genes + k];
    }
    void settleMean()
    {
        for (double& sum : m_axes.mean)
            sum /= static_cast<double>(m_cells);
    }

    // The whole covariance, its lower triangle, panel by panel.
    Result<void> exact()
    {
        Doubles gram(at(m_genes * m_genes), 0.0);
        const Index panels = (m_genes + kPanel - 1) / kPanel;
        auto done = m_pass.run([&](std::size_t, Index, Index count, double* values) -> Result<void> {
            addToMean(count, values);
            WorkSharing sharing(panels, m_running.stop);
            return sharing.run(m_running.threads, [&](int, Index panel) -> Result<void> {
                const Index first = panel * kPanel;
                Product<double> product;
                product.rows = m_genes - first;
                product.columns = std::min(kPanel, m_genes - first);
                product.inner = count;
                product.a = values + first;
                product.strideA = m_genes;
                product.transposeA = true;
                product.b = values + first;
                product.strideB = m_genes;
                product.c = gram.data() + first * m_genes + first;
                product.strideC = m_genes;
                product.beta = 1;
                multiply(product);
                return {};
            });
        });
        if (!done)
            return done;
        settleMean();
        for (Index i = 0; i < m_genes; ++i)
            for (Index j = 0; j <= i; ++j)
                gram[at(i * m_genes + j)] -= static_cast<double>(m_cells) * m_axes.mean[at(i)]
                                           * m_axes.mean[at(j)];
        auto pairs = largestEigenPairs(std::move(gram), m_genes, m_axes.count);
        if (!pairs)
            return std::move(pairs).error();
        m_axes.vectors = std::move(pairs->vectors);
        return {};
    }

    using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

    // Σ over cells of (x - mean)ᵀ ((x - mean) basis): the covariance times a thin matrix.
    Result<RowMatrix> throughCovariance(const RowMatrix& basis)
    {
        RowMatrix result = RowMatrix::Zero(basis.rows(), basis.cols());
        Doubles thin;
        auto done = m_pass.run([&](std::size_t, Index, Index count, double* values) -> Result<void> {
            centre(count, values);
            thin.resize(at(count * basis.cols()));
            multiply(thinProduct(count, values, basis.data(), basis.cols(), thin.data()));
            Product<double> back;
            back.rows = m_genes;
            back.columns = basis.cols();
            back.inner = count;
            back.a = values;
            back.strideA = m_genes;
            back.transposeA = true;
            back.b = thin.data();
            back.strideB = basis.cols();
            back.c = result.data();
            back.strideC = basis.cols();
            back.beta = 1;
            multiply(back);
            return {};
        });
        if (!done)
            return std::move(done).error();
        return result;
    }

    Product<double> thinProduct(Index count, const double* values, const double* basis, Index width,
                                double* into) const
    {
        Product<double> product;
        product.rows = count;
        product.columns = width;
        product.inner = m_genes;
        product.a = values;
        product.strideA = m_genes;
        product.b = basis;
        product.strideB = width;
        product.c = into;
        product.strideC = width;
        return product;
    }

    void centre(Index count, double* values) const
    {
        for (Index row = 0; row < count; ++row)
            for (Index k = 0; k < m_genes; ++k)
                values[row * m_genes + k] -= m_axes.mean[at(k)];
    }

    Result<void> randomised()
    {
        auto done = m_pass.run([&](std::size_t, Index, Index count, double* values) -> Result<void> {
            addToMean(count, values);
            return {};
        });
        if (!done)
            return done;
        settleMean();
        const Index width = std::min(m_axes.count + kOversampling, m_genes);
        RandomStream stream(m_options.seed, "principal-axes");
        RowMatrix basis(m_genes, width);
        for (Index k = 0; k < m_genes * width; ++k)
            basis.data()[k] = stream.uniform() - 0.5;
        RowMatrix product;
        for (int power = 0; power <= kPowerPasses; ++power) {
            // An orthonormal basis of what came last.
            const Eigen::HouseholderQR<RowMatrix> qr(basis);
            basis = qr.householderQ() * RowMatrix::Identity(m_genes, width);
            auto through = throughCovariance(basis);
            if (!through)
                return std::move(through).error();
            product = std::move(*through);
            if (power < kPowerPasses)
                basis = product;
        }
        // Within the basis the covariance is basisᵀ · product.
        const RowMatrix small = basis.transpose() * product;
        Doubles inner(small.data(), small.data() + small.size());
        auto pairs = largestEigenPairs(std::move(inner), width, m_axes.count);
        if (!pairs)
            return std::move(pairs).error();
        const RowMatrix turned = Eigen::Map<const RowMatrix>(pairs->vectors.data(), m_axes.count, width)
                               * basis.transpose();
        m_axes.vectors.assign(turned.data(), turned.data() + turned.size());
        return {};
    }

    const EmbeddingOptions& m_options;
    const Running& m_running;
    Pass m_pass;
    Index m_genes;
    Index m_cells = 0;
    Axes m_axes;
};

// Turns components round whose largest score is negative.
template <typename Real>
void settleSigns(std::vector<Points<Real>>& scores, Index components)
{
    for (Index k = 0; k < components; ++k) {
        Real most = 0;
        for (const Points<Real>& cloud : scores)
            for (Index i = 0; i < cloud.count; ++i)
                if (std::abs(cloud[i][k]) > std::abs(most))
                    most = cloud[i][k];
        if (!(most < 0))
            continue;
        for (Points<Real>& cloud : scores)
            for (Index i = 0; i < cloud.count; ++i)
                cloud.values[at(i * components + k)] = -cloud.values[at(i * components + k)];
    }
}

} // namespace

Index embeddingBytes(Index genes, const EmbeddingOptions& options)
{
    const Index block = rowsAtOnce(genes, options) * genes * Index{sizeof(double)};
    if (genes <= options.components)
        return block;
    // LAPACK works in place, with some rows besides.
    const Index held = genes <= options.mostExactGenes
                         ? genes * genes + 64 * genes
                         : 4 * genes * (options.components + kOversampling);
    return block + held * Index{sizeof(double)};
}

template <typename Real>
Result<std::vector<Points<Real>>>
jointEmbedding(const std::vector<ExpressionRows<double>*>& clouds, const EmbeddingOptions& options,
               const Running& running)
{
    const Index genes = clouds.front()->genes();
    Index cells = 0;
    for (const auto* cloud : clouds)
        cells += cloud->cells();
    if (cells < 2 || genes < 1)
        return Error(ErrorCode::Refused, "There are too few cells or genes for a joint space.");
    const bool plain = genes <= options.components;
    AxisSearch search(clouds, options, running);
    Axes axes;
    axes.count = genes;
    if (!plain) {
        auto found = search.run();
        if (!found)
            return std::move(found).error();
        axes = std::move(*found);
    }
    std::vector<Points<Real>> scores;
    for (const auto* cloud : clouds) {
        scores.push_back({cloud->cells(), axes.count, {}});
        scores.back().values.reserve(at(cloud->cells() * axes.count));
    }
    Doubles projected;
    auto done = search.pass().run([&](std::size_t c, Index, Index count, double* values) -> Result<void> {
        const double* from = values;
        if (!plain) {
            for (Index row = 0; row < count; ++row)
                for (Index k = 0; k < genes; ++k)
                    values[row * genes + k] -= axes.mean[at(k)];
            projected.resize(at(count * axes.count));
            Product<double> product;
            product.rows = count;
            product.columns = axes.count;
            product.inner = genes;
            product.a = values;
            product.strideA = genes;
            product.b = axes.vectors.data();
            product.strideB = genes;
            product.transposeB = true;
            product.c = projected.data();
            product.strideC = axes.count;
            multiply(product);
            from = projected.data();
        }
        for (Index k = 0; k < count * axes.count; ++k)
            scores[c].values.push_back(static_cast<Real>(from[k]));
        return {};
    });
    if (!done)
        return std::move(done).error();
    if (!plain)
        settleSigns(scores, axes.count);
    return scores;
}

template Result<std::vector<Points<float>>> jointEmbedding(const std::vector<ExpressionRows<double>*>&,
                                                           const EmbeddingOptions&, const Running&);
template Result<std::vector<Points<double>>>
jointEmbedding(const std::vector<ExpressionRows<double>*>&, const EmbeddingOptions&, const Running&);

} // namespace cellfolio::impute
