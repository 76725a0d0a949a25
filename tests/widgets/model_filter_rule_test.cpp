// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/filter.h"
#include "tests/widgets/model_bench.h"
#include "widgets/models/equal_expression.h"
#include "widgets/models/filter_rule.h"

#include <QtTest>

using namespace cellfolio;
using namespace Qt::StringLiterals;

namespace {

struct Chosen {
    std::vector<Index> rows;
    Index missing = 0;
};

} // namespace

// Expressions read as cards and written again choose the same rows of tests/data/files/filter.h5ad,
// as the evaluation of both tells; what the parts are called is compared with what was written.
class ModelFilterRuleTest : public QObject
{
    Q_OBJECT

private:
    test::Bench m_bench{Index{64} << 20, "tests/data/files/filter.h5ad"};
    const Element* obs() const { return m_bench.dataset->obs(); }

    Chosen chosenBy(const QString& expression) const
    {
        const auto parsed = FilterExpression::parse(expression.toStdString());
        if (!parsed)
            return {{-1}, -1};
        FilterContext context;
        context.dataset = m_bench.dataset;
        context.table = obs();
        context.reading = m_bench.context.reading;
        context.selection = [](const std::string&) -> Result<Selection> {
            return Selection::indices(12, {1, 4, 9});
        };
        const auto filter = Filter::check(*parsed, context);
        if (!filter)
            return {{-2}, -2};
        const auto answer = filter->run(Selection::all(12));
        if (!answer)
            return {{-3}, -3};
        return {answer->chosen.positions(), answer->missing};
    }

private Q_SLOTS:
    void partsAreWhatWasWritten_data()
    {
        using Kind = FilterRule::Kind;
        QTest::addColumn<QString>("expression");
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("again"); // as a card writes it
        QTest::addColumn<QString>("words");
        const auto row = [](const char* expression, Kind kind, const char* again, const char* words) {
            QTest::newRow(expression) << QString::fromUtf8(expression) << int(kind) << QString::fromUtf8(again)
                                      << QString::fromUtf8(words);
        };
        row("cell_type == \"NK\"", Kind::Categories, "cell_type == \"NK\"", "NK");
        row("cell_type != \"NK\"", Kind::Categories, "cell_type != \"NK\"", "not NK");
        row("not cell_type == \"NK\"", Kind::Categories, "cell_type != \"NK\"", "not NK");
        row("cell_type in [\"NK\", \"B cell\"]", Kind::Categories, "cell_type in [\"NK\", \"B cell\"]", "2 of 4");
        row("cell_type not in [\"NK\"]", Kind::Categories, "cell_type != \"NK\"", "not NK");
        row("cell_type in []", Kind::Categories, "cell_type in []", "none");
        row("cell_type is missing", Kind::Categories, "cell_type is missing", "missing");
        row("cell_type is not missing", Kind::Categories, "cell_type is not missing", "not missing");
        row("cell_type == \"NK\" or cell_type is missing", Kind::Categories,
            "cell_type == \"NK\" or cell_type is missing", "NK");
        row("cluster in [3, 9]", Kind::Categories, "cluster in [3, 9]", "2 of 3");
        row("doublet", Kind::Categories, "doublet", "true");
        row("not doublet", Kind::Categories, "not doublet", "false");
        row("doublet == false", Kind::Categories, "not doublet", "false");
        row("kept != true", Kind::Categories, "not kept", "false");
        row("n_genes > 500", Kind::Range, "n_genes > 500", "> 500");
        row("n_genes >= 5e2 and n_genes < 900", Kind::Range, "n_genes >= 5e2 and n_genes < 900", "500 to 900");
        row("tenth between 0.1 and 0.7", Kind::Range, "tenth between 0.1 and 0.7", "0.1 to 0.7");
        row("tenth not between 0.1 and 0.7", Kind::Range, "tenth not between 0.1 and 0.7", "not 0.1 to 0.7");
        row("score == -2", Kind::Range, "score == -2", "−2");
        row("not (score > 3)", Kind::Range, "not (score > 3)", "not > 3");
        row("score is not missing", Kind::Range, "score is not missing", "any value");
        row("score <= 4 or score is missing", Kind::Range, "score <= 4 or score is missing", "≤ 4");
        row("big > 9007199254740997", Kind::Range, "big > 9007199254740997", nullptr);
        row("gene(\"CD3E\") > 1", Kind::Range, "gene(\"CD3E\") > 1", "> 1");
        row("layer(\"counts\", \"CD3E\") between 1 and 2", Kind::Range, "layer(\"counts\", \"CD3E\") between 1 and 2", "1 to 2");
        row("raw(\"MALAT1\") <= 2", Kind::Range, "raw(\"MALAT1\") <= 2", "≤ 2");
        row("obsm(\"X_umap\", 0) < 0.5", Kind::Range, "obsm(\"X_umap\", 0) < 0.5", "< 0.5");
        row("`odd name` >= 2", Kind::Range, "`odd name` >= 2", "≥ 2");
        row("name in [\"AAAC1\", \"GGTT7\"]", Kind::Names, "name in [\"AAAC1\", \"GGTT7\"]", "2 names");
        row("note not in [\"none\", \"a.b\"]", Kind::Names, "note not in [\"none\", \"a.b\"]", "without 2 names");
        row("selection(\"mine\")", Kind::Selection, "selection(\"mine\")", "only these");
        row("not selection(\"mine\")", Kind::Selection, "not selection(\"mine\")", "taken out");
        row("name ~ \"^AAAC\"", Kind::Other, "name ~ \"^AAAC\"", "");
        row("not (name ~ \"^AAAC\")", Kind::Other, "not (name ~ \"^AAAC\")", "taken out");
        row("stage < \"late\"", Kind::Other, "stage < \"late\"", "");
        row("n_genes > 500 + 1", Kind::Other, "n_genes > 500 + 1", "");
        row("log1p(n_genes) > 5", Kind::Other, "log1p(n_genes) > 5", "");
        row("score > mean(score) and n_genes > 300", Kind::Other, "score > mean(score) and n_genes > 300", "");
        row("nowhere == 5", Kind::Other, "nowhere == 5", "");
    }
    void partsAreWhatWasWritten()
    {
        QFETCH(QString, expression);
        QFETCH(int, kind);
        QFETCH(QString, again);
        QFETCH(QString, words);
        const FilterClauses clauses = clausesOf(expression, obs());
        QCOMPARE(clauses.size(), 1U);
        QCOMPARE(clauses.front().size(), 1U);
        const FilterRule& rule = clauses.front().front();
        QCOMPARE(int(rule.kind), kind);
        QCOMPARE(textOf(clauses), again);
        const Index categories = expression.startsWith("cluster"_L1) ? 3 : 4;
        if (!words.isNull())
            QCOMPARE(rule.words(categories), words);
        QCOMPARE(clausesOf(again, obs()), clauses);
    }

