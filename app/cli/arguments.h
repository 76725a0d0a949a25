// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command_table.h"
#include "core/base/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cellfolio::cli {

// A command line, taken apart against the table of its command.
struct Arguments {
    const CommandSpec* command = nullptr;
    std::vector<std::string> positionals;
    std::vector<std::pair<const OptionSpec*, std::string>> options; // in the order given

    bool has(std::string_view name) const noexcept;
    // The value given last; the default of the table where none was.
    std::string value(std::string_view name) const;
    std::vector<std::string> values(std::string_view name) const;
};

// Options may stand anywhere; "--name value" and "--name=value" are the same whatever the value
// begins with; "--" ends the options. BadUsage otherwise, with near misses.
// Not left to CLI11, which the window uses: it reads "-5:" behind --obs as an option, drops empty
// values, and takes text in brackets apart.
Result<Arguments> parseArguments(const CommandSpec& command, const std::vector<std::string>& words);

// "64M" → bytes: bytes, or with K, M, G (powers of 1024).
Result<Index> parseSize(std::string_view text);

} // namespace cellfolio::cli
