// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>

namespace cellfolio::cli {

class Output;

// Turns Ctrl+C and SIGTERM into a wish to stop, which the work looks at between blocks. Work that
// does not answer within two seconds, unless it waits for the reader of `output`, is ended from
// outside; a second signal ends the program at once with 3. A closed pipe raises no signal. Call
// once, on the main thread, before any other thread is started.
std::stop_token watchSignals(const Output& output);

} // namespace cellfolio::cli
