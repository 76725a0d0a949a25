// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/column_reader.h"
#include "core/anndata/dataset.h"
#include "core/base/values.h"
#include "core/select/index_set.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio {

// What the head of a column shows, as figures. First from a few thousand rows spread over the
// column, then from all of it.
struct ProfileData {
    bool exact = false;
    Index rows = 0;     // looked at
    Index missing = 0;  // masked, no category; NaN of a float column counts too
    std::optional<Index> distinct; // texts; none: not counted
    bool unique = false;           // every value occurs once

    // Numbers: range of the finite values and a histogram over it. Empty where there is none.
    std::optional<double> lowest;
    std::optional<double> highest;
    bool whole = true;             // every finite value is a whole number
    std::vector<Index> histogram;

    // Categories and booleans: how often each code occurs.
    std::vector<Index> counts;
    Index most = -1;               // the most frequent code
    std::string mostName;
    std::vector<Index> largest;    // the first codes by falling count, at most kMostBars

    std::vector<std::string> samples; // texts: two of them

    static constexpr std::size_t kMostBars = 40;
};

// A column of a table: one of its children, or (column == null) its row names.
struct ProfileTask {
    std::shared_ptr<const Dataset> dataset;
    const Element* table = nullptr;
    const Element* column = nullptr;
    std::shared_ptr<Reading> reading;
};

// About kSampleRows rows in runs spread over the column. Blocking; not for the UI thread.
Result<ProfileData> sampleProfile(const ProfileTask& task, std::stop_token stop = {});
// The whole column, streamed past the page cache. Texts are counted up to kMostTexts rows; above
// that the answer stays that of a sample and says so (exact == false).
Result<ProfileData> exactProfile(const ProfileTask& task, std::stop_token stop = {});

// The part of a profile that some of the rows make up: over the same bins, of the same codes.
struct ProfilePart {
    Index rows = 0;
    Index missing = 0;
    std::vector<Index> histogram;
    std::vector<Index> counts;
};
// `whole`: the exact profile of the column; `inside`: of the table's extent. Empty lists for texts.
Result<ProfilePart> partOfProfile(const ProfileTask& task, const ProfileData& whole,
                                  const IndexSet& inside, std::stop_token stop = {});

// The same of a gene: zeros are one count of their own, counts[0], and the histogram is over the
// other finite values. `values`: numbers, one a row, of all rows.
ProfileData geneProfile(const Values& values);
// Requires: `inside` of as many rows.
ProfilePart partOfGene(const Values& values, const ProfileData& whole, const IndexSet& inside);

// Width of a bar of a histogram, in its unit; the first one begins at `lowest`.
double barWidth(const ProfileData& profile);

inline constexpr Index kSampleRows = 2048;
inline constexpr Index kMostTexts = 1'000'000;

} // namespace cellfolio
