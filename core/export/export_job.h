// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/export_task.h"
#include "core/run/job.h"

namespace cellfolio {

// An export as a job: a phase a file, its blocks sized by the memory it is given. A file appears whole
// or not at all; of several, those that were finished before a cancel or a failure stay and are named.
class ExportJob : public Job
{
public:
    struct About {
        std::string subject; // "T cells to b.h5ad"
        std::string command; // the same on the command line; empty: none
        JobNeeds needs;      // as they were shown
    };
    ExportJob(ExportTask task, About about) : m_task(std::move(task)), m_about(std::move(about)) {}

    std::string verb() const override { return "Export"; }
    std::string subject() const override { return m_about.subject; }
    std::string command() const override { return m_about.command; }
    JobNeeds needs() const override { return m_about.needs; }
    const ExportTask& task() const noexcept { return m_task; }

    Result<JobOutcome> run(JobContext& context) override;

private:
    ExportTask m_task;
    About m_about;
};

} // namespace cellfolio
