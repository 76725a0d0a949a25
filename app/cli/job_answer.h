// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/session.h"

#include <chrono>
#include <ctime>

namespace cellfolio::cli {

// Measures what a job takes, from its making on.
class JobClock
{
public:
    double seconds() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    }
    double processorSeconds() const { return static_cast<double>(std::clock() - m_clock) / CLOCKS_PER_SEC; }

private:
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
    std::clock_t m_clock = std::clock();
};

// What a job needs, or what it used, as the answer of every writing command has it.
struct JobNeeds {
    Index memory = 0;
    Index temporary = 0;
    Index output = 0;
    double seconds = 0;
};
void writeEstimate(JsonWriter& json, const JobNeeds& needs);
void writeUsed(JsonWriter& json, const JobNeeds& used, const JobClock& clock);
// "about 2.3 s".
std::string durationText(double seconds);

} // namespace cellfolio::cli
