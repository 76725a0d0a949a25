// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/model_bench.h"
#include "widgets/models/card_figures.h"
#include "widgets/models/category_list_model.h"
#include "widgets/models/filter_cards.h"
#include "widgets/models/name_lookup.h"
#include "widgets/views/category_list.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QtTest>

#include <numeric>

using namespace cellfolio;
using namespace Qt::StringLiterals;

namespace {

bool settled(ViewModel& view)
{
    return QTest::qWaitFor([&] { return !view.isEvaluating(); }, 30'000);
}

RuleSubject columnSubject(const QString& name)
{
    RuleSubject subject;
    subject.kind = RuleSubject::Kind::Column;
    subject.name = name;
    return subject;
}

FilterRule atLeast(const QString& column, double low)
{
    FilterRule rule = FilterCards::openRule(columnSubject(column), FilterRule::Kind::Range, RuleLiteral::Number);
    rule.keepsMissing = false;
    rule.low = RuleBound::of(low);
    return rule;
}

} // namespace

// Cards over tests/data/files/filter.h5ad (tests/data/query_files.py writes its columns out) and
// over the example, whose counts were taken with pandas.
class ModelFilterCardsTest : public QObject
{
    Q_OBJECT

private:
    static constexpr const char* kFilter = "tests/data/files/filter.h5ad";

private Q_SLOTS:
    void cardsAreTheSteps()
    {
        test::Bench bench(Index{64} << 20, kFilter);
        ViewModel view(bench.context);
        view.setDataset(bench.dataset);
        FilterCards cards(view, Axis::Obs);
        QVERIFY(cards.cards().empty());

        // Opened: filters nothing, and is no step.
        const int score = cards.add(FilterCards::openRule(*bench.dataset->obs()->child("score")));
        QCOMPARE(cards.cards().size(), 1U);
        QCOMPARE(cards.card(score)->step, 0);
        QVERIFY(view.steps(Axis::Obs).empty());
        QVERIFY(!view.canUndo());
        QCOMPARE(cards.add(FilterCards::openRule(*bench.dataset->obs()->child("score"))), score); // once

        cards.setRule(score, atLeast(u"score"_s, 4), u"score ≥ 4"_s);
        QVERIFY(cards.card(score)->step != 0); // at once, before it has been evaluated
        QVERIFY(settled(view));
        QCOMPARE(view.rows(Axis::Obs).positions(), (std::vector<Index>{4, 6, 7, 8, 10, 11}));
        QCOMPARE(view.steps(Axis::Obs).front().expression, u"score >= 4"_s);
        QCOMPARE(view.steps(Axis::Obs).front().text(), u"score ≥ 4"_s);
        QCOMPARE(cards.card(score)->missing, 2);
        QCOMPARE(cards.activeCount(), 1);

        // From elsewhere: the same card shows it.
        view.setStep(Axis::Obs, cards.card(score)->step, u"score < 4"_s);
        QVERIFY(settled(view));
        QCOMPARE(cards.cards().size(), 1U);
        QCOMPARE(cards.card(score)->rule.high->text, u"4"_s);
        QVERIFY(!cards.card(score)->rule.low);
        view.undo();
        view.undo();
        QVERIFY(view.rows(Axis::Obs).isAll());
        QCOMPARE(cards.cards().size(), 1U); // opened by hand: stays
        QCOMPARE(cards.card(score)->step, 0);
        QVERIFY(cards.card(score)->rule.isOpen());
        view.redo();
        QVERIFY(cards.card(score)->step != 0);
        cards.remove(score);
        QVERIFY(settled(view));
        QVERIFY(cards.cards().empty());
        QVERIFY(view.rows(Axis::Obs).isAll());

        // One that came by an expression goes with it.
        const int id = view.setStep(Axis::Obs, 0, u"cell_type == \"NK\" and n_genes > 100"_s);
        QVERIFY(settled(view));
        QCOMPARE(cards.cards().size(), 2U);
        view.removeStep(id);
        QVERIFY(settled(view));
        QVERIFY(cards.cards().empty());
    }

