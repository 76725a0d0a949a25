// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bridge/cell_format.h"
#include "widgets/bridge/latest.h"
#include "widgets/bridge/page_fetcher.h"

#include <QSemaphore>
#include <QtTest>

#include <atomic>

using namespace cellfolio;
using namespace Qt::StringLiterals;

namespace {

struct Number {
    int value = 0;
    Index bytes() const { return 1000; }
};
using Fetcher = PageFetcher<PieceKey, Number, PieceKeyHash>;

} // namespace

class ModelRequestsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void newestAnswerOnly()
    {
        RequestPool pool(2);
        QSemaphore gate;
        std::vector<int> answers;
        std::atomic<int> started = 0;
        Latest latest(&pool);
        for (int i = 0; i < 5; ++i)
            latest.request<int>(
                [i, &gate, &started](std::stop_token) -> Result<int> {
                    ++started;
                    gate.acquire();
                    return i;
                },
                [&answers](Result<int> answer) { answers.push_back(*answer); });
        QVERIFY(latest.isBusy());
        gate.release(10);
        QTRY_COMPARE(answers.size(), 1U);
        QTest::qWait(50);
        QCOMPARE(answers, std::vector<int>{4});
        // The first ran unless it was stopped before; the three between never began.
        QVERIFY(started.load() == 1 || started.load() == 2);
    }

    void runningOneIsAskedToStop()
    {
        RequestPool pool(1);
        Latest latest(&pool);
        std::atomic<bool> began = false;
        std::atomic<bool> stopped = false;
        int answer = 0;
        latest.request<int>(
            [&began, &stopped](std::stop_token stop) -> Result<int> {
                began = true;
                while (!stop.stop_requested())
                    QThread::msleep(1);
                stopped = true;
                return Error::cancelled();
            },
            [](Result<int>) { QFAIL("a stale answer came through"); });
        QTRY_VERIFY(began);
        latest.request<int>([](std::stop_token) -> Result<int> { return 7; },
                            [&answer](Result<int> result) { answer = *result; });
        QTRY_COMPARE(answer, 7);
        QVERIFY(stopped);
    }

    void cancelledNeverComesBack()
    {
        RequestPool pool(1);
        QSemaphore gate;
        Latest latest(&pool);
        latest.request<int>(
            [&gate](std::stop_token) -> Result<int> {
                gate.acquire();
                return 1;
            },
            [](Result<int>) { QFAIL("a cancelled answer came through"); });
        latest.cancel();
        gate.release();
        QTRY_VERIFY(pool.isIdle());
        QTest::qWait(20);
        QVERIFY(!latest.isBusy());
    }

    void askerMayDie()
    {
        RequestPool pool(1);
        QSemaphore gate;
        {
            Latest latest(&pool);
            latest.request<int>(
                [&gate](std::stop_token) -> Result<int> {
                    gate.acquire();
                    return 1;
                },
                [](Result<int>) { QFAIL("the asker is gone"); });
        }
        gate.release();
        QTRY_VERIFY(pool.isIdle());
        QTest::qWait(20);
    }

    void poolMayDieWhileItWorks()
    {
        auto pool = std::make_unique<RequestPool>(1);
        QObject context;
        pool->run<int>(
            &context,
            [](std::stop_token stop) -> Result<int> {
                while (!stop.stop_requested())
                    QThread::msleep(1);
                return 1;
            },
            [](Result<int>) { QFAIL("the pool is gone"); });
        pool.reset(); // stops it and waits
        QTest::qWait(20);
    }

    void exceptionsBecomeErrors()
    {
        RequestPool pool(1);
        QObject context;
        std::optional<ErrorCode> code;
        pool.run<int>(
            &context, [](std::stop_token) -> Result<int> { throw std::bad_alloc(); },
            [&code](Result<int> answer) { code = answer.error().code(); });
        QTRY_VERIFY(code.has_value());
        QCOMPARE(*code, ErrorCode::OutOfBudget);
    }

    void fetcherMergesOneTurn()
    {
        RequestPool pool(1);
        const auto reading = std::make_shared<Reading>();
        Fetcher fetcher(&pool, reading, MemoryTag::Pages, 5000);
        std::atomic<int> requests = 0;
        fetcher.setReader([&requests](const std::vector<PieceKey>& keys, std::stop_token) -> Result<Fetcher::Pieces> {
            ++requests;
            Fetcher::Pieces pieces;
            for (const PieceKey& key : keys)
                pieces.emplace_back(key, Number{static_cast<int>(key.first)});
            return pieces;
        });
        for (Index wish = 0; wish < 20; ++wish)
            fetcher.want({{wish, 0}, {wish + 1, 0}});
        QVERIFY(fetcher.peek({20, 0}) == nullptr);
        QTRY_VERIFY(fetcher.isComplete());
        QCOMPARE(requests.load(), 1);
        QCOMPARE(fetcher.peek({20, 0})->value, 20);
        QVERIFY(fetcher.peek({3, 0}) == nullptr); // nobody looks there any more
        for (Index wish = 0; wish < 50; ++wish) {
            fetcher.want({{wish, 0}});
            QTRY_VERIFY(fetcher.isComplete());
        }
        QCOMPARE(fetcher.bytes(), Index{5000});
        QCOMPARE(reading->budget().snapshot().total, Index{5000});
        fetcher.clear();
        QCOMPARE(reading->budget().snapshot().total, Index{0});
    }

    void fetcherDoesNotAskTwiceForWhatFails()
    {
        RequestPool pool(1);
        Fetcher fetcher(&pool, std::make_shared<Reading>(), MemoryTag::Pages, 5000);
        std::atomic<int> requests = 0;
        int said = 0;
        fetcher.failed = [&said](const Error&) { ++said; };
        fetcher.setReader([&requests](const std::vector<PieceKey>&, std::stop_token) -> Result<Fetcher::Pieces> {
            ++requests;
            return Error(ErrorCode::Corrupt, "No.");
        });
        fetcher.want({{1, 0}});
        QTRY_COMPARE(said, 1);
        fetcher.want({{1, 0}});
        QTest::qWait(50);
        QCOMPARE(requests.load(), 1);
        QVERIFY(fetcher.hasFailed({1, 0}));
        QVERIFY(fetcher.isComplete());
    }

    void textsOfNumbers()
    {
        QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
        QCOMPARE(countText(1136218), u"1,136,218"_s);
        QCOMPARE(numberText(0.0123456), u"0.01235"_s);
        QCOMPARE(numberText(1234.0), u"1,234"_s);
        QCOMPARE(numberText(-0.5), u"−0.5"_s);
        QCOMPARE(numberText(1.2e-34, 2), u"1.2e-34"_s);
        QCOMPARE(numberText(std::nan("")), u"NaN"_s);
        QCOMPARE(groupedText(u"9007199254740993"_s), u"9,007,199,254,740,993"_s);
        QCOMPARE(groupedText(u"-1234"_s), u"−1,234"_s);
        QCOMPARE(groupedText(u"NaN"_s), u"NaN"_s);
        QCOMPARE(shapeText({700, 765}), u"700 × 765"_s);
    }
};

QTEST_MAIN(ModelRequestsTest)
#include "model_requests_test.moc"
