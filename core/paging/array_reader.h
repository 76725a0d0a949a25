// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/base/values.h"
#include "core/hdf5/file.h"
#include "core/paging/reading.h"
#include "core/select/selection.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

namespace cellfolio {

// A dataset of a file, or one field of a dataset of records. A value; empty when default made.
struct ArrayRef {
    std::shared_ptr<const hdf5::File> file;
    const hdf5::Object* object = nullptr; // kind Dataset, owned by the file
    int member = -1;                      // field of a compound

    explicit operator bool() const noexcept { return object != nullptr; }
    const hdf5::ArrayInfo& info() const { return *object->array; }
    const hdf5::StoredType& type() const; // of the values, of the field when it is one
    DType dtype() const { return type().cls == hdf5::TypeClass::Array ? type().base->value : type().value; }
    bool bigEndian() const;
    std::vector<Index> shape() const;     // an array field adds its dimensions at the end
    Index length() const;                 // of the first axis; 1 for a scalar, 0 for null
};

// Reads arrays of a file through the shared page cache: only the chunks that are touched are
// decoded, each once. Thread-safe, cheap to copy, blocking (never call it on the UI thread).
// Errors name the element by the path given at construction.
class ArrayReader
{
public:
    ArrayReader(ArrayRef array, std::shared_ptr<Reading> reading, std::string elementPath);

    const ArrayRef& array() const noexcept { return m_array; }
    DType dtype() const { return m_array.dtype(); }

    // All values of the block [start, start + count) on every axis, row-major. Scalars: both empty.
    Result<Values> block(const std::vector<Index>& start, const std::vector<Index>& count,
                         std::stop_token stop = {}) const;
    // Values first … first + count - 1 of a 1-D array (or rows of the first axis, whole, of an N-D).
    Result<Values> rows(Index first, Index count, std::stop_token stop = {}) const;
    // Rows of the first axis in the order of the selection, repeats kept; each row whole.
    // Close rows are read in one go, each chunk is decoded once whatever the order.
    Result<Values> rows(const Selection& rows, std::stop_token stop = {}) const;
    // 2-D (or more; further axes whole): the outer product of two selections.
    Result<Values> rowsAndColumns(const Selection& rows, const Selection& columns,
                                  std::stop_token stop = {}) const;
    Result<Values> all(std::stop_token stop = {}) const;

private:
    Result<Values> blockThroughPages(const std::vector<Index>& start,
                                     const std::vector<Index>& count, std::stop_token stop) const;

    ArrayRef m_array;
    std::shared_ptr<Reading> m_reading;
    std::string m_path;
    bool m_paged = false; // pages of decoded chunks; else through the library at level 0
};

// Several 1-D arrays of equal length, read once from `first` to `last` in blocks, in parallel,
// past the page cache (a scan must not flush what a person looks at).
struct ScanBlock {
    Index ordinal = 0; // 0, 1, 2 … in file order; blocks arrive in any order
    int worker = 0;    // 0 … threads-1; calls of one worker never overlap
    Index first = 0;   // position of the first value
    Index count = 0;
    // One for each array: native values of its dtype. Valid during the call only.
    std::vector<std::span<const std::byte>> bytes;

    template <typename T>
    std::span<const T> as(std::size_t array) const noexcept
    {
        return {reinterpret_cast<const T*>(bytes[array].data()), static_cast<std::size_t>(count)};
    }
};

struct ScanOptions {
    Index blockLength = 0;  // values a block; 0: chosen (0.25 to 1 million, whole chunks)
    int threads = 0;        // 0: those of `reading`
    std::stop_token stop = {};
    std::function<void(Index count)> progress = {}; // called from the workers
};

// Number of blocks a scan over [first, last) of these arrays will have, and the values in each.
struct ScanPlan {
    Index first = 0;
    Index last = 0;
    Index blockLength = 0;
    Index blocks = 0;
};
ScanPlan planScan(const std::vector<ArrayRef>& arrays, Index first, Index last,
                  const ScanOptions& options);

// Calls `visit` once for each block, from several threads. The first error a visit returns, or a
// read meets, ends the scan and is returned. Arrays: 1-D, real or complex dtypes. N-D arrays are
// scanned by rows of their first axis: then positions, counts and blockLength are rows, and bytes
// hold whole rows.
Result<void> scan(const std::vector<ArrayRef>& arrays, const std::string& elementPath,
                  Reading& reading, const ScanPlan& plan, const ScanOptions& options,
                  const std::function<Result<void>(const ScanBlock&)>& visit);

} // namespace cellfolio
