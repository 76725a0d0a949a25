// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/job_answer.h"
#include "app/cli/session.h"
#include "core/anndata/dataset.h"
#include "core/write/storing.h"

#include <functional>
#include <optional>
#include <string>

namespace cellfolio::cli {

// Where the results of `canonicalize`, `convert` and `fix` go: -o OUT for one FILE, --output-dir DIR for
// any number, or --in-place.
struct JobTarget {
    std::string output;
    std::string folder;
    bool inPlace = false;

    // BadUsage unless exactly one of them is given, and -o with one FILE only.
    static Result<JobTarget> read(const Arguments& arguments, std::size_t files);
    // BadUsage where it is the file itself and not --in-place.
    // `name`: of the new file in a folder, where it is not that of the old one.
    Result<std::string> outputFor(const std::string& file, const std::string& name = {}) const;
};

// Runs `each` for every FILE of such a command.
int answerJobs(Session& session,
               const std::function<Result<int>(const JobTarget& target, const std::string& file)>& each);

// --compression keep|none|gzip…
Result<Storing> storingOf(const Arguments& arguments);

// What earlier, broken-off runs left beside OUT is told on standard error.
void noteLeftovers(const Session& session, const std::string& output);

// "n_obs", "n_vars" of an answer.
void writeShape(JsonWriter& json, const Dataset& dataset);
void writeShape(JsonWriter& json, std::optional<Index> nObs, std::optional<Index> nVars);

// The answer of --estimate; `reason`: why it does not fit, or empty. Returns the exit code.
int tellEstimate(Session& session, const Dataset& dataset, const JobNeeds& needs, const std::string& reason);
int tellEstimate(Session& session, std::optional<Index> nObs, std::optional<Index> nVars, const JobNeeds& needs,
                 const std::string& reason);

} // namespace cellfolio::cli
