// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/sparse_source.h"
#include "core/run/progress.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace cellfolio {

// Some entries of one index (one gene of a matrix stored by cell), in the order of their lines; of
// one line, as stored. Pieces of one index follow each other, on one worker.
struct TransposedPiece {
    int worker = 0;  // below the number that begin() was told
    Index index = 0;
    Index first = 0; // entries of this index before
    Index total = 0; // entries of it altogether
    bool last = false;
    std::span<const std::uint32_t> lines;
    const std::byte* values = nullptr; // native, of the matrix's dtype
};

// The entries of a sparse matrix regrouped the other way round (CSR to CSC and back) within a
// memory budget, however large it is. One decoding pass sorts block by block into a temporary
// file, from which ranges of indices are then gathered; the file takes 3 to 8 bytes an entry of
// counts, 6 and more of other values. Nothing is added up, sorted out or left out: explicit zeros
// and duplicates come as they are stored. Any impossible pointer or index ends it in Corrupt.
class ExternalTranspose
{
public:
    struct Options {
        std::filesystem::path folder; // for the temporary file
        int threads = 0;              // 0: those of the Reading
        std::stop_token stop = {};
        Progress* progress = nullptr;
        Index blockLength = 0; // entries sorted at once; 0: chosen
        Index gatherBytes = 0; // of the temporary file held at once; 0: chosen
        // Memory that the sink takes on each worker, and more of it for each entry of the longest index:
        // held for it meanwhile.
        Index sinkBytes = Index{2} << 20;
        double sinkBytesAnEntry = 0;
        Index* temporary = nullptr; // gets the size of the temporary file
    };

    ExternalTranspose(SparseSource source, std::shared_ptr<Reading> reading)
        : m_source(std::move(source)), m_reading(std::move(reading))
    {
    }

    // What is known before the first piece: entries of each index, and the number of workers.
    using Begin = std::function<Result<void>(const std::vector<Index>& counts, int workers)>;
    // Called from several workers; an index without entries does not come.
    using Sink = std::function<Result<void>(const TransposedPiece&)>;

    // OutOfBudget where the budget has no room for even one worker; OutOfDisk; Cancelled.
    Result<void> run(const Options& options, const Begin& begin, const Sink& sink) const;

    // Most bytes the temporary file may take, where values are `valueBytes` wide once narrowed.
    static Index temporaryBytes(Index entries, Index valueBytes);

private:
    SparseSource m_source;
    std::shared_ptr<Reading> m_reading;
};

} // namespace cellfolio
