// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hdf5/file.h"

namespace cellfolio::hdf5 {

// Reads of an open dataset, on the HDF5 thread. `dataset` is the library's handle.

// Level 0, values made native.
Result<Values> readValues(std::int64_t dataset, const ArrayInfo& info, const File::Slab& slab);
// Level 0, stored bytes of a fixed-size type.
Result<void> readStored(std::int64_t dataset, const ArrayInfo& info, const File::Slab& slab,
                        Buffer& into);
// Level 1, chunks before their filters.
Result<void> readStoredChunks(std::int64_t dataset, const ArrayInfo& info,
                              const std::vector<Index>& offsets, std::uint64_t fileSize, RawChunks& into);

// The error for a failed read, from the library's stack and what is known of the dataset.
Error readError(const ArrayInfo& info);

void countBytesRead(Index bytes);

} // namespace cellfolio::hdf5
