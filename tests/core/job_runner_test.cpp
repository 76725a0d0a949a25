// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/job_runner.h"

#include <QElapsedTimer>
#include <QtTest>

#include <atomic>
#include <condition_variable>
#include <stdexcept>
#include <thread>

using namespace cellfolio;

namespace {

constexpr Index kMiB = Index{1} << 20;

// What the jobs of a test share: who began, in which order, how many at once, and a gate.
struct Watch {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<int> begun;
    int running = 0;
    int mostAtOnce = 0;
    bool open = false;

    void openGate()
    {
        const std::lock_guard lock(mutex);
        open = true;
        changed.notify_all();
    }
};

class TestJob : public Job
{
public:
    using Body = std::function<Result<JobOutcome>(JobContext&)>;
    TestJob(Watch& watch, int number, Index memory, Body body = {})
        : m_watch(watch), m_number(number), m_memory(memory), m_body(std::move(body))
    {
    }
    std::string verb() const override { return "Test"; }
    std::string subject() const override { return std::to_string(m_number); }
    JobNeeds needs() const override { return {64 * kMiB, 0, 3 * kMiB, 2}; }
    std::string command() const override { return "cellfolio-cli export in.h5ad -o out.h5ad"; }
    Index wantedMemory() const override { return m_memory; }

    Result<JobOutcome> run(JobContext& context) override
    {
        {
            const std::lock_guard lock(m_watch.mutex);
            m_watch.begun.push_back(m_number);
            m_watch.mostAtOnce = std::max(m_watch.mostAtOnce, ++m_watch.running);
        }
        Result<JobOutcome> answer = m_body ? m_body(context) : waitForGate(context);
        const std::lock_guard lock(m_watch.mutex);
        --m_watch.running;
        return answer;
    }

private:
    Result<JobOutcome> waitForGate(JobContext& context)
    {
        std::unique_lock lock(m_watch.mutex);
        while (!m_watch.open) {
            m_watch.changed.wait_for(lock, std::chrono::milliseconds(10));
            if (context.stop().stop_requested())
                return Error::cancelled();
        }
        return JobOutcome{{"out.h5ad"}, 2 * kMiB, 0, {"a note"}};
    }

    Watch& m_watch;
    const int m_number;
    const Index m_memory;
    Body m_body;
};

bool waitOver(const JobRunner& runner, JobId id)
{
    return QTest::qWaitFor([&] { return isOver(runner.job(id)->state); }, 10'000);
}

bool logSays(const JobRunner& runner, JobId id, const std::string& text)
{
    for (const JobLog::Line& line : runner.log(id))
        if (line.text.find(text) != std::string::npos)
            return true;
    return false;
}

} // namespace

class JobRunnerTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void runsInOrderWithinTheBudget()
    {
        MemoryBudget budget(128 * kMiB);
        Watch watch;
        std::atomic<int> told = 0;
        {
            JobRunner runner(budget);
            runner.ended = [&](const JobSnapshot&) { ++told; };
            std::vector<JobId> ids;
            for (int k = 0; k < 5; ++k)
                ids.push_back(runner.add(std::make_unique<TestJob>(watch, k, 60 * kMiB)));
            QTRY_COMPARE(static_cast<int>(runner.jobs().size()), 5);
            QTRY_VERIFY(runner.job(ids[1])->state == JobState::Running);
            QCOMPARE(runner.job(ids[2])->state, JobState::Queued); // 2 × 60 of 128 MiB
            QVERIFY(runner.job(ids[2])->waitsForMemory);
            QCOMPARE(runner.activeCount(), 5);
            QCOMPARE(budget.snapshot().total, 120 * kMiB);
            QCOMPARE(runner.job(ids[0])->memoryReserved, 60 * kMiB);
            QTRY_VERIFY([&] {
                const std::lock_guard lock(watch.mutex);
                return watch.running == 2;
            }());
            watch.openGate();
            for (const JobId id : ids)
                QVERIFY(waitOver(runner, id));
            for (const JobId id : ids)
                QCOMPARE(runner.job(id)->state, JobState::Succeeded);
            QTRY_COMPARE(told.load(), 5);
            QCOMPARE(runner.activeCount(), 0);
        }
        QCOMPARE(watch.mostAtOnce, 2);
        // Those that run at once may begin in any order; none overtakes one that waits.
        QCOMPARE(watch.begun.size(), 5U);
        QVERIFY(watch.begun[0] < 2 && watch.begun[1] < 2);
        QCOMPARE(budget.snapshot().total, 0);
    }

