// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/query/kept_views.h"

#include <cstdint>
#include <optional>

namespace cellfolio::query {

// One axis of a view as a document holds it: positions for the very file it was made on, and names
// for what has become of it.
struct KeptAxis {
    Selection selection;                // on the axis of the file it was made on
    std::vector<std::string> names;     // of its rows, where they are few
    std::vector<std::uint64_t> digests; // of their names; 0: not unique then, or no name at all
    bool named = false;                 // whether rows have names
};

struct ViewDocument {
    std::string name;
    std::string file;        // path it was made on
    std::string inside;      // which data set of the file
    std::uint64_t fingerprint = 0;
    ViewOrigin origin;
    KeptAxis obs;
    KeptAxis var;
};

// The document of a view, which reads the names of its rows. An axis that is whole needs none.
Result<ViewDocument> describeView(const DatasetView& view, const std::string& name,
                                  const ViewOrigin& origin, const std::shared_ptr<Reading>& reading,
                                  std::stop_token stop);
// What it is in this file: by position in the same bytes, by name in others.
Result<MatchedView> matchView(const ViewDocument& document,
                              const std::shared_ptr<const Dataset>& dataset,
                              const std::shared_ptr<Reading>& reading, std::stop_token stop);

std::string toJson(const ViewDocument& document);
// Corrupt, naming the path, where the text is no such document.
Result<ViewDocument> fromJson(const std::string& text, const std::string& path);

// Which data set of its file this is: a modality, a genome, or "" for the file itself.
std::string insideOf(const Dataset& dataset);
// The path as other programs would spell it.
std::string absolutePath(const Dataset& dataset);

// Writes a text beside its target and renames it over: it appears whole or not at all.
Result<void> writeWhole(const std::filesystem::path& path, const std::string& text);

std::string toBase64(const std::vector<std::uint8_t>& bytes);
std::optional<std::vector<std::uint8_t>> fromBase64(const std::string& text);

} // namespace cellfolio::query
