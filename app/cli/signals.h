// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>

namespace cellfolio::cli {

// Turns Ctrl+C and SIGTERM into a wish to stop, which the work looks at between blocks; a second
// one ends the program at once with 3. A closed pipe raises no signal. Call once, on the main
// thread, before any other thread is started.
std::stop_token watchSignals();

} // namespace cellfolio::cli
