// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/json_writer.h"
#include "core/anndata/dataset.h"

#include <memory>
#include <stop_token>
#include <string>

namespace cellfolio::cli {

// Nested lists of an awkward array, row by row: lists of any depth, fixed-size lists, numbers and
// texts. Other forms (unions, options, records) end in a sentence that names them.
class AwkwardReader
{
public:
    static Result<AwkwardReader> open(const Element& element,
                                      const std::shared_ptr<Reading>& reading);

    // Writes one row as JSON. Memory does not grow with its length.
    Result<void> writeRow(JsonWriter& json, Index row, std::stop_token stop) const;
    // The same as a string; OutOfBudget beyond 1 MiB.
    Result<std::string> rowText(Index row, std::stop_token stop) const;

private:
    struct Node;
    AwkwardReader() = default;
    Result<void> writeItems(JsonWriter& json, const Node& node, Index first, Index count,
                            std::stop_token stop) const;

    std::shared_ptr<const Node> m_root;
    std::string m_path;
};

} // namespace cellfolio::cli
