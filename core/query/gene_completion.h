// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/paging/reading.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio {

// How well a name fits what was typed, best first. Alias: the same but for case or an id's version.
enum class GeneFit { Exact, Alias, Begins, Holds };

struct GeneMatch {
    Index row = 0;      // of var
    GeneFit fit = GeneFit::Holds;
    std::string text;   // the name that fits
    std::string column; // of var, where it stands; empty: the row's own name
    std::string name;   // of the row
    std::string symbol; // of the row, where the query names a column; may be empty
    std::string other;  // another name of the row, from the first column that has one; may be empty
};

struct GeneQuery {
    std::shared_ptr<const Dataset> dataset;
    const Element* var = nullptr;     // var or raw/var
    const Element* symbols = nullptr; // column whose texts people know; may be null
    std::string text;                 // what was typed so far
    std::size_t most = 12;
};

// Genes whose name, symbol or id fits the text, each once with its best fit; the best fits first,
// of those the shorter names, of those in the file's order. Looks at the names and columns that
// findGenes() looks at. Blocking; keeps a few names for each one asked for, whatever the file's
// size.
Result<std::vector<GeneMatch>> completeGenes(const GeneQuery& query,
                                             const std::shared_ptr<Reading>& reading,
                                             std::stop_token stop = {});

} // namespace cellfolio
