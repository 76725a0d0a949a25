// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/json_writer.h"
#include "core/anndata/finding.h"
#include "core/base/error.h"

#include <string>
#include <vector>

namespace cellfolio::cli {

// The "error" object of a failure.
void writeError(JsonWriter& json, const Error& error);
// A finding, as it looks in every answer.
void writeFinding(JsonWriter& json, const Finding& finding);
// The member "findings" of an answer.
void writeFindings(JsonWriter& json, const std::vector<Finding>& findings);
std::string_view nameOf(Severity severity);

// The sentence and the advice, on standard error. `file` may be empty.
void reportError(const std::string& file, const Error& error);

} // namespace cellfolio::cli
