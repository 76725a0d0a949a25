// SPDX-License-Identifier: GPL-3.0-or-later
// What matrices of real files hold, each verdict checked by hand with NumPy: expm1 of whole cells,
// ratios within a cell, means and spreads of genes.
#include "core/matrix/holds.h"
#include "core/matrix/stats.h"
#include "tests/support/corpus.h"

#include <QtTest>

using namespace cellfolio;

class HoldsRealTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void holds_data();
    void holds();
};

void HoldsRealTest::holds_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("element");
    QTest::addColumn<QString>("text");
    const auto add = [](const char* file, const char* element, const char* text) {
        QTest::addRow("%s %s", file, element) << QString(file) << QString(element) << QString(text);
    };
    add("10x/10x-v3.0.0-filtered-feature-bc.h5", "X", "whole counts");
    add("scanpy-pbmc68k-reduced-0.8.h5ad", "X", "scaled");
    // Rounded to three decimals, 765 of many genes: totals are gone, units are not.
    add("scanpy-pbmc68k-reduced-0.8.h5ad", "raw/X", "log1p of counts");
    add("scanpy-pbmc68k-reduced-2017.h5ad", "raw/X", "log1p of counts");
    add("moscot-temporal.h5ad", "X", "log1p of counts per 10 000");
    add("simba-rna-preprocessed.h5ad", "X", "log1p of counts per 10 000");
    add("simba-rna-preprocessed.h5ad", "layers/raw", "whole counts");
    add("zellkonverter-example.h5ad", "X", "log1p of counts per 10 000");
    add("tiledbsoma-pbmc-small-0.8.h5ad", "raw/X", "log1p of counts per 10 000");
    add("tiledbsoma-x-csc.h5ad", "X", "scaled");
    add("anndatar-example-0.8.h5ad", "X", "log1p of counts per 193.5");
    add("anndatar-example-0.8.h5ad", "layers/csc_counts", "whole counts");
    add("neurips2021-cite-mod2-csc.h5ad", "X", "log1p of counts");
    add("neurips2021-cite-mod1-csc.h5ad", "layers/counts", "whole counts");
    add("squidpy-visium-0.8.h5ad", "X", "log1p of counts");
    add("cellrank-adata-50.h5ad", "X", "log1p of counts");
    add("cellrank-adata-50.h5ad", "layers/velocity", "other values");
    add("scvelo-dentategyrus-50obs-preprocessed.h5ad", "layers/spliced", "other values");
    add("galaxy-sc-find-markers-legacy.h5ad", "X", "scaled");
    add("lamindb-pbmc68k.h5ad", "raw/X", "scaled"); // raw by name only
    add("scanpy-kbet-sim.h5ad", "X", "other values"); // log2
    add("pertpy-sc-sim-csc-unsorted.h5ad", "X", "other values"); // log2
    add("openproblems-pancreas-gzip.h5ad", "X", "other values"); // fractional counts
    add("rapids-dummy-spatial.h5ad", "X", "other values");       // uniform noise
    add("scimap-imaging.h5ad", "X", "other values");
    add("duckdbext-no-index.h5ad", "X", "other values");
    add("bpcells-mini-int64-negative-v0.12.6.h5ad", "X", "other values");
    add("pairs/drosophila-insitu-spatial.h5ad", "X", "other values");
    add("scanpy-neighbors-ref.h5ad", "X", ""); // zeros only
}

void HoldsRealTest::holds()
{
    QFETCH(QString, file);
    QFETCH(QString, element);
    QFETCH(QString, text);
    const std::filesystem::path folder = test::corpusFolder("real");
    if (folder.empty())
        QSKIP("the corpus of real files is not beside this checkout");
    const auto dataset = Dataset::open((folder / file.toStdString()).string());
    QVERIFY(dataset.ok());
    const auto found = (*dataset)->find(element.toStdString());
    QVERIFY(found.ok());
    const auto reading = std::make_shared<Reading>();
    const auto sampled = sampleHolds(*dataset, **found, reading);
    QVERIFY2(sampled.ok(), sampled.ok() ? "" : sampled.error().describe().c_str());
    QCOMPARE(QString::fromStdString(sampled->text()), text);
    const auto stats = matrixStats(*dataset, **found, reading, {});
    QVERIFY(stats.ok());
    QCOMPARE(QString::fromStdString(stats->holds.text()), text);
    QCOMPARE(stats->holds.exact, !text.isEmpty());
}

QTEST_GUILESS_MAIN(HoldsRealTest)
#include "holds_real_test.moc"