    void readingAndWritingChoosesTheSame_data()
    {
        QTest::addColumn<QString>("expression");
        for (const char* one :
             {"cell_type in [\"NK\", \"B cell\"] and (n_genes > 500 or doublet) and not (score > 3)",
              "score > 3 or score is missing or cell_type == \"NK\"", "(a_b(1)", "score > 0 and score <= 8 and batch == 1",
              "(score > 0 and score <= 8) or batch == 1", "not (doublet or score > 3)",
              "not (cell_type == \"NK\" and doublet)", "doublet and kept or checked",
              "(doublet or kept) and (checked or stage < \"late\")", "batch is missing or batch between 1 and 2",
              "(log1p(n_genes) > 6) is missing or log1p(n_genes) > 6", "selection(\"x\") or name == \"AAAC0\"",
              "not selection(\"x\") and donor in [\"D0\", \"D1\"]", "tenth == 0.1 or tenth > 1",
              "(score + 1) * 2 > 3 and not ((n_genes) > 500)", "((score) > 1) or (n_genes + 0) / 2 in [50, 100]",
              "cluster != 5 and cluster in [3, 5, 9]", "cell_type == \"Übergang\" or note contains \"HEART\""})
            QTest::newRow(one) << QString::fromUtf8(one);
    }
    void readingAndWritingChoosesTheSame()
    {
        QFETCH(QString, expression);
        const FilterClauses clauses = clausesOf(expression, obs());
        const Chosen before = chosenBy(expression);
        if (clauses.empty()) {
            QCOMPARE(before.missing, -1); // it cannot be read either way
            return;
        }
        QVERIFY(before.missing >= 0);
        const QString again = textOf(clauses);
        const Chosen after = chosenBy(again);
        QCOMPARE(after.rows, before.rows);
        QCOMPARE(after.missing, before.missing);
        QCOMPARE(clausesOf(again, obs()), clauses);

        // Keeping the missing keeps what is not false, and nothing is unknown any more.
        const QString kept = keepingMissing(expression, obs());
        const Chosen no = chosenBy(u"not ("_s + expression + u')');
        const Chosen all = chosenBy(kept);
        QCOMPARE(all.missing, 0);
        QCOMPARE(Index(all.rows.size() + no.rows.size()), Index{12});
        for (const Index row : no.rows)
            QVERIFY(std::find(all.rows.begin(), all.rows.end(), row) == all.rows.end());
    }

