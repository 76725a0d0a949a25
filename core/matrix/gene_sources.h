// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/gene_source.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio {

// The genes of all matrices of one file: one GeneSource a matrix, made when it is first asked for
// and shared by all who ask (colours, filters), so that what one of them has read the others have.
// Thread-safe; no lock is held while anything is read.
class GeneSources
{
public:
    // Without a store no gene index is looked for.
    GeneSources(std::shared_ptr<const Dataset> dataset, std::shared_ptr<Reading> reading,
                std::optional<GeneIndexStore> store);

    const std::shared_ptr<const Dataset>& dataset() const noexcept { return m_dataset; }
    // As GeneSource::open(), with the gene index of the matrix where the store has one that fits.
    // Blocking.
    Result<std::shared_ptr<GeneSource>> of(const Element& matrix, std::stop_token stop = {});
    // Null where it has not been asked for. Never blocks.
    std::shared_ptr<GeneSource> known(const Element& matrix) const;
    std::vector<std::shared_ptr<GeneSource>> allKnown() const;

    std::optional<GeneIndexStore> store() const;
    // From now on this store; indexes in use stay in use.
    void setStore(std::optional<GeneIndexStore> store);
    // What there is to say of indexes that could not be used: each sentence once.
    std::vector<std::string> takeRemarks();

private:
    std::shared_ptr<const Dataset> m_dataset;
    std::shared_ptr<Reading> m_reading;
    mutable std::mutex m_mutex;
    std::optional<GeneIndexStore> m_store;
    std::map<const Element*, std::shared_ptr<GeneSource>> m_sources;
    std::vector<std::string> m_remarks;
};

} // namespace cellfolio
