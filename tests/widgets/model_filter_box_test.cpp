// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/filter.h"
#include "tests/widgets/model_bench.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/expression_completion.h"
#include "widgets/models/filter_box.h"

#include <QtTest>

using namespace cellfolio;
using namespace Qt::StringLiterals;

// Filter boxes and completions of tests/data/files/filter.h5ad; the rows that a box leaves follow
// from the columns as tests/data/query_files.py writes them.
class ModelFilterBoxTest : public QObject
{
    Q_OBJECT

private:
    test::Bench m_bench{Index{64} << 20, "tests/data/files/filter.h5ad"};
    const Element& obs() const { return *m_bench.dataset->obs(); }

    Result<std::vector<Completion>> offers(const QString& text, int caret = -1, bool asked = false)
    {
        CompletionQuery query;
        query.place = completionPlace(text, caret < 0 ? int(text.size()) : caret, obs());
        query.text = text;
        query.dataset = m_bench.dataset;
        query.table = &obs();
        query.symbols = m_bench.dataset->var()->child("gene_symbols");
        query.selections = {u"lasso 1"_s, u"doublets"_s};
        query.asked = asked;
        return completionsFor(query, m_bench.context.reading);
    }
    QStringList shown(const QString& text, int caret = -1, bool asked = false)
    {
        QStringList list;
        auto found = offers(text, caret, asked);
        if (!found)
            return {u"error"_s};
        for (const Completion& one : *found)
            list.append(one.shown);
        return list;
    }
    // The text after taking the first completion.
    QString taken(const QString& text)
    {
        const CompletionPlace place = completionPlace(text, int(text.size()), obs());
        auto found = offers(text);
        if (!found || found->empty())
            return u"nothing"_s;
        QString result = text;
        return result.replace(place.from, place.to - place.from, found->front().insert);
    }

private Q_SLOTS:
    void boxes_data()
    {
        QTest::addColumn<QString>("column");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expression");
        QTest::addColumn<QList<int>>("rows");
        const auto row = [](const char* name, const QString& column, const QString& text, const QString& expression,
                            const QList<int>& rows) { QTest::newRow(name) << column << text << expression << rows; };
        row("greater", u"n_genes"_s, u"> 1000"_s, u"n_genes > 1000"_s, {10, 11});
        row("grouped", u"n_genes"_s, u">=1,100"_s, u"n_genes >= 1100"_s, {10, 11});
        row("true minus", u"score"_s, u"<\u22121"_s, u"score < -1"_s, {2, 9});
        row("is", u"n_genes"_s, u"300"_s, u"n_genes == 300"_s, {2});
        row("equals", u"n_genes"_s, u"= 300"_s, u"n_genes == 300"_s, {2});
        row("differs", u"score"_s, u"<>4"_s, u"score != 4"_s, {0, 2, 3, 6, 7, 8, 9, 10, 11});
        row("range", u"n_genes"_s, u"300..500"_s, u"n_genes between 300 and 500"_s, {2, 3, 4});
        row("open range", u"n_genes"_s, u"..200"_s, u"n_genes <= 200"_s, {0, 1});
        row("range up", u"n_genes"_s, u"1100.."_s, u"n_genes >= 1100"_s, {10, 11});
        row("null number", u"score"_s, u"NULL"_s, u"score is missing"_s, {1, 5});
        row("not null", u"score"_s, u"<>NULL"_s, u"score is not missing"_s, {0, 2, 3, 4, 6, 7, 8, 9, 10, 11});
        row("contains", u"cell_type"_s, u"b c"_s, u"cell_type contains \"b c\""_s, {1, 8});
        row("category is", u"cell_type"_s, u"=NK"_s, u"cell_type == \"NK\""_s, {3, 10});
        row("category null", u"cell_type"_s, u"NULL"_s, u"cell_type is missing"_s, {2, 7});
        row("regex", u"cell_type"_s, u"/^[BT] /"_s, u"cell_type ~ \"^[BT] \""_s, {0, 1, 4, 5, 8, 9, 11});
        row("ordered", u"stage"_s, u">= mid"_s, u"stage >= \"mid\""_s, {1, 2, 4, 5, 8, 9});
        row("ordered range", u"stage"_s, u"early..mid"_s, u"stage between \"early\" and \"mid\""_s,
            {0, 1, 5, 6, 7, 8, 11});
        row("number category", u"cluster"_s, u"5"_s, u"cluster == 5"_s, {1, 4, 7, 10});
        row("truth", u"doublet"_s, u"t"_s, u"doublet == true"_s, {0, 3, 6, 9});
        row("untruth", u"doublet"_s, u"= no"_s, u"doublet == false"_s, {1, 2, 4, 5, 7, 8, 10, 11});
        row("truth category", u"kept"_s, u"true"_s, u"kept == true"_s, {1, 2, 5, 7, 9, 11});
        row("nullable", u"batch"_s, u">2"_s, u"batch > 2"_s, {3, 11});
        row("text", u"note"_s, u"heart"_s, u"note contains \"heart\""_s, {0, 4});
        row("quotes", u"note"_s, u"e\"d"_s, u"note contains \"e\\\"d\""_s, {7});
        row("odd name", u"odd name"_s, u"< 1"_s, u"`odd name` < 1"_s, {0, 1});
        row("reserved name", u"name"_s, u"fetal"_s, u"`name` contains \"fetal\""_s, {11});
        row("row names", QString(), u"ggtt1"_s, u"name contains \"ggtt1\""_s, {10});
        row("empty", u"score"_s, u"  "_s, QString(), {});
    }
    void boxes()
    {
        QFETCH(QString, column);
        QFETCH(QString, text);
        QFETCH(QString, expression);
        QFETCH(QList<int>, rows);
        const Element* element = column.isEmpty() ? nullptr : obs().child(toStdString(column));
        QVERIFY(column.isEmpty() || element != nullptr);
        const auto made = boxExpression(element, text);
        QVERIFY2(made.ok(), made.ok() ? "" : made.error().message().c_str());
        QCOMPARE(*made, expression);
        if (expression.isEmpty())
            return;
        const auto parsed = FilterExpression::parse(toStdString(*made));
        QVERIFY(parsed.ok());
        FilterContext context;
        context.dataset = m_bench.dataset;
        context.table = &obs();
        context.reading = m_bench.context.reading;
        const auto filter = Filter::check(*parsed, context);
        QVERIFY2(filter.ok(), filter.ok() ? "" : filter.error().message().c_str());
        const auto answer = filter->run(Selection::all(obs().rows));
        QVERIFY(answer.ok());
        QList<int> found;
        answer->chosen.forEach([&](Index place) { found.append(int(place)); });
        QCOMPARE(found, rows);
    }

