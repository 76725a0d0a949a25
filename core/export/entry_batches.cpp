// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/entry_batches.h"

#include "core/matrix/number_types.h"

#include <algorithm>

namespace cellfolio {

Result<EntryBatches> EntryBatches::open(const ExportOptions& options, const Element& matrix, const ExportContext& context,
                                        Order order)
{
    if (matrix.whyNot)
        return *matrix.whyNot;
    const bool isMatrix = (matrix.kind == ElementKind::Matrix || matrix.kind == ElementKind::Array) && matrix.shape
                       && matrix.shape->size() == 2 && matrix.dtype && isReal(*matrix.dtype);
    if (!isMatrix)
        return Error(ErrorCode::Refused, "\"" + matrix.path + "\" is no matrix of numbers.").at(matrix.path);
    EntryBatches batches;
    batches.m_context = context;
    batches.m_folder = options.temporary;
    batches.m_type = *matrix.dtype;
    const auto along = [&](std::size_t dimension) {
        const Selection* selection = options.along(matrix, dimension);
        return selection != nullptr ? *selection : Selection::all((*matrix.shape)[dimension]);
    };
    batches.m_rows = along(0);
    batches.m_columns = along(1);
    if (matrix.storage == Storage::Csr || (matrix.storage == Storage::Csc && order == Order::AsStored)) {
        auto source = SparseSource::open(options.view.dataset(), matrix, context.reading);
        if (!source)
            return std::move(source).error();
        batches.m_byRows = source->byRows();
        const Selection& lines = batches.m_byRows ? batches.m_rows : batches.m_columns;
        const Selection& indices = batches.m_byRows ? batches.m_columns : batches.m_rows;
        batches.m_stream = std::make_shared<SubsetStream>(*source, context.reading, lines, indices);
        SubsetStream::Options planned;
        planned.stop = context.stop;
        if (auto fine = batches.m_stream->plan(planned); !fine)
            return std::move(fine).error();
        batches.m_most = batches.m_stream->mostEntries();
        return batches;
    }
    auto opened = MatrixReader::open(options.view.dataset(), matrix, context.reading);
    if (!opened)
        return std::move(opened).error();
    batches.m_matrix = *std::move(opened);
    batches.m_most = batches.m_rows.size() * batches.m_columns.size();
    return batches;
}

Result<void> EntryBatches::run(DType indexType, Threads threads, const std::function<Result<void>(const SubsetBatch&)>& visit)
{
    if (!m_stream)
        return runDense(indexType, visit);
    SubsetStream::Options options;
    options.threads = threads == Threads::One ? 1 : 0;
    options.folder = m_folder;
    options.stop = m_context.stop;
    const SparseSource& source = m_stream->source();
    const auto bytesAnEntry = static_cast<Index>(sizeOf(source.dtype()) + sizeOf(source.indices().dtype()));
    return m_stream->run(indexType, options, [&](const SubsetBatch& batch) -> Result<void> {
        auto visited = visit(batch);
        passed(batch.entries * bytesAnEntry, batch.entries);
        return visited;
    });
}

void EntryBatches::passed(Index bytes, Index entries) const
{
    if (m_context.progress == nullptr)
        return;
    m_context.progress->advance(bytes);
    m_context.progress->countEntries(entries);
}

Result<void> EntryBatches::runDense(DType indexType, const std::function<Result<void>(const SubsetBatch&)>& visit)
{
    Reading& reading = *m_context.reading;
    const Index width = m_columns.size();
    const auto item = static_cast<Index>(sizeOf(m_type));
    const Index rowBytes = std::max<Index>(1, width * (item + 24));
    const Index blockRows = std::clamp<Index>(reading.budget().limit() / 8 / rowBytes, 1, std::max<Index>(1, m_rows.size()));
    auto room = reading.budget().reserve(MemoryTag::Job, blockRows * rowBytes);
    if (!room)
        return std::move(room).error();
    Index ordinal = 0;
    for (Index first = 0; first < m_rows.size(); first += blockRows, ++ordinal) {
        const Selection part = m_rows.part(first, std::min(blockRows, m_rows.size() - first));
        auto values = m_matrix->block(part, m_columns, m_context.stop);
        if (!values)
            return std::move(values).error();
        std::vector<Index> places;
        std::vector<Index> ends;
        std::vector<std::int32_t> narrowIndices;
        std::vector<std::int64_t> wideIndices;
        visitReal(m_type, [&]<typename T>(const T*) {
            const auto all = values->as<T>();
            for (Index row = 0; row < part.size(); ++row) {
                for (Index k = 0; k < width; ++k) {
                    if (isZero(all[at(row * width + k)]))
                        continue;
                    places.push_back(row * width + k);
                    if (indexType == DType::Int64)
                        wideIndices.push_back(k);
                    else
                        narrowIndices.push_back(static_cast<std::int32_t>(k));
                }
                ends.push_back(static_cast<Index>(places.size()));
            }
        });
        const Values kept = values->gather(places);
        SubsetBatch batch;
        batch.ordinal = ordinal;
        batch.entries = kept.size();
        batch.indices = indexType == DType::Int64 ? reinterpret_cast<const std::byte*>(wideIndices.data())
                                                  : reinterpret_cast<const std::byte*>(narrowIndices.data());
        batch.values = kept.data();
        batch.ends = ends;
        batch.stop = m_context.stop;
        if (auto visited = visit(batch); !visited)
            return visited;
        passed(values->bytes(), values->size());
    }
    return {};
}

} // namespace cellfolio
