// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/select/selection.h"

#include <QtTest>

using namespace cellfolio;

namespace {

std::vector<Selection> sampleSelections(Index n)
{
    std::vector<Selection> all{Selection::all(n), Selection::none(n), Selection::slice(n, {}, {}, -1),
                               Selection::slice(n, 1, -1, 2), Selection::slice(n, -3, {}),
                               Selection::slice(n, {}, -2), Selection::slice(n, 100, -100, -3)};
    if (n > 3) {
        all.push_back(Selection::indices(n, {3, 0, 0, n - 1}));
        all.push_back(Selection::indices(n, {0, 1, 3}));
        all.push_back(Selection::indices(n, {2, 2}));
    }
    std::vector<std::uint8_t> marks(at(n));
    for (Index i = 0; i < n; ++i)
        marks[at(i)] = i * i % 5 == 1;
    all.push_back(Selection::mask(marks));
    return all;
}

std::vector<Index> gather(const std::vector<Index>& from, const std::vector<Index>& places)
{
    std::vector<Index> result;
    for (Index p : places)
        result.push_back(from[at(p)]);
    return result;
}

} // namespace

class SelectionTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void slicesAsPython();
    void thenAgreesWithPlainGather();
    void thenIsAssociative();
    void regularListsBecomeSlices();
};

void SelectionTest::slicesAsPython()
{
    // Values worked out by Python's list(range(10))[a:b:c].
    const auto of = [](std::optional<Index> a, std::optional<Index> b, Index c) {
        return Selection::slice(10, a, b, c).positions();
    };
    QCOMPARE(of({}, {}, 1).size(), std::size_t{10});
    QCOMPARE(of(-3, {}, 1), (std::vector<Index>{7, 8, 9}));
    QCOMPARE(of({}, -8, 1), (std::vector<Index>{0, 1}));
    QCOMPARE(of({}, {}, -4), (std::vector<Index>{9, 5, 1}));
    QCOMPARE(of(8, 2, -3), (std::vector<Index>{8, 5}));
    QCOMPARE(of(2, 8, -1), (std::vector<Index>{}));
    QCOMPARE(of(5, 100, 2), (std::vector<Index>{5, 7, 9}));
    QCOMPARE(of(-100, 3, 1), (std::vector<Index>{0, 1, 2}));
    QCOMPARE(of(3, -100, -1), (std::vector<Index>{3, 2, 1, 0}));
    QCOMPARE(Selection::slice(0, {}, {}, -1).size(), Index{0});
}

void SelectionTest::thenAgreesWithPlainGather()
{
    for (Index n : {0, 1, 5, 37}) {
        for (const Selection& outer : sampleSelections(n)) {
            for (const Selection& inner : sampleSelections(outer.size()))
                QCOMPARE(outer.then(inner).positions(), gather(outer.positions(), inner.positions()));
        }
    }
}

void SelectionTest::thenIsAssociative()
{
    for (const Selection& a : sampleSelections(19)) {
        for (const Selection& b : sampleSelections(a.size())) {
            for (const Selection& c : sampleSelections(b.size()))
                QVERIFY(a.then(b).then(c) == a.then(b.then(c)));
        }
    }
}

void SelectionTest::regularListsBecomeSlices()
{
    QVERIFY(Selection::indices(9, {8, 5, 2}).asSlice());
    QCOMPARE(Selection::indices(9, {8, 5, 2}).bytes(), Index{24});
    QVERIFY(!Selection::indices(9, {2, 2}).asSlice());
    QVERIFY(Selection::indices(9, {0, 1, 2, 3, 4, 5, 6, 7, 8}).isAll());
    QVERIFY(!Selection::slice(9, {}, {}, -1).isAll());
    QVERIFY(Selection::indices(9, {1, 4, 5}).isAscending());
    QVERIFY(!Selection::indices(9, {1, 5, 4}).isAscending());
}

QTEST_GUILESS_MAIN(SelectionTest)
#include "selection_test.moc"
