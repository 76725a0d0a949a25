// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/raw_file.h"

#include "core/hdf5/dataset_io.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace cellfolio::hdf5 {

std::uint64_t Cursor::number(std::size_t size) noexcept
{
    const std::span<const std::byte> bytes = take(size);
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;)
        value = value << 8 | static_cast<std::uint64_t>(bytes[i]);
    return value;
}

std::span<const std::byte> Cursor::take(std::size_t size) noexcept
{
    if (size > left()) {
        m_ok = false;
        m_place = m_bytes.size();
        return {};
    }
    m_place += size;
    return m_bytes.subspan(m_place - size, size);
}

bool Cursor::startsWith(const char (&signature)[5]) noexcept
{
    if (left() < 4 || std::memcmp(m_bytes.data() + m_place, signature, 4) != 0)
        return false;
    m_place += 4;
    return true;
}

RawFile::RawFile(int fd, const Signature& signature)
    : m_fd(fd), m_base(static_cast<std::uint64_t>(signature.userBlock)),
      m_size(static_cast<std::uint64_t>(signature.size - signature.userBlock)),
      m_addressSize(static_cast<std::size_t>(signature.addressSize)),
      m_lengthSize(static_cast<std::size_t>(signature.lengthSize))
{
}

RawFile::~RawFile()
{
    ::close(m_fd);
}

Result<std::shared_ptr<const RawFile>> RawFile::open(const std::filesystem::path& path,
                                                     const Signature& signature)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return Error(ErrorCode::Io, std::string("The file can no longer be read: ") + std::strerror(errno) + ".")
            .at("/");
    return std::shared_ptr<const RawFile>(new RawFile(fd, signature));
}

std::uint64_t RawFile::undefined() const noexcept
{
    return m_addressSize >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * m_addressSize)) - 1;
}

Result<void> RawFile::read(std::uint64_t address, std::span<std::byte> into) const
{
    if (!holds(address, into.size()))
        return Error(ErrorCode::Corrupt, "Something lies outside of the file.").rule("A056");
    std::size_t done = 0;
    while (done < into.size()) {
        const ssize_t got = ::pread(m_fd, into.data() + done, into.size() - done,
                                    static_cast<off_t>(m_base + address + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return Error(ErrorCode::Io, std::string("The file cannot be read: ") + std::strerror(errno) + ".");
        if (got == 0)
            return Error(ErrorCode::FileChanged, "The file became shorter while it was open.")
                .advise("Open it again.");
        done += static_cast<std::size_t>(got);
    }
    countBytesRead(static_cast<Index>(done));
    return {};
}

} // namespace cellfolio::hdf5
