// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace cellfolio::cli {

// The whole program behind main(): reads the words of the command line (without the program's
// name), answers on standard output, and returns the exit code: 0, 1, 2 or 3.
int runProgram(const std::vector<std::string>& words);

} // namespace cellfolio::cli
