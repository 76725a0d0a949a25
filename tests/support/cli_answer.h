// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/support/program.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace cellfolio::test {

// What the command line answered with --json.
struct CliAnswer {
    ProgramRun run;
    nlohmann::json json; // discarded where the answer is none

    bool ok() const { return run.finished && run.exitCode == 0; }
    // Nothing that may never happen did: a crash, a hang, a code above 3, no JSON, HDF5's own words
    // on standard error. Empty when all is well.
    QByteArray misconduct() const;
};

// Runs the program with --json added.
CliAnswer askCli(const std::vector<std::string>& arguments, const ProgramOptions& options = {});

// The element of an `info` answer with that path; null where it is not listed.
nlohmann::json elementOf(const nlohmann::json& info, const std::string& path);
// The column of a `view` answer of a table; null where it is not there.
nlohmann::json columnOf(const nlohmann::json& view, const std::string& name);

// Equal as numbers (integers exactly, others to a relative tolerance), texts or lists; texts such
// as "NaN" stand for the number.
bool sameValue(const nlohmann::json& got, const nlohmann::json& wanted, double tolerance = 1e-9);

// What must be unchanged after a file was read: its bytes and its time.
struct FileState {
    std::filesystem::file_time_type changed;
    QByteArray digest;
    bool operator==(const FileState&) const = default;
};
FileState stateOf(const std::filesystem::path& file);

} // namespace cellfolio::test
