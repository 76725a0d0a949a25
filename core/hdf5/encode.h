// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/buffer.h"
#include "core/base/result.h"
#include "core/hdf5/object.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace cellfolio::hdf5 {

enum class Packing { None, Gzip, Lzf, Zstd };

// How new chunks are packed. Gzip, lzf and zstd come behind shuffle.
struct Compression {
    Packing packing = Packing::None;
    int level = 2; // gzip 0–9, zstd 1–19

    bool operator==(const Compression&) const = default;
    // "none", "gzip", "gzip:6", "lzf", "zstd:5"; nothing for what is none of these.
    static std::optional<Compression> named(std::string_view text);
    std::string text() const;
};

// Memory that encoding needs; one for each thread, reused.
struct EncodeScratch {
    Buffer first;
    Buffer second;
};

// Whether encodeChunk() knows every filter of the dataset.
bool canEncode(const ArrayInfo& info);

// Applies the filters of a dataset to one whole chunk, as h5py does: a packer that does not make the
// chunk smaller is skipped, and its bit set in `filterMask`. The answer lies in `scratch` or is
// `chunk` itself. Pure; any thread.
Result<std::span<const std::byte>> encodeChunk(const ArrayInfo& info, std::span<const std::byte> chunk,
                                               EncodeScratch& scratch, unsigned& filterMask);

// The step that undoes unshuffle().
void shuffle(std::span<const std::byte> in, std::span<std::byte> out, std::size_t itemSize);

} // namespace cellfolio::hdf5