    void aStepWithSeveralRules()
    {
        test::Bench bench(Index{64} << 20, kFilter);
        ViewModel view(bench.context);
        view.setDataset(bench.dataset);
        FilterCards cards(view, Axis::Obs);
        view.setStep(Axis::Obs, 0, u"n_genes > 300 and (score > 4 or doublet) and batch < 3"_s);
        QVERIFY(settled(view));
        // rows 3 … 11; score > 4: 6 7 8 10 11, doublet: 3 6 9; batch is i mod 4, missing at 2 and 7.
        QCOMPARE(view.rows(Axis::Obs).positions(), (std::vector<Index>{6, 8, 9, 10}));
        QCOMPARE(cards.cards().size(), 4U);
        QVERIFY(!cards.cards()[1].joined);
        QVERIFY(cards.cards()[2].joined);
        QVERIFY(!cards.cards()[3].joined);

        // One part changes, the others stay as they are.
        cards.setRule(cards.cards()[0].key, atLeast(u"n_genes"_s, 900));
        QVERIFY(settled(view));
        QCOMPARE(view.rows(Axis::Obs).positions(), (std::vector<Index>{8, 9, 10}));
        QCOMPARE(view.steps(Axis::Obs).size(), 1U);
        QCOMPARE(view.steps(Axis::Obs).front().expression, u"n_genes >= 900 and (score > 4 or doublet) and batch < 3"_s);

        // Switched off alone: the step falls apart.
        cards.setEnabled(cards.cards()[0].key, false);
        QVERIFY(settled(view));
        QCOMPARE(view.steps(Axis::Obs).size(), 3U);
        QCOMPARE(view.rows(Axis::Obs).positions(), (std::vector<Index>{0, 6, 8, 9, 10}));
        QVERIFY(!cards.cards()[0].enabled);
        view.undo();
        QCOMPARE(view.steps(Axis::Obs).size(), 1U);
        QCOMPARE(view.rows(Axis::Obs).positions(), (std::vector<Index>{8, 9, 10}));

        cards.remove(cards.cards()[2].key); // or doublet
        QVERIFY(settled(view));
        QCOMPARE(view.steps(Axis::Obs).front().expression, u"n_genes >= 900 and score > 4 and batch < 3"_s);
        QCOMPARE(view.rows(Axis::Obs).positions(), (std::vector<Index>{8, 10}));
    }

    void joinedByOrAndApartAgain()
    {
        test::Bench bench(Index{64} << 20, kFilter);
        ViewModel view(bench.context);
        view.setDataset(bench.dataset);
        FilterCards cards(view, Axis::Obs);
        view.setStep(Axis::Obs, 0, u"score > 8"_s);
        const int second = view.setStep(Axis::Obs, 0, u"cell_type == \"NK\""_s);
        view.setStepKeepsMissing(second, true);
        view.setStep(Axis::Obs, 0, u"n_genes > 300"_s);
        QVERIFY(settled(view));
        QCOMPARE(view.rows(Axis::Obs).positions(), (std::vector<Index>{10}));
        QVERIFY(!cards.cards()[0].joinable);
        QVERIFY(cards.cards()[1].joinable);
        cards.setJoined(cards.cards()[1].key, true);
        QVERIFY(settled(view));
        // score > 8: 10 11; NK: 3 10; no type: 2 7; n_genes > 300: 3 …
        QCOMPARE(view.rows(Axis::Obs).positions(), (std::vector<Index>{3, 7, 10, 11}));
        QCOMPARE(view.steps(Axis::Obs).size(), 2U);
        QCOMPARE(view.steps(Axis::Obs).front().expression,
                 u"score > 8 or cell_type == \"NK\" or cell_type is missing"_s);
        QCOMPARE(cards.cards().size(), 3U);
        QVERIFY(cards.cards()[1].joined);
        QVERIFY(cards.cards()[1].rule.keepsMissing);
        cards.setJoined(cards.cards()[1].key, false);
        QVERIFY(settled(view));
        QCOMPARE(view.steps(Axis::Obs).size(), 3U);
        QCOMPARE(view.rows(Axis::Obs).positions(), (std::vector<Index>{10}));
        view.undo();
        QCOMPARE(view.rows(Axis::Obs).size(), 4);
        view.undo();
        QCOMPARE(view.steps(Axis::Obs).size(), 3U);
        // Figures over the rows at hand mean another thing elsewhere.
        view.setStep(Axis::Obs, 0, u"score > mean(score)"_s);
        QVERIFY(settled(view));
        QVERIFY(!cards.cards().back().joinable);
    }

