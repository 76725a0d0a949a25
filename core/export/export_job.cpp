// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/export_job.h"

#include "core/base/text.h"
#include "core/paging/reading.h"

#include <algorithm>

namespace cellfolio {

namespace {

constexpr std::size_t kMostNotes = 20;

double weightOf(const DatasetView& view)
{
    return static_cast<double>(std::max<Index>(1, view.obs().size()));
}

// An outcome that came about before something failed: an answer has room for one of the two.
Error because(Error error, const JobOutcome& outcome)
{
    if (outcome.results.empty())
        return error;
    return std::move(error).within(counted(static_cast<Index>(outcome.results.size()), "file", "files")
                                   + " before it finished");
}

} // namespace

Result<JobOutcome> ExportJob::run(JobContext& job)
{
    Reading::Options options;
    options.budget = job.memory();
    const auto reading = std::make_shared<Reading>(options);
    job.setMeter([reading] { return reading->budget().snapshot(); });
    ExportContext context{reading, job.stop(), nullptr, {}};

    job.progress.setPhases({{"reading " + (m_task.isSplit() ? "obs/" + m_task.split : std::string("the file")), 1}});
    auto parts = exportParts(m_task, context);
    if (!parts)
        return std::move(parts).error();
    if (parts->empty())
        return Error(ErrorCode::Refused, "No cell of the view has a value in \"" + m_task.split + "\", so there is nothing to write.");
    std::vector<JobPhase> phases;
    for (const ExportPart& part : *parts)
        phases.push_back({"writing " + std::filesystem::path(part.output).filename().string(), weightOf(part.view)});
    job.progress.setPhases(std::move(phases));

    JobOutcome outcome;
    for (std::size_t k = 0; k < parts->size(); ++k) {
        const ExportPart& part = (*parts)[k];
        const bool last = k + 1 == parts->size();
        context.progress = &job.progress.enter(k);
        context.beginCommit = last ? std::function<bool()>([&job] { return job.beginCommit(); }) : std::function<bool()>();
        auto done = writePart(m_task, part, context);
        if (!done) {
            if (done.error().code() == ErrorCode::Cancelled && !outcome.results.empty())
                return outcome; // the runner knows that it was cancelled
            for (const auto& result : outcome.results)
                job.log.write("Finished before that, and kept: " + result.string());
            return because(std::move(done).error(), outcome);
        }
        outcome.results.emplace_back(part.output);
        outcome.bytes += done->bytes;
        outcome.temporary = std::max(outcome.temporary, done->temporary);
        for (const Finding& finding : done->findings)
            if (outcome.notes.size() < kMostNotes
                && std::find(outcome.notes.begin(), outcome.notes.end(), finding.message) == outcome.notes.end())
                outcome.notes.push_back(finding.message);
    }
    if (m_task.file.options.view.dataset()->file().changedOnDisk())
        outcome.notes.push_back("The file was changed by another program while it was read; what was written may mix both versions.");
    return outcome;
}

} // namespace cellfolio
