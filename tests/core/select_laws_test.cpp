// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/select/selection.h"
#include "core/select/selection_text.h"

#include <QRandomGenerator>
#include <QtTest>

#include <algorithm>
#include <unordered_set>

using namespace cellfolio;

namespace {

using Positions = std::vector<Index>;

// Plain lists are the oracle: nothing here knows of slices, sets or blocks of bits.
Positions gather(const Positions& from, const Positions& places)
{
    Positions result;
    for (const Index p : places)
        result.push_back(from[at(p)]);
    return result;
}

Index below(QRandomGenerator& random, Index n)
{
    return n <= 0 ? 0 : static_cast<Index>(random.bounded(static_cast<quint32>(n)));
}

// Selections of every form: slices of both directions, dense and thin sets, lists with repeats.
Positions randomPositions(QRandomGenerator& random, Index n)
{
    Positions result;
    if (n == 0)
        return result;
    const Index kind = below(random, 7);
    if (kind == 0) {
        const Index step = 1 + below(random, 4);
        for (Index p = below(random, n); p < n && result.size() < 2000; p += step)
            result.push_back(p);
    } else if (kind == 1) {
        const Index step = 1 + below(random, 4);
        for (Index p = below(random, n); p >= 0; p -= step)
            result.push_back(p);
    } else if (kind <= 4) {
        const Index share = kind == 2 ? 2 : kind == 3 ? 9 : 100; // one in so many
        for (Index p = 0; p < n; ++p) {
            if (below(random, share) == 0)
                result.push_back(p);
        }
    } else {
        for (Index k = below(random, kind == 5 ? 9 : 2 * n); k > 0; --k)
            result.push_back(below(random, n));
    }
    return result;
}

Selection ascendingOf(QRandomGenerator& random, Index n)
{
    Positions positions = randomPositions(random, n);
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    return Selection::indices(n, positions);
}

Positions setOf(const Selection& a, const Selection& b, bool inA, bool inB, bool inBoth)
{
    Positions result;
    for (Index p = 0; p < a.extent(); ++p) {
        const Positions ofA = a.positions();
        const Positions ofB = b.positions();
        const bool isA = std::find(ofA.begin(), ofA.end(), p) != ofA.end();
        const bool isB = std::find(ofB.begin(), ofB.end(), p) != ofB.end();
        if (isA && isB ? inBoth : isA ? inA : isB && inB)
            result.push_back(p);
    }
    return result;
}

} // namespace

class SelectLawsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyFormGivesItsPositions();
    void chainsAgreeWithPlainGather();
    void thenIsAssociativeAndAllIsNeutral();
    void equalPositionsAreEqualAndHashEqual();
    void setOperations();
    void deMorgan();
    void textGivesTheSelectionBack();
    void rankAndSelect();
    void formsAreTheSmallest();
    void longAxes();
    void whatViewsCost();
};

void SelectLawsTest::everyFormGivesItsPositions()
{
    QRandomGenerator random(11);
    for (int round = 0; round < 600; ++round) {
        const Index n = below(random, 1600);
        const Positions wanted = randomPositions(random, n);
        const Selection selection = Selection::indices(n, wanted);
        QCOMPARE(selection.positions(), wanted);
        QCOMPARE(selection.size(), static_cast<Index>(wanted.size()));
        for (int look = 0; look < 5 && !wanted.empty(); ++look) {
            const Index k = below(random, selection.size());
            QCOMPARE(selection[k], wanted[at(k)]);
            const Index count = below(random, selection.size() - k + 1);
            QCOMPARE(selection.part(k, count).positions(),
                     Positions(wanted.begin() + k, wanted.begin() + k + count));
        }
        Positions byRuns;
        Index end = -1;
        selection.forEachRun([&](Index first, Index count) {
            QVERIFY(count > 0 && first != end); // as long as they can be
            end = first + count;
            for (Index p = first; p < end; ++p)
                byRuns.push_back(p);
        });
        QCOMPARE(byRuns, wanted);
        bool ascending = true;
        for (std::size_t k = 1; k < wanted.size(); ++k)
            ascending = ascending && wanted[k] > wanted[k - 1];
        QCOMPARE(selection.isAscending(), ascending);
    }
}

void SelectLawsTest::chainsAgreeWithPlainGather()
{
    QRandomGenerator random(12);
    for (int round = 0; round < 400; ++round) {
        const Index n = 1 + below(random, 1500);
        Selection view = Selection::all(n);
        Positions wanted = view.positions();
        for (int depth = 0; depth < 6; ++depth) {
            const Positions picked = randomPositions(random, view.size());
            const Selection inner = Selection::indices(view.size(), picked);
            view = view.then(inner);
            wanted = gather(wanted, picked);
            QCOMPARE(view.positions(), wanted);
            QCOMPARE(view.size(), inner.size());
            QCOMPARE(view.extent(), n);
        }
    }
}

