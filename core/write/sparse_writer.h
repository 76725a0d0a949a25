// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/write/array_writer.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace cellfolio {

// Writes the three arrays of a CSR or CSC matrix from its first line to its last, from several
// threads: each batch of entries has a number, and a call waits until those before it have been
// taken over, which is quick; its chunks are then packed by the calling thread. A "line" is a row of
// CSR, a column of CSC. Memory: one chunk of each array beside what the callers hold.
class SparseWriter
{
public:
    struct Parts {
        hdf5::OutputArray data;
        hdf5::OutputArray indices; // extensible, like data; Int32 or Int64
        ArrayWriter indptr;        // of the same type, lines + 1 long
        Index lines = 0;
    };
    explicit SparseWriter(Parts parts);

    struct Batch {
        Index entries = 0;
        const std::byte* indices = nullptr; // in the type of the array
        const std::byte* values = nullptr;
        // Entries of the batch before the end of each line that ends in it.
        std::span<const Index> ends;
    };
    // Batch number `ordinal`, from 0 on, each once. Cancelled when the stop is requested or another
    // thread called abort() while it waits.
    Result<void> add(Index ordinal, const Batch& batch, hdf5::EncodeScratch& scratch,
                     const std::stop_token& stop = {});
    // For one thread: the next batch.
    Result<void> append(const Batch& batch);
    // A batch will not come: those who wait for it stop waiting.
    void abort();
    // Once all batches are in: the number of entries. Internal where lines are missing.
    Result<Index> finish();

    DType indexType() const noexcept { return m_indices.array().info().type.value; }
    DType type() const noexcept { return m_data.array().info().type.value; }

private:
    Result<void> addEnds(Index before, std::span<const Index> ends);
    Result<void> reach(ChunkStream& stream);

    ChunkStream m_data;
    ChunkStream m_indices;
    ArrayWriter m_indptr;
    Index m_lines;
    Index m_ended = 0; // lines
    std::mutex m_mutex;
    std::condition_variable_any m_turn;
    Index m_next = 0;
    bool m_aborted = false;
    std::optional<Error> m_error; // under the lock, so that later batches do not go on
    hdf5::EncodeScratch m_scratch;
    std::vector<std::byte> m_ends; // in the type of indptr
};

// Whether positions of such a matrix need 64 bits.
bool needsWideIndices(Index entries, Index width);

} // namespace cellfolio
