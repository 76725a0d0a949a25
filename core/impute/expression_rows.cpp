// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/expression_rows.h"

#include "core/base/text.h"
#include "core/impute/cell_scaling.h"
#include "core/impute/regrouped_rows.h"
#include "core/matrix/matrix_reader.h"
#include "core/matrix/stats.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace cellfolio::impute {

namespace {

constexpr Index kRowsAtOnce = 64;               // read densely in the matrix's own type
constexpr Index kTotalsWindow = Index{1} << 16; // cells whose figures are held at once

// Rows of a dense matrix or of one stored by cell, through the page cache.
template <typename Real>
class StoredRows final : public ExpressionRows<Real>
{
public:
    StoredRows(ExpressionRequest request, std::shared_ptr<const MatrixReader> reader,
               CellScaling scaling)
        : m_request(std::move(request)), m_reader(std::move(reader)), m_scaling(std::move(scaling))
    {
    }

    Index cells() const override { return m_request.cells.size(); }
    Index genes() const override { return m_request.genes.size(); }

    Result<void> read(Index first, Index count, Index firstGene, Index geneCount, Real* into,
                      Index stride, std::stop_token stop) override
    {
        const Selection genes = firstGene == 0 && geneCount == m_request.genes.size()
                                  ? m_request.genes
                                  : m_request.genes.part(firstGene, geneCount);
        for (Index cell = first; cell < first + count; cell += kRowsAtOnce) {
            const Index rows = std::min(kRowsAtOnce, first + count - cell);
            auto block = m_reader->block(m_request.cells.part(cell, rows), genes, stop);
            if (!block)
                return std::move(block).error();
            for (Index row = 0; row < rows; ++row) {
                Real* to = into + (cell - first + row) * stride;
                visitReal(block->type(), [&]<typename T>(const T*) {
                    const T* from = std::as_const(*block).template as<T>().data() + row * geneCount;
                    for (Index k = 0; k < geneCount; ++k)
                        to[k] = static_cast<Real>(toDouble(from[k]));
                });
                if (auto done = m_scaling.apply(cell + row, to, geneCount, firstGene); !done)
                    return done;
            }
        }
        return {};
    }

    Index residentBytes() const override
    {
        const Index dense = cells() * genes() * Index{sizeof(Real)};
        if (!m_reader->element().isSparse())
            return dense;
        const Index stored = m_reader->element().stored.value_or(0);
        return std::min(dense, stored * Index{sizeof(Real) + 4} + 8 * cells());
    }

private:
    ExpressionRequest m_request;
    std::shared_ptr<const MatrixReader> m_reader;
    CellScaling m_scaling;
};

template <typename Real>
class DenseRows final : public ExpressionRows<Real>
{
public:
    DenseRows(Index cells, Index genes, std::vector<Real> values)
        : m_cells(cells), m_genes(genes), m_values(std::move(values))
    {
    }

    Index cells() const override { return m_cells; }
    Index genes() const override { return m_genes; }
    Index residentBytes() const override { return m_cells * m_genes * Index{sizeof(Real)}; }

    Result<void> read(Index first, Index count, Index firstGene, Index geneCount, Real* into,
                      Index stride, std::stop_token) override
    {
        for (Index row = 0; row < count; ++row)
            std::copy_n(m_values.data() + (first + row) * m_genes + firstGene, geneCount,
                        into + row * stride);
        return {};
    }

private:
    Index m_cells;
    Index m_genes;
    std::vector<Real> m_values;
};

template <typename Real>
class SparseRows final : public ExpressionRows<Real>
{
public:
    SparseRows(Index genes, std::vector<Index> starts, std::vector<std::uint32_t> places,
               std::vector<Real> values)
        : m_genes(genes), m_starts(std::move(starts)), m_places(std::move(places)),
          m_values(std::move(values))
    {
    }

    Index cells() const override { return static_cast<Index>(m_starts.size()) - 1; }
    Index genes() const override { return m_genes; }
    Index residentBytes() const override
    {
        return static_cast<Index>(m_values.size()) * Index{sizeof(Real) + 4} + 8 * cells();
    }

    Result<void> read(Index first, Index count, Index firstGene, Index geneCount, Real* into,
                      Index stride, std::stop_token) override
    {
        for (Index row = 0; row < count; ++row) {
            Real* to = into + row * stride;
            std::fill_n(to, geneCount, Real{0});
            for (Index e = m_starts[at(first + row)]; e < m_starts[at(first + row + 1)]; ++e) {
                const Index gene = static_cast<Index>(m_places[at(e)]) - firstGene;
                if (gene >= 0 && gene < geneCount)
                    to[gene] = m_values[at(e)];
            }
        }
        return {};
    }

private:
    Index m_genes;
    std::vector<Index> m_starts;
    std::vector<std::uint32_t> m_places;
    std::vector<Real> m_values;
};

} // namespace

Result<NormalizeChoice> chooseNormalize(Normalize wanted, const std::shared_ptr<const Dataset>& dataset,
                                        const Element& matrix,
                                        const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    NormalizeChoice choice;
    auto holds = sampleHolds(dataset, matrix, reading, stop, HoldsEffort::Thorough);
    if (!holds)
        return std::move(holds).error().at(matrix.path);
    choice.holds = *holds;
    choice.log1p = wanted == Normalize::Log1p
                || (wanted == Normalize::Auto && holds->holds == Holds::Counts);
    return choice;
}

