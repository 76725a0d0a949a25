// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/hdf5/signature.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace cellfolio::hdf5 {

// Takes numbers (little-endian, as all of HDF5's metadata) from bytes in memory. Asked for more
// than there is it answers zeros and is not ok() from then on: test once, at the end.
class Cursor
{
public:
    explicit Cursor(std::span<const std::byte> bytes) : m_bytes(bytes) {}

    std::uint64_t number(std::size_t size) noexcept;
    std::span<const std::byte> take(std::size_t size) noexcept;
    void skip(std::size_t size) noexcept { take(size); }
    std::size_t left() const noexcept { return m_bytes.size() - m_place; }
    std::size_t place() const noexcept { return m_place; }
    bool ok() const noexcept { return m_ok; }
    bool startsWith(const char (&signature)[5]) noexcept; // and steps over it when it does

private:
    std::span<const std::byte> m_bytes;
    std::size_t m_place = 0;
    bool m_ok = true;
};

// The bytes of a file, read beside the library, by the addresses that HDF5 uses (they count from
// the superblock). Nothing found in the file is trusted: what lies outside is an error. Thread-safe.
class RawFile
{
public:
    static Result<std::shared_ptr<const RawFile>> open(const std::filesystem::path& path,
                                                       const Signature& signature);
    ~RawFile();
    RawFile(const RawFile&) = delete;
    RawFile& operator=(const RawFile&) = delete;

    std::size_t addressSize() const noexcept { return m_addressSize; } // of an address, in bytes
    std::size_t lengthSize() const noexcept { return m_lengthSize; }   // of a length, in bytes
    std::uint64_t size() const noexcept { return m_size; }             // from the superblock on
    // The address that stands for none.
    std::uint64_t undefined() const noexcept;
    // Whether so many bytes at that address lie in the file.
    bool holds(std::uint64_t address, std::uint64_t size) const noexcept
    {
        return address <= m_size && size <= m_size - address;
    }
    // Stored size of a reference into the heap of texts: length, address, number.
    std::size_t heapReferenceSize() const noexcept { return 8 + m_addressSize; }

    // Reads all of `into`. Corrupt where the bytes lie outside of the file, Io where it fails.
    Result<void> read(std::uint64_t address, std::span<std::byte> into) const;

private:
    RawFile(int fd, const Signature& signature);

    int m_fd;
    std::uint64_t m_base;
    std::uint64_t m_size;
    std::size_t m_addressSize;
    std::size_t m_lengthSize;
};

} // namespace cellfolio::hdf5
