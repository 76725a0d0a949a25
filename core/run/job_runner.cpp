// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/job_runner.h"

#include "core/base/text.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

namespace cellfolio {

namespace {

constexpr double kTellsRestAfter = 2; // s until a guess of the rest is worth something

// The one place where what libraries throw becomes an error value.
Result<JobOutcome> runGuarded(Job& job, JobContext& context)
{
    try {
        return job.run(context);
    } catch (const std::bad_alloc&) {
        return Error(ErrorCode::OutOfBudget, "The computer has no memory left for this.")
            .advise("Close other programs or files and try again.");
    } catch (const std::exception& problem) {
        return Error(ErrorCode::Internal, std::string("Something unexpected went wrong: ") + problem.what() + ".")
            .advise("Please report this with the log of the job.");
    }
}

std::string needsText(const JobNeeds& needs)
{
    std::string text = byteText(needs.memory) + " of memory, " + byteText(needs.output) + " written";
    if (needs.temporary > 0)
        text += ", " + byteText(needs.temporary) + " of temporary files";
    if (needs.seconds > 0)
        text += ", " + durationText(needs.seconds);
    return text;
}

} // namespace

struct JobRunner::Entry : JobContext {
    Entry(JobRunner& owner, JobId number, std::unique_ptr<Job> work) : runner(owner), id(number), job(std::move(work)) {}

    std::stop_token stop() const override { return source.get_token(); }
    Index memory() const override { return given; }
    bool beginCommit() override
    {
        const std::lock_guard lock(runner.m_mutex);
        if (source.stop_requested())
            return false;
        committing = true;
        return true;
    }

