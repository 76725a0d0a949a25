// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/gene_index_store.h"
#include "core/matrix/gene_vectors.h"
#include "core/matrix/matrix_reader.h"
#include "core/matrix/sparse_source.h"
#include "core/run/progress.h"

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

namespace cellfolio {

// How the values of a gene come.
enum class GeneWay {
    Memory, // kept from before
    Indexed, // from the gene index
    ByGene, // stored together: CSC
    Dense,  // its part of every row or chunk
    Cells,  // few cells: their entries
    Scan,   // a pass over the whole matrix
};
std::string_view nameOf(GeneWay way); // "memory", "index", "by-gene", "dense", "cells", "scan"

// What reading genes costs, before it is done.
struct GeneCost {
    GeneWay way = GeneWay::Scan;
    Index entries = 0;  // values to pass, about
    Index bytes = 0;    // to decode, about
    double seconds = 0; // about; from the last scan of this matrix where there was one
    bool worthIndex = false; // whether a gene index would make it quick
};

// Genes of a matrix of cells × genes by the quickest way there is: a gene index where a fresh one
// exists, else as the matrix is stored. Also columns of any other two-dimensional array.
// Thread-safe; reading blocks. Keeps the genes read last (of all cells), charged to the budget.
class GeneSource
{
public:
    static constexpr Index kMostAtOnce = 64;

    // Requires what MatrixReader::open() does.
    static Result<std::shared_ptr<GeneSource>> open(std::shared_ptr<const Dataset> dataset,
                                                    const Element& matrix,
                                                    std::shared_ptr<Reading> reading);

    Index cells() const noexcept { return m_reader->rows(); }
    Index genes() const noexcept { return m_reader->columns(); }
    DType dtype() const noexcept { return m_reader->dtype(); }
    const Element& element() const noexcept { return m_reader->element(); }

    struct Request {
        std::vector<Index> genes; // positions on the var axis; repeats allowed, at most kMostAtOnce
        std::optional<Selection> cells = {}; // none: all
        std::stop_token stop = {};
        Progress* progress = nullptr;
        // For what can be painted while it is read. Called only where cells and genes ascend
        // without repeats; parts count within the selection of cells.
        GenePartVisitor part = {};
    };
    // One vector for each gene of the request, over its cells in their order, repeats kept.
    // What is damaged in a matrix stored by cell costs those cells only: GeneVectors::damage.
    Result<GeneVectors> read(const Request& request);
    GeneCost cost(const Request& request);

    // Takes the gene index of the matrix from now on, if the store has one that fits, else none.
    // Errors are those of GeneIndexStore::find(); Refused where none is needed.
    Result<void> lookForIndex(const GeneIndexStore& store, std::stop_token stop = {});
    std::shared_ptr<const GeneIndex> index() const;
    // Why an index was given up while it was in use; empty: none was. Reading goes on without.
    std::string indexFault() const;
    // Seconds that the last pass over the whole matrix took; 0: there was none.
    double scanSeconds() const;
    // What building one would take, by the pace of the last scan where there was one.
    Result<GeneIndexStore::Estimate> indexEstimate(const GeneIndexStore& store,
                                                   std::stop_token stop = {}) const;

    // Frees the genes that are kept.
    void dropKept();

private:
    GeneSource(std::shared_ptr<const Dataset> dataset, std::shared_ptr<const MatrixReader> reader,
               std::shared_ptr<Reading> reading, std::optional<SparseSource> sparse);

    struct Kept {
        Index gene;
        std::shared_ptr<const GeneVectors> vector; // one gene, all cells
    };

    std::shared_ptr<const GeneVectors> kept(Index gene);
    void keep(Index gene, std::shared_ptr<const GeneVectors> vector);
    void keepCopy(Index gene, const Values& values);
    // Without an index.
    GeneWay storedWay(const std::optional<Selection>& cells) const;
    Result<GeneVectors> readDistinct(const std::vector<Index>& genes, const Request& request);
    Result<GeneVectors> readBlocks(const std::vector<Index>& genes, const Request& request);
    Result<GeneVectors> readIndexed(const GeneIndex& index, const std::vector<Index>& genes,
                                    const Request& request);
    Result<GeneVectors> scan(const std::vector<Index>& genes, const Request& request);

    std::shared_ptr<const Dataset> m_dataset;
    std::shared_ptr<const MatrixReader> m_reader;
    std::shared_ptr<Reading> m_reading;
    std::optional<SparseSource> m_sparse;

    mutable std::mutex m_mutex;
    std::shared_ptr<const GeneIndex> m_index;
    std::string m_indexFault;
    std::vector<Kept> m_kept; // used last at the end
    double m_entriesPerSecond = 0; // of the last scan
};

} // namespace cellfolio
