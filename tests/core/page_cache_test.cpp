// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/hdf5_thread.h"
#include "core/paging/page_cache.h"

#include <QtTest>

#include <atomic>
#include <chrono>
#include <thread>

using namespace cellfolio;
using namespace std::chrono_literals;

namespace {

Result<std::shared_ptr<Page>> makePage(MemoryBudget& budget, Index bytes)
{
    auto page = std::make_shared<Page>();
    page->bytes.resize(at(bytes));
    page->charge = budget.force(MemoryTag::Pages, bytes);
    return page;
}

} // namespace

class PageCacheTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void dropsTheLeastRecentlyUsed();
    void pinsOutliveEviction();
    void loadsOnceForManyAskers();
    void failedLoadsAreTriedAgain();
    void waitingCanBeCancelled();
    void budgetRefusesInWords();
    void hdf5ThreadAnswersACancelAtOnce();
    void interactiveGoesFirst();
};

void PageCacheTest::dropsTheLeastRecentlyUsed()
{
    MemoryBudget budget(1 << 20);
    PageCache cache(budget, 300);
    const auto get = [&](Index tile) {
        QVERIFY(cache.get({1, 1, tile}, [&] { return makePage(budget, 100); }, {}).ok());
    };
    get(0);
    get(1);
    get(2);
    get(0); // now 1 is the oldest
    get(3);
    QVERIFY(cache.peek({1, 1, 0}));
    QVERIFY(!cache.peek({1, 1, 1}));
    QCOMPARE(cache.bytes(), Index{300});
    QCOMPARE(budget.snapshot().total, Index{300});
    QCOMPARE(cache.loads(), Index{4});
    QVERIFY(cache.get({1, 1, 9}, [&] { return makePage(budget, 1000); }, {}).ok());
    QVERIFY2(cache.bytes() <= 300, "a page larger than the cache is not kept");
}

void PageCacheTest::pinsOutliveEviction()
{
    MemoryBudget budget(1 << 20);
    PageCache cache(budget, 100);
    auto pin = cache.get({1, 1, 0}, [&] { return makePage(budget, 100); }, {});
    QVERIFY(cache.get({1, 1, 1}, [&] { return makePage(budget, 100); }, {}).ok());
    QCOMPARE((*pin)->bytes.size(), std::size_t{100});
    QCOMPARE(budget.snapshot().total, Index{200}); // the pinned page is still counted
    pin = Error::cancelled();
    QCOMPARE(budget.snapshot().total, Index{100});
}

void PageCacheTest::loadsOnceForManyAskers()
{
    MemoryBudget budget(1 << 20);
    PageCache cache(budget, 1000);
    std::atomic<int> loads{0};
    std::vector<std::thread> askers;
    std::atomic<int> got{0};
    for (int i = 0; i < 8; ++i) {
        askers.emplace_back([&] {
            auto page = cache.get({1, 1, 0},
                                  [&]() -> Result<std::shared_ptr<Page>> {
                                      ++loads;
                                      std::this_thread::sleep_for(30ms);
                                      return makePage(budget, 10);
                                  },
                                  {});
            got += page.ok() ? 1 : 0;
        });
    }
    for (std::thread& asker : askers)
        asker.join();
    QCOMPARE(loads.load(), 1);
    QCOMPARE(got.load(), 8);
}

void PageCacheTest::failedLoadsAreTriedAgain()
{
    MemoryBudget budget(1 << 20);
    PageCache cache(budget, 1000);
    auto failed = cache.get({1, 1, 0}, []() -> Result<std::shared_ptr<Page>> { return Error(ErrorCode::Io, "no"); }, {});
    QVERIFY(!failed.ok());
    QVERIFY(cache.get({1, 1, 0}, [&] { return makePage(budget, 10); }, {}).ok());
}

void PageCacheTest::waitingCanBeCancelled()
{
    MemoryBudget budget(1 << 20);
    PageCache cache(budget, 1000);
    std::atomic<bool> finish{false};
    std::atomic<bool> loading{false};
    std::thread slow([&] {
        QVERIFY(cache.get({1, 1, 0},
                          [&]() -> Result<std::shared_ptr<Page>> {
                              loading = true;
                              while (!finish)
                                  std::this_thread::sleep_for(1ms);
                              return makePage(budget, 10);
                          },
                          {})
                    .ok());
    });
    while (!loading)
        std::this_thread::sleep_for(1ms);
    std::stop_source stop;
    std::thread canceller([&] {
        std::this_thread::sleep_for(20ms);
        stop.request_stop();
    });
    auto answer = cache.get({1, 1, 0}, [&] { return makePage(budget, 10); }, stop.get_token());
    QVERIFY(!answer.ok());
    QCOMPARE(answer.error().code(), ErrorCode::Cancelled);
    finish = true;
    canceller.join();
    slow.join();
}

void PageCacheTest::budgetRefusesInWords()
{
    MemoryBudget budget(1000);
    auto held = budget.reserve(MemoryTag::Job, 900);
    QVERIFY(held.ok());
    auto refused = budget.reserve(MemoryTag::Job, 200);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().code(), ErrorCode::OutOfBudget);
    QVERIFY(refused.error().message().find("100 bytes") != std::string::npos);
    held->release();
    QVERIFY(budget.reserve(MemoryTag::Job, 1000).ok());
    QCOMPARE(budget.snapshot().total, Index{0});
    QCOMPARE(budget.snapshot().peak, Index{1000});
}

void PageCacheTest::hdf5ThreadAnswersACancelAtOnce()
{
    auto& thread = hdf5::Hdf5Thread::instance();
    auto finish = std::make_shared<std::atomic<bool>>(false);
    thread.post(hdf5::Lane::Bulk, [finish] {
        while (!*finish)
            std::this_thread::sleep_for(1ms);
    });
    std::stop_source stop;
    std::thread canceller([&] {
        std::this_thread::sleep_for(30ms);
        stop.request_stop();
    });
    auto ran = std::make_shared<std::atomic<bool>>(false);
    const auto begin = std::chrono::steady_clock::now();
    auto answer = thread.call(hdf5::Lane::Bulk, stop.get_token(), [ran]() -> Result<int> {
        *ran = true;
        return 1;
    });
    const auto waited = std::chrono::steady_clock::now() - begin;
    QVERIFY(!answer.ok());
    QVERIFY2(waited < 250ms, "a cancel is answered while the thread is busy");
    *finish = true;
    canceller.join();
    QCOMPARE(thread.call(hdf5::Lane::Bulk, [] { return 5; }), 5);
    QVERIFY2(!*ran, "what was cancelled while waiting never runs");
}

void PageCacheTest::interactiveGoesFirst()
{
    auto& thread = hdf5::Hdf5Thread::instance();
    auto finish = std::make_shared<std::atomic<bool>>(false);
    auto order = std::make_shared<std::vector<int>>();
    thread.post(hdf5::Lane::Bulk, [finish] {
        while (!*finish)
            std::this_thread::sleep_for(1ms);
    });
    for (int i = 0; i < 3; ++i)
        thread.post(hdf5::Lane::Bulk, [order] { order->push_back(2); });
    thread.post(hdf5::Lane::Interactive, [order] { order->push_back(1); });
    *finish = true;
    thread.call(hdf5::Lane::Bulk, [] { return 0; });
    QCOMPARE(*order, (std::vector<int>{1, 2, 2, 2}));
}

QTEST_GUILESS_MAIN(PageCacheTest)
#include "page_cache_test.moc"
