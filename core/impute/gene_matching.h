// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/select/selection.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio::impute {

// Genes by the name under which two files may share them: the row names, or a column of var where
// the file has it. Missing and empty names match nothing.
Result<std::vector<std::string>> geneNames(const std::shared_ptr<const Dataset>& dataset,
                                           const Element& matrix, const std::string& column,
                                           const Selection& genes,
                                           const std::shared_ptr<Reading>& reading,
                                           std::stop_token stop);

struct GeneMatch {
    std::vector<Index> spatial;   // numbers in the lists given
    std::vector<Index> reference;
    std::vector<std::string> names; // as the reference spells them; its order
    Index probes = 0;               // shared control probes, left out
    Index onlyIgnoringCase = 0;     // more that would match if case were ignored

    Index size() const noexcept { return static_cast<Index>(names.size()); }
};

enum class NameCase { Matters, Ignored };

// The genes that both lists name. NotFound where there is none, saying how many there would be if
// case were ignored; Ambiguous where a shared name stands twice in one list, with the first ten.
Result<GeneMatch> matchGenes(const std::vector<std::string>& spatial,
                             const std::vector<std::string>& reference, NameCase nameCase);

// Barcodes and probes that measure the machine and no gene, by the names that makers give them.
bool isControlProbe(const std::string& name);

// ASCII letters in lower case.
std::string lowerCase(std::string text);

} // namespace cellfolio::impute
