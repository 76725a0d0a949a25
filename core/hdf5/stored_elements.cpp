// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/stored_elements.h"

#include "core/hdf5/header_messages.h"

#include <algorithm>
#include <cstring>

namespace cellfolio::hdf5 {

namespace {

// Values read at once where only every k-th is wanted.
constexpr std::uint64_t kStretch = std::uint64_t{1} << 20;

Error damagedPlace(const std::string& what)
{
    return Error(ErrorCode::Corrupt, "A part is damaged on disk and cannot be read: " + what + ".")
        .rule("A056")
        .advise("Copy the file again from the source.");
}

// Next position of a box in row-major order; false behind the last.
bool step(std::vector<Index>& place, const std::vector<Index>& first, const std::vector<Index>& last)
{
    for (std::size_t d = place.size(); d-- > 0;) {
        if (++place[d] <= last[d])
            return true;
        place[d] = first[d];
    }
    return false;
}

} // namespace

bool StoredElements::canRead(const ArrayInfo& info)
{
    if (info.isNull || info.external || info.layout == Layout::Virtual)
        return false;
    return info.layout != Layout::Chunked || canDecode(info);
}

StoredElements::StoredElements(std::shared_ptr<const File> file, const Object& dataset, const RawFile& raw)
    : m_file(std::move(file)), m_dataset(dataset), m_raw(raw), m_stored(std::make_shared<RawChunks>())
{
}

Result<void> StoredElements::locate()
{
    if (m_located)
        return {};
    auto header = ObjectHeader::read(m_raw, m_dataset.address);
    if (!header)
        return damagedPlace(header.error().message());
    const HeaderMessage* message = header->find(kLayoutMessage);
    const auto layout = message && !message->isShared() ? layoutOf(message->data, m_raw) : std::nullopt;
    if (!layout)
        return damagedPlace("its place on disk is not told");
    m_address = layout->address;
    m_compact.assign(layout->values.begin(), layout->values.end());
    for (const unsigned type : {kFillMessage, kOldFillMessage}) {
        const HeaderMessage* stored = header->find(type);
        const auto value = stored && !stored->isShared() ? fillOf(type, stored->data) : std::nullopt;
        if (value && value->size() == at(m_dataset.array->type.size)) {
            m_fill.assign(value->begin(), value->end());
            break;
        }
    }
    m_located = true;
    return {};
}

void StoredElements::fill(std::span<std::byte> bytes) const
{
    if (m_fill.empty()) {
        std::fill(bytes.begin(), bytes.end(), std::byte{0});
        return;
    }
    for (std::size_t i = 0; i + m_fill.size() <= bytes.size(); i += m_fill.size())
        std::memcpy(bytes.data() + i, m_fill.data(), m_fill.size());
}

Result<void> StoredElements::read(const File::Slab& slab, Buffer& into, Lane lane, const std::stop_token& stop)
{
    if (auto located = locate(); !located)
        return located;
    Index total = 1;
    for (const Index c : slab.count)
        total *= c;
    into.resize(at(total * m_dataset.array->type.size));
    if (total == 0)
        return {};
    return m_dataset.array->layout == Layout::Chunked ? readChunks(slab, into, lane, stop)
                                                      : readRuns(slab, into, stop);
}

Result<void> StoredElements::readBytes(std::uint64_t offset, std::span<std::byte> into)
{
    if (m_dataset.array->layout == Layout::Compact) {
        if (offset > m_compact.size() || into.size() > m_compact.size() - offset)
            return damagedPlace("its values are cut off");
        std::memcpy(into.data(), m_compact.data() + offset, into.size());
        return {};
    }
    if (m_address == m_raw.undefined()) {
        fill(into);
        return {};
    }
    if (!m_raw.holds(m_address, offset))
        return damagedPlace("its values would lie outside of the file");
    auto read = m_raw.read(m_address + offset, into);
    if (!read && read.error().code() == ErrorCode::Corrupt)
        return damagedPlace("its values would lie outside of the file");
    return read;
}

Result<void> StoredElements::readRuns(const File::Slab& slab, Buffer& into, const std::stop_token& stop)
{
    const std::vector<Index>& shape = m_dataset.array->shape;
    const Index item = m_dataset.array->type.size;
    const std::size_t rank = shape.size();
    if (rank == 0)
        return readBytes(0, into.span());
    const auto stepOf = [&](std::size_t d) { return slab.step.empty() ? Index{1} : slab.step[d]; };
    // Trailing axes taken whole make longer runs.
    std::size_t axis = rank - 1;
    Index inner = 1; // values of the axes behind `axis`
    while (axis > 0 && stepOf(axis) == 1 && slab.count[axis] == shape[axis]) {
        inner *= shape[axis];
        --axis;
    }
    std::vector<Index> place(axis, 0); // in the slab, axes in front of `axis`
    const std::vector<Index> zero(axis, 0);
    std::vector<Index> last(axis);
    for (std::size_t d = 0; d < axis; ++d)
        last[d] = slab.count[d] - 1;
    std::size_t to = 0;
    Buffer stretch;
    do {
        if (stop.stop_requested())
            return Error::cancelled();
        Index row = 0;
        for (std::size_t d = 0; d < axis; ++d)
            row = row * shape[d] + slab.start[d] + place[d] * stepOf(d);
        const Index base = (row * shape[axis] + slab.start[axis]) * inner;
        const std::size_t one = at(inner * item);
        const Index stride = stepOf(axis);
        if (stride == 1) {
            const std::size_t size = at(slab.count[axis]) * one;
            if (auto read = readBytes(static_cast<std::uint64_t>(base * item), into.span().subspan(to, size)); !read)
                return read;
            to += size;
            continue;
        }
        const Index together = std::max<Index>(
            1, static_cast<Index>(kStretch) / std::max<Index>(1, stride * inner * item));
        for (Index k = 0; k < slab.count[axis]; k += together) {
            const Index n = std::min(together, slab.count[axis] - k);
            stretch.resize(at((n - 1) * stride) * one + one);
            const Index from = (base + k * stride * inner) * item;
            if (auto read = readBytes(static_cast<std::uint64_t>(from), stretch.span()); !read)
                return read;
            for (Index i = 0; i < n; ++i, to += one)
                std::memcpy(into.data() + to, stretch.data() + at(i * stride) * one, one);
        }
    } while (step(place, zero, last));
    return {};
}

Result<void> StoredElements::loadChunk(const std::vector<Index>& origin, Lane lane, const std::stop_token& stop)
{
    if (m_chunkOrigin == origin)
        return {};
    m_chunkOrigin.clear();
    const ArrayInfo& info = *m_dataset.array;
    if (auto read = m_file->readChunks(m_dataset, origin, m_stored, lane, stop); !read) {
        m_stored = std::make_shared<RawChunks>(); // a cancelled read may still be writing into it
        return read;
    }
    Index items = 1;
    for (const Index c : info.chunk)
        items *= c;
    m_chunk.resize(at(items * info.type.size));
    const RawChunks::Item& item = m_stored->items[0];
    if (item.size == 0)
        fill(m_chunk.span());
    else if (auto decoded = decodeChunk(info, m_stored->chunk(0), item.filterMask, m_chunk.span(), m_scratch); !decoded)
        return decoded;
    m_chunkOrigin = origin;
    return {};
}

Result<void> StoredElements::readChunks(const File::Slab& slab, Buffer& into, Lane lane, const std::stop_token& stop)
{
    const ArrayInfo& info = *m_dataset.array;
    const std::size_t rank = info.shape.size();
    const std::size_t item = at(info.type.size);
    const auto stepOf = [&](std::size_t d) { return slab.step.empty() ? Index{1} : slab.step[d]; };
    std::vector<Index> firstChunk(rank);
    std::vector<Index> lastChunk(rank);
    for (std::size_t d = 0; d < rank; ++d) {
        firstChunk[d] = slab.start[d] / info.chunk[d];
        lastChunk[d] = (slab.start[d] + (slab.count[d] - 1) * stepOf(d)) / info.chunk[d];
    }
    std::vector<Index> grid = firstChunk;
    std::vector<Index> origin(rank);
    std::vector<Index> low(rank);  // positions in the slab that lie in the chunk
    std::vector<Index> high(rank);
    do {
        if (stop.stop_requested())
            return Error::cancelled();
        bool any = true;
        for (std::size_t d = 0; d < rank; ++d) {
            origin[d] = grid[d] * info.chunk[d];
            const Index before = std::max<Index>(0, origin[d] - slab.start[d]);
            low[d] = (before + stepOf(d) - 1) / stepOf(d);
            const Index behind = origin[d] + info.chunk[d] - slab.start[d] - 1;
            high[d] = std::min(slab.count[d] - 1, behind / stepOf(d));
            any = any && low[d] <= high[d];
        }
        if (!any)
            continue;
        if (auto loaded = loadChunk(origin, lane, stop); !loaded)
            return loaded;
        std::vector<Index> place = low;
        std::vector<Index> rowHigh = high;
        rowHigh[rank - 1] = low[rank - 1]; // rows of the last axis are copied at once
        const Index row = high[rank - 1] - low[rank - 1] + 1;
        const Index stride = stepOf(rank - 1);
        do {
            Index from = 0;
            Index to = 0;
            for (std::size_t d = 0; d < rank; ++d) {
                from = from * info.chunk[d] + slab.start[d] + place[d] * stepOf(d) - origin[d];
                to = to * slab.count[d] + place[d];
            }
            std::byte* target = into.data() + at(to) * item;
            const std::byte* source = m_chunk.data() + at(from) * item;
            if (stride == 1) {
                std::memcpy(target, source, at(row) * item);
            } else {
                for (Index i = 0; i < row; ++i)
                    std::memcpy(target + at(i) * item, source + at(i * stride) * item, item);
            }
        } while (step(place, low, rowHigh));
    } while (step(grid, firstChunk, lastChunk));
    return {};
}

} // namespace cellfolio::hdf5
