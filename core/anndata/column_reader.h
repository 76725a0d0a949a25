// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/base/values.h"

#include <memory>
#include <stop_token>
#include <string>

namespace cellfolio {

// Values of one column for some rows. Categorical: `values` are codes (Int64, missing marked where
// the code is -1 or out of range) and `categories` the list; else `values` are what they are, with
// missing marked (masked). NaN of a float column is a value here, missing only to statistics.
// A categorical whose list is too long to be held (ColumnReader::holdsCategories) comes as the
// values of its rows: kind is then that of a plain column, and `categories` is null.
struct ColumnValues {
    ColumnKind kind = ColumnKind::Opaque;
    Values values;
    std::shared_ptr<const Values> categories; // only where `kind` is Categorical
    bool ordered = false;

    Index size() const noexcept { return values.size(); }
    bool isMissing(Index i) const noexcept { return values.isMissing(i); }
    // Exact text as of Values::text; the category's for a categorical; empty where missing.
    std::string text(Index i) const;
};

// Reads rows of one column of a table (or its index). Cheap to make; reads the category list on
// first need, in pages where it is long. Thread-safe, blocking.
class ColumnReader
{
public:
    // Requires: element.kind == Column (or a 1-D array). Fails where element.whyNot says so.
    static Result<ColumnReader> open(std::shared_ptr<const Dataset> dataset, const Element& column,
                                     std::shared_ptr<Reading> reading);

    const Element& element() const noexcept { return *m_element; }
    Index rows() const noexcept { return m_rows; }

    Result<ColumnValues> read(const Selection& rows, std::stop_token stop = {}) const;
    // The category list, read once and shared. Only for categorical columns.
    Result<std::shared_ptr<const Values>> categories(std::stop_token stop = {}) const;
    // The list in windows, whatever its length: categories first … first + count - 1.
    Result<Values> categoryWindow(Index first, Index count, std::stop_token stop = {}) const;
    // Whether the list is short enough to be held (a quarter of a million).
    bool holdsCategories() const noexcept;
    static constexpr Index kMostHeld = 262144;

private:
    ColumnReader() = default;
    struct Shared;
    Result<ColumnValues> readCategorical(const Selection& rows, std::stop_token stop) const;
    Result<ColumnValues> readNullable(const Selection& rows, std::stop_token stop) const;

    std::shared_ptr<const Dataset> m_dataset;
    const Element* m_element = nullptr;
    std::shared_ptr<Reading> m_reading;
    std::shared_ptr<Shared> m_shared; // the category list
    Index m_rows = 0;
};

// Row names of a table for some rows: the index column as text, or the row numbers where there is
// none. Missing names are empty.
Result<std::vector<std::string>> readNames(const std::shared_ptr<const Dataset>& dataset,
                                           const Element& table, const Selection& rows,
                                           const std::shared_ptr<Reading>& reading,
                                           std::stop_token stop = {});

} // namespace cellfolio
