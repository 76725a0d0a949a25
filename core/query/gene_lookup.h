// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/paging/reading.h"

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace cellfolio {

// Rows of var that answer to a name a person typed, from the strictest reading that finds one:
// the row's name; a column of symbols or ids; either of them in upper or lower case; either of them
// without the version behind an id's point ("ENSG00000141510.17"). Such columns are told by what
// they are called ("gene_symbols") or, text of any name, by values that differ nearly everywhere.
struct GeneAnswer {
    std::vector<Index> rows;     // more than one: the name is ambiguous
    Index count = 0;             // of all that answer; `rows` keeps the first few
    std::string column;          // where it was found: a column's name, empty for the names
};

// Looks several names up in passes over the names and the symbol and id columns. `var`: the table
// with the genes of a matrix (var or raw/var). One answer for each name. Blocking; holds no names.
Result<std::vector<GeneAnswer>> findGenes(const std::shared_ptr<const Dataset>& dataset,
                                          const Element& var, const std::vector<std::string>& names,
                                          const std::shared_ptr<Reading>& reading,
                                          std::stop_token stop = {});

// Names and symbols nearest to one that was not found, best first, from a bounded look.
Result<std::vector<std::string>> nearGenes(const std::shared_ptr<const Dataset>& dataset,
                                           const Element& var, const std::string& name,
                                           const std::shared_ptr<Reading>& reading,
                                           std::stop_token stop = {});

// The columns of var that hold symbols or ids, in the order in which they are asked.
Result<std::vector<const Element*>> geneNameColumns(const std::shared_ptr<const Dataset>& dataset,
                                                    const Element& var,
                                                    const std::shared_ptr<Reading>& reading,
                                                    std::stop_token stop = {});

// A name by which findGenes() finds this row and no other: `wished` where that one does, else the
// row's name, else a symbol or id. Empty where each of them is shared.
Result<std::string> nameOfGene(const std::shared_ptr<const Dataset>& dataset, const Element& var,
                               Index row, const std::string& wished,
                               const std::shared_ptr<Reading>& reading, std::stop_token stop = {});

} // namespace cellfolio
