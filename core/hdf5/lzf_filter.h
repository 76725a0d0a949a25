// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace cellfolio::hdf5 {

// Makes the library able to read and write LZF (filter 32000) and zstd (32015) as well, so that
// level 0 reads what level 1 reads, and arrays packed like that can be created. Called once, on the
// HDF5 thread.
void registerLzf();

} // namespace cellfolio::hdf5
