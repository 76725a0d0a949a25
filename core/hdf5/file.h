// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/buffer.h"
#include "core/base/result.h"
#include "core/base/values.h"
#include "core/hdf5/hdf5_thread.h"
#include "core/hdf5/object.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <vector>

namespace cellfolio::hdf5 {


// Chunks as stored, before their filters, one behind the other in one buffer. Made for reuse: a
// reader passes the same one again. Shared, since a cancelled reader leaves while the HDF5 thread
// may still be writing into it.
struct RawChunks {
    struct Item {
        std::size_t offset = 0;
        std::size_t size = 0;    // 0: the chunk was never written
        unsigned filterMask = 0; // bit k set: filter k was skipped for this chunk
    };
    Buffer bytes;
    std::vector<Item> items;

    std::span<const std::byte> chunk(std::size_t i) const noexcept
    {
        return bytes.span().subspan(items[i].offset, items[i].size);
    }
};

class RawFile;
class ChunkDirectory;

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
class File : public std::enable_shared_from_this<File>
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
    // numbers, booleans, complex, texts (those of variable length past the library, which trusts
    // damaged heaps; a fault names the row). `count` has the rank of the dataset (empty for scalars);
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

    // The same as stored bytes, in the file's own type and byte order. Texts and lists of variable
    // length stay references into their heap.
    Result<void> readBytes(const Object& dataset, const Slab& slab, std::shared_ptr<Buffer> into,
                           Lane lane, std::stop_token stop = {}) const;

    // Level 1: chunks as stored. `offsets` holds rank() entries a chunk, in values. Once a good part
    // of a dataset was asked for in bulk, its chunks are read past the library where their tree is
    // of the older kind (level 2): then by the calling thread, side by side with others.
    Result<void> readChunks(const Object& dataset, std::vector<Index> offsets,
                            std::shared_ptr<RawChunks> into, Lane lane,
                            std::stop_token stop = {}) const;

    // Bytes on disk. Walks the chunk index of a chunked dataset: costs with the number of chunks.
    Result<Index> storedBytes(const Object& dataset, std::stop_token stop = {}) const;

    // The library's handles of the file and of a dataset, for what copies from it. They stay the
    // file's own. HDF5 thread only.
    std::int64_t handle() const;
    Result<std::int64_t> handleOf(const Object& dataset) const;

private:
    File() = default;
    struct Handles;
    Result<Values> readTexts(const Object& dataset, const Slab& slab, Lane lane,
                             const std::stop_token& stop) const;

    std::filesystem::path m_path;
    Object m_root;
    FileIdentity m_identity;
    int m_superblock = 0;
    Index m_userBlock = 0;
    std::uint64_t m_id = 0;
    std::vector<std::pair<std::uint64_t, const Object*>> m_byAddress; // sorted
    std::shared_ptr<const RawFile> m_raw;
    std::unique_ptr<ChunkDirectory> m_chunks;
    std::unique_ptr<Handles> m_handles; // touched on the HDF5 thread only
};

// Bytes read by this process from all files so far, as stored; for the rate in the status bar.
Index bytesReadSoFar();

} // namespace cellfolio::hdf5