    void openRulesSayNothing()
    {
        FilterRule range;
        range.kind = FilterRule::Kind::Range;
        range.subject.kind = RuleSubject::Kind::Column;
        range.subject.name = u"score"_s;
        range.keepsMissing = true;
        QVERIFY(range.isOpen());
        QCOMPARE(range.text(), QString());
        FilterRule other = range;
        other.low = RuleBound::of(0.1);
        QCOMPARE(other.text(), u"score >= 0.1 or score is missing"_s);
        QCOMPARE(other.text(FilterRule::Missing::Left), u"score >= 0.1"_s);
        QCOMPARE(textOf({{range, other}}), u"score >= 0.1 or score is missing"_s);
        QCOMPARE(textOf({{range}, {other}}), u"score >= 0.1 or score is missing"_s);
        other.low = RuleBound::of(12345678);
        QCOMPARE(other.low->text, u"12345678"_s);
    }

    void stepsComeToOneExpression()
    {
        std::vector<FilterStep> steps(4);
        steps[0].expression = u"score > 0 or doublet"_s;
        steps[1].expression = u"n_genes > 100"_s;
        steps[2].expression = u"score < 8"_s;
        steps[2].keepsMissing = true;
        steps[3].expression = u"batch == 1"_s;
        steps[3].enabled = false;
        EqualExpression equal = equalExpression(steps, obs());
        QCOMPARE(equal.text, u"(score > 0 or doublet) and n_genes > 100 and (score < 8 or score is missing)"_s);
        QVERIFY(equal.isWhole());
        steps[3].enabled = true;
        steps[3].expression = u"score > mean(score)"_s;
        equal = equalExpression(steps, obs());
        QVERIFY(equal.ordered);
        QVERIFY(!equal.isWhole());
        std::swap(steps[0], steps[3]);
        QVERIFY(equalExpression(steps, obs()).isWhole());
        FilterStep picked;
        picked.picked = Selection::indices(12, {1, 2, 3});
        steps.push_back(picked);
        equal = equalExpression(steps, obs());
        QCOMPARE(equal.picks, 1);
        QCOMPARE(equal.picked, 3);
        QVERIFY(!equal.isWhole());
        QVERIFY(equalExpression({}, obs()).text.isEmpty());
    }
};

QTEST_MAIN(ModelFilterRuleTest)
#include "model_filter_rule_test.moc"
