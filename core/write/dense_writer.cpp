// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/write/dense_writer.h"

#include "core/run/work_sharing.h"

#include <algorithm>
#include <cstring>

namespace cellfolio {

Index DenseWriter::width() const noexcept
{
    Index width = 1;
    for (std::size_t d = 1; d < m_array.info().shape.size(); ++d)
        width *= m_array.info().shape[d];
    return width;
}

Index DenseWriter::bandRows() const noexcept
{
    return m_array.info().layout == hdf5::Layout::Chunked ? m_array.info().chunk.front() : 1;
}

Result<void> DenseWriter::write(Index first, Index rows, const std::byte* values, int threads,
                                const std::stop_token& stop) const
{
    const hdf5::ArrayInfo& info = m_array.info();
    if (first % bandRows() != 0 || (rows % bandRows() != 0 && first + rows != this->rows()))
        return Error(ErrorCode::Internal, "A block of rows does not fit the chunks of " + m_array.path() + ".");
    if (rows == 0 || width() == 0)
        return {};
    if (info.layout != hdf5::Layout::Chunked) {
        std::vector<Index> start(info.shape.size(), 0);
        std::vector<Index> count = info.shape;
        start[0] = first;
        count[0] = rows;
        return m_array.write(start, count, {values, at(rows * rowBytes())});
    }
    Index chunks = (rows + info.chunk[0] - 1) / info.chunk[0];
    for (std::size_t d = 1; d < info.shape.size(); ++d)
        chunks *= (info.shape[d] + info.chunk[d] - 1) / info.chunk[d];
    const int workers = static_cast<int>(std::clamp<Index>(chunks, 1, std::max(1, threads)));
    std::vector<Scratch> scratch(static_cast<std::size_t>(workers));
    return WorkSharing(chunks, stop).run(workers, [&](int worker, Index ordinal) {
        return writeChunk(ordinal, first, rows, values, scratch[static_cast<std::size_t>(worker)]);
    });
}

Result<void> DenseWriter::writeChunk(Index ordinal, Index first, Index rows, const std::byte* values,
                                     Scratch& scratch) const
{
    const hdf5::ArrayInfo& info = m_array.info();
    const std::size_t rank = info.shape.size();
    const std::size_t item = at(info.type.size);
    // Where the chunk begins, within the block on the first axis.
    std::vector<Index> origin(rank);
    for (std::size_t d = rank; d-- > 0;) {
        const Index length = d == 0 ? rows : info.shape[d];
        const Index along = (length + info.chunk[d] - 1) / info.chunk[d];
        origin[d] = ordinal % along * info.chunk[d];
        ordinal /= along;
    }
    Index chunkItems = 1;
    std::vector<Index> inside(rank);
    for (std::size_t d = 0; d < rank; ++d) {
        chunkItems *= info.chunk[d];
        inside[d] = std::min(info.chunk[d], (d == 0 ? rows : info.shape[d]) - origin[d]);
    }
    scratch.chunk.resize(at(chunkItems) * item);
    if (inside != info.chunk)
        std::memset(scratch.chunk.data(), 0, scratch.chunk.size());
    // Line by line along the last axis.
    Index lines = 1;
    for (std::size_t d = 0; d + 1 < rank; ++d)
        lines *= inside[d];
    for (Index line = 0; line < lines; ++line) {
        Index rest = line;
        Index from = origin[rank - 1];
        Index to = 0;
        Index fromStride = info.shape[rank - 1];
        Index toStride = info.chunk[rank - 1];
        if (rank == 1)
            fromStride = 1;
        for (std::size_t d = rank - 1; d-- > 0;) {
            const Index k = rest % inside[d];
            rest /= inside[d];
            from += (origin[d] + k) * fromStride;
            to += k * toStride;
            fromStride *= d == 0 ? rows : info.shape[d];
            toStride *= info.chunk[d];
        }
        std::memcpy(scratch.chunk.data() + at(to) * item, values + at(from) * item, at(inside[rank - 1]) * item);
    }
    unsigned mask = 0;
    auto packed = hdf5::encodeChunk(info, std::as_const(scratch.chunk).span(), scratch.encode, mask);
    if (!packed)
        return std::move(packed).error();
    origin[0] += first;
    return m_array.writeChunk(origin, *packed, mask);
}

} // namespace cellfolio
