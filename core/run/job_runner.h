// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/job.h"
#include "core/run/rate_meter.h"

#include <list>
#include <optional>
#include <thread>

namespace cellfolio {

using JobId = Index;

enum class JobState { Queued, Running, Cancelling, Succeeded, Failed, Cancelled };
constexpr bool isOver(JobState state) noexcept { return state >= JobState::Succeeded; }

// What is known of a job at one moment. A value.
struct JobSnapshot {
    JobId id = 0;
    std::string verb;
    std::string subject;
    std::string command;
    JobState state = JobState::Queued;
    std::string phase;
    double share = 0; // 0 … 1
    Index done = 0;   // bytes
    Index entries = 0;
    double bytesPerSecond = 0;
    double entriesPerSecond = 0;
    std::optional<double> secondsLeft; // after some seconds of data
    double stalledFor = 0;             // s since something came; 0: nothing to worry about
    Index memoryNow = 0;
    Index memoryPeak = 0;
    Index memoryReserved = 0;
    bool canCancel = true; // false: over, or about to put its result in place
    bool waitsForMemory = false;
    double seconds = 0;    // since it began; of one that is over, in all
    std::chrono::system_clock::time_point ended{};
    JobNeeds needs;
    JobOutcome outcome;         // of one that is over; one that was cancelled may have made something before
    std::optional<Error> error; // of one that failed
};

// Runs jobs in the order they come: as many at once as the budget has memory for, each on a thread of
// its own. A job that wants more than half of the budget gets half; one that does not get even its
// least although nothing else runs is refused (OutOfBudget). A job that was cancelled ends as
// cancelled, whatever it answers. Ended jobs stay listed until they are forgotten.
//
//     JobRunner runner(reading->budget());
//     const JobId id = runner.add(std::make_unique<ExportJob>(…));
//     for (const JobSnapshot& job : runner.jobs()) …
//
// Thread-safe. The budget must outlive it; its destructor cancels everything and waits.
class JobRunner
{
public:
    explicit JobRunner(MemoryBudget& budget);
    ~JobRunner();
    JobRunner(const JobRunner&) = delete;
    JobRunner& operator=(const JobRunner&) = delete;

    // Called once for each job that is over, on some thread and under no lock. Set before add().
    std::function<void(const JobSnapshot& job)> ended;

    JobId add(std::unique_ptr<Job> job);
    // Seen at once in its state. False where it is over or its result is about to appear.
    bool cancel(JobId id);
    void cancelAll();
    // Takes one that is over off the list.
    void forget(JobId id);

    std::vector<JobSnapshot> jobs() const; // in the order they were added
    std::optional<JobSnapshot> job(JobId id) const;
    std::vector<JobLog::Line> log(JobId id) const;
    // Jobs that are not over.
    int activeCount() const;
    // Tries again to start what waits, where memory may have been given back.
    void startWaiting();

    static constexpr double kStalledAfter = 10; // s

private:
    struct Entry;
    using Clock = std::chrono::steady_clock;

    void start(std::vector<JobSnapshot>& over);
    bool giveMemory(Entry& entry, bool alone);
    void work(Entry& entry);
    void finish(Entry& entry, Result<JobOutcome> answer);
    void end(Entry& entry, JobState state);
    JobSnapshot snapshotOf(Entry& entry) const;
    Entry* find(JobId id) const;
    void tell(const std::vector<JobSnapshot>& over) const;

    MemoryBudget& m_budget;
    mutable std::mutex m_mutex;
    std::list<std::unique_ptr<Entry>> m_entries;
    JobId m_next = 1;
    bool m_closing = false;
};

} // namespace cellfolio
