// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/paging/stretch_reader.h"

#include "core/hdf5/stored_type.h"
#include "core/paging/page_cache.h"

#include <algorithm>
#include <cstring>

namespace cellfolio {

bool isPaged(const ArrayRef& array)
{
    const hdf5::StoredType& type = array.info().type;
    return array.member < 0 && canLoadTiles(array.info()) && type.direct && type.value != DType::String
           && type.cls != hdf5::TypeClass::Array;
}

void swapInPlace(const hdf5::StoredType& type, std::byte* bytes, std::size_t size)
{
    const std::size_t word = isComplex(type.value) ? at(type.size) / 2 : at(type.size);
    if (!type.bigEndian || word < 2)
        return;
    for (std::size_t i = 0; i + word <= size; i += word)
        std::reverse(bytes + i, bytes + i + word);
}

StretchReader::StretchReader(ArrayRef array, Reading& reading)
    : m_array(std::move(array)), m_paged(isPaged(m_array)), m_raw(std::make_shared<hdf5::RawChunks>()),
      m_stored(std::make_shared<Buffer>())
{
    if (m_paged)
        m_loader.emplace(m_array.file, *m_array.object, reading.pages(), hdf5::Lane::Bulk);
}

Result<std::span<const std::byte>> StretchReader::read(Index first, Index count, const std::stop_token& stop)
{
    if (count == 0)
        return std::span<const std::byte>{};
    if (!m_paged)
        return readValues(first, count, stop);
    const hdf5::ArrayInfo& info = m_array.info();
    if (info.layout == hdf5::Layout::Chunked) {
        auto direct = m_loader->isDirect(first / info.chunk[0], stop);
        if (!direct)
            return std::move(direct).error();
        if (*direct)
            return readChunks(first, count, stop);
    }
    hdf5::File::Slab slab{{first}, {count}, {}, -1};
    if (auto read = m_array.file->readBytes(*m_array.object, slab, m_stored, hdf5::Lane::Bulk, stop); !read) {
        m_stored = std::make_shared<Buffer>();
        return std::move(read).error();
    }
    swapInPlace(info.type, m_stored->data(), m_stored->size());
    return std::span<const std::byte>(m_stored->span());
}

Result<std::span<const std::byte>> StretchReader::readValues(Index first, Index count,
                                                             const std::stop_token& stop)
{
    hdf5::File::Slab slab{{first}, {count}, {}, m_array.member};
    auto values = m_array.file->read(*m_array.object, slab, hdf5::Lane::Bulk, stop);
    if (!values)
        return std::move(values).error();
    m_values = std::move(*values);
    return std::span<const std::byte>(m_values.data(), at(count) * sizeOf(m_values.type()));
}

Result<std::span<const std::byte>> StretchReader::readChunks(Index first, Index count,
                                                             const std::stop_token& stop)
{
    const hdf5::ArrayInfo& info = m_array.info();
    const Index length = info.chunk[0];
    const std::size_t item = at(info.type.size);
    const Index firstChunk = first / length;
    const Index lastChunk = (first + count - 1) / length;
    std::vector<Index> offsets;
    for (Index c = firstChunk; c <= lastChunk; ++c)
        offsets.push_back(c * length);
    if (auto read = m_array.file->readChunks(*m_array.object, std::move(offsets), m_raw,
                                             hdf5::Lane::Bulk, stop);
        !read) {
        m_raw = std::make_shared<hdf5::RawChunks>();
        return std::move(read).error();
    }
    const std::size_t chunkBytes = at(length) * item;
    const std::size_t skip = at(first - firstChunk * length) * item;
    if (info.filters.empty() && !info.type.bigEndian
        && std::all_of(m_raw->items.begin(), m_raw->items.end(),
                       [&](const auto& i) { return i.size == chunkBytes; })) {
        // Stored as they are, one behind the other: nothing to copy.
        return std::span<const std::byte>(m_raw->bytes.span().subspan(skip, at(count) * item));
    }
    m_decoded.resize(at(count) * item);
    for (Index c = firstChunk; c <= lastChunk; ++c) {
        const auto k = at(c - firstChunk);
        const Index from = std::max(first, c * length);
        const Index to = std::min(first + count, (c + 1) * length);
        const std::span<std::byte> target =
            m_decoded.span().subspan(at(from - first) * item, at(to - from) * item);
        const hdf5::RawChunks::Item& stored = m_raw->items[k];
        if (stored.size == 0) {
            fillTile(info, target);
            continue;
        }
        const bool whole = to - from == length;
        if (!whole)
            m_edge.resize(chunkBytes);
        auto decoded = decodeChunk(info, m_raw->chunk(k), stored.filterMask,
                                   whole ? target : m_edge.span(), m_scratch);
        if (!decoded)
            return std::move(decoded).error();
        if (!whole)
            std::memcpy(target.data(), m_edge.data() + at(from - c * length) * item, target.size());
    }
    swapInPlace(info.type, m_decoded.data(), m_decoded.size());
    return std::span<const std::byte>(m_decoded.span());
}

Result<std::pair<int, MemoryReservation>> reserveWorkers(Reading& reading, int wanted, Index bytesEach)
{
    for (int threads = wanted; threads > 1; --threads) {
        auto held = reading.budget().reserve(MemoryTag::Job, bytesEach * threads);
        if (held)
            return std::pair(threads, std::move(*held));
    }
    auto held = reading.budget().reserve(MemoryTag::Job, bytesEach);
    if (!held)
        return std::move(held).error();
    return std::pair(1, std::move(*held));
}

} // namespace cellfolio
