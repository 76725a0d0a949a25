// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/validate/matrix_facts.h"

#include <memory>

namespace cellfolio {

// The same for a dense matrix of real numbers, tile by tile. `ask.structure` means nothing here.
Result<MatrixFacts> passDense(const std::shared_ptr<const Dataset>& dataset, const Element& matrix,
                              const std::shared_ptr<Reading>& reading, const MatrixAsk& ask);

} // namespace cellfolio
