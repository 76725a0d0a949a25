// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/external_transpose.h"
#include "core/matrix/gene_coding.h"
#include "core/matrix/sparse_source.h"

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace cellfolio {

// What a gene index was made from: enough to tell whether it still fits.
struct GeneIndexOrigin {
    std::uint64_t fingerprint = 0; // of the file, the same for a copy
    std::uint64_t sample = 0;      // of entries here and there in the matrix
    hdf5::FileIdentity identity;   // of the file as it lay there
    std::string file;              // its path then
    std::string matrix;            // where its values lie inside

    // From a file that is open. Reads some chunks of the matrix for the sample.
    static Result<GeneIndexOrigin> of(const Dataset& dataset, const SparseSource& source,
                                      std::shared_ptr<Reading> reading, std::stop_token stop);
    // The same without the sample.
    static Result<GeneIndexOrigin> quick(const Dataset& dataset, const Element& matrix);
};

// One gene in the file's directory.
struct GeneIndexEntry {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t countAndKind = 0; // entries; how the values are kept in the highest byte
    std::uint64_t checksum = 0;
};

// A companion of a matrix stored by cell, in a file of its own: the entries of each gene together,
// coded as in GeneCoder. All is checked by lengths and checksums before it is believed; what does
// not hold ends in Corrupt. Layout, little-endian: a header of 4096 bytes, the codes of the genes
// in any order, the directory (32 bytes a gene). Thread-safe.
class GeneIndex
{
public:
    // NotFound where there is none; Corrupt where it is damaged or of another version.
    static Result<std::shared_ptr<const GeneIndex>> open(const std::filesystem::path& path,
                                                         std::shared_ptr<Reading> reading);
    ~GeneIndex();
    GeneIndex(const GeneIndex&) = delete;
    GeneIndex& operator=(const GeneIndex&) = delete;

    const GeneIndexOrigin& origin() const noexcept { return m_origin; }
    const std::filesystem::path& path() const noexcept { return m_path; }
    Index cells() const noexcept { return m_cells; }
    Index genes() const noexcept { return static_cast<Index>(m_directory.size()); }
    Index entries() const noexcept { return m_entries; }
    Index bytes() const noexcept { return m_bytes; } // of the file
    DType dtype() const noexcept { return m_type; }
    Index entriesOf(Index gene) const noexcept;
    Index bytesOf(Index gene) const noexcept;

    // The stored entries of a gene, explicit zeros and duplicates too. One read.
    Result<GeneEntries> entries(Index gene) const;
    // All cells, 0 where there is no entry, entries of one cell added up (integers that leave
    // their type: Corrupt, B007o). The values are the caller's to account for.
    Result<Values> values(Index gene) const;

private:
    GeneIndex() = default;
    friend class GeneIndexWriter;

    std::filesystem::path m_path;
    std::shared_ptr<Reading> m_reading;
    MemoryReservation m_charge;
    GeneIndexOrigin m_origin;
    int m_descriptor = -1;
    Index m_cells = 0;
    Index m_entries = 0;
    Index m_bytes = 0;
    DType m_type = DType::Other;
    std::vector<GeneIndexEntry> m_directory;
};

// Writes an index beside its place; commit() puts it there whole. Until then, and when the program
// ends at any moment, nothing is there.
class GeneIndexWriter
{
public:
    struct Shape {
        Index cells = 0;
        Index genes = 0;
        Index entries = 0;
        DType type = DType::Other;
    };
    static Result<std::unique_ptr<GeneIndexWriter>> create(const std::filesystem::path& path,
                                                           const GeneIndexOrigin& origin,
                                                           Shape shape);
    ~GeneIndexWriter();
    GeneIndexWriter(const GeneIndexWriter&) = delete;
    GeneIndexWriter& operator=(const GeneIndexWriter&) = delete;

    // From several threads, each gene from one of them. Coded genes are collected and written in
    // pieces of a MiB, long ones by themselves; memory is the gene at hand (GeneCoder::bytesAnEntry)
    // and such a piece for each worker.
    void setWorkers(int workers);
    Result<void> add(const TransposedPiece& piece);
    // Returns the size of the file.
    Result<Index> commit();

    // Removes what builds that did not end left in a folder; running ones are left alone.
    static void removeLeftovers(const std::filesystem::path& folder);

private:
    struct Worker;
    GeneIndexWriter() = default;
    Result<void> flush(Worker& own);

    std::filesystem::path m_path;
    std::filesystem::path m_part;
    GeneIndexOrigin m_origin;
    Shape m_shape;
    int m_descriptor = -1;
    std::atomic<Index> m_size{0};
    std::vector<GeneIndexEntry> m_directory;
    std::vector<std::unique_ptr<Worker>> m_workers;
};

} // namespace cellfolio
