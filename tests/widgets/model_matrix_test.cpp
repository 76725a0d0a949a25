// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/corpus.h"
#include "widgets/models/category_colors.h"
#include "widgets/models/dataset_summary.h"
#include "widgets/models/element_text.h"
#include "widgets/models/embedding_data.h"
#include "widgets/models/matrix_source.h"
#include "widgets/models/name_search.h"

#include <QSignalSpy>
#include <QtTest>

#include <random>

using namespace cellfolio;
using namespace Qt::StringLiterals;

namespace {

struct Bench {
    explicit Bench(Index budget = Index{64} << 20,
                   const char* file = "resources/examples/pbmc68k_reduced.h5ad")
    {
        Reading::Options options;
        options.budget = budget;
        context.reading = std::make_shared<Reading>(options);
        context.reading->budget().setLimit(budget); // also below what a Reading would take
        context.quick = &quick;
        context.patient = &patient;
        dataset = *Dataset::open(std::string(CELLFOLIO_SOURCE_DIR "/") + file);
    }
    ModelContext context;
    std::shared_ptr<const Dataset> dataset;
    RequestPool quick{2};
    RequestPool patient{1};
};

bool waitFilled(MatrixSource& source)
{
    return QTest::qWaitFor([&] { return source.isFilled(); }, 20'000);
}

} // namespace

// Values were taken with anndata from the example.
class ModelMatrixTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

    void showsX()
    {
        Bench bench;
        MatrixSource source(bench.context, bench.dataset, *bench.dataset->x());
        QCOMPARE(source.rowCount(), 700);
        QCOMPARE(source.columnCount(), 765);
        source.want({0, 20, 0, 10});
        QVERIFY(source.value(0, 0).pending);
        QVERIFY(waitFilled(source));
        QCOMPARE(source.exactText(0, 0), u"-0.326"_s);
        QCOMPARE(source.exactText(1, 3), u"-1.2"_s);
        QCOMPARE(source.rowHead(0).name, u"AAAGCCTGGCTAAC-1"_s);
        QCOMPARE(source.columnHead(0).name, u"HES4"_s);
        QVERIFY(source.range()->negative);
        source.want({680, 699, 700, 764});
        QVERIFY(waitFilled(source));
        QCOMPARE(source.columnHead(709).name, u"CD79A"_s);
        QVERIFY(!source.value(699, 764).pending);
    }

