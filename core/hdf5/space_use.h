// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hdf5/file.h"

namespace cellfolio::hdf5 {

// How much of a file serves for anything that can be reached from its root.
struct SpaceUse {
    Index fileBytes = 0;
    Index usedBytes = 0; // headers, lists of chunks, stored values, texts of variable length

    Index unusedBytes() const noexcept { return fileBytes > usedBytes ? fileBytes - usedBytes : 0; }
};

// Adds up what everything in the file takes: costs with the number of chunks, and reads the stored
// references of texts (16 bytes each). Corrupt where something cannot be trusted: what is used is
// then not known. Blocking; any thread.
Result<SpaceUse> spaceUse(const std::shared_ptr<const File>& file, std::stop_token stop = {});

} // namespace cellfolio::hdf5
