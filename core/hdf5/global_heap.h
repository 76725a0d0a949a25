// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/buffer.h"
#include "core/hdf5/raw_file.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace cellfolio::hdf5 {

// Reads texts of variable length. The file stores such a text as a reference {length, address of a
// collection, number in it}; collections ("global heap", HDF5 file format III.E) hold the bytes of
// some hundred texts each. The library crashes or runs forever in a damaged collection, so it is
// never asked: here each length, address and number is checked before it is used.
// One for each read; keeps the last collections, at most kKept bytes. Not thread-safe.
class GlobalHeap
{
public:
    explicit GlobalHeap(const RawFile& file) : m_file(file) {}

    // The text behind a stored reference (heapReferenceSize() bytes), up to its first NUL; empty
    // for a null reference. Corrupt: says what is wrong, without the place.
    Result<std::string> text(std::span<const std::byte> reference);

    static constexpr std::size_t kKept = std::size_t{4} << 20;

private:
    struct Entry {
        std::uint64_t offset = 0; // in the collection; 0: none of that number
        std::uint64_t size = 0;
    };
    struct Collection {
        std::uint64_t size = 0;
        Buffer bytes;                // all of it; empty where that would be too much
        std::vector<Entry> entries;  // by number
    };

    Result<const Collection*> collection(std::uint64_t address);
    Result<Collection> load(std::uint64_t address);
    Result<std::span<const std::byte>> ahead(std::uint64_t address, std::size_t size);

    const RawFile& m_file;
    std::unordered_map<std::uint64_t, Collection> m_collections;
    std::size_t m_kept = 0;
    std::uint64_t m_lastAddress = 0;
    const Collection* m_last = nullptr;
    Buffer m_window; // read ahead: collections written together lie together
    std::uint64_t m_windowAddress = 0;
};

} // namespace cellfolio::hdf5
