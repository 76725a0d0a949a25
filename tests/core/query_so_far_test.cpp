// SPDX-License-Identifier: GPL-3.0-or-later
// What a filter has found while it runs, over tests/data/files/long.h5ad: row i has the word
// "w" + i mod 7, the count i mod 1000, and 1 + i mod 5 in gene "even" or "odd".
#include "core/query/filter.h"
#include "tests/support/corpus.h"

#include <QtTest>

#include <atomic>
#include <functional>
#include <thread>

using namespace cellfolio;
using namespace cellfolio::test;

class QuerySoFarTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void partsGrowAtTheirEnd_data()
    {
        QTest::addColumn<QString>("expression");
        QTest::newRow("text") << "word == \"w3\"";
        QTest::newRow("gene") << "gene(\"odd\") > 3";
        QTest::newRow("two genes") << "gene(\"odd\") > 3 or gene(\"even\") == 1";
        QTest::newRow("numbers") << "count < 700";
        QTest::newRow("cheap and text") << "count < 700 and word != \"w1\"";
        QTest::newRow("cheap or text") << "count < 100 or word == \"w1\"";
        QTest::newRow("three stages") << "count >= 100 and word != \"w1\" and gene(\"odd\") >= 2";
        QTest::newRow("gene and number in one") << "gene(\"even\") > count";
    }
    void partsGrowAtTheirEnd()
    {
        QFETCH(QString, expression);
        const auto holds = [&](Index i) {
            const Index word = i % 7;
            const Index count = i % 1000;
            const double odd = i % 2 == 1 ? double(1 + i % 5) : 0;
            const double even = i % 2 == 0 ? double(1 + i % 5) : 0;
            const QString tag = QTest::currentDataTag();
            if (tag == "text")
                return word == 3;
            if (tag == "gene")
                return odd > 3;
            if (tag == "two genes")
                return odd > 3 || even == 1;
            if (tag == "numbers")
                return count < 700;
            if (tag == "cheap and text")
                return count < 700 && word != 1;
            if (tag == "cheap or text")
                return count < 100 || word == 1;
            if (tag == "three stages")
                return count >= 100 && word != 1 && odd >= 2;
            return even > double(count);
        };
        auto opened = Dataset::open((dataFolder() / "files" / "long.h5ad").string());
        QVERIFY2(opened.ok(), opened.ok() ? "" : opened.error().describe().c_str());
        FilterContext context;
        context.dataset = *opened;
        context.table = (*opened)->obs();
        context.reading = std::make_shared<Reading>();
        const auto parsed = FilterExpression::parse(expression.toStdString());
        QVERIFY(parsed.ok());
        const auto filter = Filter::check(*parsed, context);
        QVERIFY2(filter.ok(), filter.ok() ? "" : filter.error().describe().c_str());
        const Selection rows = Selection::of(40'000, Slice{1000, 1, 38'000});

        FilterSoFar soFar;
        FilterOptions options;
        options.soFar = &soFar;
        soFar.ask();
        std::vector<FilterSoFar::Part> parts;
        std::atomic<bool> done{false};
        std::thread looker([&] {
            while (!done)
                if (auto part = soFar.take()) {
                    parts.push_back(std::move(*part));
                    soFar.ask();
                }
        });
        const auto answer = filter->run(rows, options);
        done = true;
        looker.join();
        if (auto part = soFar.take())
            parts.push_back(std::move(*part));
        QVERIFY2(answer.ok(), answer.ok() ? "" : answer.error().describe().c_str());
        std::vector<Index> wanted;
        for (Index k = 0; k < rows.size(); ++k)
            if (holds(rows[k]))
                wanted.push_back(k);
        QCOMPARE(answer->chosen.positions(), wanted);
        QVERIFY(!parts.empty());
        Index decided = 0;
        for (const FilterSoFar::Part& part : parts) {
            QVERIFY(part.decided >= decided);
            decided = part.decided;
            QCOMPARE(part.chosen.extent(), rows.size());
            std::vector<Index> first;
            for (const Index k : wanted)
                if (k < decided)
                    first.push_back(k);
            QCOMPARE(Selection::of(part.chosen).positions(), first);
        }
        QVERIFY(decided <= rows.size());
    }

    void nobodyAskedGetsNothing()
    {
        auto opened = Dataset::open((dataFolder() / "files" / "long.h5ad").string());
        QVERIFY(opened.ok());
        FilterContext context;
        context.dataset = *opened;
        context.table = (*opened)->obs();
        context.reading = std::make_shared<Reading>();
        const auto filter = Filter::check(*FilterExpression::parse("word == \"w3\""), context);
        QVERIFY(filter.ok());
        FilterSoFar soFar;
        FilterOptions options;
        options.soFar = &soFar;
        QVERIFY(filter->run(Selection::all(40'000), options).ok());
        QVERIFY(!soFar.take());
        // In another order there is no end to grow at.
        soFar.ask();
        QVERIFY(filter->run(Selection::slice(40'000, {}, {}, -1), options).ok());
        QVERIFY(!soFar.take());
    }
};

QTEST_MAIN(QuerySoFarTest)
#include "query_so_far_test.moc"
