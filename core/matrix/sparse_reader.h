// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/axis_map.h"
#include "core/matrix/matrix_reader.h"
#include "core/matrix/sparse_source.h"

#include <vector>

namespace cellfolio {

// Blocks of a CSR or CSC matrix. Wanted lines are taken in file order, close ones together, their
// entries in windows of bounded length, however long a line is: indices first, values only where
// an index was wanted. Wide scans against the storage order (a gene of CSR) go past the page
// cache, in parallel.
class SparseReader final : public MatrixReader
{
public:
    // Entries of the wanted lines from which they are scanned.
    static constexpr Index kScanFrom = Index{2} << 20;

    SparseReader(std::shared_ptr<const Dataset> dataset, const Element& matrix,
                 std::shared_ptr<Reading> reading, SparseSource source,
                 Index scanFrom = kScanFrom);

    std::vector<Index> lineEntries(const Selection& lines, std::stop_token stop) const override;
    CostEstimate rowCost() const override;
    CostEstimate columnCost() const override;

protected:
    Result<Values> doBlock(const Selection& rows, const Selection& columns,
                           std::stop_token stop) const override;

private:
    // Few indices of many lines, by a pass over the indices alone.
    Result<void> scanFew(const Selection& lines, const AxisMap& wanted, Values& block,
                         std::stop_token stop) const;
    // Whether the wanted lines hold so much that it is better scanned.
    Result<bool> isWide(const AxisMap& lines, std::stop_token stop) const;
    CostEstimate lineCost() const;
    CostEstimate scanCost() const;

    SparseSource m_source;
    Index m_scanFrom;
};

} // namespace cellfolio