void SelectLawsTest::thenIsAssociativeAndAllIsNeutral()
{
    QRandomGenerator random(13);
    for (int round = 0; round < 400; ++round) {
        const Index n = 1 + below(random, 700);
        const Selection a = Selection::indices(n, randomPositions(random, n));
        const Selection b = Selection::indices(a.size(), randomPositions(random, a.size()));
        const Selection c = Selection::indices(b.size(), randomPositions(random, b.size()));
        QVERIFY(a.then(b).then(c) == a.then(b.then(c)));
        QVERIFY(Selection::all(n).then(a) == a);
        QVERIFY(a.then(Selection::all(a.size())) == a);
        // A mask of a reversed view comes in descending order of the file.
        const Selection reversed = a.then(Selection::slice(a.size(), {}, {}, -1));
        QVERIFY(reversed.then(Selection::slice(a.size(), {}, {}, -1)) == a);
    }
}

void SelectLawsTest::equalPositionsAreEqualAndHashEqual()
{
    QRandomGenerator random(14);
    std::unordered_set<std::size_t> hashes;
    std::size_t different = 0;
    for (int round = 0; round < 400; ++round) {
        const Index n = 1 + below(random, 900);
        const Positions positions = randomPositions(random, n);
        const Selection straight = Selection::indices(n, positions);
        // The same positions by another way: from a longer view, cut and reversed twice.
        Positions longer = positions;
        longer.push_back(0);
        const Selection cut = Selection::indices(n, longer).part(0, straight.size());
        QVERIFY(cut == straight);
        QCOMPARE(cut.hash(), straight.hash());
        QCOMPARE(cut.bytes(), straight.bytes());
        if (straight.isAscending()) {
            QVERIFY(Selection::of(straight.toSet()) == straight);
            QCOMPARE(Selection::of(straight.toSet()).hash(), straight.hash());
        }
        if (!positions.empty()) {
            Positions other = positions;
            other[at(below(random, straight.size()))] = below(random, n);
            if (other != positions) {
                QVERIFY(!(Selection::indices(n, other) == straight));
                QVERIFY(Selection::indices(n, other).hash() != straight.hash());
            }
        }
        QVERIFY(!(Selection::indices(n + 1, positions) == straight));
        different += hashes.insert(straight.hash()).second ? 1 : 0;
    }
    QVERIFY(different > 200);
}

void SelectLawsTest::setOperations()
{
    QRandomGenerator random(15);
    for (int round = 0; round < 60; ++round) {
        const Index n = below(random, 150);
        const Selection a = ascendingOf(random, n);
        const Selection b = ascendingOf(random, n);
        QCOMPARE((a & b).positions(), setOf(a, b, false, false, true));
        QCOMPARE((a | b).positions(), setOf(a, b, true, true, true));
        QCOMPARE((a - b).positions(), setOf(a, b, true, false, false));
        QCOMPARE((~a).positions(), setOf(Selection::all(n), a, true, false, false));
    }
}

void SelectLawsTest::deMorgan()
{
    QRandomGenerator random(16);
    for (int round = 0; round < 300; ++round) {
        const Index n = below(random, 2000);
        const Selection a = ascendingOf(random, n);
        const Selection b = ascendingOf(random, n);
        QVERIFY(~(a & b) == (~a | ~b));
        QVERIFY(~(a | b) == (~a & ~b));
        QVERIFY(~~a == a);
        QVERIFY((a - b) == (a & ~b));
        QVERIFY((a & ~a).empty());
        QVERIFY((a | ~a).isAll());
    }
}

void SelectLawsTest::textGivesTheSelectionBack()
{
    QRandomGenerator random(17);
    for (int round = 0; round < 500; ++round) {
        const Index n = below(random, 600);
        const Selection selection = Selection::indices(n, randomPositions(random, n));
        const std::string text = selectionText(selection);
        SelectionAxis axis;
        axis.extent = n;
        axis.element = "obs";
        const auto parsed = SelectionText::parse(text);
        QVERIFY2(parsed.ok(), text.c_str());
        const auto back = parsed->resolve(axis);
        QVERIFY2(back.ok(), text.c_str());
        QVERIFY2(*back == selection, text.c_str());
    }
}

