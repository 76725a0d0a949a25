// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/write/h5ad_writer.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio::impute {

// Columns of a table that can be written anew, by their names; the others are named in `left`.
std::vector<const Element*> writableColumns(const Element& table, std::vector<std::string>* left);

// Rows of a column into a new table at `path`, window by window, in their kind.
Result<void> copyColumn(H5adWriter& writer, const std::string& path,
                        const std::shared_ptr<const Dataset>& dataset, const Element& column,
                        const Selection& rows, const std::shared_ptr<Reading>& reading,
                        std::stop_token stop);

// The names of the rows of a table, as the index of a new one; their numbers where `table` is null.
Result<void> copyNames(H5adWriter& writer, const std::string& path,
                       const std::shared_ptr<const Dataset>& dataset, const Element* table,
                       const Selection& rows, const std::shared_ptr<Reading>& reading,
                       std::stop_token stop);

// Rows of a dense array of numbers (obsm).
Result<void> copyRows(H5adWriter& writer, const std::string& path,
                      const std::shared_ptr<const Dataset>& dataset, const Element& array,
                      const Selection& rows, const std::shared_ptr<Reading>& reading,
                      std::stop_token stop);

// Lists as arrays of a new file.
Result<void> writeDoubles(H5adWriter& writer, const std::string& path, const std::vector<double>& values);
Result<void> writeFlags(H5adWriter& writer, const std::string& path, const std::vector<bool>& values);
// Texts as a categorical; codes of `labels`, -1 missing.
Result<void> writeCategorical(H5adWriter& writer, const std::string& path,
                              const std::vector<Index>& codes, const std::vector<std::string>& labels);

} // namespace cellfolio::impute