    void showsRawWithShares()
    {
        Bench bench;
        const auto raw = bench.dataset->find("raw/X");
        QVERIFY(raw.ok());
        MatrixSource source(bench.context, bench.dataset, **raw);
        source.want({0, 20, 0, 40});
        QVERIFY(waitFilled(source));
        QVERIFY(source.value(0, 0).zero);
        QCOMPARE(source.value(0, 0).text, u"0"_s);
        QCOMPARE(source.exactText(0, 3), u"1.591"_s);
        QCOMPARE(source.value(0, 3).text, u"1.59"_s);
        QVERIFY(source.value(0, 3).shade > 0);
        source.want({0, 20, 700, 720});
        QVERIFY(QTest::qWaitFor([&] { return !std::isnan(source.columnHead(709).share); }, 20'000));
        QVERIFY(std::abs(source.columnHead(709).share - 130.0 / 700.0) < 1e-9);
        QCOMPARE(source.columnHead(709).shareText, u"19 %"_s);
    }

    void ordersByLabel()
    {
        Bench bench;
        MatrixSource source(bench.context, bench.dataset, *bench.dataset->x());
        const Element* labels = bench.dataset->obs()->child("bulk_labels");
        const auto colors = colorsOf(bench.dataset, *labels, {}, Qt::gray, bench.context.reading);
        QVERIFY(colors.ok());
        source.setGroups(labels, *colors);
        source.setRowOrder(Selection::indices(700, {699, 42, 0}), true);
        QCOMPARE(source.rowCount(), 3);
        source.want({0, 2, 0, 3});
        QVERIFY(waitFilled(source));
        QCOMPARE(source.rowHead(0).name, u"TTGAGGTGGAGAGC-8"_s);
        QCOMPARE(source.rowHead(0).group, u"Dendritic"_s);
        QCOMPARE(source.rowHead(2).strip.name(), u"#8c564b"_s);
        QCOMPARE(source.exactText(2, 0), u"-0.326"_s);
        QCOMPARE(source.placeOf(42), 1);
    }

    void jumpsKeepTheBudget()
    {
        const Index budget = Index{16} << 20;
        Bench bench(budget);
        const auto raw = bench.dataset->find("raw/X");
        MatrixSource source(bench.context, bench.dataset, **raw);
        std::mt19937 random(7);
        for (int jump = 0; jump < 1000; ++jump) {
            const qint64 row = std::uniform_int_distribution<qint64>(0, 660)(random);
            const qint64 column = std::uniform_int_distribution<qint64>(0, 740)(random);
            source.want({row, row + 39, column, column + 24});
            if (jump % 10 == 0)
                QVERIFY(waitFilled(source));
        }
        QVERIFY(bench.context.reading->budget().snapshot().peak <= budget);
    }

    void holdsForEveryMatrix_data()
    {
        QTest::addColumn<QString>("path");
        for (const auto& path : test::allFiles())
            QTest::addRow("%s", path.filename().c_str()) << QString::fromStdString(path.string());
    }

    void holdsForEveryMatrix()
    {
        QFETCH(QString, path);
        if (path.contains(u"nnz-above-2-31"_s))
            QSKIP("its three rows hold a billion entries each, which takes minutes to pass");
        auto dataset = Dataset::open(path.toStdString());
        if (!dataset)
            QSKIP("refused, which other tests look at");
        Bench bench;
        for (const Element* element : (*dataset)->elements()) {
            if (!isShownAsMatrix(*element))
                continue;
            MatrixSource source(bench.context, *dataset, *element);
            source.want({0, 20, 0, 20});
            QVERIFY2(waitFilled(source), element->path.c_str());
            if (source.problem())
                continue; // said, not shown
            for (qint64 row = 0; row < std::min<qint64>(20, source.rowCount()); ++row)
                for (qint64 column = 0; column < std::min<qint64>(20, source.columnCount()); ++column)
                    QVERIFY2(!source.value(row, column).pending, element->path.c_str());
        }
    }

    void readsEmbeddings()
    {
        Bench bench;
        const auto list = embeddingsOf(*bench.dataset);
        QCOMPARE(list.size(), 2U);
        const Element* first = firstEmbedding(list);
        QCOMPARE(first->name, std::string("X_umap"));
        auto data = readEmbedding(bench.dataset, *first, bench.context.reading);
        QVERIFY(data.ok());
        QCOMPARE(data->x->size(), 700U);
        QCOMPARE((*data->x)[0], -1.99186255f);
        QCOMPARE((*data->y)[2], -2.22675898f);
        QVERIFY(bench.context.reading->budget().snapshot().byTag[std::size_t(MemoryTag::Plot)] >= 5600);
        data = Error::cancelled();
        QCOMPARE(bench.context.reading->budget().snapshot().byTag[std::size_t(MemoryTag::Plot)], Index{0});
    }

    void colorsByColumns()
    {
        Bench bench;
        const Element* obs = bench.dataset->obs();
        QCOMPARE(likeliestLabels(*obs)->name, std::string("bulk_labels"));
        auto labels = readColor(bench.dataset, *obs->child("bulk_labels"), Qt::gray, bench.context.reading);
        QVERIFY(labels.ok());
        QVERIFY(labels->categories);
        QCOMPARE(labels->counts, (std::vector<Index>{68, 8, 19, 54, 43, 129, 95, 13, 31, 240}));
        QCOMPARE(labels->names.front(), std::string("CD4+/CD25 T Reg"));
        QCOMPARE(labels->colors[1].name(), u"#ff7f0e"_s);
        QCOMPARE(labels->missing, Index{0});
        auto genes = readColor(bench.dataset, *obs->child("n_genes"), Qt::gray, bench.context.reading);
        QVERIFY(genes.ok());
        QVERIFY(!genes->categories);
        QCOMPARE(genes->lowest, 1001.0);
        QCOMPARE(genes->highest, 2605.0);
        QCOMPARE((*genes->values)[0], 1003.0f);
    }

    // Coordinates that anndata 0.6 kept as a field of records, two numbers in each.
    void readsCoordinatesOfRecords()
    {
        const Bench bench(Index{64} << 20, "tests/data/files/legacy_06.h5ad");
        const auto embeddings = embeddingsOf(*bench.dataset);
        QCOMPARE(embeddings.size(), std::size_t{1});
        const auto data = readEmbedding(bench.dataset, *embeddings[0], bench.context.reading);
        QVERIFY2(data.ok(), data.ok() ? "" : data.error().message().c_str());
        QCOMPARE(*data->x, (std::vector<float>{0, 1, 2, 3}));
        QCOMPARE(*data->y, (std::vector<float>{0, -1, -2, -3}));
    }

    void refusesPlotsBeyondTheBudget()
    {
        Bench bench(1 << 10);
        const auto data = readEmbedding(bench.dataset, *embeddingsOf(*bench.dataset).front(), bench.context.reading);
        QVERIFY(!data.ok());
        QCOMPARE(data.error().code(), ErrorCode::OutOfBudget);
    }

    void parsesColors_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("wanted");
        QTest::newRow("hex") << u"#1f77b4"_s << u"#1f77b4"_s;
        QTest::newRow("alpha last") << u"#1f77b4ff"_s << u"#1f77b4"_s;
        QTest::newRow("name") << u"tomato"_s << u"#ff6347"_s;
        QTest::newRow("grey") << u"0.5"_s << u"#808080"_s;
        QTest::newRow("none") << u"no colour"_s << QString();
        QTest::newRow("empty") << QString() << QString();
    }

    void parsesColors()
    {
        QFETCH(QString, text);
        QFETCH(QString, wanted);
        const auto color = parseColor(text.toStdString());
        QCOMPARE(color ? color->name() : QString(), wanted);
    }

    void knowsGeneIds()
    {
        for (const char* id : {"ENSG00000141510", "ENSMUSG00000059552.13", "FBgn0000008", "WBGene00000001"})
            QVERIFY2(looksLikeGeneId(id), id);
        for (const char* name : {"CD3E", "MT-CO1", "ENSA", "HLA-DRA", ""})
            QVERIFY2(!looksLikeGeneId(name), name);
    }

    void saysWhatAFileIs()
    {
        Bench bench;
        const auto facts = readFacts(bench.dataset, bench.context.reading);
        QVERIFY(facts.ok());
        QVERIFY(facts->symbols == nullptr);
        HoldsResult scaled;
        scaled.holds = Holds::Scaled;
        const QString line = summaryLine(*bench.dataset, *facts, {{bench.dataset->x(), scaled}});
        QCOMPARE(line, u"700 cells × 765 genes · X: "_s + QString::fromStdString(scaled.text()));
    }
};

QTEST_MAIN(ModelMatrixTest)
#include "model_matrix_test.moc"
