// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"

#include <string>

namespace cellfolio {

// What a job will need, as it is shown before the start; or what it used.
struct JobNeeds {
    Index memory = 0;    // bytes at the peak
    Index temporary = 0; // bytes of temporary files
    Index output = 0;    // bytes of what it makes
    double seconds = 0;
};

// "2.3 s", "95 s", "12 min"; rounded up.
std::string durationText(double seconds);

} // namespace cellfolio