    void missingStayWhereTheyAreTicked()
    {
        test::Bench bench(Index{64} << 20, kFilter);
        ViewModel view(bench.context);
        view.setDataset(bench.dataset);
        FilterCards cards(view, Axis::Obs);
        const int type = cards.add(FilterCards::openRule(*bench.dataset->obs()->child("cell_type")));
        FilterRule rule = cards.card(type)->rule;
        rule.values = QStringList{u"T cell"_s};
        cards.setRule(type, rule);
        QVERIFY(settled(view));
        // T cell: 0 4 5 8 11 (and 9? kinds: 0 1 - 2 0 0 3 - 1 0 2 0)
        QCOMPARE(view.rows(Axis::Obs).positions(), (std::vector<Index>{1, 2, 3, 6, 7, 8, 10}));
        QVERIFY(view.steps(Axis::Obs).front().keepsMissing);
        QCOMPARE(view.count(Axis::Obs).missing, 0);
        rule = cards.card(type)->rule;
        rule.keepsMissing = false;
        cards.setRule(type, rule);
        QVERIFY(settled(view));
        QCOMPARE(view.rows(Axis::Obs).positions(), (std::vector<Index>{1, 3, 6, 8, 10}));
        QCOMPARE(view.count(Axis::Obs).missing, 2);
        // By the status line: the card says so.
        view.setStepKeepsMissing(view.steps(Axis::Obs).front().id, true);
        QVERIFY(settled(view));
        QVERIFY(cards.card(type)->rule.keepsMissing);
        rule = FilterCards::openRule(*bench.dataset->obs()->child("cell_type"));
        rule.keepsMissing = false;
        cards.setRule(type, rule); // all that have a type
        QVERIFY(settled(view));
        QCOMPARE(view.rows(Axis::Obs).size(), 10);
        QCOMPARE(view.steps(Axis::Obs).front().expression, u"cell_type is not missing"_s);
        rule.keepsMissing = true;
        cards.setRule(type, rule);
        QVERIFY(settled(view));
        QVERIFY(view.steps(Axis::Obs).empty());
        QCOMPARE(cards.cards().size(), 1U);
    }

    void aRuleThatCannotBeAppliedIsSaidOnItsCard()
    {
        test::Bench bench(Index{64} << 20, kFilter);
        ViewModel view(bench.context);
        view.setDataset(bench.dataset);
        FilterCards cards(view, Axis::Obs);
        RuleSubject gene;
        gene.kind = RuleSubject::Kind::Gene;
        gene.name = u"TBCE"_s; // two rows of var are called so
        const int key = cards.add(FilterCards::openRule(gene, FilterRule::Kind::Range, RuleLiteral::Number));
        FilterRule rule = cards.card(key)->rule;
        rule.low = RuleBound::of(1);
        cards.setRule(key, rule);
        QVERIFY(settled(view));
        QVERIFY(view.rows(Axis::Obs).isAll());
        QVERIFY(cards.card(key) != nullptr);
        QVERIFY(!cards.card(key)->problem.isEmpty());
        QCOMPARE(cards.card(key)->step, 0);
    }

