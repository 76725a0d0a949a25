// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/structure_check.h"

#include "core/hdf5/tree_node.h"

#include <algorithm>
#include <array>
#include <utility>

namespace cellfolio::hdf5 {

namespace {

const std::string kSound;
constexpr std::uint64_t kManyChunks = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostNames = std::uint64_t{256} << 20; // bytes of the names of one group

// The names of a group. Empty: they cannot be read. Ends at the last NUL, so that every place in it
// begins a text that ends.
std::vector<std::byte> namesAt(const RawFile& file, std::uint64_t address, std::string& failure)
{
    std::vector<std::byte> head(8 + 2 * file.lengthSize() + file.addressSize());
    failure = "the list of its names is damaged";
    if (!file.read(address, head))
        return {};
    Cursor at(head);
    if (!at.startsWith("HEAP") || at.number(1) != 0)
        return {};
    at.skip(3);
    const std::uint64_t size = at.number(file.lengthSize());
    std::uint64_t free = at.number(file.lengthSize());
    const std::uint64_t place = at.number(file.addressSize());
    if (size > kMostNames || !file.holds(place, size))
        return {};
    std::vector<std::byte> names(static_cast<std::size_t>(size));
    if (!file.read(place, names))
        return {};
    failure.clear();
    // The free parts are chained; the library follows the chain to its end.
    std::uint64_t steps = 0;
    constexpr std::uint64_t kEnd = 1;
    const std::uint64_t none = file.lengthSize() >= 8 ? ~std::uint64_t{0}
                                                      : (std::uint64_t{1} << (8 * file.lengthSize())) - 1;
    while (free != kEnd && free != none) {
        const std::uint64_t entry = 2 * file.lengthSize();
        if (size < entry || free > size - entry || ++steps > size / entry) {
            failure = "the list of its names is damaged";
            break;
        }
        Cursor part(std::span<const std::byte>(names).subspan(static_cast<std::size_t>(free)));
        const std::uint64_t next = part.number(file.lengthSize());
        if (part.number(file.lengthSize()) > size - free) {
            failure = "the list of its names is damaged";
            break;
        }
        free = next;
    }
    while (!names.empty() && names.back() != std::byte{0})
        names.pop_back();
    return names;
}

std::string textAt(std::span<const std::byte> names, std::uint64_t offset)
{
    return std::string(reinterpret_cast<const char*>(names.data()) + offset);
}

} // namespace

const std::string& StructureCheck::object(std::uint64_t address)
{
    if (const auto known = m_objects.find(address); known != m_objects.end())
        return known->second;
    m_objects.emplace(address, kSound); // two named types that name each other do not go round
    std::string failure = checkObject(address);
    return m_objects[address] = std::move(failure);
}

std::string StructureCheck::checkObject(std::uint64_t address)
{
    auto header = ObjectHeader::read(m_file, address);
    if (!header)
        return header.error().message();
    if (header->version() != 1)
        return {};
    for (const HeaderMessage& message : header->messages()) {
        if (std::string failure = checkMessage(message); !failure.empty())
            return failure;
    }
    return checkArray(*header);
}

std::string StructureCheck::checkMessage(const HeaderMessage& message)
{
    // Where attributes are damaged, they are left out; the object is not.
    if (message.type == kAttributeMessage)
        return {};
    if (message.isShared()) {
        const auto address = sharedAddress(message.data, m_file);
        if (!address)
            return "its header is damaged (a shared part cannot be found)";
        return *address == 0 ? std::string() : object(*address);
    }
    switch (message.type) {
    case kDataspaceMessage:
        return spaceOf(message.data, m_file) ? "" : "its shape is damaged";
    case kDatatypeMessage: {
        std::size_t place = 0;
        return checkType(message.data, place, m_file) ? "" : "its type is damaged";
    }
    case kOldFillMessage:
    case kFillMessage:
        return fillOf(message.type, message.data) ? "" : "its fill value is damaged";
    case kLayoutMessage:
        return layoutOf(message.data, m_file) ? "" : "its place on disk is damaged";
    case kFilterMessage:
        return checkFilters(message.data) ? "" : "the list of its filters is damaged";
    case kLinkMessage:
        return linkOf(message.data, m_file) ? "" : "one of its links is damaged";
    case kSymbolTableMessage:
        return message.data.size() >= 2 * m_file.addressSize() ? "" : "its header is damaged (symbol table)";
    case kCommentMessage:
        return std::find(message.data.begin(), message.data.end(), std::byte{0}) != message.data.end()
                   ? ""
                   : "its header is damaged (comment)";
    default:
        return {};
    }
}

std::string StructureCheck::checkArray(const ObjectHeader& header)
{
    const HeaderMessage* space = header.find(kDataspaceMessage);
    const HeaderMessage* type = header.find(kDatatypeMessage);
    const HeaderMessage* place = header.find(kLayoutMessage);
    if (!space || !type || !place || space->isShared() || place->isShared())
        return {};
    const auto shape = spaceOf(space->data, m_file);
    const auto layout = layoutOf(place->data, m_file);
    std::optional<std::uint64_t> size;
    if (!type->isShared()) {
        std::size_t behind = 0;
        size = checkType(type->data, behind, m_file);
    }
    std::uint64_t bytes = size.value_or(1);
    bool fits = true;
    for (const std::uint64_t extent : shape->extents)
        fits = !__builtin_mul_overflow(bytes, std::max<std::uint64_t>(extent, 1), &bytes) && fits;
    const bool empty = shape->null || std::find(shape->extents.begin(), shape->extents.end(), 0u) != shape->extents.end();
    if (!fits || bytes > (std::uint64_t{1} << 62))
        return "its shape is damaged: no disk holds so many values";
    if (layout->kind == StoredLayout::Kind::Chunked && layout->version < 4) {
        const std::vector<std::uint64_t>& chunk = layout->chunk;
        if (chunk.size() != shape->extents.size() + 1)
            return "its chunks have another number of axes than it has";
        if (std::find(chunk.begin(), chunk.end(), 0u) != chunk.end())
            return "its chunks are damaged: they have no length";
        std::uint64_t chunkBytes = 1;
        for (const std::uint64_t length : chunk)
            fits = !__builtin_mul_overflow(chunkBytes, length, &chunkBytes) && fits;
        if (!fits || chunkBytes > 0xFFFFFFFFull)
            return "its chunks are damaged: they are longer than a chunk can be";
        // Each stored chunk has an entry of 24 bytes and more; where next to none is stored, the
        // shape is not one that was meant.
        std::uint64_t chunks = 1;
        for (std::size_t d = 0; d + 1 < chunk.size(); ++d)
            fits = !__builtin_mul_overflow(chunks, shape->extents[d] / chunk[d] + 1, &chunks) && fits;
        if (!fits || (chunks > kManyChunks && chunks / 16 > m_file.size()))
            return "its shape is damaged: it would have more chunks than the file has bytes";
        if (size && chunk.back() != *size)
            return "its chunks are damaged: their values have another size than its type";
    }
    if (layout->kind == StoredLayout::Kind::Contiguous && layout->size && !empty && *layout->size < bytes
        && layout->address != m_file.undefined())
        return "its shape is damaged: it has more values than are stored";
    if (layout->kind == StoredLayout::Kind::Compact && size && !empty && layout->values.size() < bytes)
        return "its values are cut off";
    return {};
}

std::optional<StructureCheck::Group> StructureCheck::group(std::uint64_t address)
{
    auto header = ObjectHeader::read(m_file, address);
    if (!header)
        return Group{header.error().message(), {}};
    const HeaderMessage* table = header->find(kSymbolTableMessage);
    if (!table || table->isShared())
        return std::nullopt;
    Cursor at(table->data);
    const std::uint64_t root = at.number(m_file.addressSize());
    const std::uint64_t heap = at.number(m_file.addressSize());
    Group group;
    if (!at.ok())
        return Group{"its header is damaged (symbol table)", {}};
    const std::vector<std::byte> names = namesAt(m_file, heap, group.failure);
    const auto fail = [&](const char* what) {
        if (group.failure.empty())
            group.failure = what;
    };
    if (names.empty()) {
        fail("the list of its names is damaged");
        return group;
    }
    // Key and child by turns, a key behind the last; keys are places of names.
    struct Place {
        std::uint64_t address;
        std::optional<std::uint64_t> level;
    };
    std::vector<Place> pending{{root, std::nullopt}};
    const std::uint64_t mostNodes = m_file.size() / 24 + 1;
    std::uint64_t visited = 0;
    while (!pending.empty()) {
        const Place place = pending.back();
        pending.pop_back();
        const auto node = TreeNode::read(m_file, place.address);
        if (!node || node->kind != 0 || node->entries > 2 * m_widths.groupNodes || ++visited > mostNodes
            || (place.level && node->level != *place.level)) {
            fail("the tree of its members is damaged");
            continue;
        }
        const std::size_t step = m_file.lengthSize() + m_file.addressSize();
        std::vector<std::byte> entries(static_cast<std::size_t>(node->entries) * step + m_file.lengthSize());
        if (!m_file.read(place.address + TreeNode::headSize(m_file), entries)) {
            fail("the tree of its members is damaged");
            continue;
        }
        Cursor entry(entries);
        std::vector<std::uint64_t> children;
        for (std::uint64_t i = 0; i <= node->entries; ++i) {
            if (entry.number(m_file.lengthSize()) >= names.size())
                fail("the tree of its members is damaged");
            if (i < node->entries)
                children.push_back(entry.number(m_file.addressSize()));
        }
        if (node->level == 0) {
            for (const std::uint64_t child : children)
                listLeaf(child, names, group);
        } else {
            for (auto child = children.rbegin(); child != children.rend(); ++child)
                pending.push_back({*child, node->level - 1});
        }
    }
    return group;
}

void StructureCheck::listLeaf(std::uint64_t address, std::span<const std::byte> names, Group& group)
{
    const auto fail = [&] {
        if (group.failure.empty())
            group.failure = "a part of the list of its members is damaged";
    };
    std::array<std::byte, 8> head{};
    const bool there = m_file.read(address, head).ok();
    Cursor at(head);
    if (!there || !at.startsWith("SNOD") || at.number(1) != 1)
        return fail();
    at.skip(1);
    const std::uint64_t count = at.number(2);
    if (count > 2 * m_widths.groupLeaves)
        return fail();
    const std::size_t step = 2 * m_file.addressSize() + 24;
    std::vector<std::byte> bytes(static_cast<std::size_t>(count) * step);
    if (!m_file.read(address + 8, bytes))
        return fail();
    Cursor entries(bytes);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t name = entries.number(m_file.addressSize());
        FoundLink link;
        link.address = entries.number(m_file.addressSize());
        const std::uint64_t kind = entries.number(4);
        entries.skip(4);
        const std::uint64_t target = entries.number(4);
        entries.skip(12);
        if (name >= names.size() || kind > 2 || (kind == 2 && target >= names.size())) {
            fail();
            continue;
        }
        link.name = textAt(names, name);
        if (kind == 2)
            link.softTarget = textAt(names, target);
        if (link.name.empty()) {
            fail();
            continue;
        }
        group.links.push_back(std::move(link));
    }
}

