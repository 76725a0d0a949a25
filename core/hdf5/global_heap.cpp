// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/global_heap.h"

#include <algorithm>

namespace cellfolio::hdf5 {

namespace {

constexpr std::size_t kWindow = std::size_t{64} << 10;
// A longer collection holds long texts: they are read one by one.
constexpr std::uint64_t kWhole = std::uint64_t{1} << 20;
// The library writes none that is smaller.
constexpr std::uint64_t kSmallest = 4096;

Error damagedText(const char* what)
{
    return Error(ErrorCode::Corrupt, what).rule("A056").advise("Copy the file again from the source.");
}

std::uint64_t padded(std::uint64_t size)
{
    return (size + 7) / 8 * 8;
}

} // namespace

Result<std::string> GlobalHeap::text(std::span<const std::byte> reference)
{
    Cursor at(reference);
    const std::uint64_t length = at.number(4);
    const std::uint64_t address = at.number(m_file.addressSize());
    const std::uint64_t number = at.number(4);
    if (address == 0 || address == m_file.undefined() || length == 0)
        return std::string();
    if (!m_last || address != m_lastAddress) {
        auto found = collection(address);
        if (!found)
            return std::move(found).error();
        m_last = *found;
        m_lastAddress = address;
    }
    if (number >= m_last->entries.size() || m_last->entries[number].offset == 0)
        return damagedText("its bytes are not where they should be");
    const Entry& entry = m_last->entries[number];
    if (length > entry.size)
        return damagedText("it is said to be longer than what is stored of it");
    std::string result;
    if (m_last->bytes.size() > 0) {
        const auto* first = reinterpret_cast<const char*>(m_last->bytes.data() + entry.offset);
        result.assign(first, static_cast<std::size_t>(length));
    } else {
        result.resize(static_cast<std::size_t>(length));
        const std::span<char> characters(result.data(), result.size());
        if (auto read = m_file.read(address + entry.offset, std::as_writable_bytes(characters)); !read)
            return std::move(read).error();
    }
    if (const std::size_t end = result.find('\0'); end != std::string::npos)
        result.resize(end);
    return result;
}

Result<const GlobalHeap::Collection*> GlobalHeap::collection(std::uint64_t address)
{
    if (const auto known = m_collections.find(address); known != m_collections.end())
        return &known->second;
    auto loaded = load(address);
    if (!loaded)
        return std::move(loaded).error();
    const std::size_t cost = loaded->bytes.size() + loaded->entries.size() * sizeof(Entry);
    if (m_kept + cost > kKept) {
        m_collections.clear();
        m_kept = 0;
        m_last = nullptr;
    }
    m_kept += cost;
    return &m_collections.emplace(address, *std::move(loaded)).first->second;
}

Result<GlobalHeap::Collection> GlobalHeap::load(std::uint64_t address)
{
    const std::size_t width = m_file.lengthSize();
    const std::size_t head = padded(8 + width);
    auto start = ahead(address, head);
    if (!start)
        return std::move(start).error();
    Cursor at(*start);
    if (!at.startsWith("GCOL") || at.number(1) != 1)
        return damagedText("nothing like a collection of texts is where its bytes should be");
    at.skip(3);
    Collection result;
    result.size = at.number(width);
    if (result.size < kSmallest || !m_file.holds(address, result.size))
        return damagedText("the collection of texts that holds it has a length that cannot be");
    const bool whole = result.size <= kWhole;
    if (whole) {
        auto bytes = ahead(address, static_cast<std::size_t>(result.size));
        if (!bytes)
            return std::move(bytes).error();
        result.bytes.resize(bytes->size());
        std::copy(bytes->begin(), bytes->end(), result.bytes.data());
    }
    // Entry: number (2), links (2), reserved (4), size, then the bytes, filled up to 8. Number 0 is
    // the free space at the end.
    const std::uint64_t entryHead = padded(8 + width);
    std::uint64_t place = head;
    while (result.size - place >= entryHead) {
        std::span<const std::byte> bytes;
        if (whole) {
            bytes = std::as_const(result.bytes).span().subspan(static_cast<std::size_t>(place),
                                                              static_cast<std::size_t>(entryHead));
        } else {
            auto read = ahead(address + place, static_cast<std::size_t>(entryHead));
            if (!read)
                return std::move(read).error();
            bytes = *read;
        }
        Cursor entry(bytes);
        const auto number = static_cast<std::size_t>(entry.number(2));
        entry.skip(6);
        const std::uint64_t size = entry.number(width);
        if (number == 0)
            break;
        // What stands behind a broken entry cannot be found; what stands before it can be read.
        if (size > result.size - place - entryHead)
            break;
        if (number >= result.entries.size())
            result.entries.resize(number + 1);
        result.entries[number] = {place + entryHead, size};
        const std::uint64_t step = entryHead + padded(size);
        if (step > result.size - place)
            break;
        place += step;
    }
    return result;
}

Result<std::span<const std::byte>> GlobalHeap::ahead(std::uint64_t address, std::size_t size)
{
    const bool inside = address >= m_windowAddress && address - m_windowAddress <= m_window.size()
                        && size <= m_window.size() - (address - m_windowAddress);
    if (!inside) {
        if (!m_file.holds(address, size))
            return damagedText("its bytes would lie outside of the file");
        const std::uint64_t there = m_file.size() - address;
        m_window.resize(static_cast<std::size_t>(std::min<std::uint64_t>(std::max(size, kWindow), there)));
        m_windowAddress = address;
        if (auto read = m_file.read(address, m_window.span()); !read) {
            m_window.resize(0);
            return std::move(read).error();
        }
    }
    return std::as_const(m_window).span().subspan(static_cast<std::size_t>(address - m_windowAddress), size);
}

} // namespace cellfolio::hdf5
