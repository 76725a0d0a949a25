// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/values.h"
#include "core/run/memory_budget.h"

#include <functional>
#include <vector>

namespace cellfolio {

// What could not be read of a gene: the rest is there.
struct GeneDamage {
    static constexpr std::size_t kErrors = 8;

    std::vector<std::uint8_t> unknown; // 1 for each place whose value is not known; empty: none
    Index places = 0;                  // how many there are
    std::vector<Error> errors;         // the first of them, by place, at most kErrors

    explicit operator bool() const noexcept { return places > 0; }
};

// Values of several genes, each a vector over the cells in the dtype of the matrix; a place without
// an entry is 0, entries stored twice are added up. Unknown places hold what could be read.
struct GeneVectors {
    std::vector<Values> genes;
    GeneDamage damage; // the same places for all genes
    MemoryReservation charge;
};

// Cells first … first + count - 1 are final in `genes`, which may be read up to there; of damaged
// ones only the end of the reading tells.
struct GenePart {
    Index first = 0;
    Index count = 0;
    const std::vector<Values>& genes;
};
// Called from one thread at a time, in the order of the file, until all cells are done.
using GenePartVisitor = std::function<void(const GenePart&)>;

} // namespace cellfolio