    JobRunner& runner;
    const JobId id;
    std::unique_ptr<Job> job;
    std::stop_source source;
    JobState state = JobState::Queued;
    bool committing = false;
    bool waits = false; // for memory
    MemoryReservation reservation;
    Index given = 0;
    Index peak = 0;
    Clock::time_point began{};
    double seconds = 0;
    std::chrono::system_clock::time_point ended{};
    JobOutcome outcome;
    std::optional<Error> error;
    RateMeter bytes;
    RateMeter entries;
    std::thread thread;
};

JobRunner::JobRunner(MemoryBudget& budget) : m_budget(budget) {}

JobRunner::~JobRunner()
{
    {
        const std::lock_guard lock(m_mutex);
        m_closing = true;
    }
    cancelAll();
    // Nothing is added or started any more; those that run end by themselves.
    for (const std::unique_ptr<Entry>& entry : m_entries)
        if (entry->thread.joinable())
            entry->thread.join();
}

JobId JobRunner::add(std::unique_ptr<Job> job)
{
    std::vector<JobSnapshot> over;
    JobId id = 0;
    {
        const std::lock_guard lock(m_mutex);
        id = m_next++;
        auto entry = std::make_unique<Entry>(*this, id, std::move(job));
        entry->log.write(entry->job->verb() + " " + entry->job->subject());
        if (const std::string command = entry->job->command(); !command.empty())
            entry->log.write("The same as: " + command);
        if (const JobNeeds needs = entry->job->needs(); needs.memory > 0 || needs.output > 0)
            entry->log.write("Expected: " + needsText(needs) + ".");
        m_entries.push_back(std::move(entry));
        start(over);
    }
    tell(over);
    return id;
}

void JobRunner::startWaiting()
{
    std::vector<JobSnapshot> over;
    {
        const std::lock_guard lock(m_mutex);
        start(over);
    }
    tell(over);
}

// In their order: a small job behind a large one waits with it, so that the large one comes to its turn.
void JobRunner::start(std::vector<JobSnapshot>& over)
{
    if (m_closing)
        return;
    for (const std::unique_ptr<Entry>& place : m_entries) {
        Entry& entry = *place;
        if (entry.state != JobState::Queued)
            continue;
        const bool alone = std::none_of(m_entries.begin(), m_entries.end(), [](const auto& other) {
            return other->state == JobState::Running || other->state == JobState::Cancelling;
        });
        if (!giveMemory(entry, alone)) {
            if (entry.state != JobState::Failed) {
                entry.waits = true;
                return;
            }
            over.push_back(snapshotOf(entry));
            continue;
        }
        entry.waits = false;
        entry.state = JobState::Running;
        entry.began = Clock::now();
        entry.log.write("Started with " + byteText(entry.given) + " of memory.");
        entry.thread = std::thread([this, &entry] { work(entry); });
    }
}

bool JobRunner::giveMemory(Entry& entry, bool alone)
{
    const Index least = entry.job->leastMemory();
    const Index wanted = std::max(least, std::min(entry.job->wantedMemory(), m_budget.limit() / 2));
    auto room = m_budget.reserve(MemoryTag::Job, wanted);
    if (!room && alone) // what is open holds the rest; that will not change soon
        room = m_budget.reserve(MemoryTag::Job,
                                std::max(least, std::min(wanted, m_budget.limit() - m_budget.snapshot().total)));
    if (!room) {
        if (alone) {
            entry.error = std::move(room).error();
            entry.log.write("Refused: " + entry.error->describe());
            end(entry, JobState::Failed);
        }
        return false;
    }
    entry.reservation = *std::move(room);
    entry.given = entry.reservation.bytes();
    return true;
}

void JobRunner::work(Entry& entry)
{
    Result<JobOutcome> answer = runGuarded(*entry.job, entry);
    finish(entry, std::move(answer));
}

void JobRunner::finish(Entry& entry, Result<JobOutcome> answer)
{
    std::vector<JobSnapshot> over;
    {
        const std::lock_guard lock(m_mutex);
        entry.seconds = std::chrono::duration<double>(Clock::now() - entry.began).count();
        entry.peak = std::max(entry.peak, entry.measureMemory().peak);
        entry.setMeter({});
        const bool cancelled = entry.state == JobState::Cancelling;
        if (answer)
            entry.outcome = *std::move(answer);
        else if (!cancelled && answer.error().code() != ErrorCode::Cancelled)
            entry.error = std::move(answer).error();
        for (const std::string& note : entry.outcome.notes)
            entry.log.write(note);
        const JobState state = cancelled || (!answer && !entry.error) ? JobState::Cancelled
                             : entry.error                           ? JobState::Failed
                                                                     : JobState::Succeeded;
        if (state == JobState::Succeeded) {
            entry.log.write("Used: "
                            + needsText({entry.peak, entry.outcome.temporary, entry.outcome.bytes, entry.seconds}) + ".");
            for (const std::filesystem::path& result : entry.outcome.results)
                entry.log.write("Written: " + result.string());
        } else if (state == JobState::Failed) {
            entry.log.write("Failed: " + entry.error->describe()
                            + (entry.error->fix().empty() ? std::string() : " " + entry.error->fix()));
        } else {
            entry.log.write("Cancelled after " + durationText(entry.seconds) + ".");
            for (const std::filesystem::path& result : entry.outcome.results)
                entry.log.write("Finished before that, and kept: " + result.string());
        }
        end(entry, state);
        over.push_back(snapshotOf(entry));
        start(over);
    }
    tell(over);
}

// Requires: the lock.
void JobRunner::end(Entry& entry, JobState state)
{
    entry.state = state;
    entry.ended = std::chrono::system_clock::now();
    entry.reservation.release();
    entry.waits = false;
}

void JobRunner::tell(const std::vector<JobSnapshot>& over) const
{
    if (ended)
        for (const JobSnapshot& job : over)
            ended(job);
}

bool JobRunner::cancel(JobId id)
{
    std::vector<JobSnapshot> over;
    {
        const std::lock_guard lock(m_mutex);
        Entry* entry = find(id);
        if (entry == nullptr || isOver(entry->state) || entry->committing)
            return false;
        if (entry->state == JobState::Queued) {
            entry->log.write("Cancelled before it began.");
            end(*entry, JobState::Cancelled);
            over.push_back(snapshotOf(*entry));
            start(over); // those behind it may fit
        } else {
            entry->state = JobState::Cancelling;
        }
        entry->source.request_stop();
    }
    tell(over);
    return true;
}

void JobRunner::cancelAll()
{
    std::vector<JobId> ids;
    {
        const std::lock_guard lock(m_mutex);
        for (const std::unique_ptr<Entry>& entry : m_entries)
            if (!isOver(entry->state))
                ids.push_back(entry->id);
    }
    // The last first: what waits must not start when what is before it ends.
    std::reverse(ids.begin(), ids.end());
    for (const JobId id : ids)
        cancel(id);
}

void JobRunner::forget(JobId id)
{
    std::unique_ptr<Entry> gone;
    {
        const std::lock_guard lock(m_mutex);
        const auto place = std::find_if(m_entries.begin(), m_entries.end(),
                                        [id](const auto& entry) { return entry->id == id; });
        if (place == m_entries.end() || !isOver((*place)->state))
            return;
        gone = std::move(*place);
        m_entries.erase(place);
    }
    if (gone->thread.joinable())
        gone->thread.join(); // it is past its end
}

JobRunner::Entry* JobRunner::find(JobId id) const
{
    for (const std::unique_ptr<Entry>& entry : m_entries)
        if (entry->id == id)
            return entry.get();
    return nullptr;
}

// Requires: the lock.
JobSnapshot JobRunner::snapshotOf(Entry& entry) const
{
    JobSnapshot job;
    job.id = entry.id;
    job.verb = entry.job->verb();
    job.subject = entry.job->subject();
    job.command = entry.job->command();
    job.needs = entry.job->needs();
    job.state = entry.state;
    job.waitsForMemory = entry.waits;
    job.canCancel = (entry.state == JobState::Queued || entry.state == JobState::Running) && !entry.committing;
    job.error = entry.error;
    job.outcome = entry.outcome;
    job.ended = entry.ended;
    job.memoryReserved = entry.given;
    const JobProgress::Snapshot progress = entry.progress.snapshot();
    job.phase = progress.phase;
    job.share = progress.share;
    job.done = progress.done;
    job.entries = progress.entries;
    const bool runs = entry.state == JobState::Running || entry.state == JobState::Cancelling;
    if (runs) {
        job.seconds = std::chrono::duration<double>(Clock::now() - entry.began).count();
        const MemorySnapshot memory = entry.measureMemory();
        job.memoryNow = memory.total;
        entry.peak = std::max(entry.peak, memory.peak);
        entry.bytes.add(job.seconds, progress.done);
        entry.entries.add(job.seconds, progress.entries);
        job.bytesPerSecond = entry.bytes.rate();
        job.entriesPerSecond = entry.entries.rate();
        const double still = job.seconds - entry.bytes.lastGrowth();
        if (still >= kStalledAfter && job.share < 1)
            job.stalledFor = still;
        if (job.seconds >= kTellsRestAfter && job.share > 0 && job.share < 1)
            job.secondsLeft = job.seconds / job.share * (1 - job.share);
    } else if (isOver(entry.state)) {
        job.seconds = entry.seconds;
        if (entry.seconds > 0) {
            job.bytesPerSecond = static_cast<double>(progress.done) / entry.seconds;
            job.entriesPerSecond = static_cast<double>(progress.entries) / entry.seconds;
        }
        if (entry.state == JobState::Succeeded)
            job.share = 1;
    }
    job.memoryPeak = entry.peak;
    return job;
}

std::vector<JobSnapshot> JobRunner::jobs() const
{
    const std::lock_guard lock(m_mutex);
    std::vector<JobSnapshot> jobs;
    jobs.reserve(m_entries.size());
    for (const std::unique_ptr<Entry>& entry : m_entries)
        jobs.push_back(snapshotOf(*entry));
    return jobs;
}

std::optional<JobSnapshot> JobRunner::job(JobId id) const
{
    const std::lock_guard lock(m_mutex);
    if (Entry* entry = find(id))
        return snapshotOf(*entry);
    return std::nullopt;
}

std::vector<JobLog::Line> JobRunner::log(JobId id) const
{
    const std::lock_guard lock(m_mutex);
    const Entry* entry = find(id);
    return entry != nullptr ? entry->log.lines() : std::vector<JobLog::Line>{};
}

int JobRunner::activeCount() const
{
    const std::lock_guard lock(m_mutex);
    return static_cast<int>(std::count_if(m_entries.begin(), m_entries.end(),
                                          [](const auto& entry) { return !isOver(entry->state); }));
}

} // namespace cellfolio
