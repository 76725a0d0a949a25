// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/sparse_source.h"
#include "core/validate/matrix_facts.h"

#include <memory>

namespace cellfolio {

// Passes the entries of a sparse matrix once, in parallel and past the page cache, whatever state
// it is in: lines with damaged pointers are told and left out, so are indices out of range. Only
// lines that are unsorted or have duplicates and lie in several blocks are read again. Corrupt or Io
// where stored bytes cannot be decoded.
Result<MatrixFacts> passSparse(SparseSource source, const std::shared_ptr<Reading>& reading,
                               const MatrixAsk& ask);

} // namespace cellfolio
