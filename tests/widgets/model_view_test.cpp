// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/model_bench.h"
#include "widgets/models/view_model.h"

#include <QSignalSpy>
#include <QtTest>

#include <random>

using namespace cellfolio;
using namespace Qt::StringLiterals;

namespace {

bool settled(ViewModel& view)
{
    return QTest::qWaitFor([&] { return !view.isEvaluating(); }, 30'000);
}

std::vector<Index> rowsOf(const ViewModel& view, Axis axis = Axis::Obs)
{
    return view.rows(axis).positions();
}

const std::vector<Index> kPositive{0, 4, 6, 7, 8, 10, 11}; // score > 0, from tests/data/query_files.py

} // namespace

// Views of tests/data/files/filter.h5ad, whose columns tests/data/query_files.py writes out, and of
// the example (counts taken with pandas).
class ModelViewTest : public QObject
{
    Q_OBJECT

private:
    static constexpr const char* kFilter = "tests/data/files/filter.h5ad";

private Q_SLOTS:
    void stepsNarrowInOrder()
    {
        test::Bench bench(Index{64} << 20, kFilter);
        ViewModel view(bench.context);
        view.setDataset(bench.dataset);
        QVERIFY(view.view().isAll());
        QSignalSpy changed(&view, &ViewModel::viewChanged);

        view.setStep(Axis::Obs, 0, u"score > 0"_s);
        QVERIFY(view.isEvaluating());
        QVERIFY(view.view().isAll()); // swaps once it has come
        QVERIFY(settled(view));
        QCOMPARE(rowsOf(view), kPositive);
        QCOMPARE(changed.size(), 1);
        StepsCount count = view.count(Axis::Obs);
        QCOMPARE(count.shown, 7);
        QCOMPARE(count.missing, 2); // NaN at 1 and 5
        QCOMPARE(count.notIn, 3);   // -2, 0, -9

        view.setStep(Axis::Obs, 0, u"n_genes > 500"_s);
        QVERIFY(settled(view));
        QCOMPARE(rowsOf(view), (std::vector<Index>{6, 7, 8, 10, 11}));
        QCOMPARE(view.steps(Axis::Obs).at(1).before, 7);
        QCOMPARE(view.steps(Axis::Obs).at(1).chosen, 5);
        QCOMPARE(view.rows(Axis::Var).size(), 5);

        view.setStep(Axis::Var, 0, u"highly_variable"_s);
        QVERIFY(settled(view));
        QCOMPARE(rowsOf(view, Axis::Var), (std::vector<Index>{0, 2, 4}));
        QCOMPARE(view.rows(Axis::Obs).size(), 5);
    }

    void removingAndChangingAStepStartsFromTheFile()
    {
        test::Bench bench(Index{64} << 20, kFilter);
        ViewModel view(bench.context);
        view.setDataset(bench.dataset);
        const int positive = view.setStep(Axis::Obs, 0, u"score > 0"_s);
        const int many = view.setStep(Axis::Obs, 0, u"n_genes > 500"_s);
        QVERIFY(positive != many);
        QVERIFY(settled(view));
        QCOMPARE(view.steps(Axis::Obs).size(), 2U); // the second did not lose the first
        view.setStep(Axis::Obs, positive, u"score < 0"_s);
        QVERIFY(settled(view));
        QCOMPARE(rowsOf(view), (std::vector<Index>{9}));
        view.removeStep(positive);
        QVERIFY(settled(view));
        QCOMPARE(rowsOf(view), (std::vector<Index>{5, 6, 7, 8, 9, 10, 11}));
        QCOMPARE(view.count(Axis::Obs).missing, 0);
        view.setStepEnabled(many, false);
        QVERIFY(settled(view));
        QVERIFY(view.rows(Axis::Obs).isAll());
        QCOMPARE(view.steps(Axis::Obs).size(), 1U);
        view.setStepEnabled(many, true);
        QVERIFY(settled(view));
        QCOMPARE(view.rows(Axis::Obs).size(), 7);
        view.reset();
        QVERIFY(view.view().isAll());
        QVERIFY(!view.isNarrowed());
    }

    void missingCanBeKept()
    {
        test::Bench bench(Index{64} << 20, kFilter);
        ViewModel view(bench.context);
        view.setDataset(bench.dataset);
        const int id = view.setStep(Axis::Obs, 0, u"score > 0"_s);
        QVERIFY(settled(view));
        view.setStepKeepsMissing(id, true);
        QVERIFY(settled(view));
        QCOMPARE(rowsOf(view), (std::vector<Index>{0, 1, 4, 5, 6, 7, 8, 10, 11}));
        QCOMPARE(view.count(Axis::Obs).missing, 0);
        QCOMPARE(view.count(Axis::Obs).notIn, 3);
        QCOMPARE(view.step(id)->text(), u"score > 0 or missing"_s);
        view.undo();
        QCOMPARE(rowsOf(view), kPositive);
    }

