// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hdf5/object.h"

namespace cellfolio::hdf5 {

// Describes a library datatype; sizes and offsets are those in the file, where a reference into the
// heap of texts takes `referenceSize` bytes. HDF5 thread only.
StoredType describeType(std::int64_t type, Index referenceSize);

// Describes how a dataset is stored, from its handle. HDF5 thread only.
ArrayInfo describeDataset(std::int64_t dataset, Index referenceSize);

// Whether values of a type hold references into the heap, for texts or lists.
bool holdsReferences(const StoredType& type);

// Makes stored bytes of a direct type native: swaps them if they are big-endian. `stride` is the
// distance of two values in `source`; values are packed in `target`. Any thread.
void toNative(const StoredType& type, const std::byte* source, std::size_t stride, Index count,
              std::byte* target);

// Text of fixed length as stored at `bytes`: up to the first NUL, without padding. Any thread.
std::string fixedText(const StoredType& type, const std::byte* bytes);

} // namespace cellfolio::hdf5
