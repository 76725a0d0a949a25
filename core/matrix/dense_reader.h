// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/matrix_reader.h"

namespace cellfolio {

// Blocks of a dense matrix: 2-D as it lies, 2-D stored the other way round (loom), or one row or
// one column stored flat.
class DenseReader final : public MatrixReader
{
public:
    DenseReader(std::shared_ptr<const Dataset> dataset, const Element& matrix,
                std::shared_ptr<Reading> reading);

    CostEstimate rowCost() const override;
    CostEstimate columnCost() const override;

protected:
    Result<Values> doBlock(const Selection& rows, const Selection& columns,
                           std::stop_token stop) const override;

private:
    // A block of the array as it lies.
    Result<Values> stored(const Selection& lines, const Selection& across,
                          std::stop_token stop) const;
    // Cost of one line along `axis` of the stored array: its chunks, whole.
    CostEstimate lineCost(int axis) const;

    ArrayReader m_values;
    bool m_flat = false;
};

} // namespace cellfolio
