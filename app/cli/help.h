// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command_table.h"
#include "app/cli/json_writer.h"

#include <string>

namespace cellfolio::cli {

// What --help prints, for the program and for one command; all made from the command table.
std::string programHelp();
std::string commandHelp(const CommandSpec& command);
// The same for programs.
void writeHelp(JsonWriter& json, const CommandSpec& command);
// The tables of the manual's page, Markdown.
std::string manualTables();

} // namespace cellfolio::cli
