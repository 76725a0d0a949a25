// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/corpus.h"
#include "tests/widgets/model_bench.h"
#include "widgets/models/frame_source.h"
#include "widgets/models/name_search.h"

#include <QSignalSpy>
#include <QtTest>

#include <random>

using namespace cellfolio;
using cellfolio::test::Bench;
using cellfolio::test::waitFilled;
using namespace Qt::StringLiterals;

namespace {

QStringList column(const FrameSource& source, int column, qint64 rows)
{
    QStringList texts;
    for (qint64 row = 0; row < rows; ++row)
        texts.append(source.fullText(row, column));
    return texts;
}

} // namespace

// Values were taken with anndata from the example.
class ModelFrameTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

    void fillsWhatIsWanted()
    {
        Bench bench;
        FrameSource source(bench.context, bench.dataset, *bench.dataset->obs());
        QCOMPARE(source.rowCount(), 700);
        QCOMPARE(source.columnCount(), 9);
        source.want(0, 5, 0, 2);
        QVERIFY(source.cell(0, 0).pending); // nothing is read on the way
        QSignalSpy changed(&source, &TableSource::changed);
        QVERIFY(waitFilled(source));
        QCOMPARE(changed.isEmpty(), false);
        QVERIFY(!source.cell(0, 0).pending);
        QCOMPARE(source.cell(0, 0).text, u"AAAGCCTGGCTAAC-1"_s);
        QCOMPARE(source.cell(0, 1).text, u"CD14+ Monocyte"_s);
        QCOMPARE(source.cell(0, 2).text, u"1,003"_s);
        QCOMPARE(source.fullText(0, 2), u"1003"_s);
        QVERIFY(source.cell(0, 2).number);
        QVERIFY(source.cell(0, 3).pending); // not wanted, not read
        source.want(690, 699, 0, 8);
        QVERIFY(waitFilled(source));
        QCOMPARE(source.cell(699, 0).text, u"TTGAGGTGGAGAGC-8"_s);
        QCOMPARE(source.cell(699, 2).text, u"1,552"_s);
    }

    void takesColorsFromTheFile()
    {
        Bench bench;
        FrameSource source(bench.context, bench.dataset, *bench.dataset->obs());
        source.want(0, 0, 0, 1);
        QVERIFY(QTest::qWaitFor([&] { return source.cell(0, 1).dot.isValid(); }, 20'000));
        // CD14+ Monocyte is the sixth category.
        QCOMPARE(source.cell(0, 1).dot.name(), u"#8c564b"_s);
    }

    void sortsStablyBothWays()
    {
        Bench bench;
        FrameSource source(bench.context, bench.dataset, *bench.dataset->obs());
        QSignalSpy sorted(&source, &FrameSource::sorted);
        source.sortBy(2, SortMark::Ascending);
        QVERIFY(sorted.wait(20'000));
        const std::vector<Index> ascending{33, 242, 252, 391, 215, 302};
        for (std::size_t i = 0; i < ascending.size(); ++i)
            QCOMPARE(source.fileRow(static_cast<qint64>(i)), ascending[i]);
        source.want(0, 5, 0, 2);
        QVERIFY(waitFilled(source));
        QCOMPARE(column(source, 2, 6), (QStringList{u"1001"_s, u"1001"_s, u"1001"_s, u"1001"_s, u"1002"_s, u"1002"_s}));
        QCOMPARE(source.rowLabel(0), u"33"_s);
        source.sortBy(2, SortMark::Descending);
        QVERIFY(sorted.wait(20'000));
        const std::vector<Index> descending{92, 41, 307, 189, 572, 312};
        for (std::size_t i = 0; i < descending.size(); ++i)
            QCOMPARE(source.fileRow(static_cast<qint64>(i)), descending[i]);
        QCOMPARE(source.placeOf(307), 2);
        // Categories whose names are numbers go by number: "2" before "10".
        source.sortBy(8, SortMark::Ascending);
        QVERIFY(sorted.wait(20'000));
        for (const Index row : {0, 1, 2, 3, 4, 5})
            QCOMPARE(source.fileRow(row), (std::vector<Index>{11, 13, 17, 18, 24, 30}[std::size_t(row)]));
        source.want(600, 699, 8, 8);
        QVERIFY(waitFilled(source));
        QCOMPARE(source.fullText(699, 8), u"10"_s);
        source.sortBy(-1, SortMark::None);
        QVERIFY(source.order().isAll());
    }

    void sortsByName()
    {
        Bench bench;
        FrameSource source(bench.context, bench.dataset, *bench.dataset->obs());
        QSignalSpy sorted(&source, &FrameSource::sorted);
        source.sortBy(0, SortMark::Ascending);
        QVERIFY(sorted.wait(20'000));
        source.want(0, 1, 0, 0);
        QVERIFY(waitFilled(source));
        QCOMPARE(column(source, 0, 2), (QStringList{u"AAACGCACCTATGG-7"_s, u"AAACGGCTAGCAAA-2"_s}));
    }

    void newestSortWins()
    {
        Bench bench;
        FrameSource source(bench.context, bench.dataset, *bench.dataset->obs());
        QSignalSpy sorted(&source, &FrameSource::sorted);
        for (int column = 1; column < 9; ++column)
            source.sortBy(column, SortMark::Ascending);
        source.sortBy(2, SortMark::Descending);
        QVERIFY(sorted.wait(20'000));
        QTest::qWait(100);
        QCOMPARE(sorted.size(), 1);
        QCOMPARE(source.fileRow(0), 92);
        source.sortBy(3, SortMark::Ascending);
        source.cancelSort();
        QTest::qWait(100);
        QCOMPARE(sorted.size(), 1);
        QCOMPARE(source.fileRow(0), 92);
    }

    void refusesToSortBeyondTheBudget()
    {
        Bench bench(1 << 10); // 1 KiB: 700 rows want 16.8 kB
        FrameSource source(bench.context, bench.dataset, *bench.dataset->obs());
        std::optional<ErrorCode> code;
        connect(&source, &FrameSource::sortFailed, this, [&code](const Error& error) { code = error.code(); });
        source.sortBy(2, SortMark::Ascending);
        QTRY_VERIFY_WITH_TIMEOUT(code.has_value(), 20'000);
        QCOMPARE(*code, ErrorCode::OutOfBudget);
        QVERIFY(source.order().isAll());
    }

    void profilesEveryKind()
    {
        Bench bench;
        FrameSource source(bench.context, bench.dataset, *bench.dataset->obs());
        source.want(0, 20, 0, 8);
        QVERIFY(QTest::qWaitFor([&] { return source.isSettled(); }, 30'000));
        const ColumnProfile names = source.profile(0);
        QCOMPARE(names.captionLeft, u"700 different"_s);
        QVERIFY(names.type.contains(u"unique"_s));
        const ColumnProfile labels = source.profile(1);
        QCOMPARE(labels.type, u"10 categories"_s);
        QCOMPARE(labels.missing, u"0 missing"_s);
        QCOMPARE(labels.captionLeft, u"most: Dendritic"_s);
        QCOMPARE(labels.captionRight, u"240"_s);
        QCOMPARE(labels.bars, (std::vector<double>{240, 129, 95, 68, 54, 43, 31, 19, 13, 8}));
        QVERIFY(!labels.sampled);
        const ColumnProfile genes = source.profile(2);
        QCOMPARE(genes.captionLeft, u"1,001"_s);
        QCOMPARE(genes.captionRight, u"2,605"_s);
        QCOMPARE(std::accumulate(genes.bars.begin(), genes.bars.end(), 0.0), 700.0);
    }

    void hidesAndMovesColumns()
    {
        Bench bench;
        FrameSource source(bench.context, bench.dataset, *bench.dataset->obs());
        QSignalSpy reset(&source, &TableSource::reset);
        source.setShownColumns({2, 0});
        QCOMPARE(reset.size(), 1);
        QCOMPARE(source.columnCount(), 2);
        source.want(0, 0, 0, 1);
        QVERIFY(waitFilled(source));
        QCOMPARE(source.fullText(0, 0), u"1003"_s);
        QCOMPARE(source.fullText(0, 1), u"AAAGCCTGGCTAAC-1"_s);
        QCOMPARE(source.shownPlaceOf(1), -1);
    }

    void findsByName()
    {
        Bench bench;
        NameQuery query{bench.dataset, bench.dataset->obs(), nullptr, "ttgaggtggagagc-8", 12};
        auto found = findNames(query, bench.context.reading);
        QVERIFY(found.ok());
        QCOMPARE(found->size(), 1U);
        QCOMPARE(found->front().row, 699);
        query.table = bench.dataset->var();
        query.text = "cd79a";
        found = findNames(query, bench.context.reading);
        QVERIFY(found.ok());
        QVERIFY(!found->empty());
        QCOMPARE(found->front().name, std::string("CD79A"));
        QCOMPARE(found->front().row, 709);
    }

    void jumpsKeepTheBudget()
    {
        Bench bench(Index{16} << 20);
        FrameSource source(bench.context, bench.dataset, *bench.dataset->obs());
        std::mt19937 random(7);
        for (int jump = 0; jump < 1000; ++jump) {
            const qint64 row = std::uniform_int_distribution<qint64>(0, 660)(random);
            source.want(row, row + 39, 0, 8);
            if (jump % 10 == 0)
                QVERIFY(waitFilled(source));
            QVERIFY(bench.context.reading->budget().snapshot().total <= Index{16} << 20);
        }
        QVERIFY(bench.context.reading->budget().snapshot().peak <= Index{16} << 20);
    }

    void holdsForEveryTable_data()
    {
        QTest::addColumn<QString>("path");
        for (const auto& path : test::allFiles())
            QTest::addRow("%s", path.filename().c_str()) << QString::fromStdString(path.string());
    }

    void holdsForEveryTable()
    {
        QFETCH(QString, path);
        auto dataset = Dataset::open(path.toStdString());
        if (!dataset)
            QSKIP("refused, which other tests look at");
        Bench bench;
        for (const Element* element : (*dataset)->elements()) {
            if (element->kind != ElementKind::Table || !element->readable)
                continue;
            FrameSource source(bench.context, *dataset, *element);
            QCOMPARE(source.rowCount(), element->rows);
            source.want(0, std::min<qint64>(20, source.rowCount() - 1), 0, std::min(source.columnCount() - 1, 30));
            QVERIFY2(waitFilled(source), element->path.c_str());
            for (qint64 row = 0; row < std::min<qint64>(20, source.rowCount()); ++row)
                for (int column = 0; column < std::min(source.columnCount(), 31); ++column)
                    QVERIFY2(!source.cell(row, column).pending, element->path.c_str());
        }
    }

    void findsRowsAgain()
    {
        Bench bench(Index{64} << 20, "tests/data/files/version_second.h5ad");
        const Element& obs = *bench.dataset->obs(); // cell30 … cell199
        const auto again = [&](const char* name, Index row) {
            return findRowAgain(bench.dataset, obs, name, row, bench.context.reading);
        };
        using Row = std::optional<Index>;
        QCOMPARE(*again("cell30", 0), Row(0));
        QCOMPARE(*again("cell150", 150), Row(120));
        QCOMPARE(*again("cell199", 199), Row(169)); // its old place is no longer there
        QCOMPARE(*again("cell3", 3), Row());
        QCOMPARE(*again("cell3", -1), Row());
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = findRowAgain(bench.dataset, obs, "cell3", 3, bench.context.reading, stop.get_token());
        QVERIFY(!stopped.ok());
        QCOMPARE(stopped.error().code(), ErrorCode::Cancelled);
    }

    void selectionFollowsTheOrder()
    {
        Bench bench(Index{64} << 20, "tests/data/files/version_first.h5ad");
        FrameSource source(bench.context, bench.dataset, *bench.dataset->obs());
        RangeSet rows;
        rows.add(7, 8);
        QVERIFY(source.placesOf(rows) == rows);
        source.setOrder(Selection::indices(200, {8, 100, 7, 199}));
        RangeSet places;
        places.add(0, 0);
        places.add(2, 2);
        QVERIFY(source.placesOf(rows) == places);
        QVERIFY(*source.fileRowsOf(places) == rows);
        rows.add(1'000, 2'000); // what is not there is left out
        QVERIFY(source.placesOf(rows) == places);
    }
};

QTEST_MAIN(ModelFrameTest)
#include "model_frame_test.moc"
