// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/value_stream.h"

namespace cellfolio {

Result<ValueStream> ValueStream::open(const std::shared_ptr<const Dataset>& dataset,
                                      const Element& element,
                                      const std::shared_ptr<Reading>& reading,
                                      const StatsOptions& options)
{
    if (element.whyNot)
        return *element.whyNot;
    if (!element.values)
        return Error(ErrorCode::Refused, "\"" + element.path + "\" holds no numbers.")
            .at(element.path);
    const DType type = element.values.dtype();
    if (!isReal(type))
        return Error(ErrorCode::Refused, "\"" + element.path + "\" holds "
                                             + element.values.type().describe()
                                             + "; figures can be given of real numbers.")
            .at(element.path);
    if (element.isSparse()) {
        Result<SparseSource> source = SparseSource::open(dataset, element, reading);
        if (!source)
            return std::move(source).error();
        const bool byRows = source->byRows();
        EntryStream entries(*std::move(source), reading, byRows ? options.rows : options.columns,
                            byRows ? options.columns : options.rows);
        const std::vector<Index>& shape = *element.shape;
        ValueStream stream(std::move(entries));
        stream.m_type = type;
        stream.m_places = (options.rows ? options.rows->size() : shape[0])
                          * (options.columns ? options.columns->size() : shape[1]);
        return stream;
    }
    Result<DenseStream> dense =
        DenseStream::open(dataset, element, reading, options.rows, options.columns);
    if (!dense)
        return std::move(dense).error();
    const Index places = dense->values();
    ValueStream stream(*std::move(dense));
    stream.m_type = type;
    stream.m_places = places;
    return stream;
}

int ValueStream::workers() const noexcept
{
    return std::visit([](const auto& stream) { return stream.workers(); }, m_stream);
}

Result<Index> ValueStream::passLength(std::stop_token stop) const
{
    if (const EntryStream* stream = entries())
        return stream->entries(stop);
    return m_places;
}

Result<void> ValueStream::run(std::stop_token stop, Progress* progress,
                              const std::function<Result<void>(const ValueBatch&)>& visit) const
{
    if (const EntryStream* stream = entries())
        return stream->run({EntryPlace::None, stop, progress}, [&](const EntryBatch& batch) {
            return visit({batch.ordinal, batch.worker, batch.count, batch.values});
        });
    return dense().run(stop, progress, [&](const DenseBatch& batch) {
        return visit({batch.ordinal, batch.worker, batch.count(), batch.values});
    });
}

} // namespace cellfolio
