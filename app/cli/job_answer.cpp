// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/job_answer.h"

#include "core/base/text.h"
#include "core/run/memory_budget.h"

#include <cmath>

namespace cellfolio::cli {

void writeEstimate(JsonWriter& json, const JobNeeds& needs)
{
    json.key("estimate");
    json.beginObject();
    json.member("memory", needs.memory);
    json.member("temporary", needs.temporary);
    json.member("output", needs.output);
    json.member("seconds", needs.seconds);
    json.endObject();
}

void writeUsed(JsonWriter& json, const JobNeeds& used, const JobClock& clock)
{
    json.key("used");
    json.beginObject();
    json.member("memory", peakResidentBytes());
    json.member("temporary", used.temporary);
    json.member("output", used.output);
    json.member("seconds", clock.seconds());
    json.member("processor_seconds", clock.processorSeconds());
    json.endObject();
}

std::string durationText(double seconds)
{
    const auto tenths = static_cast<Index>(std::ceil(seconds * 10));
    if (tenths < 100)
        return exactText(static_cast<double>(tenths) / 10) + " s";
    if (tenths < 1200)
        return exactText((tenths + 9) / 10) + " s";
    return exactText((tenths + 599) / 600) + " min";
}

} // namespace cellfolio::cli
