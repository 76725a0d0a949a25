// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/job_answer.h"
#include "app/cli/session.h"
#include "core/anndata/finding.h"
#include "core/impute/mapping.h"

#include <string>
#include <vector>

namespace cellfolio::cli {

// The options that `map`, `impute` and `score` take, for the command table.
std::vector<const OptionSpec*> mapOptions();
std::vector<const OptionSpec*> imputeOptions();
std::vector<const OptionSpec*> scoreOptions();

// One side of a mapping as the command line names it: --PREFIX FILE with --PREFIX-where, -where-var,
// -obs, -var, -view and -matrix.
struct OpenedSide {
    std::string location;
    impute::MappingSide side; // matrix null where the file has no X and none was named
};
Result<OpenedSide> openSide(Session& session, const std::string& prefix);

// Everything else about a mapping. `epsilonAuto`: the value is to be chosen by a hold-out.
struct MappingRequest {
    impute::MappingOptions options;
    bool epsilonAuto = false;
};
Result<MappingRequest> mappingRequest(Session& session, const OpenedSide& spatial,
                                      const OpenedSide& reference);

// --normalize; the default where it is not given.
Result<impute::Normalize> normalizeOption(const Arguments& arguments, impute::Normalize fallback);
// A number of an option within bounds; BadUsage otherwise.
Result<double> numberOption(const Arguments& arguments, const std::string& name, double least,
                            double most);
Result<Index> integerOption(const Arguments& arguments, const std::string& name, Index least, Index most);

// Where temporary files go: --temp, or the folder of OUT.
std::filesystem::path scratchFolder(const Arguments& arguments, const std::string& output);

// Findings of a job that has no rule of the format behind it.
Finding jobFinding(const char* id, Severity severity, std::string element, std::string message);

} // namespace cellfolio::cli