Result<std::vector<double>> cellTotals(const ExpressionRequest& request,
                                       const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    StatsOptions options;
    options.stop = stop;
    options.columns = request.totalOver;
    std::vector<double> totals;
    totals.reserve(at(request.cells.size()));
    // Stored by gene, each window would cost a whole pass.
    const Index window = request.matrix->storage == Storage::Csc
                           ? std::max(Index{1}, request.cells.size())
                           : kTotalsWindow;
    for (Index first = 0; first < request.cells.size(); first += window) {
        options.rows = request.cells.part(first, std::min(window, request.cells.size() - first));
        auto figures = lineFigures(request.dataset, *request.matrix, 0, reading, options);
        if (!figures)
            return std::move(figures).error();
        for (Index k = 0; k < figures->size(); ++k)
            totals.push_back((*figures)[k].sum.number());
    }
    return totals;
}

Result<void> CellScaling::applyTo(Index cell, double& value, Index gene) const
{
    const auto name = [&] {
        return m_path + " holds " + exactText(value) + " for cell "
             + std::to_string(m_cells[cell]) + ", gene " + std::to_string(m_genes[gene]);
    };
    if (!std::isfinite(value))
        return Error(ErrorCode::Refused, name() + ", which is no finite number.")
            .at(m_path)
            .advise("Leave the cell or the gene out, or choose another matrix.");
    if (m_factors.empty() || value == 0)
        return {};
    if (value < 0)
        return Error(ErrorCode::Refused, name() + ", and log1p is for values that are not negative.")
            .at(m_path)
            .advise("Use --normalize none, or a matrix of counts.");
    value = std::log1p(value * m_factors[at(cell)]);
    return {};
}

Result<CellScaling> CellScaling::of(const ExpressionRequest& request,
                                    const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    CellScaling scaling;
    scaling.m_path = request.matrix->path;
    scaling.m_cells = request.cells;
    scaling.m_genes = request.genes;
    if (!request.log1p)
        return scaling;
    auto totals = cellTotals(request, reading, stop);
    if (!totals)
        return std::move(totals).error();
    scaling.m_factors = std::move(*totals);
    for (double& total : scaling.m_factors)
        total = total > 0 ? kCellTotal / total : 0;
    return scaling;
}

template <typename Real>
Result<std::unique_ptr<ExpressionRows<Real>>> openExpression(const ExpressionRequest& request,
                                                             const std::shared_ptr<Reading>& reading,
                                                             std::stop_token stop)
{
    auto reader = MatrixReader::open(request.dataset, *request.matrix, reading);
    if (!reader)
        return std::move(reader).error();
    if (!isReal((*reader)->dtype()))
        return Error(ErrorCode::Refused, request.matrix->path + " holds no real numbers.")
            .at(request.matrix->path);
    auto scaling = CellScaling::of(request, reading, stop);
    if (!scaling)
        return std::move(scaling).error();
    if ((*reader)->byRows())
        return std::unique_ptr<ExpressionRows<Real>>(
            std::make_unique<StoredRows<Real>>(request, std::move(*reader), std::move(*scaling)));
    auto regrouped = RegroupedRows<Real>::make(request, std::move(*scaling), reading, stop);
    if (!regrouped)
        return std::move(regrouped).error();
    return std::unique_ptr<ExpressionRows<Real>>(std::move(*regrouped));
}

template <typename Real>
Result<std::unique_ptr<ExpressionRows<Real>>>
holdExpression(std::unique_ptr<ExpressionRows<Real>> rows, std::stop_token stop)
{
    const Index cells = rows->cells();
    const Index genes = rows->genes();
    if (rows->residentBytes() >= cells * genes * Index{sizeof(Real)}) {
        std::vector<Real> values(at(cells * genes));
        if (auto done = rows->read(0, cells, 0, genes, values.data(), genes, stop); !done)
            return std::move(done).error();
        return expressionOf<Real>(cells, genes, std::move(values));
    }
    std::vector<Index> starts{0};
    std::vector<std::uint32_t> places;
    std::vector<Real> values;
    // At most; what is not needed stays untouched and takes no memory.
    const Index most = (rows->residentBytes() - 8 * cells) / Index{sizeof(Real) + 4};
    places.reserve(at(most));
    values.reserve(at(most));
    std::vector<Real> block(at(kRowsAtOnce * genes));
    for (Index first = 0; first < cells; first += kRowsAtOnce) {
        const Index count = std::min(kRowsAtOnce, cells - first);
        if (auto done = rows->read(first, count, 0, genes, block.data(), genes, stop); !done)
            return std::move(done).error();
        for (Index row = 0; row < count; ++row) {
            for (Index gene = 0; gene < genes; ++gene) {
                const Real value = block[at(row * genes + gene)];
                if (value == Real{0})
                    continue;
                places.push_back(static_cast<std::uint32_t>(gene));
                values.push_back(value);
            }
            starts.push_back(static_cast<Index>(values.size()));
        }
    }
    return std::unique_ptr<ExpressionRows<Real>>(std::make_unique<SparseRows<Real>>(
        genes, std::move(starts), std::move(places), std::move(values)));
}

template <typename Real>
std::unique_ptr<ExpressionRows<Real>> expressionOf(Index cells, Index columns,
                                                   std::vector<Real> values)
{
    return std::make_unique<DenseRows<Real>>(cells, columns, std::move(values));
}

#define CELLFOLIO_EXPRESSION_OF(Real)                                                              \
    template Result<std::unique_ptr<ExpressionRows<Real>>> openExpression(                         \
        const ExpressionRequest&, const std::shared_ptr<Reading>&, std::stop_token);               \
    template Result<std::unique_ptr<ExpressionRows<Real>>> holdExpression(                         \
        std::unique_ptr<ExpressionRows<Real>>, std::stop_token);                                   \
    template std::unique_ptr<ExpressionRows<Real>> expressionOf(Index, Index, std::vector<Real>);
CELLFOLIO_EXPRESSION_OF(float)
CELLFOLIO_EXPRESSION_OF(double)
#undef CELLFOLIO_EXPRESSION_OF

} // namespace cellfolio::impute
