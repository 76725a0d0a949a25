// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/paging/array_reader.h"

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio {

// Streams whole arrays once, in parallel, past the page cache: a scan must not flush what a person
// looks at. Buffers are made once for each worker and reused; they are charged to the budget, and
// fewer workers run when it is small.

struct ScanOptions {
    Index blockLength = 0; // values a block; 0: chosen (about half a million, whole chunks)
    int threads = 0;       // 0: those of the Reading
    std::stop_token stop = {};
    std::function<void(Index count)> progress = {}; // values passed; called from the workers
};

// One stretch of several 1-D arrays of equal length.
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

// How [first, last) of these arrays will be cut: known before the scan, so that the visitor can
// make room for one partial result a block and fold them in order.
struct ScanPlan {
    Index first = 0;
    Index last = 0;
    Index blockLength = 0;
    Index blocks = 0;
    int threads = 1;
};
ScanPlan planScan(const std::vector<ArrayRef>& arrays, Index first, Index last,
                  const Reading& reading, const ScanOptions& options);

// Calls `visit` once for each block, from several threads. The first error that a visit returns or
// a read meets ends the scan and is returned (naming `elementPath`). Arrays: 1-D, numbers or
// booleans of any storage.
Result<void> scan(const std::vector<ArrayRef>& arrays, const std::string& elementPath,
                  Reading& reading, const ScanPlan& plan, const ScanOptions& options,
                  const std::function<Result<void>(const ScanBlock&)>& visit);

// One tile of an array of any rank: a chunk (or a stretch of a contiguous array), clipped to the
// array, its values packed row-major, native. `start` and `count` have the rank of ArrayRef::shape():
// the small arrays in a field of records are always whole.
struct ScanTile {
    Index ordinal = 0;
    int worker = 0;
    std::vector<Index> start;
    std::vector<Index> count;
    std::span<const std::byte> bytes;
    Index values = 0;

    template <typename T>
    std::span<const T> as() const noexcept
    {
        return {reinterpret_cast<const T*>(bytes.data()), static_cast<std::size_t>(values)};
    }
};

// Number of tiles scanTiles() will visit.
Index countTiles(const ArrayRef& array);

// The same for every tile of one array of rank ≥ 1, numbers or booleans.
Result<void> scanTiles(const ArrayRef& array, const std::string& elementPath, Reading& reading,
                       const ScanOptions& options,
                       const std::function<Result<void>(const ScanTile&)>& visit);

} // namespace cellfolio
