// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/corpus.h"
#include "tests/widgets/model_bench.h"
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
using cellfolio::test::Bench;
using cellfolio::test::waitFilled;
using namespace Qt::StringLiterals;

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

    // Each of these has one row or column that cannot be read; the rest stands as it was written.
    void damagedLinesStandAlone_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("element");
        QTest::addColumn<QString>("rows"); // "?" where damaged, a dot where it is not looked at
        QTest::addColumn<QString>("reason");
        QTest::newRow("rows, positions") << u"index_too_large"_s << u"X"_s
                                         << u"1 0 0 0 0|? ? ? ? ?|0 0 3 0 0|0 0 0 0 0|0 0 0 0 0|0 0 0 0 0"_s
                                         << u"index 9"_s;
        QTest::newRow("columns, positions") << u"csc_index_too_large"_s << u"X"_s
                                            << u"1 ? 0 0 0|0 ? 0 0 0|0 ? 3 0 0|0 ? 0 0 0|0 ? 0 0 0|0 ? 0 0 0"_s
                                            << u"index 9"_s;
        QTest::newRow("rows, pointers") << u"indptr_falls"_s << u"X"_s
                                        << u"1 2 3 0 0|? ? ? ? ?|0 2 3 4 0|0 0 0 0 0|0 0 0 0 0|0 0 0 0 0"_s
                                        << u"indptr falls from 3 to 1"_s;
        for (const char* kind : {"gzip_broken", "checksum"}) {
            const bool packed = kind[0] == 'g';
            QTest::newRow(kind) << QString::fromLatin1(kind) << (packed ? u"layers/packed"_s : u"layers/checked"_s)
                                << (packed ? u"0.321 . . . 0.321|0.321 . . . 8.321|? ? ? ? ?|? ? ? ? ?|. . . . .|0.321 . . . 0.321"_s
                                           : QString())
                                << u"cannot be read"_s;
        }
    }

    void damagedLinesStandAlone()
    {
        QFETCH(QString, file);
        QFETCH(QString, element);
        QFETCH(QString, rows);
        QFETCH(QString, reason);
        Bench bench;
        const auto dataset = Dataset::open(CELLFOLIO_SOURCE_DIR "/tests/data/damaged/" + file.toStdString() + ".h5ad");
        QVERIFY(dataset.ok());
        const auto matrix = (*dataset)->find(element.toStdString());
        QVERIFY(matrix.ok());
        MatrixSource source(bench.context, *dataset, **matrix);
        QSignalSpy said(&source, &MatrixSource::partlyFailed);
        source.want({0, 5, 0, 4});
        QVERIFY(waitFilled(source));
        QVERIFY(!source.problem());
        QCOMPARE(said.size(), 1);
        if (rows.isEmpty())
            rows = u". . . . .|. . . . .|? ? ? ? ?|? ? ? ? ?|. . . . .|. . . . ."_s;
        for (qint64 row = 0; row < 6; ++row)
            for (qint64 column = 0; column < 5; ++column) {
                const QString wanted = rows.split(u'|')[row].split(u' ')[column];
                const GridCell cell = source.value(row, column);
                const QByteArray place = QByteArray::number(row) + ' ' + QByteArray::number(column);
                QVERIFY2(!cell.pending, place);
                QVERIFY2(cell.damaged == (wanted == "?"_L1), place);
                if (cell.damaged)
                    QVERIFY2(source.whyNot(row, column).contains(reason), qPrintable(source.whyNot(row, column)));
                else if (wanted != "."_L1)
                    QCOMPARE(source.exactText(row, column), wanted);
                if (!cell.damaged)
                    QVERIFY(source.whyNot(row, column).isEmpty());
            }
        QVERIFY(!source.rowHead(0).name.isEmpty());
    }

    void cutsTilesAroundDamage()
    {
        Bench bench;
        for (const char* file : {"index_too_large", "csc_index_too_large"}) {
            const auto dataset = Dataset::open(std::string(CELLFOLIO_SOURCE_DIR "/tests/data/damaged/") + file + ".h5ad");
            QVERIFY(dataset.ok());
            const auto reader = MatrixReader::open(*dataset, *(*dataset)->x(), bench.context.reading);
            QVERIFY(reader.ok());
            const auto whole = readTile(**reader, Selection::all(6), Selection::all(5));
            const auto tiles = readTiles(**reader, Selection::all(6), Selection::all(5), 2);
            QVERIFY(whole.ok() && tiles.ok());
            QCOMPARE(tiles->size(), std::size_t(3));
            for (Index row = 0; row < 6; ++row)
                for (Index column = 0; column < 5; ++column) {
                    const MatrixTile& tile = (*tiles)[at(column / 2)];
                    const Index place = tile.placeOf(row, column % 2);
                    const Index same = whole->placeOf(row, column);
                    QCOMPARE(place < 0, same < 0);
                    QCOMPARE(tile.problemOf(row, column % 2) != nullptr, place < 0);
                    if (place >= 0)
                        QCOMPARE(tile.values.text(place), whole->values.text(same));
                }
        }
    }

    void countsEntriesOfLines()
    {
        Bench bench;
        const auto entries = [&](const char* file, const Selection& lines) {
            const auto dataset = Dataset::open(std::string(CELLFOLIO_SOURCE_DIR "/tests/data/damaged/") + file + ".h5ad");
            const auto reader = MatrixReader::open(*dataset, *(*dataset)->x(), bench.context.reading);
            return (*reader)->lineEntries(lines);
        };
        using Counts = std::vector<Index>;
        QCOMPARE(entries("index_too_large", Selection::all(6)), (Counts{1, 1, 1, 0, 0, 0}));
        QCOMPARE(entries("index_too_large", Selection::indices(6, {4, 2, 2, 0})), (Counts{0, 1, 1, 1}));
        QCOMPARE(entries("csc_index_too_large", Selection::all(5)), (Counts{1, 1, 1, 0, 0}));
        // Pointers 0 3 1 4 4 …: row 1 falls, which reading it says.
        QCOMPARE(entries("indptr_falls", Selection::all(6)), (Counts{3, 0, 3, 0, 0, 0}));
    }

    // Rows of a billion stored zeros are refused at once, in a sentence; the row beside them is shown.
    void refusesEndlessRows()
    {
        const auto folder = test::corpusFolder("reports");
        if (folder.empty())
            QSKIP("the shared corpora are not beside this checkout");
        Bench bench;
        const auto dataset = Dataset::open((folder / "B077-nnz-above-2-31.h5ad").string());
        QVERIFY(dataset.ok());
        MatrixSource source(bench.context, *dataset, *(*dataset)->x());
        QElapsedTimer clock;
        clock.start();
        source.want({0, 2, 0, 19});
        QVERIFY(waitFilled(source));
        QVERIFY2(clock.elapsed() < 5000, qPrintable(QString::number(clock.elapsed())));
        QVERIFY(source.value(0, 0).damaged);
        QVERIFY(source.value(1, 19).damaged);
        QVERIFY2(source.whyNot(0, 0).contains(u"1073741824 entries for 20 columns"_s), qPrintable(source.whyNot(0, 0)));
        QCOMPARE(source.exactText(2, 11), u"5"_s); // as expected.json has it
        QCOMPARE(source.exactText(2, 0).isEmpty(), false);
        QVERIFY(std::isnan(source.columnHead(0).share)); // not of fewer rows than it would say
        QVERIFY(source.columnHead(0).shareText.isEmpty());
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
