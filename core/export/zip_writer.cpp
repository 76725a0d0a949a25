// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/zip_writer.h"

#include "core/hdf5/output_driver.h"

#include <libdeflate.h>

#include <algorithm>
#include <cerrno>

#include <unistd.h>

namespace cellfolio {

namespace {

constexpr std::uint16_t kZip64 = 45; // version needed
constexpr std::uint32_t kSeeExtra = 0xFFFFFFFFu;

template <typename T>
void add(std::string& text, T value)
{
    for (std::size_t b = 0; b < sizeof(T); ++b)
        text += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * b) & 0xFFu);
}

std::span<const std::byte> bytesOf(const std::string& text)
{
    return std::as_bytes(std::span(text));
}

constexpr std::uint16_t kDate = (1980 - 1980) << 9 | 1 << 5 | 1; // the first day of zip: files are the same each time

} // namespace

std::string ZipWriter::localHead(const Member& member) const
{
    std::string head;
    add<std::uint32_t>(head, 0x04034b50);
    add<std::uint16_t>(head, kZip64);
    add<std::uint16_t>(head, 0x0800); // name in UTF-8
    add<std::uint16_t>(head, 0);      // not packed
    add<std::uint16_t>(head, 0);
    add<std::uint16_t>(head, kDate);
    add<std::uint32_t>(head, member.checksum);
    add<std::uint32_t>(head, kSeeExtra);
    add<std::uint32_t>(head, kSeeExtra);
    add<std::uint16_t>(head, static_cast<std::uint16_t>(member.name.size()));
    add<std::uint16_t>(head, 20);
    head += member.name;
    add<std::uint16_t>(head, 1);
    add<std::uint16_t>(head, 16);
    add<std::uint64_t>(head, static_cast<std::uint64_t>(member.size));
    add<std::uint64_t>(head, static_cast<std::uint64_t>(member.size));
    return head;
}

void ZipWriter::put(std::span<const std::byte> bytes)
{
    if (m_failure == 0)
        m_failure = m_system.write(m_descriptor, m_place, bytes);
    m_place += static_cast<Index>(bytes.size());
}

Result<void> ZipWriter::check() const
{
    return m_failure != 0 ? Result<void>(hdf5::writeFailure(m_failure)) : Result<void>();
}

void ZipWriter::begin(const std::string& name)
{
    m_members.push_back({name, m_place, 0, 0});
    put(bytesOf(localHead(m_members.back())));
    m_data = m_place;
    m_replaced = false;
}

void ZipWriter::write(std::span<const std::byte> bytes)
{
    Member& member = m_members.back();
    member.checksum = libdeflate_crc32(member.checksum, bytes.data(), bytes.size());
    member.size += static_cast<Index>(bytes.size());
    put(bytes);
}

void ZipWriter::replaceHead(std::span<const std::byte> bytes)
{
    if (m_failure == 0)
        m_failure = m_system.write(m_descriptor, m_data, bytes);
    m_replaced = true;
}

Result<void> ZipWriter::end()
{
    Member& member = m_members.back();
    if (m_replaced && m_failure == 0) {
        std::vector<std::byte> block(std::size_t{1} << 20);
        member.checksum = 0;
        for (Index done = 0; done < member.size;) {
            const auto wanted = std::min<std::size_t>(block.size(), at(member.size - done));
            const ssize_t got = ::pread(m_descriptor, block.data(), wanted, m_data + done);
            if (got <= 0) {
                m_failure = got < 0 ? errno : EIO;
                break;
            }
            member.checksum = libdeflate_crc32(member.checksum, block.data(), static_cast<std::size_t>(got));
            done += got;
        }
    }
    if (m_failure == 0)
        m_failure = m_system.write(m_descriptor, member.place, bytesOf(localHead(member)));
    return check();
}

Result<void> ZipWriter::finish()
{
    const Index start = m_place;
    std::string text;
    for (const Member& member : m_members) {
        add<std::uint32_t>(text, 0x02014b50);
        add<std::uint16_t>(text, kZip64);
        add<std::uint16_t>(text, kZip64);
        add<std::uint16_t>(text, 0x0800);
        add<std::uint16_t>(text, 0);
        add<std::uint16_t>(text, 0);
        add<std::uint16_t>(text, kDate);
        add<std::uint32_t>(text, member.checksum);
        add<std::uint32_t>(text, kSeeExtra);
        add<std::uint32_t>(text, kSeeExtra);
        add<std::uint16_t>(text, static_cast<std::uint16_t>(member.name.size()));
        add<std::uint16_t>(text, 28);
        add<std::uint16_t>(text, 0);
        add<std::uint16_t>(text, 0);
        add<std::uint16_t>(text, 0);
        add<std::uint32_t>(text, 0);
        add<std::uint32_t>(text, kSeeExtra);
        text += member.name;
        add<std::uint16_t>(text, 1);
        add<std::uint16_t>(text, 24);
        add<std::uint64_t>(text, static_cast<std::uint64_t>(member.size));
        add<std::uint64_t>(text, static_cast<std::uint64_t>(member.size));
        add<std::uint64_t>(text, static_cast<std::uint64_t>(member.place));
    }
    const auto count = static_cast<std::uint64_t>(m_members.size());
    const auto length = static_cast<std::uint64_t>(text.size());
    const auto end = static_cast<std::uint64_t>(start) + length;
    add<std::uint32_t>(text, 0x06064b50);
    add<std::uint64_t>(text, 44);
    add<std::uint16_t>(text, kZip64);
    add<std::uint16_t>(text, kZip64);
    add<std::uint32_t>(text, 0);
    add<std::uint32_t>(text, 0);
    add<std::uint64_t>(text, count);
    add<std::uint64_t>(text, count);
    add<std::uint64_t>(text, length);
    add<std::uint64_t>(text, static_cast<std::uint64_t>(start));
    add<std::uint32_t>(text, 0x07064b50);
    add<std::uint32_t>(text, 0);
    add<std::uint64_t>(text, end);
    add<std::uint32_t>(text, 1);
    add<std::uint32_t>(text, 0x06054b50);
    add<std::uint16_t>(text, 0);
    add<std::uint16_t>(text, 0);
    add<std::uint16_t>(text, static_cast<std::uint16_t>(count));
    add<std::uint16_t>(text, static_cast<std::uint16_t>(count));
    add<std::uint32_t>(text, kSeeExtra);
    add<std::uint32_t>(text, kSeeExtra);
    add<std::uint16_t>(text, 0);
    put(bytesOf(text));
    return check();
}

} // namespace cellfolio
