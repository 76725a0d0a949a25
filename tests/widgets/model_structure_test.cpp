// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/corpus.h"
#include "widgets/models/findings_model.h"
#include "widgets/models/structure_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QtTest>

using namespace cellfolio;
using namespace Qt::StringLiterals;

namespace {

QString examplePath()
{
    return QStringLiteral(CELLFOLIO_SOURCE_DIR "/resources/examples/pbmc68k_reduced.h5ad");
}

std::shared_ptr<const Dataset> openFile(const QString& path)
{
    auto dataset = Dataset::open(path.toStdString());
    return dataset ? *dataset : nullptr;
}

QStringList childrenOf(const QAbstractItemModel& model, const QModelIndex& parent)
{
    QStringList names;
    for (int row = 0; row < model.rowCount(parent); ++row)
        names.append(model.index(row, 0, parent).data().toString());
    return names;
}

// Walks everything: the tester then sees every index.
int countAll(const QAbstractItemModel& model, const QModelIndex& parent)
{
    int count = 0;
    for (int row = 0; row < model.rowCount(parent); ++row)
        count += 1 + countAll(model, model.index(row, 0, parent));
    return count;
}

} // namespace

class ModelStructureTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void showsTheExample()
    {
        StructureModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setDataset(openFile(examplePath()));
        const QModelIndex file = model.index(0, 0);
        QCOMPARE(file.data().toString(), u"pbmc68k_reduced.h5ad"_s);
        QCOMPARE(childrenOf(model, file).first(), u"X"_s);
        const QStringList slots = childrenOf(model, file);
        QVERIFY2(slots.indexOf(u"obs"_s) < slots.indexOf(u"obsm"_s), qPrintable(slots.join(u' ')));
        const auto obs = model.dataset()->find("obs");
        QVERIFY(obs.ok());
        const QModelIndex table = model.indexOf(*obs);
        QCOMPARE(childrenOf(model, table),
                 (QStringList{u"bulk_labels"_s, u"n_genes"_s, u"percent_mito"_s, u"n_counts"_s, u"S_score"_s,
                              u"G2M_score"_s, u"phase"_s, u"louvain"_s}));
        QCOMPARE(model.index(0, 0, table).data(StructureModel::BriefRole).toString(), u"10 categories"_s);
        QCOMPARE(model.index(1, 0, table).data(StructureModel::BriefRole).toString(), u"int64"_s);
        QVERIFY(countAll(model, {}) > 30);
    }

    void tellsWhatIsFoundLater()
    {
        StructureModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setDataset(openFile(examplePath()));
        const auto x = model.dataset()->find("X");
        const QModelIndex index = model.indexOf(*x);
        QVERIFY(index.data(StructureModel::ChipsRole).value<QList<StructureChip>>().isEmpty());
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        HoldsResult holds;
        holds.holds = Holds::Scaled;
        model.setHolds("X", holds);
        QCOMPARE(changed.size(), 1);
        QCOMPARE(changed.first().first().toModelIndex(), index);
        QCOMPARE(index.data(StructureModel::ChipsRole).value<QList<StructureChip>>().first().text, u"scaled"_s);
        model.setStoredBytes("X", 2048);
        QCOMPARE(changed.size(), 2);
        QVERIFY(index.data(Qt::ToolTipRole).toString().contains(u"2 KiB"_s));
    }

    void filtersByName()
    {
        StructureModel model;
        model.setDataset(openFile(examplePath()));
        QSortFilterProxyModel filter;
        filter.setRecursiveFilteringEnabled(true);
        filter.setSourceModel(&model);
        QAbstractItemModelTester tester(&filter, QAbstractItemModelTester::FailureReportingMode::QtTest);
        filter.setFilterFixedString(u"umap"_s);
        QCOMPARE(countAll(filter, {}), 3); // the file, obsm, X_umap
    }

    void holdsForEveryFile_data()
    {
        QTest::addColumn<QString>("path");
        for (const auto& path : test::allFiles())
            QTest::addRow("%s", path.filename().c_str()) << QString::fromStdString(path.string());
    }

    void holdsForEveryFile()
    {
        QFETCH(QString, path);
        const auto dataset = openFile(path);
        if (!dataset)
            QSKIP("refused, which other tests look at");
        StructureModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setDataset(dataset);
        int elements = 0;
        for (const Element* element : dataset->elements()) {
            ++elements;
            QVERIFY2(model.indexOf(element).isValid(), element->path.c_str());
        }
        QCOMPARE(countAll(model, {}), elements + 1);
        FindingsModel findings;
        QAbstractItemModelTester findingsTester(&findings,
                                                QAbstractItemModelTester::FailureReportingMode::QtTest);
        findings.setFindings(dataset->findings());
        QCOMPARE(findings.rowCount(), static_cast<int>(dataset->findings().size()));
        QCOMPARE(findings.limitingSentence().isEmpty(), findings.countOf(Severity::Error) == 0);
        for (int row = 0; row < findings.rowCount(); ++row)
            QVERIFY(!findings.index(row).data().toString().isEmpty());
    }
};

QTEST_MAIN(ModelStructureTest)
#include "model_structure_test.moc"
