// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/buffer.h"
#include "core/base/result.h"
#include "core/hdf5/object.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace cellfolio::hdf5 {

// Memory that decoding needs between two filters; one for each thread, reused.
struct DecodeScratch {
    Buffer first;
    Buffer second;
};

// Whether decodeChunk() knows every filter of the dataset (and a combination of them it can undo).
bool canDecode(const ArrayInfo& info);

// Undoes the filters of one stored chunk into `out`, which has the size of a whole chunk. Bit k of
// `filterMask` says that filter k was skipped. Pure; any thread. Corrupt (A056) where the stream is
// damaged, its checksum does not hold or its length is not what it must be.
Result<void> decodeChunk(const ArrayInfo& info, std::span<const std::byte> stored,
                         unsigned filterMask, std::span<std::byte> out, DecodeScratch& scratch);

// The single steps, for tests.
void unshuffle(std::span<const std::byte> in, std::span<std::byte> out, std::size_t itemSize);
void bitUnshuffle(std::span<const std::byte> in, std::span<std::byte> out, std::size_t itemSize,
                  std::size_t blockItems);
std::uint32_t fletcher32(std::span<const std::byte> bytes);

} // namespace cellfolio::hdf5