void SelectLawsTest::rankAndSelect()
{
    QRandomGenerator random(18);
    for (const Index n : {0, 1, 63, 64, 65, 511, 512, 513, 5000}) {
        for (const Index share : {1, 2, 3, 70, 100000}) {
            IndexSetBuilder builder(n);
            Positions members;
            for (Index p = 0; p < n; ++p) {
                if (below(random, share) == 0) {
                    builder.add(p);
                    members.push_back(p);
                }
            }
            const IndexSet set = std::move(builder).take();
            QCOMPARE(set.size(), static_cast<Index>(members.size()));
            for (Index k = 0; k < set.size(); ++k)
                QCOMPARE(set.select(k), members[at(k)]);
            Index rank = 0;
            for (Index p = 0; p < n; ++p) {
                QCOMPARE(set.rank(p), rank);
                const bool in = rank < set.size() && members[at(rank)] == p;
                QCOMPARE(set.contains(p), in);
                rank += in ? 1 : 0;
            }
            QCOMPARE(set.rank(n), set.size());
            Positions runs;
            set.forEachRun([&runs](Index first, Index count) {
                for (Index p = first; p < first + count; ++p)
                    runs.push_back(p);
            });
            QCOMPARE(runs, members);
        }
        QCOMPARE(IndexSet::all(n).size(), n);
        QVERIFY(~IndexSet::all(n) == IndexSet::none(n));
    }
    for (int round = 0; round < 200; ++round) {
        const Index n = 1 + below(random, 400);
        const Index first = below(random, n);
        const Index count = below(random, n - first + 1);
        IndexSetBuilder builder(n);
        builder.addRun(first, count);
        const IndexSet set = std::move(builder).take();
        QCOMPARE(set.size(), count);
        QVERIFY(count == 0 || (set.select(0) == first && set.select(count - 1) == first + count - 1));
    }
}

void SelectLawsTest::formsAreTheSmallest()
{
    // More than one in 32, ascending: a set. Thinner or in another order: a list. Regular: a slice.
    Positions dense;
    Positions thin;
    for (Index p = 0; p < 6400; p += 31)
        dense.push_back(p + (p % 2));
    for (Index p = 0; p < 6400; p += 33)
        thin.push_back(p + (p % 2));
    QVERIFY(Selection::indices(6400, dense).asSet() != nullptr);
    const Selection list = Selection::indices(6400, thin);
    QVERIFY(list.asSet() == nullptr && list.asSlice() == nullptr);
    QVERIFY(list.bytes() < 4 * list.size() + 200);
    std::swap(dense[0], dense[1]);
    QVERIFY(Selection::indices(6400, dense).asSet() == nullptr);
    QVERIFY(Selection::indices(6400, {1, 34, 67}).asSlice() != nullptr);

    // A slice of a slice stays a slice; a mask of a slice is a set, of a reversed one a list.
    const Selection slice = Selection::slice(6400, 10, -10, 3);
    QVERIFY(slice.then(Selection::slice(slice.size(), {}, {}, -2)).asSlice() != nullptr);
    std::vector<std::uint8_t> marks(at(slice.size()), 1);
    marks[5] = 0;
    QVERIFY(slice.then(Selection::mask(marks)).asSet() != nullptr);
    const Selection reversed = Selection::slice(6400, {}, {}, -1).part(0, slice.size());
    const Selection falling = reversed.then(Selection::mask(marks));
    QVERIFY(falling.asSet() == nullptr && falling.asSlice() == nullptr);
    QVERIFY(!falling.isAscending());
}

// Past 2^32 positions no longer fit four bytes.
void SelectLawsTest::longAxes()
{
    const Index n = Index{3} << 32;
    const Positions positions{n - 1, 5, 5, (Index{1} << 32) + 7, 0};
    const Selection list = Selection::indices(n, positions);
    QCOMPARE(list.positions(), positions);
    const Selection odd = Selection::slice(n, 1, {}, 2);
    QCOMPARE(odd.then(Selection::indices(odd.size(), {0, 3, odd.size() - 1})).positions(),
             (Positions{1, 7, n - 1}));
    const Selection atTheEdge = Selection::indices(Index{1} << 32, {(Index{1} << 32) - 1, 0, 0});
    QCOMPARE(atTheEdge.positions(), (Positions{(Index{1} << 32) - 1, 0, 0}));
}

// The bounds that were promised for a million cells, whatever the chain behind a view.
void SelectLawsTest::whatViewsCost()
{
    constexpr Index kCells = 1'000'000;
    QVERIFY(Selection::slice(kCells, 10, -10, 7).bytes() < 1024);
    QRandomGenerator random(19);
    Selection view = Selection::all(kCells);
    for (int round = 0; round < 10; ++round) {
        std::vector<std::uint8_t> marks(at(view.size()));
        for (auto& mark : marks)
            mark = random.bounded(10) < 9 ? 1 : 0;
        view = view.then(Selection::mask(marks));
        QVERIFY(view.asSet() != nullptr);
        QVERIFY2(view.bytes() <= 160 * 1024, qPrintable(QString::number(view.bytes())));
    }
}

QTEST_GUILESS_MAIN(SelectLawsTest)
#include "select_laws_test.moc"
