// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace cellfolio {

// The calls by which a new file comes to be on a disk. Virtual so that tests can make any of them
// fail. Each answers 0 or the system's error number. Thread-safe.
class FileSystem
{
public:
    virtual ~FileSystem() = default;
    static FileSystem& real();

    // All bytes at that place.
    virtual int write(int descriptor, Index offset, std::span<const std::byte> bytes);
    virtual int truncate(int descriptor, Index size);
    virtual int sync(int descriptor);
    // Replaces what is at `to`, at once.
    virtual int rename(const std::filesystem::path& from, const std::filesystem::path& to);
    virtual int syncFolder(const std::filesystem::path& folder);
    // Bytes that may still be written there.
    virtual int freeBytes(const std::filesystem::path& folder, Index& bytes);
};

} // namespace cellfolio
