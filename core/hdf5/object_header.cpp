// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/object_header.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace cellfolio::hdf5 {

namespace {

// No honest header is longer: an attribute has at most 64 KiB, and many of them are stored apart.
constexpr std::uint64_t kLongestHeader = std::uint64_t{256} << 20;
constexpr std::size_t kMostBlocks = 4096;

Error damagedHeader(const char* what)
{
    return Error(ErrorCode::Corrupt, std::string("its header is damaged (") + what + ")").rule("A056");
}

} // namespace

Result<ObjectHeader> ObjectHeader::read(const RawFile& file, std::uint64_t address)
{
    ObjectHeader header;
    std::array<std::byte, 64> start{};
    const std::uint64_t there = file.holds(address, 0) ? std::min<std::uint64_t>(start.size(), file.size() - address) : 0;
    if (auto read = file.read(address, std::span(start).first(static_cast<std::size_t>(there))); !read)
        return std::move(read).error();
    if (there < 16)
        return damagedHeader("it lies outside of the file");
    Cursor at(std::span<const std::byte>(start).first(static_cast<std::size_t>(there)));
    std::uint64_t size = 0;
    std::uint64_t prefix = 16;
    if (at.startsWith("OHDR")) {
        header.m_version = static_cast<int>(at.number(1));
        const auto flags = static_cast<unsigned>(at.number(1));
        header.m_tracksOrder = (flags & 4u) != 0;
        at.skip((flags & 0x20u) != 0 ? 16 : 0); // times
        at.skip((flags & 0x10u) != 0 ? 4 : 0);  // when attributes move to a place of their own
        size = at.number(std::size_t{1} << (flags & 3u));
        prefix = at.place();
        if (header.m_version != 2)
            return damagedHeader("unknown version");
    } else {
        if (at.number(1) != 1)
            return damagedHeader("nothing like a header is there");
        at.skip(7); // reserved, number of messages, number of links
        size = at.number(4);
        if (size % 8 != 0)
            return damagedHeader("wrong length");
    }
    if (!at.ok())
        return damagedHeader("cut off");
    header.m_pending.emplace_back(address + prefix, size);
    std::size_t searched = 0; // messages
    for (std::size_t k = 0; k < header.m_pending.size(); ++k) {
        if (k >= kMostBlocks)
            return damagedHeader("too many parts");
        const auto [blockAddress, blockSize] = header.m_pending[k];
        if (auto added = header.addBlock(file, blockAddress, blockSize); !added)
            return std::move(added).error();
        // Looks for the parts that this one named.
        for (; searched < header.m_messages.size(); ++searched) {
            const HeaderMessage& message = header.m_messages[searched];
            if (message.type != kContinuationMessage || message.isShared())
                continue;
            Cursor where(message.data);
            const std::uint64_t partAddress = where.number(file.addressSize());
            const std::uint64_t partSize = where.number(file.lengthSize());
            if (!where.ok())
                return damagedHeader("a part cannot be found");
            const std::pair<std::uint64_t, std::uint64_t> part(partAddress, partSize);
            if (std::find(header.m_pending.begin(), header.m_pending.end(), part) == header.m_pending.end())
                header.m_pending.push_back(part);
        }
    }
    return header;
}

Result<void> ObjectHeader::addBlock(const RawFile& file, std::uint64_t address, std::uint64_t size)
{
    m_bytes += size;
    if (m_bytes > kLongestHeader || !file.holds(address, size))
        return damagedHeader("a part lies outside of the file");
    Buffer block(static_cast<std::size_t>(size));
    if (auto read = file.read(address, block.span()); !read)
        return read;
    m_blocks.push_back(std::move(block));
    std::span<const std::byte> messages = std::as_const(m_blocks.back()).span();
    if (m_version == 2 && m_blocks.size() > 1) {
        Cursor at(messages);
        if (!at.startsWith("OCHK") || messages.size() < 8)
            return damagedHeader("a part is not where it should be");
        messages = messages.subspan(4, messages.size() - 8); // its checksum stands behind
    }
    return cutMessages(messages);
}

Result<void> ObjectHeader::cutMessages(std::span<const std::byte> block)
{
    const std::size_t head = m_version == 1 ? 8 : m_tracksOrder ? 6 : 4;
    Cursor at(block);
    while (at.left() >= head) {
        HeaderMessage message;
        message.type = static_cast<unsigned>(at.number(m_version == 1 ? 2 : 1));
        const auto size = static_cast<std::size_t>(at.number(2));
        message.flags = static_cast<unsigned>(at.number(1));
        at.skip(m_version == 1 ? 3 : m_tracksOrder ? 2 : 0);
        if (size > at.left() || (m_version == 1 && size % 8 != 0))
            return damagedHeader("an entry is longer than its place");
        message.data = at.take(size);
        m_messages.push_back(message);
    }
    if (m_version == 1 && at.left() != 0)
        return damagedHeader("wrong length");
    return {};
}

const HeaderMessage* ObjectHeader::find(unsigned type) const noexcept
{
    const auto found = std::find_if(m_messages.begin(), m_messages.end(),
                                    [&](const HeaderMessage& m) { return m.type == type; });
    return found == m_messages.end() ? nullptr : &*found;
}

} // namespace cellfolio::hdf5
