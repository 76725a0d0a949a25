// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/dtype.h"
#include "core/base/result.h"
#include "core/hdf5/encode.h"
#include "core/hdf5/object.h"
#include "core/run/file_system.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace cellfolio::hdf5 {

// What an attribute of a new file can hold. Written as the format wants it: texts of variable
// length in UTF-8, booleans as an enum FALSE/TRUE, numbers of 64 bits. An empty list of texts becomes
// a list of no floats, which is what NumPy makes of [] and readers expect.
using AttributeValue = std::variant<std::string, std::vector<std::string>, bool, std::int64_t,
                                    std::vector<std::int64_t>, double>;

// A new array. Values are little-endian, of this type; Bool as an enum FALSE/TRUE of one byte, text
// of variable length in UTF-8.
struct NewArray {
    DType type = DType::Float32;
    bool isScalar = false;
    std::vector<Index> shape;
    std::vector<Index> chunk;     // empty: contiguous
    bool extensible = false;      // the first axis may grow; needs chunks
    std::vector<Filter> filters;  // by id and parameters; needs chunks
    std::vector<std::byte> fill;  // empty: zeros
    Index textLength = 0;         // of texts of fixed length, filled up with NUL; 0: of variable length

    // Filters for new chunks of this compression.
    static std::vector<Filter> filtersFor(const Compression& compression, DType type);
};

enum class GroupSize { Usual, ManyAttributes };

struct OutputOptions {
    Index userBlock = 0; // bytes in front, a power of two from 512 on
    int superblock = 0;  // at least this version; readers of all ages know 0
    // Of the root group, as the library codes it: whether the order in which members, and attributes, were
    // made is kept.
    unsigned linkOrder = 0;
    unsigned attributeOrder = 0;
};

class OutputArray;

// A new HDF5 file being written through a descriptor. Any thread may call; each call is carried out
// on the HDF5 thread and waited for. Paths are absolute ("/obs/n_genes"); groups on the way are made.
// A failure of the system (OutOfDisk …) comes back from the call that met it or from a later one, at
// the latest from close().
class OutputFile : public std::enable_shared_from_this<OutputFile>
{
public:
    // The descriptor must be open for reading and writing, the file empty; both stay the caller's and
    // outlive this object.
    static Result<std::shared_ptr<OutputFile>> create(int descriptor, FileSystem& system,
                                                      const OutputOptions& options = {});
    ~OutputFile(); // closes without looking at failures
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    // ManyAttributes: or large ones, such as a list of thousands of columns: they are then stored in a
    // way that has room for more than 64 KiB.
    Result<void> createGroup(const std::string& path, GroupSize size = GroupSize::Usual);
    Result<OutputArray> createArray(const std::string& path, const NewArray& array);
    // A dataset without a value.
    Result<void> createNull(const std::string& path);
    Result<void> setAttribute(const std::string& path, const std::string& name,
                              const AttributeValue& value);
    Result<void> createSoftLink(const std::string& path, const std::string& target);
    // Another name for what is at `existing`.
    Result<void> createHardLink(const std::string& path, const std::string& existing);
    // Flushes and closes; the file is then whole, but not yet on the disk for certain.
    Result<void> close();

    struct State; // touched on the HDF5 thread only
    State& state() noexcept { return *m_state; }
    // What failed first, for those who call the library themselves. HDF5 thread only.
    Result<void> check() const;

private:
    OutputFile() = default;
    std::unique_ptr<State> m_state;
};

// One array of a new file. A value; copies mean the same array.
class OutputArray
{
public:
    OutputArray() = default;

    const ArrayInfo& info() const noexcept;
    const std::string& path() const noexcept;

    // Native values of the block [start, start + count), row-major; scalars: both empty.
    Result<void> write(const std::vector<Index>& start, const std::vector<Index>& count,
                       std::span<const std::byte> values) const;
    // Texts first … of a 1-D array (or of an N-D one, row-major; a scalar: one). None may hold a NUL (Refused, A025).
    Result<void> writeTexts(Index first, std::span<const std::string> texts) const;
    // One whole chunk, packed by encodeChunk(); `offset` in values. The chunk must lie in the array.
    Result<void> writeChunk(const std::vector<Index>& offset, std::span<const std::byte> stored,
                            unsigned filterMask) const;
    Result<void> resize(const std::vector<Index>& shape);
    Result<void> setAttribute(const std::string& name, const AttributeValue& value) const;

private:
    friend class OutputFile;
    friend class ObjectCopier;
    struct State;
    std::shared_ptr<OutputFile> m_file;
    std::shared_ptr<State> m_state;
};

} // namespace cellfolio::hdf5
