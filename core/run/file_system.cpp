// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/file_system.h"

#include <cerrno>
#include <cstdio>
#include <limits>

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace cellfolio {

FileSystem& FileSystem::real()
{
    static FileSystem system;
    return system;
}

int FileSystem::write(int descriptor, Index offset, std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const ssize_t done = ::pwrite(descriptor, bytes.data(), bytes.size(), offset);
        if (done < 0) {
            if (errno == EINTR)
                continue;
            return errno;
        }
        if (done == 0)
            return EIO;
        offset += done;
        bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
    return 0;
}

int FileSystem::truncate(int descriptor, Index size)
{
    return ::ftruncate(descriptor, size) == 0 ? 0 : errno;
}

int FileSystem::sync(int descriptor)
{
    return ::fsync(descriptor) == 0 ? 0 : errno;
}

int FileSystem::rename(const std::filesystem::path& from, const std::filesystem::path& to)
{
    return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

int FileSystem::syncFolder(const std::filesystem::path& folder)
{
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return errno;
    // Some file systems cannot do this to a folder, and have nothing to do either.
    const int failure = ::fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
    ::close(descriptor);
    return failure;
}

int FileSystem::freeBytes(const std::filesystem::path& folder, Index& bytes)
{
    struct statvfs state {};
    if (::statvfs(folder.c_str(), &state) != 0)
        return errno;
    const auto blocks = static_cast<std::uint64_t>(state.f_bavail);
    const auto size = static_cast<std::uint64_t>(state.f_frsize);
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
    bytes = size != 0 && blocks > kMost / size ? std::numeric_limits<Index>::max()
                                               : static_cast<Index>(blocks * size);
    return 0;
}

} // namespace cellfolio