    void figuresOfFileAndView()
    {
        test::Bench bench;
        ViewModel view(bench.context);
        view.setDataset(bench.dataset);
        CardFigures figures(bench.context, Axis::Obs);
        figures.setDataset(bench.dataset, view.genes());
        const RuleSubject labels = columnSubject(u"bulk_labels"_s);
        const RuleSubject genes = columnSubject(u"n_genes"_s);
        RuleSubject cd3d;
        cd3d.kind = RuleSubject::Kind::Raw;
        cd3d.name = u"CD3D"_s;
        figures.want({labels, genes, cd3d});
        QVERIFY(QTest::qWaitFor([&] { return figures.isSettled(); }, 30'000));
        const ProfileData* all = figures.profile(labels);
        QVERIFY(all != nullptr && all->exact);
        QCOMPARE(figures.categories(labels)->names->text(9), std::string("Dendritic"));
        QCOMPARE(all->counts.at(9), 240);
        QVERIFY(figures.allInView());
        const ProfileData* gene = figures.profile(cd3d);
        QVERIFY(gene != nullptr);
        QCOMPARE(gene->counts.at(0), 413); // raw.to_adata()[:, "CD3D"].X == 0
        QCOMPARE(std::accumulate(gene->histogram.begin(), gene->histogram.end(), Index{0}), 287);

        view.setStep(Axis::Obs, 0, u"n_genes > 1500"_s);
        QVERIFY(settled(view));
        figures.setRows(view.rows(Axis::Obs));
        QVERIFY(QTest::qWaitFor([&] { return figures.isSettled(); }, 30'000));
        const ProfilePart* part = figures.part(labels);
        QVERIFY(part != nullptr);
        QCOMPARE(part->counts.at(9), 20);
        QCOMPARE(std::accumulate(part->counts.begin(), part->counts.end(), Index{0}), 48);
        QCOMPARE(std::accumulate(figures.part(genes)->histogram.begin(), figures.part(genes)->histogram.end(), Index{0}), 48);
        const ProfilePart* genePart = figures.part(cd3d);
        QVERIFY(genePart != nullptr);
        QCOMPARE(genePart->counts.at(0), 24);
        QCOMPARE(genePart->counts.at(0) + std::accumulate(genePart->histogram.begin(), genePart->histogram.end(), Index{0}), 48);
    }

    void boxesAreARule()
    {
        CategoryListModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        test::Bench bench(Index{64} << 20, kFilter);
        const Element& column = *bench.dataset->obs()->child("cell_type");
        auto reader = ColumnReader::open(bench.dataset, column, bench.context.reading);
        QVERIFY(reader.ok());
        model.setRule(FilterCards::openRule(column));
        model.setCategories(*reader->categories(), false);
        model.setCounts({6, 2, 2, 1}, 2);
        model.setCountsInView({1, 0, 2, 0}, 1);
        QCOMPARE(model.rowCount(), 5);
        QCOMPARE(model.index(0).data().toString(), u"T cell"_s);
        QCOMPARE(model.index(4).data().toString(), u"missing"_s);
        QCOMPARE(model.index(2).data(kCategoryInView).toLongLong(), 2);
        QVERIFY(model.rule().isOpen());
        QSignalSpy ticked(&model, &CategoryListModel::ticked);

        QVERIFY(model.setData(model.index(0), Qt::Unchecked, Qt::CheckStateRole));
        QCOMPARE(ticked.size(), 1);
        QCOMPARE(model.rule().text(), u"cell_type != \"T cell\" or cell_type is missing"_s);
        QVERIFY(model.setData(model.index(4), Qt::Unchecked, Qt::CheckStateRole));
        QCOMPARE(model.rule().text(), u"cell_type != \"T cell\""_s);
        model.invert();
        QCOMPARE(model.rule().text(), u"cell_type == \"T cell\" or cell_type is missing"_s);
        model.tickTop(2);
        QCOMPARE(model.rule().text(), u"cell_type in [\"T cell\", \"B cell\"]"_s);
        model.tickNone();
        QCOMPARE(model.rule().text(), u"cell_type in []"_s);
        model.tickOnly(model.index(3));
        QCOMPARE(model.rule().text(), u"cell_type == \"Übergang\""_s);
        // A search narrows what All and None speak of.
        model.setSearch(u"CELL"_s);
        QCOMPARE(model.rowCount(), 2);
        model.tickAll();
        QCOMPARE(model.rule().text(), u"cell_type != \"NK\""_s);
        model.setSearch(u"nothing"_s);
        QCOMPARE(model.rowCount(), 0);
        model.setSearch({});
        model.tickAll();
        QVERIFY(model.rule().isOpen());

        // Numbers by value, booleans as what they are.
        FilterRule clusters = FilterCards::openRule(*bench.dataset->obs()->child("cluster"));
        clusters.values = QStringList{u"5.0"_s};
        auto numbers = ColumnReader::open(bench.dataset, *bench.dataset->obs()->child("cluster"), bench.context.reading);
        CategoryListModel other;
        other.setRule(clusters);
        other.setCategories(*numbers->categories(), false);
        QCOMPARE(other.tickedCount(), 2);
        QCOMPARE(other.rule().text(FilterRule::Missing::Left), u"cluster != 5"_s);
        CategoryListModel truth;
        truth.setRule(FilterCards::openRule(*bench.dataset->obs()->child("doublet")));
        truth.setCategories(nullptr, false);
        truth.setCounts({8, 4}, 0);
        truth.setData(truth.index(0), Qt::Unchecked, Qt::CheckStateRole);
        QCOMPARE(truth.rule().text(), u"doublet"_s);
        truth.invert();
        QCOMPARE(truth.rule().text(), u"not doublet"_s);
    }

    void thousandsOfCategoriesCostWhatIsSeen()
    {
        CategoryListModel model;
        std::vector<std::string> texts;
        for (int i = 0; i < 90'000; ++i)
            texts.push_back("clone " + std::to_string(i));
        model.setRule(FilterCards::openRule(columnSubject(u"clone"_s), FilterRule::Kind::Categories, RuleLiteral::Text));
        QElapsedTimer clock;
        clock.start();
        model.setCategories(std::make_shared<const Values>(texts), false);
        model.setCounts(std::vector<Index>(texts.size(), 3), 0);
        QVERIFY(model.setData(model.index(77), Qt::Unchecked, Qt::CheckStateRole));
        QCOMPARE(model.rule().text(), u"clone != \"clone 77\""_s);
        model.setSearch(u"89999"_s);
        QCOMPARE(model.rowCount(), 1);
        qInfo("90 000 categories: %lld ms", clock.elapsed());
        QVERIFY(clock.elapsed() < 2000);
    }

    void listedNamesAreFoundAndTheOthersNamed()
    {
        QCOMPARE(listedNames(u"b, a;b\tc"_s), (QStringList{u"b"_s, u"a"_s, u"c"_s}));
        QCOMPARE(listedNames(u"\"a, b\"\r\n'c'\n\n  d\tmore\n"_s), (QStringList{u"a, b"_s, u"c"_s, u"d"_s}));
        QVERIFY(listedNames(u" \n "_s).isEmpty());
        test::Bench bench(Index{64} << 20, kFilter);
        const QStringList names{u"AAAC1"_s, u"nobody"_s, u"Zürich-11"_s, u"aaac1"_s};
        auto found = findListed({bench.dataset, bench.dataset->obs(), nullptr}, names, bench.context.reading);
        QVERIFY(found.ok());
        QCOMPARE(found->found, 2);
        QCOMPARE(found->rows, 2);
        QCOMPARE(found->lost, (QStringList{u"nobody"_s, u"aaac1"_s}));
        found = findListed({bench.dataset, bench.dataset->obs(), bench.dataset->obs()->child("donor")},
                           {u"D0"_s, u"D7"_s}, bench.context.reading);
        QVERIFY(found.ok());
        QCOMPARE(found->found, 1);
        QCOMPARE(found->rows, 4); // 0 3 6 9
        QCOMPARE(found->lost, QStringList{u"D7"_s});
    }
};

QTEST_MAIN(ModelFilterCardsTest)
#include "model_filter_cards_test.moc"
