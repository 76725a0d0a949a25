// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/arguments.h"
#include "app/cli/json_writer.h"
#include "app/cli/output.h"
#include "core/base/result.h"
#include "core/paging/reading.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace cellfolio::cli {

// What one run of a command works with: its arguments, where its answer goes, the readers' budget,
// and the wish to stop (Ctrl+C, SIGTERM).
struct Session {
    const Arguments& arguments;
    Output& output;
    JsonWriter& json; // writes to `output`
    std::shared_ptr<Reading> reading;
    std::stop_token stop;
    bool wantsJson = false;
    bool quiet = false;
    bool progress = false;

    // What one piece of the answer may hold at once: an eighth of the budget.
    Index pieceBytes() const { return reading->budget().limit() / 8; }
    // Whether the answer need not go on: cancelled, or standard output is full.
    Result<void> mayGoOn() const;
    // A sentence on standard error, unless --quiet.
    void note(const std::string& sentence) const;
};

// Runs `each` for the FILE of a command that takes one: opens the object of the answer and closes
// it, with an error where `each` fails. Returns the exit code.
int answerOne(Session& session, const std::string& file, const std::function<Result<int>()>& each);
// The same for a command of several FILEs, lists (@list.txt) unfolded. A failure does not stop the
// rest unless it is one of exit code 3.
int answerEach(Session& session,
               const std::function<Result<int>(const std::string& file)>& each);

} // namespace cellfolio::cli
