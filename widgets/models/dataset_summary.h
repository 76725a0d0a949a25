// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/matrix/holds.h"

#include <QtCore/QString>

#include <memory>
#include <stop_token>
#include <vector>

namespace cellfolio {

// What the file says about itself, found with a few small reads.
struct DatasetFacts {
    std::string title;                // uns/title
    std::string organism;             // uns/organism or the one value of obs/organism
    const Element* symbols = nullptr; // column of var with gene symbols, where names are ids
    const Element* rawSymbols = nullptr;
};
Result<DatasetFacts> readFacts(const std::shared_ptr<const Dataset>& dataset,
                               const std::shared_ptr<Reading>& reading, std::stop_token stop = {});

// X, the layers and raw/X: what sampleHolds() is asked about, most important first.
std::vector<const Element*> matricesOf(const Dataset& dataset);

struct KnownHolds {
    const Element* matrix = nullptr;
    HoldsResult holds;
};

// "Atlas of the human lung · 1,136,218 cells × 58,604 genes · X: log1p of counts per 10 000 ·
// raw: whole counts · genes by symbol (feature_name)". What is not known yet is left out.
QString summaryLine(const Dataset& dataset, const DatasetFacts& facts,
                    const std::vector<KnownHolds>& holds);

// "1,200 cells × 800 genes", as far as the file says.
QString extentText(const Dataset& dataset);

} // namespace cellfolio