    void aFaultKeepsTheViewAndSaysWhere()
    {
        test::Bench bench(Index{64} << 20, kFilter);
        ViewModel view(bench.context);
        view.setDataset(bench.dataset);
        view.setStep(Axis::Obs, 0, u"score > 0"_s);
        QVERIFY(settled(view));
        QSignalSpy failed(&view, &ViewModel::failed);
        QSignalSpy changed(&view, &ViewModel::viewChanged);
        view.setStep(Axis::Obs, 0, u"score > 0 and n_gene > 3"_s, {{}, u"bar"_s});
        QVERIFY(settled(view));
        QCOMPARE(failed.size(), 1);
        QCOMPARE(changed.size(), 0);
        QVERIFY(view.problem().has_value());
        QCOMPARE(view.problem()->origin, u"bar"_s);
        QCOMPARE(view.problem()->axis, Axis::Obs);
        QCOMPARE(view.problem()->error.position().value_or(-1), 14);
        QCOMPARE(view.problem()->error.suggestions().front(), std::string("n_genes"));
        QCOMPARE(rowsOf(view), kPositive);
        QCOMPARE(view.steps(Axis::Obs).size(), 1U);
        view.setStep(Axis::Obs, 0, u"n_genes >"_s); // does not parse
        QVERIFY(settled(view));
        QCOMPARE(view.problem()->error.code(), ErrorCode::BadUsage);
        QCOMPARE(rowsOf(view), kPositive);
        view.setStep(Axis::Obs, 0, u"n_genes > 500"_s);
        QVERIFY(settled(view));
        QVERIFY(!view.problem().has_value());
    }

    void undoAndRedoGoThroughTheViews()
    {
        test::Bench bench(Index{64} << 20, kFilter);
        ViewModel view(bench.context);
        view.setDataset(bench.dataset);
        QVERIFY(!view.canUndo());
        const int first = view.setStep(Axis::Obs, 0, u"score > 0"_s);
        QVERIFY(settled(view));
        view.setStep(Axis::Var, 0, u"n_cells > 100"_s, {u"many cells"_s, {}});
        QVERIFY(settled(view));
        QCOMPARE(view.undoText(), u"filter many cells"_s);
        QSignalSpy changed(&view, &ViewModel::viewChanged);
        view.undo();
        QCOMPARE(changed.size(), 1);
        QCOMPARE(changed.front().front().value<Axis>(), Axis::Var);
        QVERIFY(view.rows(Axis::Var).isAll());
        QCOMPARE(rowsOf(view), kPositive);
        view.undo();
        QVERIFY(view.view().isAll());
        QVERIFY(!view.canUndo() && view.canRedo());
        QCOMPARE(view.redoText(), u"filter score > 0"_s);
        view.redo();
        view.redo();
        QCOMPARE(rowsOf(view, Axis::Var), (std::vector<Index>{2, 3, 4}));
        QVERIFY(!view.canRedo());
        view.removeStep(first);
        QVERIFY(settled(view));
        view.undo();
        QCOMPARE(view.step(first)->expression, u"score > 0"_s); // the same step comes back
        // Undo of a change that is under way gives it up.
        view.setStep(Axis::Obs, 0, u"n_genes > 100"_s);
        view.undo();
        QVERIFY(!view.isEvaluating());
        QTest::qWait(100);
        QCOMPARE(rowsOf(view), kPositive);
    }

    void quickChangesOfOneStepAreOne()
    {
        test::Bench bench(Index{64} << 20, kFilter);
        ViewModel view(bench.context);
        view.setDataset(bench.dataset);
        const int id = view.setStep(Axis::Obs, 0, u"n_genes > 100"_s);
        QVERIFY(settled(view));
        for (int bound = 200; bound < 900; bound += 100) {
            view.setStep(Axis::Obs, id, u"n_genes > %1"_s.arg(bound));
            QVERIFY(settled(view));
        }
        QCOMPARE(view.rows(Axis::Obs).size(), 4); // 900 … 1200
        view.undo();
        QVERIFY(view.view().isAll());
    }

