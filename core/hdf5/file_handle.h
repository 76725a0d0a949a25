// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/hdf5/handle.h"
#include "core/hdf5/signature.h"
#include "core/hdf5/structure_check.h"

#include <filesystem>
#include <string>

// Opening a file through the library: without a lock, with small caches. HDF5 thread only.
namespace cellfolio::hdf5 {

// Why a file with that signature does not open (A001, A002).
Error openError(const Signature& signature, const std::string& reason);

// For a list of properties to open or make a file with.
void keepCachesSmall(std::int64_t access);

Result<Handle> openFileHandle(const std::filesystem::path& path, const Signature& signature);

TreeWidths widthsOf(std::int64_t file);

} // namespace cellfolio::hdf5
