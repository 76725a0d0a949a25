// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked of a file beside HDF5: its fingerprint and who else writes it.
#include "core/hdf5/file.h"

#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

namespace cellfolio::hdf5 {

Result<std::uint64_t> File::fingerprint() const
{
    constexpr Index kEnd = Index{64} << 10;
    constexpr Index kBlock = Index{4} << 10;
    constexpr Index kBlocks = 16;
    const int fd = ::open(m_path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return Error(ErrorCode::Io, std::string("The file can no longer be read: ") + std::strerror(errno) + ".")
            .at("/");
    XXH3_state_t* state = XXH3_createState();
    XXH3_64bits_reset(state);
    const Index size = m_identity.size;
    XXH3_64bits_update(state, &size, sizeof size);
    std::vector<char> bytes(at(kEnd));
    const auto add = [&](Index offset, Index length) {
        const ssize_t got = ::pread(fd, bytes.data(), at(length), offset);
        if (got > 0)
            XXH3_64bits_update(state, bytes.data(), static_cast<std::size_t>(got));
    };
    add(0, std::min(kEnd, size));
    for (Index k = 1; k <= kBlocks && size > 2 * kEnd + kBlocks * kBlock; ++k)
        add(size / (kBlocks + 1) * k, kBlock);
    add(std::max<Index>(0, size - kEnd), std::min(kEnd, size));
    const std::uint64_t digest = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    ::close(fd);
    return digest;
}

bool File::lockedByWriter() const
{
    // The kernel's list of locks can be read without taking one.
    std::ifstream locks("/proc/locks");
    std::string line;
    while (std::getline(locks, line)) {
        std::istringstream words(line);
        std::string number;
        std::string kind;
        std::string advisory;
        std::string access;
        std::string process;
        std::string place;
        words >> number >> kind >> advisory >> access >> process >> place;
        const std::size_t colon = place.rfind(':');
        if (access == "WRITE" && colon != std::string::npos
            && place.substr(colon + 1) == std::to_string(m_identity.inode))
            return true;
    }
    return false;
}

} // namespace cellfolio::hdf5
