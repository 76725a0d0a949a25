// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/anndata/dataset_view.h"
#include "tests/support/corpus.h"

#include <QtTest>

using namespace cellfolio;
using namespace cellfolio::test;

class DatasetViewTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void narrowsOneAxisAtATime();
    void holdsTheFileAndNoParent();
};

void DatasetViewTest::narrowsOneAxisAtATime()
{
    auto dataset = Dataset::open((dataFolder() / "files" / "filter.h5ad").string());
    QVERIFY(dataset.ok());
    const DatasetView all(*dataset);
    QVERIFY(all.isAll());
    QCOMPARE(all.obs().size(), Index{12});
    QCOMPARE(all.var().size(), Index{5});
    const DatasetView odd = all.narrowed(Axis::Obs, Selection::slice(12, 1, {}, 2));
    QCOMPARE(odd.obs().positions(), (std::vector<Index>{1, 3, 5, 7, 9, 11}));
    QVERIFY(odd.var().isAll() && !odd.isAll());
    const DatasetView deeper =
        odd.narrowed(Axis::Obs, Selection::indices(6, {5, 0, 0}))
            .narrowed(Axis::Var, Selection::indices(5, {4, 1}));
    QCOMPARE(deeper.of(Axis::Obs).positions(), (std::vector<Index>{11, 1, 1}));
    QCOMPARE(deeper.of(Axis::Var).positions(), (std::vector<Index>{4, 1}));
    QVERIFY(all.isAll()); // a value: nobody changed it
    QVERIFY(deeper == DatasetView(*dataset, Selection::indices(12, {11, 1, 1}),
                                  Selection::indices(5, {4, 1})));
    QVERIFY(!(deeper == odd));
    QVERIFY(deeper.with(Axis::Obs, Selection::all(12)).obs().isAll());
}

void DatasetViewTest::holdsTheFileAndNoParent()
{
    std::weak_ptr<const Dataset> file;
    DatasetView last;
    {
        auto dataset = Dataset::open((dataFolder() / "files" / "filter.h5ad").string());
        QVERIFY(dataset.ok());
        file = *dataset;
        DatasetView view(*dataset);
        for (int k = 0; k < 50; ++k)
            view = view.narrowed(Axis::Obs, Selection::slice(view.obs().size(), {}, {}, -1));
        last = view;
        // The name on the stack, this test's own, and one for each view that is still there.
        QCOMPARE(dataset->use_count(), 3L);
    }
    QCOMPARE(file.use_count(), 1L);
    QVERIFY(last.isAll()); // 50 times reversed
    QCOMPARE(last.obs().bytes(), Index{24});
    last = {};
    QVERIFY(file.expired());
}

QTEST_GUILESS_MAIN(DatasetViewTest)
#include "dataset_view_test.moc"
