// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/json_writer.h"
#include "core/base/error.h"

#include <string>

namespace cellfolio::cli {

// What is known of the answer being written, so that it can be ended properly from outside the
// work: when the HDF5 library breaks off in a file's damaged metadata (it trusts sizes it finds
// there), or will not come back after Ctrl+C. One at a time; set by the session.
struct LastWords {
    Output* output = nullptr;
    JsonWriter* json = nullptr;   // null: text
    std::string file;
    std::size_t fileDepth = 0;    // of the object of the FILE at hand; 0: not begun
    bool several = false;         // it is one of a list
    Index failed = 0;             // of the list, before this one
};

// Makes `words` those of this run, null for none.
void setLastWords(LastWords* words);
// Ends the answer with the error and the program with its exit code, from any thread. Only for
// work that does not return.
[[noreturn]] void endNow(const Error& error);
// From now on a crash inside the HDF5 library ends as an error about the file. Call once.
void watchForCrashes();

} // namespace cellfolio::cli
