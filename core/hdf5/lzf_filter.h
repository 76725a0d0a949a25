// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace cellfolio::hdf5 {

// Makes the library able to decode LZF (filter 32000) as well, so that level 0 reads what level 1
// reads. Called once, on the HDF5 thread.
void registerLzf();

} // namespace cellfolio::hdf5
