// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/buffer.h"
#include "core/base/values.h"
#include "core/hdf5/output_file.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cellfolio {

// Cuts a run of values into the chunks of a 1-D array. Values handed in are held only until their
// chunk is full; a chunk that lies within what was handed in is not copied at all.
class ChunkStream
{
public:
    explicit ChunkStream(hdf5::OutputArray array);

    // A chunk to be packed and written: bytes of the caller's, or its own.
    struct Ready {
        Index first = 0;
        std::span<const std::byte> bytes;
        Buffer held;
    };
    // Appends `count` values and hands out the chunks that became full. Not thread-safe.
    void take(const std::byte* values, Index count, std::vector<Ready>& ready);
    // Packs and writes one; any thread, any order. The array must reach behind it.
    Result<void> write(const Ready& chunk, hdf5::EncodeScratch& scratch) const;
    // What has not filled a chunk, filled up with zeros; nothing where there is none. Then it is empty.
    std::vector<Ready> takeRest();

    Index length() const noexcept { return m_length; } // values so far
    Index chunkLength() const noexcept { return m_chunk; }
    const hdf5::OutputArray& array() const noexcept { return m_array; }
    hdf5::OutputArray& array() noexcept { return m_array; }

private:
    hdf5::OutputArray m_array;
    Index m_chunk;
    std::size_t m_item;
    Index m_length = 0;
    Buffer m_rest;
};

// Writes a 1-D array of known length from its first value to its last, in blocks of any length, on
// one thread. Numbers in the array's own type, or texts.
class ArrayWriter
{
public:
    ArrayWriter() = default;
    explicit ArrayWriter(hdf5::OutputArray array);

    // The next values; their dtype must be that of the array (Internal otherwise). Marks of missing
    // values are not looked at.
    Result<void> append(const Values& values);
    Result<void> append(const std::byte* values, Index count);
    Result<void> append(std::span<const std::string> texts);
    // To be called at the end; Internal where values are missing.
    Result<void> finish();

    const hdf5::OutputArray& array() const noexcept { return m_array; }

private:
    Result<void> flushTexts(bool all);

    hdf5::OutputArray m_array;
    std::shared_ptr<ChunkStream> m_stream; // chunked numbers
    hdf5::EncodeScratch m_scratch;
    std::vector<std::string> m_texts;      // of chunked texts, until a chunk is full
    Index m_length = 0;
};

} // namespace cellfolio
