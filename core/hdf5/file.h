// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/base/values.h"
#include "core/hdf5/object.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <vector>

namespace cellfolio::hdf5 {

// Which queue of the HDF5 thread a read waits in: what a person looks at goes first.
enum class Lane { Interactive, Bulk };

// A chunk as stored, before its filters.
struct RawChunk {
    std::vector<std::byte> bytes; // empty: the chunk was never written
    unsigned filterMask = 0;      // bit k set: filter k was skipped for this chunk
};

struct FileIdentity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    Index size = 0;
    Index modified = 0; // ns since the epoch
    bool operator==(const FileIdentity&) const = default;
};

// A file opened for reading, without a lock, its structure in memory. Every call to the HDF5
// library happens on one thread of its own; the functions here may be called from any other
// thread and block until that one has answered (or `stop` is requested: Cancelled).
// Shared: readers keep the file open by holding the pointer.
class File
{
public:
    // Opens and walks the structure: links, types, shapes, attributes; no dataset is read.
    // NotHdf5, Corrupt (A001, cut off), PermissionDenied, NotFound … in plain sentences.
    static Result<std::shared_ptr<const File>> open(const std::filesystem::path& path);
    ~File();
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    const std::filesystem::path& path() const noexcept { return m_path; }
    const Object& root() const noexcept { return m_root; }
    // The object at that address in the tree (first link met), or null.
    const Object* objectAt(std::uint64_t address) const noexcept;
    Index size() const noexcept { return m_identity.size; }
    int superblockVersion() const noexcept { return m_superblock; }
    Index userBlock() const noexcept { return m_userBlock; }
    std::uint64_t id() const noexcept { return m_id; } // differs for every open of every file

    // 64-bit hash of size, first and last 64 KiB and 16 blocks between; the same for a copy.
    Result<std::uint64_t> fingerprint() const;
    // Whether the path now leads to another file, or to other bytes (inode, size, time).
    bool changedOnDisk() const;
    // Whether another program holds a write lock on it now.
    bool lockedByWriter() const;

    // Level 0: reads a hyperslab through the library, in the file's own type made native:
    // numbers, booleans, complex, texts. `count` has the rank of the dataset (empty for scalars);
    // `step` may be empty (all 1). `member`: field of a compound, -1 for none; an array field adds
    // its dimensions at the end.
    struct Slab {
        std::vector<Index> start;
        std::vector<Index> count;
        std::vector<Index> step;
        int member = -1;
    };
    Result<Values> read(const Object& dataset, const Slab& slab, Lane lane,
                        std::stop_token stop = {}) const;

    // Level 1: chunks as stored. `offsets` holds rank() entries a chunk, in values.
    Result<std::vector<RawChunk>> readChunks(const Object& dataset, std::vector<Index> offsets,
                                             Lane lane, std::stop_token stop = {}) const;
    // Level 1 for contiguous datasets of direct types: bytes of values first … first+count-1 in
    // file order and file byte order, into dst.
    Result<void> readContiguous(const Object& dataset, Index first, Index count,
                                std::span<std::byte> dst, Lane lane, std::stop_token stop = {}) const;

    // Bytes on disk. Walks the chunk index of a chunked dataset: costs with the number of chunks.
    Result<Index> storedBytes(const Object& dataset, std::stop_token stop = {}) const;

private:
    File() = default;
    struct Handles;

    std::filesystem::path m_path;
    Object m_root;
    FileIdentity m_identity;
    int m_superblock = 0;
    Index m_userBlock = 0;
    std::uint64_t m_id = 0;
    std::vector<std::pair<std::uint64_t, const Object*>> m_byAddress; // sorted
    std::unique_ptr<Handles> m_handles; // touched on the HDF5 thread only
};

// Bytes read by this process from all files so far, as stored; for the rate in the status bar.
Index bytesReadSoFar();

} // namespace cellfolio::hdf5
