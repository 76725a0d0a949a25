// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hdf5/object.h"

namespace cellfolio::hdf5 {

// Describes a library datatype. HDF5 thread only.
StoredType describeType(std::int64_t type);

// Describes how a dataset is stored, from its handle. HDF5 thread only.
ArrayInfo describeDataset(std::int64_t dataset);

// Reads the attributes of an object. HDF5 thread only.
std::vector<Attribute> readAttributes(std::int64_t object);

// Makes stored bytes of a direct type native: swaps them if they are big-endian. `stride` is the
// distance of two values in `source`; values are packed in `target`. Any thread.
void toNative(const StoredType& type, const std::byte* source, std::size_t stride, Index count,
              std::byte* target);

// Text of fixed length as stored at `bytes`: up to the first NUL, without padding. Any thread.
std::string fixedText(const StoredType& type, const std::byte* bytes);

} // namespace cellfolio::hdf5
