// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/run/job_needs.h"
#include "core/run/memory_budget.h"
#include "core/run/progress.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio {

// A part of a job; weights are relative to each other, by the time they take.
struct JobPhase {
    std::string name; // "writing a.h5ad"
    double weight = 1;
};

// How far a job is, over all its phases: never backwards. The job enters phases and counts in them;
// anyone reads a snapshot. Thread-safe.
class JobProgress
{
public:
    JobProgress() { setPhases({{}}); }

    void setPhases(std::vector<JobPhase> phases);
    // Phases before it are over. Its counter lives as long as this, or until phases are set anew.
    // Requires: a phase.
    Progress& enter(std::size_t phase);

    struct Snapshot {
        std::string phase;
        double share = 0;  // 0 … 1, of the whole job
        Index done = 0;    // bytes, of all phases
        Index entries = 0; // values of matrices, of all phases
    };
    Snapshot snapshot() const;

private:
    mutable std::mutex m_mutex;
    std::vector<JobPhase> m_phases;
    std::vector<std::shared_ptr<Progress>> m_counters;
    std::size_t m_current = 0;
    mutable double m_shown = 0;
};

// What a job says of itself while it runs, for those who want to know. Thread-safe.
class JobLog
{
public:
    struct Line {
        std::chrono::system_clock::time_point when;
        std::string text;
    };
    static constexpr std::size_t kMostLines = 2000; // the first ones are kept

    void write(std::string text);
    std::vector<Line> lines() const;

private:
    mutable std::mutex m_mutex;
    std::vector<Line> m_lines;
};

struct JobOutcome {
    std::vector<std::filesystem::path> results; // files and folders that it made
    Index bytes = 0;
    Index temporary = 0;
    std::vector<std::string> notes; // what the user should know about them
};

// What a running job works with; see JobRunner.
class JobContext
{
public:
    virtual ~JobContext() = default;

    JobProgress progress;
    JobLog log;

    virtual std::stop_token stop() const = 0;
    // Bytes it may use, reserved for it; at least Job::leastMemory().
    virtual Index memory() const = 0;
    // From then on the job cannot be cancelled: right before a result takes its place. False where it
    // has been cancelled, then nothing may appear.
    virtual bool beginCommit() = 0;

    // Where to look what memory the job has now.
    void setMeter(std::function<MemorySnapshot()> meter);
    MemorySnapshot measureMemory() const;

private:
    mutable std::mutex m_mutex;
    std::function<MemorySnapshot()> m_meter;
};

// Long work with a name, which is listed, can be cancelled and has an outcome. Made on any thread, run
// once on one of its own.
class Job
{
public:
    virtual ~Job() = default;

    virtual std::string verb() const = 0;    // "Export"
    virtual std::string subject() const = 0; // "T cells to b.h5ad"
    virtual std::string command() const { return {}; } // the same on the command line; empty: none
    virtual JobNeeds needs() const { return {}; }
    // What its blocks are sized by: as much as it can use, and what it cannot do without.
    virtual Index wantedMemory() const { return kUsualMemory; }
    virtual Index leastMemory() const { return MemoryBudget::kSmallest; }

    // Blocks. Answers the stop token within a quarter of a second where no read is in flight.
    virtual Result<JobOutcome> run(JobContext& context) = 0;

    static constexpr Index kUsualMemory = Index{256} << 20;
};

} // namespace cellfolio
