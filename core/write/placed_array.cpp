// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/write/placed_array.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>

namespace cellfolio {

PlacedArray::PlacedArray(hdf5::OutputArray array)
    : m_array(std::move(array)), m_length(m_array.info().shape.front()), m_chunk(m_array.info().chunk.front()),
      m_item(m_array.info().type.size)
{
}

Result<void> PlacedArray::put(Stretch& stretch, Index place, const std::byte* values, Index count)
{
    if (place != stretch.m_next) {
        if (auto closed = close(stretch); !closed)
            return closed;
        stretch.m_begin = stretch.m_next = place;
    }
    while (count > 0) {
        const Index inside = stretch.m_next % m_chunk;
        const Index taken = std::min(count, m_chunk - inside);
        stretch.m_chunk.resize(at(m_chunk * m_item));
        std::memcpy(stretch.m_chunk.data() + at(inside * m_item), values, at(taken * m_item));
        stretch.m_next += taken;
        values += taken * m_item;
        count -= taken;
        if (stretch.m_next % m_chunk == 0)
            if (auto closed = close(stretch); !closed)
                return closed;
    }
    return {};
}

Result<void> PlacedArray::close(Stretch& stretch)
{
    const Index begin = stretch.m_begin;
    const Index count = stretch.m_next - begin;
    if (count == 0)
        return {};
    stretch.m_begin = stretch.m_next;
    const Index chunk = begin / m_chunk;
    const Index first = chunk * m_chunk;
    const Index length = std::min(m_chunk, m_length - first);
    if (count == length) {
        if (length < m_chunk) // behind the end of the array
            std::memset(stretch.m_chunk.data() + at(length * m_item), 0, at((m_chunk - length) * m_item));
        {
            const std::lock_guard lock(m_mutex);
            m_written += count;
        }
        return write(chunk, std::as_const(stretch.m_chunk).span(), stretch.m_scratch);
    }
    Partial whole;
    {
        const std::lock_guard lock(m_mutex);
        m_written += count;
        Partial& partial = m_partial[chunk];
        if (partial.filled == 0) {
            partial.bytes.resize(at(m_chunk * m_item));
            std::memset(partial.bytes.data(), 0, partial.bytes.size());
        }
        std::memcpy(partial.bytes.data() + at((begin - first) * m_item),
                    stretch.m_chunk.data() + at((begin - first) * m_item), at(count * m_item));
        partial.filled += count;
        if (partial.filled < length)
            return {};
        whole = std::move(partial);
        m_partial.erase(chunk);
    }
    return write(chunk, std::as_const(whole.bytes).span(), stretch.m_scratch);
}

Result<void> PlacedArray::write(Index chunk, std::span<const std::byte> bytes, hdf5::EncodeScratch& scratch) const
{
    unsigned mask = 0;
    auto packed = hdf5::encodeChunk(m_array.info(), bytes, scratch, mask);
    if (!packed)
        return std::move(packed).error();
    return m_array.writeChunk({chunk * m_chunk}, *packed, mask);
}

Result<void> PlacedArray::finish() const
{
    if (m_written != m_length || !m_partial.empty())
        return Error(ErrorCode::Internal, m_array.path() + " got " + std::to_string(m_written) + " values of "
                                              + std::to_string(m_length) + ".");
    return {};
}

} // namespace cellfolio
