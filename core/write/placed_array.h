// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/buffer.h"
#include "core/hdf5/output_file.h"

#include <map>
#include <mutex>
#include <span>

namespace cellfolio {

// Writes a chunked 1-D array of known length from several threads, each of which brings stretches of it
// that may begin and end anywhere. A chunk that lies in one stretch is packed by its thread; one that
// several share is put together here. Memory: a chunk for each thread, and one for each end of a stretch
// whose neighbour has not come yet.
class PlacedArray
{
public:
    // Requires: chunked, as long as it will be.
    explicit PlacedArray(hdf5::OutputArray array);

    // What one thread holds; not shared.
    class Stretch
    {
    public:
        Stretch() = default;

    private:
        friend class PlacedArray;
        Index m_begin = 0; // what is held: values m_begin … m_next - 1, all of one chunk
        Index m_next = 0;
        Buffer m_chunk;
        hdf5::EncodeScratch m_scratch;
    };
    // Values at a place. Every value of the array comes once.
    Result<void> put(Stretch& stretch, Index place, const std::byte* values, Index count);
    // Hands over what is held; at the end, for each stretch.
    Result<void> close(Stretch& stretch);
    // Internal where values are missing.
    Result<void> finish() const;

    Index chunkBytes() const noexcept { return m_chunk * m_item; }

private:
    struct Partial {
        Buffer bytes;
        Index filled = 0;
    };
    Result<void> write(Index chunk, std::span<const std::byte> bytes, hdf5::EncodeScratch& scratch) const;

    hdf5::OutputArray m_array;
    Index m_length;
    Index m_chunk;
    Index m_item;
    std::mutex m_mutex;
    std::map<Index, Partial> m_partial; // by number of the chunk
    Index m_written = 0;                // values handed over, under the lock
};

} // namespace cellfolio
