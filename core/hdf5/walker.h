// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hdf5/object.h"

namespace cellfolio::hdf5 {

// Walks a file from its root and describes every link once. HDF5 thread only.
Object walk(std::int64_t file);

} // namespace cellfolio::hdf5
