// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/rules.h"
#include "core/anndata/value_rules.h"
#include "core/paging/scan.h"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace cellfolio {

// The work of valueFindings(): one member a group of rules, each in a file of its own.
class ValueCheck
{
public:
    ValueCheck(const std::shared_ptr<const Dataset>& dataset,
               const std::shared_ptr<Reading>& reading, const ValueRuleOptions& options)
        : m_dataset(dataset), m_reading(reading), m_options(options)
    {
    }

    Result<std::vector<Finding>> run();

private:
    bool wants(std::string_view id) const;
    Finding& report(std::string_view id, const Element& element, std::string message);
    // What a failed read means: damage becomes a finding A056 (false: stop, with the error).
    Result<void> damaged(const Element& element, const ArrayRef& array, Error error);
    // True the first time for an array (shared arrays are looked at once for each rule).
    bool first(std::string_view rule, const ArrayRef& array);

    Result<void> checkElement(const Element& element);
    Result<void> checkTable(const Element& table);                             // A012, A025, A051
    Result<void> checkCategorical(const Element& column);                      // A018
    Result<void> checkCategories(const Element& column);                       // A019, A020
    Result<void> checkText(const Element& element, const ArrayRef& array);     // A023
    Result<void> checkPointers(const Element& matrix);                         // A032, A036
    Result<void> checkIndices(const Element& matrix);                          // A034
    Result<void> checkDecoding(const Element& element, const ArrayRef& array); // A056

    // Texts of an array in windows, with the number of the first.
    Result<void>
    eachText(const Element& element, const ArrayRef& array,
             const std::function<void(Index first, const std::vector<std::string>&)>& visit);
    // Row (CSC: column) of a sparse matrix that the stored value at `offset` belongs to.
    Result<Index> majorOf(const Element& matrix, Index offset);

    std::shared_ptr<const Dataset> m_dataset;
    std::shared_ptr<Reading> m_reading;
    const ValueRuleOptions& m_options;
    std::vector<Finding> m_findings;
    std::set<std::tuple<std::string, std::uint64_t, int>> m_seen; // rule, object, field
};

// Places of a finding: the first of them, and how many there were.
constexpr std::size_t kMostPlaces = 20;

} // namespace cellfolio
