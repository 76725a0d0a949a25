// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/session.h"
#include "core/run/job_needs.h"

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

// What a job needs, and what it used, as the answer of every writing command has it.
void writeEstimate(JsonWriter& json, const JobNeeds& needs);
void writeUsed(JsonWriter& json, const JobNeeds& used, const JobClock& clock);

} // namespace cellfolio::cli
