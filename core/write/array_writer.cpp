// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/write/array_writer.h"

#include <algorithm>
#include <cstring>

namespace cellfolio {

ChunkStream::ChunkStream(hdf5::OutputArray array)
    : m_array(std::move(array)), m_chunk(m_array.info().chunk.front()), m_item(at(m_array.info().type.size))
{
}

void ChunkStream::take(const std::byte* values, Index count, std::vector<Ready>& ready)
{
    const Index held = m_length % m_chunk;
    Index taken = 0;
    if (held > 0) {
        taken = std::min(count, m_chunk - held);
        std::memcpy(m_rest.data() + at(held) * m_item, values, at(taken) * m_item);
        if (held + taken == m_chunk) {
            Ready full;
            full.first = m_length - held;
            full.held = std::move(m_rest);
            full.bytes = std::as_const(full.held).span();
            ready.push_back(std::move(full));
            m_rest = Buffer();
        }
    }
    for (; count - taken >= m_chunk; taken += m_chunk) {
        Ready full;
        full.first = m_length + taken;
        full.bytes = {values + at(taken) * m_item, at(m_chunk) * m_item};
        ready.push_back(std::move(full));
    }
    if (count > taken && (m_length + taken) % m_chunk == 0) {
        m_rest.resize(at(m_chunk) * m_item);
        std::memcpy(m_rest.data(), values + at(taken) * m_item, at(count - taken) * m_item);
    }
    m_length += count;
}

std::vector<ChunkStream::Ready> ChunkStream::takeRest()
{
    std::vector<Ready> ready;
    const Index held = m_length % m_chunk;
    if (held == 0)
        return ready;
    std::memset(m_rest.data() + at(held) * m_item, 0, at(m_chunk - held) * m_item);
    Ready last;
    last.first = m_length - held;
    last.held = std::move(m_rest);
    last.bytes = std::as_const(last.held).span();
    ready.push_back(std::move(last));
    m_rest = Buffer();
    return ready;
}

Result<void> ChunkStream::write(const Ready& chunk, hdf5::EncodeScratch& scratch) const
{
    unsigned mask = 0;
    auto packed = hdf5::encodeChunk(m_array.info(), chunk.bytes, scratch, mask);
    if (!packed)
        return std::move(packed).error();
    return m_array.writeChunk({chunk.first}, *packed, mask);
}

ArrayWriter::ArrayWriter(hdf5::OutputArray array) : m_array(std::move(array))
{
    const hdf5::ArrayInfo& info = m_array.info();
    if (info.layout == hdf5::Layout::Chunked && info.type.value != DType::String)
        m_stream = std::make_shared<ChunkStream>(m_array);
}

Result<void> ArrayWriter::append(const Values& values)
{
    if (values.type() != m_array.info().type.value)
        return Error(ErrorCode::Internal, "Values of another type than that of " + m_array.path() + ".");
    return values.type() == DType::String ? append(std::span<const std::string>(values.texts()))
                                          : append(values.data(), values.size());
}

Result<void> ArrayWriter::append(const std::byte* values, Index count)
{
    if (!m_stream) {
        auto written = m_array.write({m_length}, {count},
                                     {values, at(count) * at(m_array.info().type.size)});
        m_length += count;
        return written;
    }
    std::vector<ChunkStream::Ready> ready;
    m_stream->take(values, count, ready);
    m_length += count;
    for (const ChunkStream::Ready& chunk : ready)
        if (auto written = m_stream->write(chunk, m_scratch); !written)
            return written;
    return {};
}

Result<void> ArrayWriter::append(std::span<const std::string> texts)
{
    const hdf5::ArrayInfo& info = m_array.info();
    if (info.layout != hdf5::Layout::Chunked) {
        auto written = m_array.writeTexts(m_length, texts);
        m_length += static_cast<Index>(texts.size());
        return written;
    }
    m_texts.insert(m_texts.end(), texts.begin(), texts.end());
    return flushTexts(false);
}

Result<void> ArrayWriter::flushTexts(bool all)
{
    // Whole chunks: each is packed once.
    const Index chunk = m_array.info().chunk.front();
    const Index held = static_cast<Index>(m_texts.size());
    const Index count = all ? held : held / chunk * chunk;
    if (count == 0)
        return {};
    auto written = m_array.writeTexts(m_length, std::span(m_texts).first(at(count)));
    m_length += count;
    m_texts.erase(m_texts.begin(), m_texts.begin() + count);
    return written;
}

Result<void> ArrayWriter::finish()
{
    if (!m_texts.empty())
        if (auto written = flushTexts(true); !written)
            return written;
    if (m_stream)
        for (const ChunkStream::Ready& chunk : m_stream->takeRest())
            if (auto written = m_stream->write(chunk, m_scratch); !written)
                return written;
    const Index wanted = m_array.info().shape.empty() ? 1 : m_array.info().shape.front();
    if (m_length != wanted)
        return Error(ErrorCode::Internal, m_array.path() + " got " + std::to_string(m_length) + " values of "
                                              + std::to_string(wanted) + ".");
    return {};
}

} // namespace cellfolio
