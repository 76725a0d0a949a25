// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/write/sparse_writer.h"

#include <algorithm>
#include <cstring>

namespace cellfolio {

SparseWriter::SparseWriter(Parts parts)
    : m_data(std::move(parts.data)), m_indices(std::move(parts.indices)), m_indptr(std::move(parts.indptr)),
      m_lines(parts.lines)
{
}

bool needsWideIndices(Index entries, Index width)
{
    constexpr Index kMost = 2'147'483'646;
    return entries > kMost || width > kMost + 1;
}

// The array must reach behind a chunk that is written. It grows by half, and is cut in the end.
Result<void> SparseWriter::reach(ChunkStream& stream)
{
    const Index extent = stream.array().info().shape.front();
    if (extent >= stream.length())
        return {};
    const Index chunk = stream.chunkLength();
    const Index wanted = std::max(stream.length(), extent + extent / 2);
    return stream.array().resize({(wanted + chunk - 1) / chunk * chunk});
}

Result<void> SparseWriter::addEnds(Index before, std::span<const Index> ends)
{
    if (m_ended == 0) { // the zero in front
        const std::int64_t zero = 0;
        if (auto written = m_indptr.append(reinterpret_cast<const std::byte*>(&zero), 1); !written)
            return written;
        m_ended = 1;
    }
    const bool wide = indexType() == DType::Int64;
    m_ends.resize(ends.size() * (wide ? 8 : 4));
    for (std::size_t k = 0; k < ends.size(); ++k) {
        const Index end = before + ends[k];
        const auto narrowEnd = static_cast<std::int32_t>(end);
        if (!wide && Index{narrowEnd} != end)
            return Error(ErrorCode::Internal, "The matrix got more entries than its 32-bit pointers can count.");
        if (wide)
            std::memcpy(m_ends.data() + 8 * k, &end, 8);
        else
            std::memcpy(m_ends.data() + 4 * k, &narrowEnd, 4);
    }
    m_ended += static_cast<Index>(ends.size());
    return m_indptr.append(m_ends.data(), static_cast<Index>(ends.size()));
}

Result<void> SparseWriter::add(Index ordinal, const Batch& batch, hdf5::EncodeScratch& scratch,
                               const std::stop_token& stop)
{
    std::vector<ChunkStream::Ready> data;
    std::vector<ChunkStream::Ready> indices;
    {
        std::unique_lock lock(m_mutex);
        m_turn.wait(lock, stop, [&] { return m_aborted || m_next == ordinal; });
        if (m_aborted || m_next != ordinal)
            return m_error ? Result<void>(*m_error) : Result<void>(Error::cancelled());
        const Index before = m_data.length();
        m_data.take(batch.values, batch.entries, data);
        m_indices.take(batch.indices, batch.entries, indices);
        Result<void> done = addEnds(before, batch.ends);
        if (done)
            done = reach(m_data);
        if (done)
            done = reach(m_indices);
        if (!done) {
            m_error = done.error();
            m_aborted = true;
            m_turn.notify_all();
            return done;
        }
        ++m_next;
        m_turn.notify_all();
    }
    // Data and indices of a span lie beside each other on the disk.
    for (std::size_t k = 0; k < std::max(data.size(), indices.size()); ++k) {
        if (k < data.size())
            if (auto written = m_data.write(data[k], scratch); !written)
                return written;
        if (k < indices.size())
            if (auto written = m_indices.write(indices[k], scratch); !written)
                return written;
    }
    return {};
}

Result<void> SparseWriter::append(const Batch& batch)
{
    return add(m_next, batch, m_scratch);
}

void SparseWriter::abort()
{
    const std::lock_guard lock(m_mutex);
    m_aborted = true;
    m_turn.notify_all();
}

Result<Index> SparseWriter::finish()
{
    const Index entries = m_data.length();
    if (m_ended == 0)
        if (auto written = addEnds(0, {}); !written)
            return std::move(written).error();
    if (m_ended != m_lines + 1)
        return Error(ErrorCode::Internal, "The matrix got " + std::to_string(m_ended - 1) + " lines of "
                                              + std::to_string(m_lines) + ".");
    for (ChunkStream* stream : {&m_data, &m_indices}) {
        // Before the last chunk is written: to cut through one, the library would unpack it.
        if (stream->array().info().shape.front() != entries)
            if (auto cut = stream->array().resize({entries}); !cut)
                return std::move(cut).error();
        for (const ChunkStream::Ready& chunk : stream->takeRest())
            if (auto written = stream->write(chunk, m_scratch); !written)
                return std::move(written).error();
    }
    if (auto finished = m_indptr.finish(); !finished)
        return std::move(finished).error();
    return entries;
}

} // namespace cellfolio
