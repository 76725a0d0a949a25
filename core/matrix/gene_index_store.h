// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/gene_index.h"
#include "core/run/progress.h"

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

namespace cellfolio {

// The gene indexes of all files, in the user's cache folder: one file a matrix, found by the
// fingerprint of the h5ad and the place of the matrix in it, so a copy of the h5ad has it too. What
// no longer fits and what is damaged is dropped; of the rest, what was used longest ago, once all
// together are larger than the limit. Thread-safe; several programs may use a folder at once: a
// build is seen whole or not at all, of two of the same matrix the later one stays.
class GeneIndexStore
{
public:
    static constexpr Index kDefaultLimit = Index{20} << 30;

    // $XDG_CACHE_HOME/cellfolio/genes, or that below ~/.cache.
    static std::filesystem::path defaultFolder();
    explicit GeneIndexStore(std::filesystem::path folder = defaultFolder(),
                            Index limit = kDefaultLimit)
        : m_folder(std::move(folder)), m_limit(limit)
    {
    }
    const std::filesystem::path& folder() const noexcept { return m_folder; }
    Index limit() const noexcept { return m_limit; }

    // Refused, with the reason, where a matrix needs no index: it is dense or stored by gene.
    static Result<void> canHave(const Element& matrix);

    // The index of a matrix, to be used. NotFound where there is none; FileChanged where there was
    // one that does not fit any more, Corrupt where it was damaged: it is gone then, as the sentence
    // says.
    Result<std::shared_ptr<const GeneIndex>> find(std::shared_ptr<const Dataset> dataset,
                                                  const Element& matrix,
                                                  std::shared_ptr<Reading> reading,
                                                  std::stop_token stop = {}) const;

    struct Status {
        bool exists = false;
        bool fresh = false;        // it can be used
        Index bytes = 0;           // on disk
        Index entries = 0;
        std::filesystem::path file; // where it is, or would be
        std::string why;            // why it cannot be used
    };
    // Looks without changing anything.
    Result<Status> status(std::shared_ptr<const Dataset> dataset, const Element& matrix,
                          std::shared_ptr<Reading> reading, std::stop_token stop = {}) const;

    struct Estimate {
        Index entries = 0;
        Index output = 0;    // bytes of the index
        Index temporary = 0; // bytes on the same disk while it is built
        Index memory = 0;
        double seconds = 0;
        std::filesystem::path folder;
        Index free = 0;     // bytes free there
        std::string reason; // why it cannot be built; empty: it can
        bool fits() const noexcept { return reason.empty(); }
    };
    // `scanSeconds`: what a pass over the indices took, where it is known.
    Result<Estimate> estimate(std::shared_ptr<const Dataset> dataset, const Element& matrix,
                              std::shared_ptr<Reading> reading, double scanSeconds = 0,
                              std::stop_token stop = {}) const;

    struct Built {
        Index bytes = 0;
        Index entries = 0;
        Index temporary = 0;
        std::filesystem::path file;
    };
    // Builds the index within the budget, in place of one that is there. OutOfDisk where it would
    // not fit the disk or the limit; Corrupt where the matrix is damaged; FileChanged where the
    // h5ad changed meanwhile. Nothing is left of a build that does not succeed.
    Result<Built> build(std::shared_ptr<const Dataset> dataset, const Element& matrix,
                        std::shared_ptr<Reading> reading, std::stop_token stop = {},
                        Progress* progress = nullptr) const;

    // Removes the index of a matrix, fresh or not, and says whether there was one.
    Result<bool> drop(const Dataset& dataset, const Element& matrix) const;

    // What all indexes take together.
    struct Total {
        Index indexes = 0;
        Index bytes = 0;
    };
    Total total() const;
    // Drops what was used longest ago until no more than `bytes` are left.
    void shrinkTo(Index bytes, const std::filesystem::path& keep = {}) const;
    // Drops every index; those being built are left alone. Io, naming the first file that cannot be
    // removed; the others are gone.
    Result<Total> clear() const; // what there was

private:
    std::filesystem::path pathOf(const GeneIndexOrigin& origin) const;
    // Why an index does not go with a matrix as it is now; empty: it does.
    Result<std::string> misfit(const GeneIndex& index, const Dataset& dataset,
                               const GeneIndexOrigin& now, const SparseSource& source,
                               std::shared_ptr<Reading> reading, std::stop_token stop) const;
    // Removes indexes of the same matrix of the same path that have another fingerprint; says
    // whether there were any.
    bool dropOutdated(const GeneIndexOrigin& now) const;

    std::filesystem::path m_folder;
    Index m_limit;
};

} // namespace cellfolio
