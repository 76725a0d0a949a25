// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hdf5/object.h"
#include "core/hdf5/raw_file.h"
#include "core/hdf5/structure_check.h"

namespace cellfolio::hdf5 {

// Walks a file from its root and describes every link once. What `check` finds unsound is not
// opened: it is listed with its failure. HDF5 thread only.
Object walk(std::int64_t file, const RawFile& raw, StructureCheck& check);

} // namespace cellfolio::hdf5
