// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/regrouped_rows.h"

#include "core/matrix/external_transpose.h"

#include <algorithm>
#include <cstring>

namespace cellfolio::impute {

namespace {

template <typename Real>
constexpr Index kEntryBytes = Index{4} + Index{sizeof(Real)};

} // namespace

template <typename Real>
Result<std::unique_ptr<RegroupedRows<Real>>>
RegroupedRows<Real>::make(const ExpressionRequest& request, CellScaling scaling,
                          const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    auto source = SparseSource::open(request.dataset, *request.matrix, reading);
    if (!source)
        return std::move(source).error();
    auto file = ScratchFile::create(request.scratch);
    if (!file)
        return std::move(file).error();
    std::unique_ptr<RegroupedRows> rows(
        new RegroupedRows(request, std::move(scaling), std::move(*file)));
    const Index genes = source->lines();
    rows->m_columnOf.assign(at(genes), -1);
    std::int32_t column = 0;
    request.genes.forEach([&](Index gene) { rows->m_columnOf[at(gene)] = column++; });
    const DType type = source->dtype();

    ExternalTranspose::Options options;
    options.folder = request.scratch;
    options.stop = stop;
    options.sinkBytesAnEntry = static_cast<double>(kEntryBytes<Real>);
    std::vector<std::vector<Real>> converted;
    const auto begin = [&](const std::vector<Index>& counts, int workers) -> Result<void> {
        rows->m_starts.assign(1, 0);
        for (Index count : counts)
            rows->m_starts.push_back(rows->m_starts.back() + count);
        rows->m_file.claim(rows->m_starts.back() * kEntryBytes<Real>);
        converted.resize(static_cast<std::size_t>(workers));
        return {};
    };
    const auto sink = [&](const TransposedPiece& piece) -> Result<void> {
        const auto count = static_cast<Index>(piece.lines.size());
        std::vector<Real>& values = converted[static_cast<std::size_t>(piece.worker)];
        values.resize(at(count));
        visitReal(type, [&]<typename T>(const T*) {
            const T* from = reinterpret_cast<const T*>(piece.values);
            std::transform(from, from + count, values.begin(),
                           [](T value) { return static_cast<Real>(toDouble(value)); });
        });
        const Index cell = rows->m_starts[at(piece.index)] * kEntryBytes<Real>;
        if (auto done = rows->m_file.write(cell + 4 * piece.first, std::as_bytes(piece.lines)); !done)
            return done;
        return rows->m_file.write(cell + 4 * piece.total + Index{sizeof(Real)} * piece.first,
                                  std::as_bytes(std::span<const Real>(values)));
    };
    const ExternalTranspose transpose(std::move(*source), reading);
    if (auto done = transpose.run(options, begin, sink); !done)
        return std::move(done).error();
    return rows;
}

template <typename Real>
Result<void> RegroupedRows<Real>::read(Index first, Index count, Index firstGene, Index geneCount,
                                       Real* into, Index stride, std::stop_token stop)
{
    for (Index row = 0; row < count; ++row) {
        if (stop.stop_requested())
            return Error::cancelled();
        const Index cell = m_request.cells[first + row];
        const Index entries = m_starts[at(cell + 1)] - m_starts[at(cell)];
        m_buffer.resize(at(entries * kEntryBytes<Real>));
        if (auto done = m_file.read(m_starts[at(cell)] * kEntryBytes<Real>, m_buffer); !done)
            return done;
        Real* to = into + row * stride;
        std::fill_n(to, geneCount, Real{0});
        for (Index e = 0; e < entries; ++e) {
            std::uint32_t gene = 0;
            Real value = 0;
            std::memcpy(&gene, m_buffer.data() + 4 * e, 4);
            std::memcpy(&value, m_buffer.data() + 4 * entries + Index{sizeof(Real)} * e, sizeof(Real));
            const Index column = Index{m_columnOf[gene]} - firstGene;
            if (column >= 0 && column < geneCount && m_columnOf[gene] >= 0)
                to[column] += value;
        }
        if (auto done = m_scaling.apply(first + row, to, geneCount, firstGene); !done)
            return done;
    }
    return {};
}

template <typename Real>
Index RegroupedRows<Real>::residentBytes() const
{
    return std::min(cells() * genes() * Index{sizeof(Real)},
                    m_starts.back() * kEntryBytes<Real> + 8 * cells());
}

template class RegroupedRows<float>;
template class RegroupedRows<double>;

} // namespace cellfolio::impute
