// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/long_scroll.h"
#include "widgets/views/range_set.h"

#include <QtTest/QTest>
#include <QtWidgets/QScrollBar>

#include <random>
#include <limits>
#include <set>

using namespace cellfolio;

class PagedRangesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rangesAgreeWithASet();
    void scrollIsExactBelowTheBarsRange();
    void scrollReachesBothEndsAboveIt();
    void scrollShowsWithTheLeastMovement();
};

void PagedRangesTest::rangesAgreeWithASet()
{
    std::mt19937 random(11);
    for (int round = 0; round < 200; ++round) {
        RangeSet ranges;
        std::set<qint64> plain;
        for (int step = 0; step < 30; ++step) {
            const qint64 first = qint64(random() % 60);
            const qint64 last = first + qint64(random() % 12);
            const bool adds = random() % 3 != 0;
            for (qint64 v = first; v <= last; ++v) {
                if (adds)
                    plain.insert(v);
                else
                    plain.erase(v);
            }
            if (adds)
                ranges.add(first, last);
            else
                ranges.remove(first, last);
            if (step % 10 == 9) {
                const qint64 end = qint64(random() % 80);
                ranges.limit(end);
                plain.erase(plain.lower_bound(end), plain.end());
            }
            QCOMPARE(ranges.count(), qint64(plain.size()));
            QVERIFY(RangeSet::of({plain.begin(), plain.end()}) == ranges);
            for (qint64 v = 0; v < 80; ++v)
                QCOMPARE(ranges.contains(v), plain.count(v) > 0);
            for (std::size_t i = 1; i < ranges.ranges().size(); ++i)
                QVERIFY(ranges.ranges()[i - 1].last + 1 < ranges.ranges()[i].first);
        }
    }
}

void PagedRangesTest::scrollIsExactBelowTheBarsRange()
{
    LongScroll scroll;
    scroll.setExtent(1'000'000'000, 400);
    QScrollBar bar(Qt::Vertical);
    for (const qint64 position : {0LL, 1LL, 777LL, 999'999'599LL, 999'999'600LL}) {
        scroll.setPosition(position);
        scroll.toBar(bar, 24);
        QCOMPARE(qint64(bar.value()), position);
        QVERIFY(!scroll.fromBar(bar));
        QCOMPARE(scroll.position(), position);
    }
    QCOMPARE(qint64(bar.maximum()), scroll.maximum());
    QVERIFY(!scroll.moveBy(1));
    scroll.setExtent(100, 400);
    QCOMPARE(scroll.position(), 0);
}

void PagedRangesTest::scrollReachesBothEndsAboveIt()
{
    LongScroll scroll;
    const qint64 content = (qint64(1) << 40) * 24;
    scroll.setExtent(content, 480);
    QScrollBar bar(Qt::Vertical);
    scroll.setPosition(content);
    QCOMPARE(scroll.position(), content - 480);
    scroll.toBar(bar, 24);
    QCOMPARE(bar.value(), bar.maximum());
    // One pixel is less than a step of the bar, and yet it is kept.
    scroll.moveBy(-1);
    scroll.toBar(bar, 24);
    QVERIFY(!scroll.fromBar(bar));
    QCOMPARE(scroll.position(), content - 481);
    bar.setValue(0);
    QVERIFY(scroll.fromBar(bar));
    QCOMPARE(scroll.position(), 0);
    scroll.moveBy(std::numeric_limits<qint64>::max());
    QCOMPARE(scroll.position(), content - 480);
    scroll.moveBy(std::numeric_limits<qint64>::min() + 1);
    QCOMPARE(scroll.position(), 0);
    bar.setValue(bar.maximum());
    QVERIFY(scroll.fromBar(bar));
    QCOMPARE(scroll.position(), content - 480);
}

void PagedRangesTest::scrollShowsWithTheLeastMovement()
{
    LongScroll scroll;
    scroll.setExtent(1'000, 100);
    QVERIFY(!scroll.show(0, 23));
    QVERIFY(scroll.show(90, 113));
    QCOMPARE(scroll.position(), 14);
    QVERIFY(!scroll.show(14, 37));
    QVERIFY(scroll.show(5, 28));
    QCOMPARE(scroll.position(), 5);
    scroll.show(300, 600); // more than a page: from its start
    QCOMPARE(scroll.position(), 300);
}

QTEST_MAIN(PagedRangesTest)
#include "paged_ranges_test.moc"
