// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/scratch_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include <unistd.h>

namespace cellfolio {

namespace fs = std::filesystem;

namespace {

Error failed(const char* what, const fs::path& name, int reason)
{
    const std::string sentence = std::string(what) + " " + name.string() + ": "
                               + std::strerror(reason) + ".";
    if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG)
        return Error(ErrorCode::OutOfDisk, sentence).advise("Make room on that disk.");
    if (reason == EACCES || reason == EPERM || reason == EROFS)
        return Error(ErrorCode::PermissionDenied, sentence);
    return Error(ErrorCode::Io, sentence);
}

} // namespace

Result<void> makeFolder(const fs::path& folder)
{
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure)
        return failed("There can be no folder", folder, failure.value());
    return {};
}

Result<Index> freeSpace(const fs::path& folder)
{
    std::error_code failure;
    fs::path place = fs::absolute(folder, failure);
    while (!fs::exists(place, failure) && place.has_relative_path())
        place = place.parent_path();
    const fs::space_info space = fs::space(place, failure);
    if (failure)
        return failed("The free space cannot be told of", place, failure.value());
    return static_cast<Index>(space.available);
}

Result<void> writeAt(int descriptor, Index offset, std::span<const std::byte> bytes,
                     const fs::path& name)
{
    while (!bytes.empty()) {
        const ssize_t done = ::pwrite(descriptor, bytes.data(), bytes.size(), offset);
        if (done < 0) {
            if (errno == EINTR)
                continue;
            return failed("Cannot write", name, errno);
        }
        offset += done;
        bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
    return {};
}

Result<void> readAt(int descriptor, Index offset, std::span<std::byte> bytes, const fs::path& name)
{
    while (!bytes.empty()) {
        const ssize_t done = ::pread(descriptor, bytes.data(), bytes.size(), offset);
        if (done < 0) {
            if (errno == EINTR)
                continue;
            return failed("Cannot read", name, errno);
        }
        if (done == 0)
            return Error(ErrorCode::Io, name.string() + " is shorter than it must be.");
        offset += done;
        bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
    return {};
}

Result<ScratchFile> ScratchFile::create(const fs::path& folder)
{
    if (Result<void> made = makeFolder(folder); !made)
        return std::move(made).error();
    // Unlinked at once instead of O_TMPFILE, which network file systems do not know.
    std::string name = (folder / ".cellfolio-XXXXXX").string();
    const int descriptor = ::mkostemp(name.data(), 0);
    if (descriptor < 0)
        return failed("No temporary file can be made in", folder, errno);
    ::unlink(name.c_str());
    return ScratchFile(descriptor);
}

ScratchFile::ScratchFile(ScratchFile&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)), m_size(other.m_size.load())
{
}

ScratchFile& ScratchFile::operator=(ScratchFile&& other) noexcept
{
    std::swap(m_descriptor, other.m_descriptor);
    m_size = other.m_size.exchange(m_size);
    return *this;
}

ScratchFile::~ScratchFile()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

Result<void> ScratchFile::write(Index offset, std::span<const std::byte> bytes) const
{
    return writeAt(m_descriptor, offset, bytes, "the temporary file");
}

Result<void> ScratchFile::read(Index offset, std::span<std::byte> bytes) const
{
    return readAt(m_descriptor, offset, bytes, "the temporary file");
}

} // namespace cellfolio
