// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <filesystem>

namespace cellfolio::hdf5 {

// What the first bytes of a file say, read without the library.
struct Signature {
    Index userBlock = 0;   // where the superblock lies
    int version = 0;       // of the superblock
    bool markedOpen = false; // a writer has it open, or did not close it
    Index endOfFile = 0;   // where the file says it ends; 0: not known
    Index size = 0;        // of the file
    int addressSize = 8;   // bytes of an address in it
    int lengthSize = 8;    // bytes of a length in it
    std::uint64_t root = 0; // address of the root group's header, from the superblock on
    int groupNodes = 16;   // half the most entries of a node of a group's tree …
    int groupLeaves = 4;   // … and of its leaves
    int chunkNodes = 32;   // … and of a node of the tree of an array's chunks
};

// Refuses, in one plain sentence that says what the file is instead, what is empty, no HDF5 file,
// cut off, a folder, not there or not allowed to be read.
Result<Signature> readSignature(const std::filesystem::path& path);

} // namespace cellfolio::hdf5
