// SPDX-License-Identifier: GPL-3.0-or-later
// Genes as the window reads and prepares them. What the long file holds follows from its rule; what
// the example holds was taken with anndata and NumPy.
#include "tests/widgets/long_file.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/gene_color.h"
#include "widgets/models/gene_preparation.h"
#include "widgets/models/gene_queue.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

using namespace cellfolio;
using namespace Qt::StringLiterals;
namespace fs = std::filesystem;

namespace {

constexpr int kCells = 200'000;

struct Bench {
    std::shared_ptr<Reading> reading;
    RequestPool quick{2};
    RequestPool patient{2};
    ModelContext context;
    QTemporaryDir folder;
    GeneIndexStore store{fs::path(folder.filePath(u"genes"_s).toStdString())};
    std::shared_ptr<const Dataset> dataset;
    std::shared_ptr<GeneSources> sources;

    explicit Bench(const QString& path, Index budget = Index{256} << 20)
    {
        Reading::Options options;
        options.budget = budget;
        reading = std::make_shared<Reading>(options);
        context = {reading, &quick, &patient};
        if (auto opened = Dataset::open(toStdString(path)))
            dataset = *opened;
        sources = std::make_shared<GeneSources>(dataset, reading, store);
    }
    const Element& matrix(const char* path) const { return **dataset->find(path); }
};

// What came of one wish.
struct Heard {
    std::vector<Index> parts; // cells known in each part
    std::optional<GeneValues> values;
    std::optional<Error> error;
    bool ended() const { return values || error; }

    GeneQueue::Receiver receiver()
    {
        return [this](Result<GeneValues> answer) {
            if (!answer)
                error = answer.error();
            else if (answer->complete)
                values = std::move(*answer);
            else
                parts.push_back(answer->known);
        };
    }
};

float longValue(Index cell, Index gene)
{
    return gene % 100 == 0 ? static_cast<float>(cell % 16 + 1) : 0.0F;
}

bool asInLongFile(const GeneValues& values, Index gene)
{
    if (!values.complete || static_cast<Index>(values.values->size()) != kCells || values.known != kCells)
        return false;
    for (Index cell = 0; cell < kCells; ++cell)
        if ((*values.values)[at(cell)] != longValue(cell, gene))
            return false;
    return true;
}

} // namespace

class ModelGenesTest : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    QString m_long;

    static QString example() { return QStringLiteral(CELLFOLIO_SOURCE_DIR "/resources/examples/pbmc68k_reduced.h5ad"); }

private Q_SLOTS:
    void initTestCase() { m_long = test::makeLongFile(m_folder.filePath(u"long.h5ad"_s), kCells); }
    void handsOutWhatHasCome();
    void manyGenesComeInOnePass();
    void releaseAndAbandon();
    void latestWins();
    void whatIsAtHandDoesNotWait();
    void failuresAreTold();
    void colours();
    void expressionsNameTheMatrix();
    void offersAndPrepares();
    void preparesUnasked();
    void cancelledPreparationLeavesNothing();
    void noRoomIsSaid();
    void waits();
};

