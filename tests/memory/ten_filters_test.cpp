// SPDX-License-Identifier: GPL-3.0-or-later
// What people reported of views: each further filter cost more time and memory than the last. Ten
// filters in a row, on cells and on genes, of a million sparse cells and of a dense matrix; all ten
// views stay alive, as a history would keep them.
#include "core/anndata/dataset_view.h"
#include "core/paging/page_cache.h"
#include "core/query/filter.h"
#include "core/run/allocator.h"
#include "core/run/memory_budget.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTest>

using namespace cellfolio;

namespace {

constexpr Index kMiB = Index{1} << 20;

// Makes a file once, with the script beside this test; empty where that is not possible.
QString made(const QString& name, const QStringList& options)
{
    const QDir folder(qEnvironmentVariable("CELLFOLIO_WORK"));
    const QString python = qEnvironmentVariable("CELLFOLIO_PYTHON");
    if (python.isEmpty() || !folder.mkpath("."))
        return {};
    const QString path = folder.filePath(name);
    if (QFile::exists(path))
        return path;
    const QString part = path + ".filters.part";
    const QStringList words{QStringLiteral(CELLFOLIO_SOURCE_DIR "/tests/memory/make_long_file.py"),
                            part};
    if (QProcess::execute(python, words + options) != 0 || !QFile::rename(part, path))
        return {};
    return path;
}

} // namespace

class TenFiltersTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { tuneAllocator(); }
    void tenInARow_data();
    void tenInARow();
};

void TenFiltersTest::tenInARow_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<int>("axis");
    const QStringList sparse{"--obs", "1000000"};
    const QStringList dense{"--obs", "10000", "--dense", "5000"};
    QTest::newRow("cells, 1 M x 20 000 sparse") << "long_1000000.h5ad" << sparse << 0;
    QTest::newRow("genes, 1 M x 20 000 sparse") << "long_1000000.h5ad" << sparse << 1;
    QTest::newRow("cells, 10 000 x 5 000 dense") << "dense_10000.h5ad" << dense << 0;
    QTest::newRow("genes, 10 000 x 5 000 dense") << "dense_10000.h5ad" << dense << 1;
}

void TenFiltersTest::tenInARow()
{
    QFETCH(QString, name);
    QFETCH(QStringList, options);
    QFETCH(int, axis);
    if (!qEnvironmentVariableIsSet("CELLFOLIO_PYTHON"))
        QSKIP("no CELLFOLIO_WORK and CELLFOLIO_PYTHON with h5py");
    const QString path = made(name, options);
    QVERIFY2(!path.isEmpty(), "the file could not be made");
    auto dataset = Dataset::open(path.toStdString());
    QVERIFY(dataset.ok());
    const auto reading = std::make_shared<Reading>();
    FilterContext context;
    context.dataset = *dataset;
    context.table = axis == 0 ? (*dataset)->obs() : (*dataset)->var();
    context.reading = reading;
    const Axis along = axis == 0 ? Axis::Obs : Axis::Var;

    struct Cost {
        Index values = 0;
        Index narrowed = 0;
    };
    // Row r of either table has the level r % 65536 and the kind "abcd"[r % 4].
    const auto holds = [](Index row, int round) {
        const Index level = row % 65536;
        return (level != round * 7 && row % 4 != round % 4) || level > round * 500;
    };
    // One filter after another, and what must be left of the rows by the same rule.
    std::vector<Index> wanted;
    const auto narrow = [&](DatasetView& view, int round, Cost& cost) {
        const std::string text = "level != " + std::to_string(round * 7)
                               + " and kind != \"" + std::string(1, "abcd"[round % 4]) + "\" or level > "
                               + std::to_string(round * 500);
        auto filter = Filter::check(*FilterExpression::parse(text), context);
        QVERIFY2(filter.ok(), filter.ok() ? "" : filter.error().describe().c_str());
        const auto answer = filter->run(view.of(along));
        QVERIFY2(answer.ok(), answer.ok() ? "" : answer.error().describe().c_str());
        const Selection before = view.of(along);
        wanted.clear();
        before.forEach([&](Index row) {
            if (holds(row, round))
                wanted.push_back(row);
        });
        view = view.narrowed(along, answer->chosen);
        QCOMPARE(view.of(along).positions(), wanted);
        cost = {answer->valuesRead, view.of(along).size()};
    };
    // The program is warm: its threads have run, its pages are there.
    {
        DatasetView view(*dataset);
        Cost cost;
        narrow(view, 1, cost);
        narrow(view, 2, cost);
    }
    const auto outsidePages = [&] { return residentBytes() - reading->pages().bytes(); };
    wanted.reserve(at(DatasetView(*dataset).of(along).size()));
    const Index before = outsidePages();
    const Index charged = reading->budget().snapshot().total - reading->pages().bytes();

    std::vector<DatasetView> history{DatasetView(*dataset)};
    std::vector<Cost> costs;
    for (int round = 0; round < 10; ++round) {
        DatasetView view = history.back();
        Cost cost;
        narrow(view, round, cost);
        if (QTest::currentTestFailed())
            return;
        history.push_back(view);
        costs.push_back(cost);
        QVERIFY2(view.of(along).bytes() <= 160 * 1024,
                 qPrintable(QString::number(view.of(along).bytes())));
    }
    const Index grown = outsidePages() - before;
    qInfo("%s: %.2f MiB more after ten filters; %lld and %lld values read; %lld left",
          QTest::currentDataTag(), static_cast<double>(grown) / kMiB,
          static_cast<long long>(costs.front().values), static_cast<long long>(costs.back().values),
          static_cast<long long>(costs.back().narrowed));
    QVERIFY2(grown < 2 * kMiB, qPrintable(QString::number(grown)));
    // Nothing stays charged, and no filter does more than the first: work, not time.
    QCOMPARE(reading->budget().snapshot().total - reading->pages().bytes(), charged);
    for (const Cost& cost : costs)
        QVERIFY(cost.values <= costs.front().values);
    QVERIFY(costs.back().narrowed > 0);
    QVERIFY(costs.back().narrowed < costs.front().narrowed);
    // The last holds no parent: without the history it costs what it costs itself.
    const DatasetView last = history.back();
    history.clear();
    QVERIFY(last.of(along).bytes() <= 160 * 1024);
}

QTEST_GUILESS_MAIN(TenFiltersTest)
#include "ten_filters_test.moc"
