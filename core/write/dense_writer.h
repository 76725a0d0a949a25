// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/buffer.h"
#include "core/hdf5/output_file.h"

#include <stop_token>

namespace cellfolio {

// Writes a dense array of two or more dimensions in blocks of whole rows, in any order, from any
// thread. Chunks are packed by the calling threads.
class DenseWriter
{
public:
    DenseWriter() = default;
    explicit DenseWriter(hdf5::OutputArray array) : m_array(std::move(array)) {}

    Index rows() const noexcept { return m_array.info().shape.front(); }
    // Values of a row.
    Index width() const noexcept;
    Index rowBytes() const noexcept { return width() * m_array.info().type.size; }
    // Blocks begin at multiples of this and are as long as multiples of it, but for the last: rows of
    // a chunk, or 1.
    Index bandRows() const noexcept;

    // Rows first … first + rows - 1, row-major, in the array's own type. With more than one thread
    // its chunks are packed in parallel.
    Result<void> write(Index first, Index rows, const std::byte* values, int threads = 1,
                       const std::stop_token& stop = {}) const;

    const hdf5::OutputArray& array() const noexcept { return m_array; }

private:
    struct Scratch {
        Buffer chunk;
        hdf5::EncodeScratch encode;
    };
    Result<void> writeChunk(Index ordinal, Index first, Index rows, const std::byte* values,
                            Scratch& scratch) const;

    hdf5::OutputArray m_array;
};

} // namespace cellfolio