void ModelGenesTest::handsOutWhatHasCome()
{
    if (m_long.isEmpty())
        QSKIP("Python with h5py is not here");
    Bench bench(m_long);
    GeneQueue queue(bench.context);
    queue.setEvery(1);
    queue.setSources(bench.sources);
    QSignalSpy activity(&queue, &GeneQueue::activityChanged);
    QSignalSpy read(&queue, &GeneQueue::matrixRead);
    Heard heard;
    queue.want({&bench.matrix("X"), 100, u"gene100"_s}, heard.receiver());
    QTRY_VERIFY_WITH_TIMEOUT(queue.isReading(), 5000);
    QCOMPARE(queue.activity()->what, u"gene100"_s);
    QTRY_VERIFY_WITH_TIMEOUT(heard.ended(), 60'000);
    QVERIFY(heard.values);
    QVERIFY(asInLongFile(*heard.values, 100));
    QCOMPARE(heard.values->damaged, Index{0});
    // It grew, and never shrank.
    QVERIFY2(!heard.parts.empty(), "nothing came before the end");
    QVERIFY(std::is_sorted(heard.parts.begin(), heard.parts.end()));
    QVERIFY(heard.parts.front() > 0 && heard.parts.back() <= kCells);
    QTRY_COMPARE(read.size(), 1);
    QVERIFY(activity.size() >= 2);
    QVERIFY(!queue.activity());
}

void ModelGenesTest::manyGenesComeInOnePass()
{
    if (m_long.isEmpty())
        QSKIP("Python with h5py is not here");
    Bench bench(m_long);
    GeneQueue queue(bench.context);
    queue.setSources(bench.sources);
    const Element& x = bench.matrix("X");
    std::vector<Heard> heard(21);
    queue.want({&x, 0, u"gene0"_s}, heard[0].receiver());
    QTRY_VERIFY_WITH_TIMEOUT(queue.isReading(), 5000);
    QCOMPARE(queue.readings(), Index{1});
    // While that goes on twenty more are asked for; one of them twice.
    for (int k = 1; k <= 20; ++k)
        queue.want({&x, k * 50, u"gene"_s}, heard[at(k)].receiver());
    Heard again;
    queue.want({&x, 50, u"gene50"_s}, again.receiver());
    for (Heard& each : heard)
        QTRY_VERIFY_WITH_TIMEOUT(each.ended(), 60'000);
    QTRY_VERIFY_WITH_TIMEOUT(again.ended(), 60'000);
    QCOMPARE(queue.readings(), Index{2}); // the twenty together
    for (int k = 0; k <= 20; ++k) {
        QVERIFY(heard[at(k)].values);
        QVERIFY2(asInLongFile(*heard[at(k)].values, k * 50), std::to_string(k).c_str());
    }
    QVERIFY(again.values && again.values->values == heard[1].values->values);
}

void ModelGenesTest::releaseAndAbandon()
{
    if (m_long.isEmpty())
        QSKIP("Python with h5py is not here");
    Bench bench(m_long);
    GeneQueue queue(bench.context);
    queue.setSources(bench.sources);
    const Element& x = bench.matrix("X");
    Heard released;
    Heard kept;
    const int ticket = queue.want({&x, 0, u"a"_s}, released.receiver());
    queue.want({&x, 100, u"b"_s}, kept.receiver());
    QTRY_VERIFY_WITH_TIMEOUT(queue.isReading(), 5000);
    queue.release(ticket);
    QTRY_VERIFY_WITH_TIMEOUT(kept.ended(), 60'000);
    QVERIFY(kept.values && !released.ended());

    // Nobody waits any more: it is stopped, and says nothing.
    bench.sources->known(x)->dropKept();
    Heard dropped;
    const int second = queue.want({&x, 200, u"c"_s}, dropped.receiver());
    QTRY_VERIFY_WITH_TIMEOUT(queue.isReading(), 5000);
    queue.release(second);
    QElapsedTimer clock;
    clock.start();
    QTRY_VERIFY_WITH_TIMEOUT(!queue.isReading(), 5000);
    QVERIFY2(clock.elapsed() < 2000, std::to_string(clock.elapsed()).c_str());
    QVERIFY(!dropped.ended());

    Heard running;
    Heard waiting;
    queue.want({&x, 300, u"d"_s}, running.receiver());
    QTRY_VERIFY_WITH_TIMEOUT(queue.isReading(), 5000);
    queue.want({&x, 400, u"e"_s}, waiting.receiver());
    queue.abandon();
    QVERIFY(running.error && running.error->code() == ErrorCode::Cancelled);
    QVERIFY(waiting.error && waiting.error->code() == ErrorCode::Cancelled);
    QVERIFY(!queue.activity());
    // And it goes on working.
    Heard after;
    queue.want({&x, 300, u"d"_s}, after.receiver());
    QTRY_VERIFY_WITH_TIMEOUT(after.ended(), 60'000);
    QVERIFY(after.values && asInLongFile(*after.values, 300));
}

void ModelGenesTest::latestWins()
{
    if (m_long.isEmpty())
        QSKIP("Python with h5py is not here");
    Bench bench(m_long);
    GeneQueue queue(bench.context);
    queue.setSources(bench.sources);
    const Element& x = bench.matrix("X");
    // As one who clicks through a list: each choice lets go of the one before.
    std::vector<Heard> heard(6);
    int ticket = 0;
    for (int k = 0; k < 6; ++k) {
        queue.release(ticket);
        ticket = queue.want({&x, k * 100, u"gene"_s}, heard[at(k)].receiver());
        QTest::qWait(15);
    }
    QTRY_VERIFY_WITH_TIMEOUT(heard[5].ended(), 60'000);
    QVERIFY(asInLongFile(*heard[5].values, 500));
    // Another file: nobody hears of the old one.
    Heard old;
    queue.want({&x, 700, u"gene"_s}, old.receiver());
    QTRY_VERIFY_WITH_TIMEOUT(queue.isReading(), 5000);
    queue.setSources(std::make_shared<GeneSources>(bench.dataset, bench.reading, std::nullopt));
    QTest::qWait(400);
    QVERIFY(!old.ended());
    QVERIFY(!queue.isReading());
}

void ModelGenesTest::whatIsAtHandDoesNotWait()
{
    Bench bench(example());
    QVERIFY(bench.dataset);
    GeneQueue queue(bench.context);
    queue.setSources(bench.sources);
    const Element& raw = bench.matrix("raw/X");
    Heard first;
    queue.want({&raw, 709, u"CD79A"_s}, first.receiver());
    QTRY_VERIFY_WITH_TIMEOUT(first.ended(), 30'000);
    // Known and unknown ones asked for together are two readings, the known one first.
    Heard known;
    Heard unknown;
    queue.want({&raw, 457, u"CD3D"_s}, unknown.receiver());
    queue.want({&raw, 709, u"CD79A"_s}, known.receiver());
    QTRY_VERIFY_WITH_TIMEOUT(known.ended(), 30'000);
    QTRY_VERIFY_WITH_TIMEOUT(unknown.ended(), 30'000);
    QCOMPARE(queue.readings(), Index{3});
    QVERIFY(*known.values->values == *first.values->values);
}

void ModelGenesTest::failuresAreTold()
{
    Bench bench(example(), Index{16} << 20);
    QVERIFY(bench.dataset);
    GeneQueue queue(bench.context);
    queue.setSources(bench.sources);
    Heard heard;
    queue.want({&bench.matrix("raw/X"), 100'000, u"none"_s}, heard.receiver());
    QTRY_VERIFY_WITH_TIMEOUT(heard.ended(), 30'000);
    QVERIFY(heard.error && heard.error->code() == ErrorCode::Corrupt);
    Heard table;
    queue.want({&bench.matrix("obs"), 0, u"none"_s}, table.receiver());
    QTRY_VERIFY_WITH_TIMEOUT(table.ended(), 30'000);
    QVERIFY(table.error);
    // No memory left: one sentence, and the budget is as it was.
    const auto before = bench.reading->budget().snapshot().total;
    {
        const auto all = bench.reading->budget().force(MemoryTag::Job, Index{16} << 20);
        Heard tight;
        queue.want({&bench.matrix("raw/X"), 3, u"tight"_s}, tight.receiver());
        QTRY_VERIFY_WITH_TIMEOUT(tight.ended(), 30'000);
        QVERIFY(tight.error && tight.error->code() == ErrorCode::OutOfBudget);
    }
    QTRY_COMPARE(bench.reading->budget().snapshot().total, before);
}

void ModelGenesTest::colours()
{
    Bench bench(example());
    QVERIFY(bench.dataset);
    GeneQueue queue(bench.context);
    queue.setSources(bench.sources);
    Heard raw;
    Heard scaled;
    queue.want({&bench.matrix("raw/X"), 709, u"CD79A"_s}, raw.receiver());
    queue.want({&bench.matrix("X"), 709, u"CD79A"_s}, scaled.receiver());
    QTRY_VERIFY_WITH_TIMEOUT(raw.ended() && scaled.ended(), 30'000);
    const auto same = [](double a, double b) { return std::abs(a - b) < 6e-4; };
    const ColorData color = geneColor(*raw.values);
    QCOMPARE(color.zeros.value_or(-1), Index{570});
    QCOMPARE(color.missing, Index{0});
    QCOMPARE(color.unread, Index{0});
    QVERIFY(same(color.low, 0.857) && same(color.lowest, 0.857));
    QVERIFY(same(color.high, 4.288) && same(color.highest, 4.505));
    const ColorData other = geneColor(*scaled.values);
    QCOMPARE(other.zeros.value_or(-1), Index{0});
    QVERIFY(same(other.low, -0.369) && same(other.high, 3.725) && same(other.highest, 8.121));

    // While it is read, what has not come is no missing value, and no zero.
    const float nan = std::numeric_limits<float>::quiet_NaN();
    GeneValues part;
    part.values = std::make_shared<const std::vector<float>>(std::vector<float>{0, nan, 2, 4, nan, nan});
    part.known = 4;
    const ColorData growing = geneColor(part);
    QCOMPARE(growing.unread, Index{2});
    QCOMPARE(growing.missing, Index{1});
    QCOMPARE(growing.zeros.value_or(-1), Index{1});
    QVERIFY(growing.lowest == 2 && growing.highest == 4 && growing.whole);
    part.values = std::make_shared<const std::vector<float>>(std::vector<float>{0, 0, 0});
    part.known = 3;
    const ColorData zeros = geneColor(part);
    QVERIFY(zeros.low == 0 && zeros.high == 0 && zeros.zeros == 3);
    // Of the cells shown.
    const ColorCounts counts = countColors(growing, Selection::indices(6, {0, 1, 2}));
    QCOMPARE(counts.zeros, Index{1});
    QCOMPARE(counts.missing, Index{1});
}

void ModelGenesTest::expressionsNameTheMatrix()
{
    Bench bench(QStringLiteral(CELLFOLIO_SOURCE_DIR "/tests/data/files/filter.h5ad"));
    QVERIFY(bench.dataset);
    const Dataset& dataset = *bench.dataset;
    QCOMPARE(geneExpression(dataset, bench.matrix("X"), u"CD3E"_s), u"gene(\"CD3E\")"_s);
    QCOMPARE(geneExpression(dataset, bench.matrix("raw/X"), u"MALAT1"_s), u"raw(\"MALAT1\")"_s);
    QCOMPARE(geneExpression(dataset, bench.matrix("layers/counts"), u"a\"b"_s), u"layer(\"counts\", \"a\\\"b\")"_s);
    QVERIFY(geneExpression(dataset, bench.matrix("obsm/X_umap"), u"CD3E"_s).isEmpty());
    QVERIFY(geneExpression(dataset, bench.matrix("X"), {}).isEmpty());
    QStringList paths;
    for (const Element* matrix : geneMatrices(dataset))
        paths.append(toQString(matrix->path));
    QCOMPARE(paths, QStringList({u"X"_s, u"raw/X"_s, u"layers/counts"_s, u"layers/scaled"_s}));
    QCOMPARE(matrixAndUnit(bench.matrix("X"), u"whole counts"_s), u"X (whole counts)"_s);
    QCOMPARE(genesOf(dataset, bench.matrix("raw/X"))->path, std::string("raw/var"));
}

void ModelGenesTest::offersAndPrepares()
{
    Bench bench(example());
    QVERIFY(bench.dataset);
    GeneQueue queue(bench.context);
    GenePreparation preparation(bench.context);
    queue.setSources(bench.sources);
    preparation.setSources(bench.sources);
    preparation.setUnasked(0);
    preparation.setWorth(0);
    QSignalSpy offered(&preparation, &GenePreparation::offerChanged);
    QSignalSpy prepared(&preparation, &GenePreparation::prepared);
    QSignalSpy said(&preparation, &GenePreparation::said);
    QSignalSpy dropped(&preparation, &GenePreparation::dropped);
    const Element& raw = bench.matrix("raw/X");
    preparation.consider(raw); // nothing was read: nothing is known
    QVERIFY(offered.isEmpty());
    Heard heard;
    queue.want({&raw, 709, u"CD79A"_s}, heard.receiver());
    QTRY_VERIFY_WITH_TIMEOUT(heard.ended(), 30'000);
    preparation.consider(raw);
    QTRY_COMPARE_WITH_TIMEOUT(offered.size(), 1, 30'000);
    QVERIFY(preparation.offer());
    const QString sentence = GenePreparation::sentenceOf(*preparation.offer());
    QVERIFY2(sentence.startsWith(u"raw/X is stored cell by cell, so a gene takes 0.1 s."_s), qPrintable(sentence));
    QVERIFY2(sentence.contains(u"free); then each gene is instant. Your file is not touched."_s), qPrintable(sentence));
    QVERIFY(sentence.contains(sizeText(preparation.offer()->estimate.output)));
    QCOMPARE(bench.store.total().indexes, Index{0});

    preparation.accept();
    QVERIFY(!preparation.offer());
    QVERIFY(preparation.isBuilding());
    QCOMPARE(preparation.activity()->matrix, &raw);
    QTRY_COMPARE_WITH_TIMEOUT(prepared.size(), 1, 30'000);
    QVERIFY(!preparation.isBuilding() && !preparation.activity());
    QCOMPARE(bench.store.total().indexes, Index{1});
    // Used at once, and the answers are the same.
    QVERIFY(bench.sources->known(raw)->index() != nullptr);
    bench.sources->known(raw)->dropKept();
    Heard again;
    queue.want({&raw, 709, u"CD79A"_s}, again.receiver());
    QTRY_VERIFY_WITH_TIMEOUT(again.ended(), 30'000);
    QVERIFY(*again.values->values == *heard.values->values);
    preparation.consider(raw);
    preparation.prepare(raw); // there already: said, not done twice
    QTRY_COMPARE_WITH_TIMEOUT(said.size(), 2, 30'000);
    QVERIFY(said.last().first().toString().endsWith(u"prepared already."_s));

    preparation.drop(raw);
    QTRY_COMPARE_WITH_TIMEOUT(dropped.size(), 1, 30'000);
    QVERIFY(bench.sources->known(raw)->index() == nullptr);
    QCOMPARE(bench.store.total().indexes, Index{0});
    preparation.consider(raw);
    QTest::qWait(100);
    QVERIFY(!preparation.offer()); // whoever took it away is not asked again
}

void ModelGenesTest::preparesUnasked()
{
    Bench bench(example());
    QVERIFY(bench.dataset);
    GeneQueue queue(bench.context);
    GenePreparation preparation(bench.context);
    queue.setSources(bench.sources);
    preparation.setSources(bench.sources);
    const Element& raw = bench.matrix("raw/X");
    QSignalSpy prepared(&preparation, &GenePreparation::prepared);
    QSignalSpy failed(&preparation, &GenePreparation::failed);
    Heard heard;
    queue.want({&raw, 1, u"a"_s}, heard.receiver());
    QTRY_VERIFY_WITH_TIMEOUT(heard.ended(), 30'000);
    preparation.setWorth(1000); // quick as it is
    preparation.consider(raw);
    QTest::qWait(50);
    QVERIFY(!preparation.offer() && !preparation.isBuilding());
    preparation.setWorth(0);
    preparation.consider(raw);
    QTRY_COMPARE_WITH_TIMEOUT(prepared.size(), 1, 30'000);
    QVERIFY(!preparation.offer());
    // A dense matrix needs none, and says so only to who asks.
    preparation.consider(bench.matrix("X"));
    QVERIFY(failed.isEmpty());
    preparation.prepare(bench.matrix("X"));
    QCOMPARE(failed.size(), 1);
    QVERIFY(!preparation.isBuilding());
}

void ModelGenesTest::cancelledPreparationLeavesNothing()
{
    if (m_long.isEmpty())
        QSKIP("Python with h5py is not here");
    Bench bench(m_long);
    GenePreparation preparation(bench.context);
    preparation.setSources(bench.sources);
    QSignalSpy prepared(&preparation, &GenePreparation::prepared);
    QSignalSpy failed(&preparation, &GenePreparation::failed);
    const Element& x = bench.matrix("X");
    preparation.prepare(x);
    QTRY_VERIFY_WITH_TIMEOUT(preparation.activity() && preparation.activity()->done > 0, 30'000);
    preparation.cancel();
    QVERIFY(!preparation.isBuilding());
    const auto files = [&] {
        std::error_code ignored;
        return std::distance(fs::directory_iterator(bench.store.folder(), ignored), fs::directory_iterator());
    };
    QTRY_COMPARE_WITH_TIMEOUT(files(), 0, 5000);
    QTest::qWait(100);
    QVERIFY(prepared.isEmpty() && failed.isEmpty());
    // And again, to the end.
    preparation.prepare(x);
    QTRY_COMPARE_WITH_TIMEOUT(prepared.size(), 1, 60'000);
    GeneQueue queue(bench.context);
    queue.setSources(bench.sources);
    for (const Index gene : {Index{100}, Index{101}}) {
        Heard heard;
        queue.want({&x, gene, u"gene"_s}, heard.receiver());
        QTRY_VERIFY_WITH_TIMEOUT(heard.ended(), 30'000);
        QVERIFY(heard.values && asInLongFile(*heard.values, gene));
    }
}

void ModelGenesTest::noRoomIsSaid()
{
    Bench bench(example());
    QVERIFY(bench.dataset);
    bench.sources->setStore(GeneIndexStore(bench.store.folder(), 1000));
    GeneQueue queue(bench.context);
    GenePreparation preparation(bench.context);
    queue.setSources(bench.sources);
    preparation.setSources(bench.sources);
    preparation.setWorth(0);
    QSignalSpy failed(&preparation, &GenePreparation::failed);
    const Element& raw = bench.matrix("raw/X");
    Heard heard;
    queue.want({&raw, 1, u"a"_s}, heard.receiver());
    QTRY_VERIFY_WITH_TIMEOUT(heard.ended(), 30'000);
    preparation.consider(raw);
    QTRY_VERIFY_WITH_TIMEOUT(preparation.offer().has_value(), 30'000);
    const QString sentence = GenePreparation::sentenceOf(*preparation.offer());
    QVERIFY2(sentence.contains(u"no room for them"_s) && sentence.contains(u"1000 bytes"_s), qPrintable(sentence));
    preparation.accept();
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, 30'000);
    QVERIFY(!preparation.isBuilding());
    bench.sources->setStore(std::nullopt);
    preparation.prepare(raw);
    QCOMPARE(failed.size(), 2);
}

void ModelGenesTest::waits()
{
    QCOMPARE(waitText(0.01), u"0.1 s"_s);
    QCOMPARE(waitText(3.14), u"3.2 s"_s);
    QCOMPARE(waitText(18.2), u"19 s"_s);
    QCOMPARE(waitText(240), u"4 min"_s);
    QCOMPARE(waitText(4790), u"1 h 20 min"_s);
}

QTEST_MAIN(ModelGenesTest)
#include "model_genes_test.moc"
