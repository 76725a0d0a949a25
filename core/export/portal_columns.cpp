// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/portal_columns.h"

#include <algorithm>
#include <array>

namespace cellfolio {

namespace {

constexpr std::array<std::string_view, 8> kObs{"assay",
                                               "cell_type",
                                               "development_stage",
                                               "disease",
                                               "self_reported_ethnicity",
                                               "sex",
                                               "tissue",
                                               "observation_joinid"};
constexpr std::array<std::string_view, 5> kVar{"feature_name", "feature_reference", "feature_biotype",
                                               "feature_length", "feature_type"};
constexpr std::array<std::string_view, 4> kUns{"organism", "schema_version", "schema_reference", "citation"};

template <std::size_t kSize>
bool holds(const std::array<std::string_view, kSize>& names, std::string_view name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

bool isPortalColumn(std::string_view table, std::string_view column) noexcept
{
    return (table == "obs" && holds(kObs, column)) || (table == "var" && holds(kVar, column));
}

bool isPortalEntry(std::string_view name) noexcept
{
    return holds(kUns, name);
}

} // namespace cellfolio