    void takesHalfOfASmallBudgetAndRefusesWhatCannotFit()
    {
        MemoryBudget budget(80 * kMiB);
        Watch watch;
        JobRunner runner(budget);
        const JobId large = runner.add(std::make_unique<TestJob>(watch, 0, 256 * kMiB));
        QTRY_VERIFY(runner.job(large)->state == JobState::Running);
        QCOMPARE(runner.job(large)->memoryReserved, 40 * kMiB);
        QVERIFY(runner.cancel(large));
        QVERIFY(waitOver(runner, large));
        // Others hold nearly all of it: less than the least is no start.
        const MemoryReservation others = budget.force(MemoryTag::Pages, 70 * kMiB);
        const JobId refused = runner.add(std::make_unique<TestJob>(watch, 1, 256 * kMiB));
        QVERIFY(waitOver(runner, refused));
        QCOMPARE(runner.job(refused)->state, JobState::Failed);
        QCOMPARE(runner.job(refused)->error->code(), ErrorCode::OutOfBudget);
        QCOMPARE(watch.begun.size(), 1U);
    }

    void takesWhatIsLeftWhereNothingElseRuns()
    {
        MemoryBudget budget(80 * kMiB);
        Watch watch;
        const MemoryReservation others = budget.force(MemoryTag::Pages, 50 * kMiB);
        JobRunner runner(budget);
        const JobId id = runner.add(std::make_unique<TestJob>(watch, 0, 256 * kMiB));
        QTRY_VERIFY(runner.job(id)->state == JobState::Running);
        QCOMPARE(runner.job(id)->memoryReserved, 30 * kMiB);
    }

    void cancelIsSeenAndNeverRevives()
    {
        MemoryBudget budget(256 * kMiB);
        Watch watch;
        JobRunner runner(budget);
        const JobId id = runner.add(std::make_unique<TestJob>(watch, 0, 16 * kMiB));
        QTRY_VERIFY(runner.job(id)->state == JobState::Running);
        QElapsedTimer clock;
        clock.start();
        QVERIFY(runner.cancel(id));
        QCOMPARE(runner.job(id)->state, JobState::Cancelling); // at once, whatever the job does
        QVERIFY(!runner.job(id)->canCancel);
        QVERIFY(!runner.job(id)->secondsLeft);
        while (!isOver(runner.job(id)->state) && clock.elapsed() < 5000)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        QVERIFY2(clock.elapsed() < 250, qPrintable(QString::number(clock.elapsed())));
        QCOMPARE(runner.job(id)->state, JobState::Cancelled);
        QVERIFY(!runner.job(id)->error);
        QVERIFY(!runner.cancel(id));
        watch.openGate();
        QTest::qWait(50);
        QCOMPARE(runner.job(id)->state, JobState::Cancelled);
        QVERIFY(logSays(runner, id, "Cancelled after"));
    }

    void aJobThatDoesNotListenIsCancelledAllTheSame()
    {
        MemoryBudget budget(256 * kMiB);
        Watch watch;
        JobRunner runner(budget);
        std::atomic<bool> go = false;
        std::atomic<int> mayCommit = -1;
        const JobId id = runner.add(std::make_unique<TestJob>(watch, 0, 16 * kMiB, [&](JobContext& context) -> Result<JobOutcome> {
            while (!go)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            mayCommit = context.beginCommit() ? 1 : 0;
            return JobOutcome{};
        }));
        QTRY_VERIFY(runner.job(id)->state == JobState::Running);
        QVERIFY(runner.cancel(id));
        go = true;
        QVERIFY(waitOver(runner, id));
        QCOMPARE(mayCommit.load(), 0);
        QCOMPARE(runner.job(id)->state, JobState::Cancelled);
    }

    void cannotBeCancelledWhileItsResultAppears()
    {
        MemoryBudget budget(256 * kMiB);
        Watch watch;
        JobRunner runner(budget);
        std::atomic<bool> committing = false;
        std::atomic<bool> go = false;
        const JobId id = runner.add(std::make_unique<TestJob>(watch, 0, 16 * kMiB, [&](JobContext& context) -> Result<JobOutcome> {
            if (!context.beginCommit())
                return Error::cancelled();
            committing = true;
            while (!go)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return JobOutcome{{"out.h5ad"}, 7, 0, {}};
        }));
        QTRY_VERIFY(committing.load());
        QVERIFY(!runner.job(id)->canCancel);
        QVERIFY(!runner.cancel(id));
        go = true;
        QVERIFY(waitOver(runner, id));
        QCOMPARE(runner.job(id)->state, JobState::Succeeded);
        QCOMPARE(runner.job(id)->outcome.bytes, 7);
    }

    void oneThatWaitsIsCancelledBeforeItBegins()
    {
        MemoryBudget budget(64 * kMiB);
        Watch watch;
        JobRunner runner(budget);
        const JobId first = runner.add(std::make_unique<TestJob>(watch, 1, 32 * kMiB));
        const JobId large = runner.add(std::make_unique<TestJob>(watch, 2, 32 * kMiB));
        const JobId third = runner.add(std::make_unique<TestJob>(watch, 3, 32 * kMiB));
        QTRY_VERIFY(runner.job(large)->state == JobState::Running);
        QVERIFY(runner.cancel(third));
        QCOMPARE(runner.job(third)->state, JobState::Cancelled);
        watch.openGate();
        QVERIFY(waitOver(runner, first) && waitOver(runner, large));
        QCOMPARE(watch.begun.size(), 2U);
        runner.forget(third);
        QVERIFY(!runner.job(third));
        QCOMPARE(runner.jobs().size(), 2U);
    }

