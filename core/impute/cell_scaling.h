// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/impute/expression_rows.h"

#include <string>
#include <vector>

namespace cellfolio::impute {

// What is done to the values of each chosen cell on their way: brought to a total and log1p, or
// nothing; either way they are checked to be finite numbers.
class CellScaling
{
public:
    // Reads the totals where they are needed.
    static Result<CellScaling> of(const ExpressionRequest& request,
                                  const std::shared_ptr<Reading>& reading, std::stop_token stop);

    // Values of the genes firstGene … of one chosen cell; numbers count among the chosen ones.
    // Refused for what is no finite number, and for negative values under log1p.
    template <typename Real>
    Result<void> apply(Index cell, Real* values, Index count, Index firstGene) const
    {
        for (Index k = 0; k < count; ++k) {
            if (values[k] == Real{0})
                continue;
            auto value = static_cast<double>(values[k]);
            if (auto done = applyTo(cell, value, firstGene + k); !done)
                return done;
            values[k] = static_cast<Real>(value);
        }
        return {};
    }

private:
    Result<void> applyTo(Index cell, double& value, Index gene) const;

    std::string m_path;
    Selection m_cells;
    Selection m_genes;
    std::vector<double> m_factors; // empty: values stay as they are
};

} // namespace cellfolio::impute
