// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/column_reader.h"
#include "core/anndata/dataset.h"
#include "core/select/selection.h"

#include <memory>
#include <optional>
#include <stop_token>

namespace cellfolio {

enum class SortOrder { Ascending, Descending };

// The rows of a table in the order of one of its columns (null: of its names). Stable both ways:
// equal values keep the file's order; missing values and NaN come last either way. Numbers by
// value, integers exactly; ordered categories by their order, others by their text with numbers
// inside counted as numbers ("9" before "10"); texts byte by byte. Blocking.
//
// `rows`: of the table, ascending; only these are read and answered, as rows of the file. Memory:
// 24 bytes for each of them while it works (texts: and their letters), 8 bytes in the answer, asked
// of the budget first: OutOfBudget when it does not fit.
Result<Selection> sortedRows(const std::shared_ptr<const Dataset>& dataset, const Element& table,
                             const Element* column, SortOrder order, const Selection& rows,
                             const std::shared_ptr<Reading>& reading, std::stop_token stop = {});
// All rows of the table.
Result<Selection> sortedRows(const std::shared_ptr<const Dataset>& dataset, const Element& table,
                             const Element* column, SortOrder order,
                             const std::shared_ptr<Reading>& reading, std::stop_token stop = {});

// Whether a comes before b as people count: digits by their number, letters ignoring case first.
bool comesBefore(std::string_view a, std::string_view b);

} // namespace cellfolio
