// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/select/selection.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio {

struct NameMatch {
    Index row = 0;      // in the file
    std::string name;   // of the row
    std::string symbol; // from the second column, where there is one
};

struct NameQuery {
    std::shared_ptr<const Dataset> dataset;
    const Element* table = nullptr;
    const Element* symbols = nullptr; // a text or categorical column searched as well; may be null
    std::string text;
    std::size_t most = 12;
    std::optional<Selection> rows = {}; // only these rows of the table, ascending; none: all
};

// Rows whose name or symbol is the text, then those that begin with it, then those that hold it;
// upper and lower case count the same. Streams the names in windows; ends early once `most` rows
// with the very name were found. Blocking.
Result<std::vector<NameMatch>> findNames(const NameQuery& query,
                                         const std::shared_ptr<Reading>& reading,
                                         std::stop_token stop = {});

// Where the row called `name`, which stood at `row` in another version of the file, stands in this
// one: its old place is looked at first, then all of them. Nothing where no row has that very name.
// Blocking.
Result<std::optional<Index>> findRowAgain(const std::shared_ptr<const Dataset>& dataset,
                                          const Element& table, const std::string& name, Index row,
                                          const std::shared_ptr<Reading>& reading,
                                          std::stop_token stop = {});

// The column that holds gene symbols, when the names themselves are Ensembl or other ids: looks at
// the first names and the columns' names (feature_name, gene_symbols …). Null where names will do.
Result<const Element*> symbolColumn(const std::shared_ptr<const Dataset>& dataset,
                                    const Element& var, const std::shared_ptr<Reading>& reading,
                                    std::stop_token stop = {});

// "ENSG00000141510", "ENSMUSG…", "FBgn…", "WBGene…": an id, no name a person knows.
bool looksLikeGeneId(std::string_view name);

} // namespace cellfolio
