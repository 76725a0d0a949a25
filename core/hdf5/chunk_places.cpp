// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/chunk_places.h"

#include "core/hdf5/header_messages.h"
#include "core/hdf5/tree_node.h"

namespace cellfolio::hdf5 {

namespace {

// So much at most is read in one call: whoever cancels waits for no more than that.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 20;

std::vector<Index> gridOf(const ArrayInfo& info)
{
    std::vector<Index> grid;
    for (std::size_t d = 0; d < info.shape.size(); ++d)
        grid.push_back(info.shape[d] == 0 ? 0 : (info.shape[d] - 1) / info.chunk[d] + 1);
    return grid;
}

} // namespace

Index ChunkPlaces::chunksOf(const ArrayInfo& info)
{
    if (info.layout != Layout::Chunked || info.shape.empty())
        return 0;
    Index count = 1;
    for (const Index n : gridOf(info)) {
        if (n == 0)
            return 0;
        if (count > kMost) // the product of more might not fit
            return count;
        count *= std::min(n, kMost + 1);
    }
    return count;
}

std::shared_ptr<const ChunkPlaces> ChunkPlaces::find(const RawFile& file, const Object& dataset)
{
    const ArrayInfo& info = *dataset.array;
    const Index chunks = chunksOf(info);
    if (chunks < 1 || chunks > kMost)
        return nullptr;
    const auto header = ObjectHeader::read(file, dataset.address);
    const HeaderMessage* message = header ? header->find(kLayoutMessage) : nullptr;
    const auto layout = message && !message->isShared() ? layoutOf(message->data, file) : std::nullopt;
    const std::size_t rank = info.shape.size();
    if (!layout || layout->kind != StoredLayout::Kind::Chunked || layout->version >= 4
        || layout->address == file.undefined() || layout->chunk.size() != rank + 1)
        return nullptr;
    std::uint64_t wholeChunk = static_cast<std::uint64_t>(info.type.size);
    for (std::size_t d = 0; d < rank; ++d) {
        if (layout->chunk[d] != static_cast<std::uint64_t>(info.chunk[d]))
            return nullptr;
        wholeChunk *= layout->chunk[d];
    }

    auto found = std::make_shared<ChunkPlaces>();
    found->m_grid = gridOf(info);
    found->m_places.resize(at(chunks));
    struct Node {
        std::uint64_t address;
        std::uint64_t level;
    };
    const auto root = TreeNode::read(file, layout->address);
    if (!root)
        return nullptr;
    std::vector<Node> pending{{layout->address, root->level}};
    // Every node has at least one entry, and one leaf entry stands for one chunk of the grid or one
    // that the array has outgrown.
    std::uint64_t nodesLeft = 2 * static_cast<std::uint64_t>(chunks) + 64;
    const std::size_t step = 8 + 8 * (rank + 1) + file.addressSize();
    std::vector<std::byte> entries;
    while (!pending.empty()) {
        const Node place = pending.back();
        pending.pop_back();
        const auto node = TreeNode::read(file, place.address);
        if (!node || node->kind != 1 || node->level != place.level || nodesLeft-- == 0)
            return nullptr;
        entries.resize(static_cast<std::size_t>(node->entries) * step);
        if (!file.read(place.address + TreeNode::headSize(file), entries))
            return nullptr;
        Cursor at0(entries);
        for (std::uint64_t i = 0; i < node->entries; ++i) {
            Place chunk;
            chunk.size = static_cast<std::uint32_t>(at0.number(4));
            chunk.filterMask = static_cast<std::uint32_t>(at0.number(4));
            Index ordinal = 0;
            bool inside = true;
            for (std::size_t d = 0; d < rank; ++d) {
                const std::uint64_t offset = at0.number(8);
                const std::uint64_t number = offset / layout->chunk[d];
                if (offset % layout->chunk[d] != 0)
                    return nullptr;
                inside = inside && number < static_cast<std::uint64_t>(found->m_grid[d]);
                if (inside)
                    ordinal = ordinal * found->m_grid[d] + static_cast<Index>(number);
            }
            at0.skip(8);
            chunk.address = at0.number(file.addressSize());
            if (node->level > 0) {
                pending.push_back({chunk.address, node->level - 1});
                continue;
            }
            if (!file.holds(chunk.address, chunk.size) || chunk.size == 0
                || (info.filters.empty() && chunk.size != wholeChunk))
                return nullptr;
            if (!inside)
                continue;
            Place& own = found->m_places[at(ordinal)];
            if (own.size != 0)
                return nullptr; // one chunk twice
            own = chunk;
        }
    }
    return found;
}

Result<void> ChunkPlaces::read(const RawFile& file, const ArrayInfo& info,
                               const std::vector<Index>& offsets, RawChunks& into,
                               const std::stop_token& stop) const
{
    const std::size_t rank = m_grid.size();
    const std::size_t n = offsets.size() / rank;
    into.items.assign(n, {});
    std::vector<const Place*> places(n);
    std::size_t total = 0;
    for (std::size_t i = 0; i < n; ++i) {
        Index ordinal = 0;
        for (std::size_t d = 0; d < rank; ++d)
            ordinal = ordinal * m_grid[d] + offsets[i * rank + d] / info.chunk[d];
        places[i] = &m_places[at(ordinal)];
        into.items[i] = {total, places[i]->size, places[i]->filterMask};
        total += places[i]->size;
    }
    into.bytes.resize(total);
    for (std::size_t i = 0; i < n;) {
        if (stop.stop_requested())
            return Error::cancelled();
        // Chunks written one behind the other come in one call.
        std::size_t size = places[i]->size;
        std::size_t next = i + 1;
        while (next < n && places[next]->address == places[i]->address + size
               && size + places[next]->size <= kMostAtOnce)
            size += places[next++]->size;
        if (size > 0) {
            if (auto got = file.read(places[i]->address,
                                     into.bytes.span().subspan(into.items[i].offset, size));
                !got)
                return got;
        }
        i = next;
    }
    return {};
}

} // namespace cellfolio::hdf5
