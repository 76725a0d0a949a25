// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hdf5/object.h"
#include "core/hdf5/raw_file.h"

namespace cellfolio::hdf5 {

// Reads the attributes of an object, sorted by name: from its header, past the library, which is
// asked only for those stored in a place of their own (many or large ones of the newer layouts)
// or with a named type. One that is damaged is left out, or is not `readable`. HDF5 thread only.
std::vector<Attribute> readAttributes(std::int64_t object, std::uint64_t address, const RawFile& file);

} // namespace cellfolio::hdf5
