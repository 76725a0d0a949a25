// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <span>

namespace cellfolio {

// A temporary file without a name: whatever happens to the program, nothing is left of it. Pieces
// are written at the places that claim() hands out, by any thread.
class ScratchFile
{
public:
    // In that folder, which is made if need be.
    static Result<ScratchFile> create(const std::filesystem::path& folder);
    ScratchFile(ScratchFile&& other) noexcept;
    ScratchFile& operator=(ScratchFile&& other) noexcept;
    ~ScratchFile();

    // The place of the next `bytes` bytes, nobody else's.
    Index claim(Index bytes) noexcept { return m_size.fetch_add(bytes, std::memory_order_relaxed); }
    Index size() const noexcept { return m_size.load(std::memory_order_relaxed); }

    // OutOfDisk where there is no room.
    Result<void> write(Index offset, std::span<const std::byte> bytes) const;
    Result<void> read(Index offset, std::span<std::byte> bytes) const;

private:
    explicit ScratchFile(int descriptor) : m_descriptor(descriptor) {}

    int m_descriptor = -1;
    std::atomic<Index> m_size{0};
};

// The same for any open file: all bytes, or an error that names it.
Result<void> writeAt(int descriptor, Index offset, std::span<const std::byte> bytes,
                     const std::filesystem::path& name);
Result<void> readAt(int descriptor, Index offset, std::span<std::byte> bytes,
                    const std::filesystem::path& name);

// Bytes that may still be written below a folder (or where it would be made).
Result<Index> freeSpace(const std::filesystem::path& folder);
// Makes a folder and those above it.
Result<void> makeFolder(const std::filesystem::path& folder);

} // namespace cellfolio
