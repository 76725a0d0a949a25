// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hdf5/output_file.h"

#include <vector>

namespace cellfolio {

// How the arrays of a new file are stored.
struct Storing {
    enum class As { Source, Chosen };
    As as = As::Source; // as the array they come from, where there is one; else as chosen
    hdf5::Compression chosen;
    Index chunk = 0; // length of a chunk along the first axis; 0: as the source has it, or usual
};

// Longest and usual chunks, and what of a matrix is held at once to fill a row of chunks.
constexpr Index kUsualChunk = Index{1} << 16;       // entries of a 1-D array
constexpr Index kLargestChunkBytes = Index{4} << 20;
constexpr Index kLargestBandBytes = Index{16} << 20;

struct ArrayShape {
    DType type = DType::Float32;
    std::vector<Index> shape;
    bool extensible = false;
};

// The layout of a new array. `like`: the array it takes the place of, or null; its chunks, filters
// and fill value are kept as far as they can be written here (filters that cannot become gzip, chunks
// of many MiB become shorter). Without compression arrays are contiguous, as other writers have them.
hdf5::NewArray planArray(const ArrayShape& wanted, const Storing& storing, const hdf5::ArrayInfo* like);

} // namespace cellfolio