const std::string& StructureCheck::chunkIndex(std::uint64_t address)
{
    if (const auto known = m_chunkIndexes.find(address); known != m_chunkIndexes.end())
        return known->second;
    std::string failure;
    auto header = ObjectHeader::read(m_file, address);
    if (!header) {
        failure = header.error().message();
    } else if (const HeaderMessage* message = header->find(kLayoutMessage); message && !message->isShared()) {
        const auto layout = layoutOf(message->data, m_file);
        if (layout && layout->kind == StoredLayout::Kind::Chunked && layout->version < 4
            && layout->address != m_file.undefined())
            failure = checkChunkTree(*layout, header->find(kFilterMessage) != nullptr);
    }
    return m_chunkIndexes[address] = std::move(failure);
}

std::string StructureCheck::checkChunkTree(const StoredLayout& layout, bool filtered)
{
    // Without filters the library makes room for a whole chunk and reads as much as the tree says.
    std::uint64_t chunkBytes = 1;
    for (const std::uint64_t length : layout.chunk)
        chunkBytes *= length;
    const std::uint64_t root = layout.address;
    // A node that cannot be read is an error of the library's for the chunks it lists, and no more.
    struct Place {
        std::uint64_t address;
        std::uint64_t level;
    };
    const auto first = TreeNode::read(m_file, root);
    if (!first)
        return {};
    std::vector<Place> pending{{root, first->level}};
    const std::uint64_t mostNodes = m_file.size() / 24 + 1;
    std::uint64_t visited = 0;
    const std::size_t key = 8 + 8 * layout.chunk.size();
    const std::size_t step = key + m_file.addressSize();
    std::vector<std::byte> entries;
    while (!pending.empty()) {
        const Place place = pending.back();
        pending.pop_back();
        const auto node = TreeNode::read(m_file, place.address);
        if (!node)
            continue;
        if (node->kind != 1 || node->level != place.level || node->entries > 2 * m_widths.chunkNodes
            || ++visited > mostNodes)
            return "the list of its chunks is damaged";
        if (node->level == 0 && filtered)
            continue;
        entries.resize(static_cast<std::size_t>(node->entries) * step);
        if (!m_file.read(place.address + TreeNode::headSize(m_file), entries))
            continue;
        Cursor at(entries);
        for (std::uint64_t i = 0; i < node->entries; ++i) {
            const std::uint64_t stored = at.number(4);
            at.skip(key - 4);
            const std::uint64_t child = at.number(m_file.addressSize());
            if (node->level > 0)
                pending.push_back({child, node->level - 1});
            else if (stored != chunkBytes)
                return "the list of its chunks is damaged";
        }
    }
    return {};
}

} // namespace cellfolio::hdf5