    void failuresAndExceptionsAreOutcomes()
    {
        MemoryBudget budget(64 * kMiB);
        Watch watch;
        JobRunner runner(budget);
        const auto run = [&](TestJob::Body body) {
            const JobId id = runner.add(std::make_unique<TestJob>(watch, 0, 16 * kMiB, std::move(body)));
            return waitOver(runner, id) ? *runner.job(id) : JobSnapshot{};
        };
        const JobSnapshot failed = run([](JobContext&) -> Result<JobOutcome> {
            return Error(ErrorCode::OutOfDisk, "The disk is full.").advise("Make room.");
        });
        QCOMPARE(failed.state, JobState::Failed);
        QCOMPARE(failed.error->message(), std::string("The disk is full."));
        QVERIFY(logSays(runner, failed.id, "The disk is full. Make room."));
        const JobSnapshot threw = run([](JobContext&) -> Result<JobOutcome> { throw std::runtime_error("odd"); });
        QCOMPARE(threw.state, JobState::Failed);
        QCOMPARE(threw.error->code(), ErrorCode::Internal);
        QVERIFY(threw.error->message().find("odd") != std::string::npos);
        const JobSnapshot big = run([](JobContext&) -> Result<JobOutcome> { throw std::bad_alloc(); });
        QCOMPARE(big.error->code(), ErrorCode::OutOfBudget);
        QCOMPARE(budget.snapshot().total, 0);
        // And the next one runs.
        QCOMPARE(run([](JobContext&) { return JobOutcome{}; }).state, JobState::Succeeded);
    }

    void tellsWhatWasExpectedAndWhatHappened()
    {
        MemoryBudget budget(64 * kMiB);
        Watch watch;
        JobRunner runner(budget);
        watch.openGate();
        const JobId id = runner.add(std::make_unique<TestJob>(watch, 4, 16 * kMiB));
        QVERIFY(waitOver(runner, id));
        QVERIFY(logSays(runner, id, "The same as: cellfolio-cli export in.h5ad -o out.h5ad"));
        QVERIFY(logSays(runner, id, "Expected: 64 MiB of memory, 3 MiB written, 2 s."));
        QVERIFY(logSays(runner, id, "Used: "));
        QVERIFY(logSays(runner, id, "2 MiB written"));
        QVERIFY(logSays(runner, id, "a note"));
        QVERIFY(logSays(runner, id, "Written: out.h5ad"));
        QCOMPARE(runner.job(id)->share, 1.0);
    }

    void destroyingItCancelsAndWaits()
    {
        MemoryBudget budget(64 * kMiB);
        Watch watch;
        {
            JobRunner runner(budget);
            for (int k = 0; k < 4; ++k)
                runner.add(std::make_unique<TestJob>(watch, k, 32 * kMiB));
        }
        QCOMPARE(watch.running, 0);
        QVERIFY(watch.begun.size() <= 2U);
        QCOMPARE(budget.snapshot().total, 0);
    }

    void progressIsWeightedAndNeverRunsBackwards()
    {
        JobProgress progress;
        QCOMPARE(progress.snapshot().share, 0.0);
        progress.setPhases({{"a", 1}, {"b", 3}});
        Progress& a = progress.enter(0);
        a.begin(10);
        a.advance(5);
        QCOMPARE(progress.snapshot().share, 0.125);
        a.advance(50); // more than was thought
        QCOMPARE(progress.snapshot().share, 0.25);
        Progress& b = progress.enter(1);
        QCOMPARE(progress.snapshot().share, 0.25);
        QCOMPARE(progress.snapshot().phase, std::string("b"));
        b.begin(4);
        b.advance(2);
        b.countEntries(7);
        QCOMPARE(progress.snapshot().share, 0.625);
        QCOMPARE(progress.snapshot().done, 57);
        QCOMPARE(progress.snapshot().entries, 7);
        b.begin(100);
        QCOMPARE(progress.snapshot().share, 0.625);
    }

    void ratesAreOfTheLastSeconds()
    {
        RateMeter meter;
        QCOMPARE(meter.rate(), 0.0);
        for (int k = 0; k <= 20; ++k)
            meter.add(k, k <= 10 ? Index{k} * 100 : Index{1000});
        QCOMPARE(meter.rate(), 0.0); // nothing since 10 s
        QCOMPARE(meter.lastGrowth(), 10.0);
        RateMeter steady;
        for (int k = 0; k <= 20; ++k)
            steady.add(k, Index{k} * k);
        QCOMPARE(steady.rate(), (400.0 - 225.0) / 5);
        steady.add(21, 0); // a new count
        QCOMPARE(steady.rate(), 0.0);
    }
};

QTEST_GUILESS_MAIN(JobRunnerTest)
#include "job_runner_test.moc"