    void refusesWhatDoesNotSuit()
    {
        for (const auto& [column, text] : std::vector<std::pair<const char*, QString>>{
                 {"n_genes", u"many"_s}, {"n_genes", u"/1/"_s}, {"n_genes", u"> x"_s}, {"n_genes", u">"_s},
                 {"n_genes", u"a..b"_s}, {"n_genes", u".."_s}, {"doublet", u"maybe"_s}, {"doublet", u"> true"_s},
                 {"cluster", u"x"_s}, {"n_genes", u"inf"_s}}) {
            const auto made = boxExpression(obs().child(column), text);
            QVERIFY2(!made.ok(), qPrintable(text));
            QCOMPARE(made.error().code(), ErrorCode::BadExpression);
            QVERIFY(!made.error().message().empty());
        }
    }

    void completesColumnsFunctionsAndWords()
    {
        QCOMPARE(shown(u"n_g"_s), QStringList{u"n_genes"_s});
        QCOMPARE(taken(u"n_g"_s), u"n_genes"_s);
        QCOMPARE(taken(u"score > 1 and odd"_s), u"score > 1 and `odd name`"_s);
        QCOMPARE(shown(u"gen"_s), (QStringList{u"gene(\"…\")"_s, u"n_genes"_s}));
        QCOMPARE(taken(u"gen"_s), u"gene(\""_s);
        QVERIFY(shown(u"score is"_s).contains(u"is missing"_s));
        QVERIFY(shown(u"score is not m"_s).contains(u"missing"_s));
        QVERIFY(shown(QString()).isEmpty());
        QVERIFY(!shown(QString(), -1, true).isEmpty());
        QVERIFY(shown(u"score > 1"_s).isEmpty()); // a number
        QCOMPARE(shown(u"n_gen > 5 and x"_s, 5), QStringList{u"n_genes"_s}); // in the middle
    }

    void completesCategories()
    {
        QCOMPARE(shown(u"cell_type == "_s), (QStringList{u"T cell"_s, u"B cell"_s, u"NK"_s, u"Übergang"_s}));
        QCOMPARE(taken(u"cell_type == \"b"_s), u"cell_type == \"B cell\""_s);
        QCOMPARE(taken(u"cell_type == nk"_s), u"cell_type == \"NK\""_s);
        QCOMPARE(taken(u"cell_type in [\"NK\", \"ü"_s), u"cell_type in [\"NK\", \"Übergang\""_s);
        QCOMPARE(taken(u"`stage` not in [\"la"_s), u"`stage` not in [\"late\""_s);
        QCOMPARE(shown(u"doublet == "_s), (QStringList{u"true"_s, u"false"_s}));
        QCOMPARE(shown(u"cluster == "_s), (QStringList{u"3"_s, u"5"_s, u"9"_s}));
        QVERIFY(shown(u"note == \"he"_s).isEmpty()); // plain text has no list
    }

    void completesGenesAndNames()
    {
        QCOMPARE(shown(u"gene(\"gap"_s), QStringList{u"GAPDH"_s});
        QCOMPARE(taken(u"gene(\"gap"_s), u"gene(\"GAPDH\")"_s);
        QCOMPARE(taken(u"layer(\"counts\", \"XI"_s), u"layer(\"counts\", \"XIST\")"_s);
        QCOMPARE(taken(u"raw(\"MAL"_s), u"raw(\"MALAT1\")"_s);
        QCOMPARE(taken(u"layer(\"co"_s), u"layer(\"counts\","_s);
        QCOMPARE(taken(u"obsm(\"X"_s), u"obsm(\"X_umap\","_s);
        QCOMPARE(taken(u"not selection(\"las"_s), u"not selection(\"lasso 1\")"_s);
        QVERIFY(shown(u"note == \"gene("_s).isEmpty());
    }
};

QTEST_MAIN(ModelFilterBoxTest)
#include "model_filter_box_test.moc"
