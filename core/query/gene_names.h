// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/paging/reading.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace cellfolio::query {

// "ensg00000141510.17" → "ensg00000141510"; others as they are: "ac012345.1" is a whole name, so
// only what stands before the point of an Ensembl-like id counts.
std::string withoutVersion(std::string_view name);

// Everything the genes of one table are called: the names of its rows and its columns of symbols
// and ids. Holds no names; blocking.
class GeneNames
{
public:
    // `var`: the table with the genes of a matrix (var or raw/var). Judges the columns that say
    // nothing by what they are called from their first values.
    static Result<GeneNames> open(std::shared_ptr<const Dataset> dataset, const Element& var,
                                  std::shared_ptr<Reading> reading, std::stop_token stop);

    const std::vector<const Element*>& columns() const noexcept { return m_columns; }
    // The names (null) and then every column.
    std::vector<const Element*> places() const;

    // Each name of the first `most` rows, or the texts of a column; missing ones are left out.
    using Visitor = std::function<void(Index row, std::string_view text)>;
    Result<void> each(const Element* place, Index most, const Visitor& visit) const;
    // The names of some rows, or their texts in a column; empty where missing.
    Result<std::vector<std::string>> at(const Element* place, const Selection& rows) const;

private:
    GeneNames(std::shared_ptr<const Dataset> dataset, const Element& var,
              std::shared_ptr<Reading> reading, std::stop_token stop)
        : m_dataset(std::move(dataset)), m_var(&var), m_reading(std::move(reading)),
          m_stop(std::move(stop))
    {
    }
    Result<bool> tellsApart(const Element& column) const;

    std::shared_ptr<const Dataset> m_dataset;
    const Element* m_var;
    std::shared_ptr<Reading> m_reading;
    std::stop_token m_stop;
    std::vector<const Element*> m_columns;
};

} // namespace cellfolio::query
