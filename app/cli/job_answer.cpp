// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/job_answer.h"

#include "core/run/memory_budget.h"

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

} // namespace cellfolio::cli