    void onlyTheNewestOfManyIsShown()
    {
        test::Bench bench;
        ViewModel view(bench.context);
        view.setDataset(bench.dataset);
        QSignalSpy changed(&view, &ViewModel::viewChanged);
        int id = 0;
        for (int bound = 2000; bound >= 1500; bound -= 10)
            id = view.setStep(Axis::Obs, id, u"n_genes > %1"_s.arg(bound));
        QVERIFY(settled(view));
        QCOMPARE(changed.size(), 1);
        QCOMPARE(view.rows(Axis::Obs).size(), 48);
        view.setStep(Axis::Obs, 0, u"bulk_labels == \"Dendritic\""_s);
        QVERIFY(settled(view));
        QCOMPARE(view.rows(Axis::Obs).size(), 20);
        view.setStep(Axis::Obs, 0, u"percent_mito < 0.02"_s);
        QVERIFY(settled(view));
        QCOMPARE(view.rows(Axis::Obs).size(), 18);
        view.removeStep(id);
        QVERIFY(settled(view));
        QCOMPARE(view.rows(Axis::Obs).size(), 196);
        QCOMPARE(view.count(Axis::Obs).notIn, 504);
    }

    void pickedRowsAndNames()
    {
        test::Bench bench(Index{64} << 20, kFilter);
        ViewModel view(bench.context);
        view.setDataset(bench.dataset);
        view.setNamedRows(Axis::Obs, {{"mine", Selection::indices(12, {0, 1, 2, 11})}});
        view.setStep(Axis::Obs, 0, u"selection(\"mine\")"_s);
        QVERIFY(settled(view));
        QCOMPARE(rowsOf(view), (std::vector<Index>{0, 1, 2, 11}));
        view.setPicked(Axis::Obs, 0, Selection::indices(12, {1, 2, 3}), {u"3 cells"_s, {}});
        QVERIFY(settled(view));
        QCOMPARE(rowsOf(view), (std::vector<Index>{1, 2}));
        view.setStep(Axis::Obs, 0, u"selection(\"mein\")"_s);
        QVERIFY(settled(view));
        QCOMPARE(view.problem()->error.suggestions(), (std::vector<std::string>{"mine"}));
        // In another version of the file expressions hold; picked rows are found again.
        QSignalSpy dropped(&view, &ViewModel::picksDropped);
        view.setStep(Axis::Obs, 0, u"n_genes > 200"_s);
        QVERIFY(settled(view));
        QVERIFY(QTest::qWaitFor([&] { return !view.isLearningNames(); }, 20'000));
        view.setDatasetAgain(*Dataset::open(std::string(CELLFOLIO_SOURCE_DIR "/") + kFilter));
        QVERIFY(settled(view));
        QCOMPARE(dropped.size(), 0);
        QVERIFY(view.problem().has_value());
        QCOMPARE(view.problem()->expression, u"selection(\"mine\")"_s); // no such name any more: said
        QCOMPARE(view.steps(Axis::Obs).size(), 2U);
        QCOMPARE(rowsOf(view), (std::vector<Index>{2, 3}));
        while (view.canUndo())
            view.undo();
        QVERIFY(view.view().isAll());
    }

    // Any sequence of changes, undo and redo shows what a plain list of rules says.
    void anySequenceOfChanges()
    {
        test::Bench bench(Index{64} << 20, kFilter);
        ViewModel view(bench.context);
        view.setDataset(bench.dataset);
        struct Rule {
            int id;
            int low;
            bool on;
        };
        std::vector<std::vector<Rule>> states{{}};
        std::size_t place = 0;
        std::mt19937 random(7);
        const auto pick = [&](int below) { return std::uniform_int_distribution<int>(0, below - 1)(random); };
        for (int round = 0; round < 300; ++round) {
            std::vector<Rule> rules = states[place];
            const int what = pick(6);
            bool change = true;
            if (what == 0 || rules.empty()) {
                const int low = 100 * pick(12) + 50; // no two rules are written alike
                const int id = view.setStep(Axis::Obs, 0, u"n_genes > %1 and n_genes != %2"_s.arg(low).arg(round + 5000));
                rules.push_back({id, low, true});
            } else if (what == 1) {
                const std::size_t which = std::size_t(pick(int(rules.size())));
                view.removeStep(rules[which].id);
                rules.erase(rules.begin() + std::ptrdiff_t(which));
            } else if (what == 2) {
                Rule& rule = rules[std::size_t(pick(int(rules.size())))];
                rule.on = !rule.on;
                view.setStepEnabled(rule.id, rule.on);
            } else if (what == 3 && place > 0) {
                view.undo();
                --place;
                change = false;
            } else if (what == 4 && place + 1 < states.size()) {
                view.redo();
                ++place;
                change = false;
            } else {
                change = false;
            }
            QVERIFY(settled(view));
            if (change) {
                states.resize(place + 1);
                states.push_back(std::move(rules));
                place = states.size() - 1;
                if (states.size() > ViewHistory::kMostStates) {
                    states.erase(states.begin());
                    --place;
                }
            }
            std::vector<Index> expected;
            for (Index row = 0; row < 12; ++row) {
                const auto& now = states[place];
                if (std::all_of(now.begin(), now.end(),
                                [row](const Rule& rule) { return !rule.on || (row + 1) * 100 > rule.low; }))
                    expected.push_back(row);
            }
            QCOMPARE(rowsOf(view), expected);
            QCOMPARE(view.steps(Axis::Obs).size(), states[place].size());
            QCOMPARE(view.canUndo(), place > 0);
            QCOMPARE(view.canRedo(), place + 1 < states.size());
        }
    }

    // tests/data/files/long.h5ad: row i has the word "w" + i mod 7, the count i mod 1000.
    void whatTakesLongShowsWhatItHasFound()
    {
        test::Bench bench(Index{64} << 20, "tests/data/files/long.h5ad");
        ViewModel view(bench.context);
        view.setDataset(bench.dataset);
        view.setPatience(0, 1);
        std::vector<Index> wanted;
        for (Index row = 0; row < 40'000; ++row)
            if (row % 7 == 2 && row % 1000 >= 100)
                wanted.push_back(row);
        int partial = 0;
        int wrong = 0;
        std::size_t shown = 0;
        connect(&view, &ViewModel::viewChanged, this, [&](Axis axis) {
            const std::vector<Index> rows = view.rows(axis).positions();
            if (!view.isPartial())
                return;
            ++partial;
            // Grows, and only at its end.
            wrong += rows.size() >= shown && rows.size() <= wanted.size()
                    && std::equal(rows.begin(), rows.end(), wanted.begin())
                ? 0
                : 1;
            shown = rows.size();
        });
        for (int tries = 0; tries < 50 && partial == 0; ++tries) {
            view.reset();
            shown = 0;
            view.setStep(Axis::Obs, 0, u"count >= 100"_s);
            view.setStep(Axis::Obs, 0, u"word ~ \"^w2$\""_s);
            QVERIFY(settled(view));
            QVERIFY(!view.isPartial());
            QCOMPARE(rowsOf(view), wanted);
        }
        QVERIFY(partial > 0);
        QCOMPARE(wrong, 0);
        QCOMPARE(view.undoText(), u"filter word ~ \"^w2$\""_s); // one change, whatever was shown on the way
        // Given up: as it was before.
        for (int tries = 0; tries < 50; ++tries) {
            view.reset();
            partial = 0;
            shown = 0;
            view.setStep(Axis::Obs, 0, u"count >= 100 and word ~ \"^w2$\""_s);
            if (!QTest::qWaitFor([&] { return partial > 0 || !view.isEvaluating(); }, 20'000) || partial == 0)
                continue;
            if (!view.isEvaluating())
                continue;
            view.stop();
            QVERIFY(!view.isPartial());
            QVERIFY(view.rows(Axis::Obs).isAll());
            QVERIFY(view.steps(Axis::Obs).empty());
            break;
        }
        QCOMPARE(wrong, 0);
    }

    // A step over ten million cells costs a bit a cell, and undo keeps within its room.
    void historyIsBounded()
    {
        constexpr Index extent = 10'000'000;
        IndexSetBuilder builder(extent);
        for (Index row = 0; row < extent; row += 3)
            builder.add(row);
        const Selection third = Selection::of(std::move(builder).take());
        const Selection odd = Selection::indices(extent, {1, 5, 8});
        QVERIFY(third.bytes() <= extent / 8 + extent / 8 / 16 + 4096 || third.asSlice() != nullptr);
        ViewHistory history(Index{1} << 20);
        for (int round = 0; round < 250; ++round) {
            ViewState state;
            FilterStep step;
            step.after = odd;
            step.id = round + 1;
            state.obs.push_back(step);
            history.push(std::move(state));
        }
        QCOMPARE(history.count(), ViewHistory::kMostStates);
        IndexSetBuilder wide(extent);
        for (Index row = 0; row < extent; row += 1 + row % 3)
            wide.add(row);
        FilterStep large;
        large.after = Selection::of(std::move(wide).take());
        QVERIFY(large.after.bytes() > Index{1} << 20);
        ViewState state;
        state.obs.push_back(large);
        history.push(std::move(state));
        QCOMPARE(history.count(), 2U); // one step back is always possible
        QVERIFY(history.canUndo() && !history.canRedo());
    }
};

QTEST_MAIN(ModelViewTest)
#include "model_view_test.moc"
