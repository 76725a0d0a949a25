// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

namespace cellfolio::cli {

struct Session;

// One option, as the parser, --help and the manual's page read it.
struct OptionSpec {
    std::string_view name;     // without the dashes
    std::string_view value;    // what stands for its value; empty: a flag
    std::string_view fallback; // the default, as it would be typed; empty: none
    std::string_view help;
    bool built = true;         // false: known to the contract, refused for now

    bool isFlag() const noexcept { return value.empty(); }
};

// One command. The examples run as they stand beside the bundled example file.
struct CommandSpec {
    std::string_view name;
    std::string_view operands; // "FILE ELEMENT"
    std::string_view sentence; // what it does, in one
    std::vector<const OptionSpec*> options;
    std::vector<std::string_view> examples;
    int (*run)(Session& session) = nullptr; // null: not built yet
};

// All commands of the contract, in its order.
const std::vector<CommandSpec>& commands();
const CommandSpec* findCommand(std::string_view name);

} // namespace cellfolio::cli
