// SPDX-License-Identifier: GPL-3.0-or-later
// Expressions over a file of twelve cells whose values are known: rows worked out by hand from the
// lists in tests/data/query_files.py.
#include "core/query/filter.h"
#include "tests/support/corpus.h"

#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

using namespace cellfolio;
using namespace cellfolio::test;

namespace {

std::string kept(const Selection& rows)
{
    std::string text;
    for (const Index row : rows.positions())
        text += (text.empty() ? "" : " ") + std::to_string(row);
    return text;
}

} // namespace

class QueryFilterTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void choosesRows_data();
    void choosesRows();
    void genes_data();
    void genes();
    void overGenes();
    void missingIsUnknown();
    void figuresSpeakOfTheRowsAtHand();
    void rowsOfAViewKeepTheirOrder();
    void saysWhatIsWrong_data();
    void saysWhatIsWrong();
    void listsFromFiles();
    void namedSelections();
    void stopsWhenAsked();
    void dearPartsAreReadForOpenRowsOnly();
    void anyExpressionHasAnAnswerOrAPlace();

private:
    FilterContext contextOf(const Element* table) const
    {
        FilterContext context;
        context.dataset = m_dataset;
        context.table = table;
        context.reading = m_reading;
        return context;
    }
    Result<FilterAnswer> filtered(const std::string& text, const Element* table,
                                  const Selection& rows) const
    {
        auto parsed = FilterExpression::parse(text);
        if (!parsed)
            return std::move(parsed).error();
        auto filter = Filter::check(*parsed, contextOf(table));
        if (!filter)
            return std::move(filter).error();
        return filter->run(rows);
    }
    QString outcome(const QString& text, const Element* table) const
    {
        const auto answer = filtered(text.toStdString(), table, Selection::all(table->rows));
        if (!answer)
            return QString::fromStdString(answer.error().describe());
        return QString::fromStdString(kept(answer->chosen) + " | " + std::to_string(answer->missing));
    }

    std::shared_ptr<const Dataset> m_dataset;
    std::shared_ptr<Reading> m_reading = std::make_shared<Reading>();
};

void QueryFilterTest::initTestCase()
{
    auto opened = Dataset::open((dataFolder() / "files" / "filter.h5ad").string());
    QVERIFY2(opened.ok(), opened.ok() ? "" : opened.error().describe().c_str());
    m_dataset = *opened;
}

void QueryFilterTest::choosesRows_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("rows"); // and behind the bar: how many are missing
    const auto row = [](const char* text, const char* rows) {
        QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(rows);
    };
    // Numbers of any width, to the last digit.
    row("n_genes > 1000", "10 11 | 0");
    row("n_genes >= 1000 and n_genes <> 1100", "9 11 | 0");
    row("1000 < n_genes", "10 11 | 0");
    row("n_genes = 300", "2 | 0");
    row("big == 9007199254740993", "1 | 0");
    row("big > 9007199254740993 and big <= 9007199254740995", "2 3 | 0");
    row("big == 9007199254740993.0", "0 | 0"); // which no double holds: it is ...992
    row("huge == 9223372036854775809", "1 | 0");
    row("huge in [9223372036854775808, 9223372036854775819, 5]", "0 11 | 0");
    row("huge > big", "0 1 2 3 4 5 6 7 8 9 10 11 | 0");
    row("huge < -1", " | 0");
    row("n_genes between 300 and 500", "2 3 4 | 0");
    row("n_genes not between 300 and 1100", "0 1 11 | 0");
    row("n_genes in [100, 250, 300]", "0 2 | 0");
    row("n_genes not in [100, 200, 300, 400, 500, 600, 700, 800, 900]", "9 10 11 | 0");
    row("n_genes > 1050.5", "10 11 | 0");
    row("n_genes in []", " | 0");
    // A column of float32 holds what it shows.
    row("tenth == 0.1", "0 4 | 1");
    row("tenth > 0.1 and tenth <= 0.6", "1 3 5 | 1");
    row("tenth in [0.7, 0.8]", "6 7 | 1");
    row("half == 0.3", "3 | 0");
    // Missing: neither ==, nor !=, nor not.
    row("score == 4", "4 | 2");
    row("score != 4", "0 2 3 6 7 8 9 10 11 | 2");
    row("not score == 4", "0 2 3 6 7 8 9 10 11 | 2");
    row("score is missing", "1 5 | 0");
    row("score is not missing and score < 0", "2 9 | 0");
    row("score > 0 or n_genes == 200", "0 1 4 6 7 8 10 11 | 1");
    row("score > 0 and n_genes == 200", " | 1");
    // Booleans.
    row("doublet", "0 3 6 9 | 0");
    row("not doublet and n_genes < 500", "1 2 | 0");
    row("doublet == false and n_genes < 500", "1 2 | 0");
    row("doublet in [true]", "0 3 6 9 | 0");
    row("doublet in [true, false]", "0 1 2 3 4 5 6 7 8 9 10 11 | 0");
    row("checked", "0 2 4 6 8 10 | 3");
    row("not checked", "1 5 9 | 3");
    row("checked is missing", "3 7 11 | 0");
    row("kept", "1 2 5 7 9 11 | 1");
    row("kept == false", "0 4 6 8 10 | 1");
    row("(n_genes > 600) == doublet", "1 2 4 5 6 9 | 0");
    // Categories.
    row("cell_type == \"T cell\"", "0 4 5 9 11 | 2");
    row("cell_type != \"T cell\"", "1 3 6 8 10 | 2");
    row("cell_type in [\"NK\", \"B cell\"]", "1 3 8 10 | 2");
    row("cell_type not in [\"NK\", \"B cell\"]", "0 4 5 6 9 11 | 2");
    row("cell_type contains \"CELL\"", "0 1 4 5 8 9 11 | 2");
    row("cell_type startswith \"ü\"", "6 | 2");
    row("cell_type is missing", "2 7 | 0");
    row("cell_type ~ \"^[TB] \"", "0 1 4 5 8 9 11 | 2");
    row("stage < \"late\"", "0 1 5 6 7 8 11 | 2");
    row("stage between \"mid\" and \"late\"", "1 2 4 5 8 9 | 2");
    row("\"mid\" <= stage", "1 2 4 5 8 9 | 2");
    row("stage == stage", "0 1 2 4 5 6 7 8 9 11 | 2");
    row("stage >= stage", "0 1 2 4 5 6 7 8 9 11 | 2");
    row("cluster == 5", "1 4 7 10 | 1");
    row("cluster in [3, 9]", "0 2 3 5 8 9 11 | 1");
    row("cluster + 0 < 5", "0 5 9 | 1");
    // Nullables.
    row("batch == 2", "6 10 | 2");
    row("batch is missing", "2 7 | 0");
    row("donor == \"D0\"", "0 3 6 9 | 2");
    row("donor != \"D0\" and donor is not missing", "2 4 5 8 10 11 | 0");
    // Text.
    row("note == \"\"", "3 | 0");
    row("note contains \"HEART\"", "0 4 | 0");
    row("note ~ \"^heart$\"", "4 | 0");
    row("note ~* \"^HEART$\"", "4 | 0");
    row("note ~ \"a.b\"", "5 | 0");
    row("note contains \"a.b\"", "5 | 0");
    row("note contains \"straß\"", "2 | 0");
    row("note endswith \"SSE\"", "1 | 0");
    row("note contains \"αθήν\" or note contains \"αθην\"", "10 | 0");
    row("note contains \"tab\"", "6 | 0");
    row("note contains \"\\\"\"", "7 | 0");
    row("note contains \"\\\\\"", "8 | 0");
    row("note == \"名前 🧬\"", "9 | 0");
    row("note < \"b\"", "1 3 5 | 0");
    row("note in [\"none\", \"heart\", \"nothing\"]", "4 11 | 0");
    row("note not contains \"a\"", "3 7 9 10 11 | 0");
    // Names of rows, and a column of that name.
    row("name startswith \"AAAC\"", "0 1 2 3 4 5 | 0");
    row("name ~ \"^GGTT(6|10)$\"", "6 10 | 0");
    row("name == \"Zürich-11\"", "11 | 0");
    row("`name` == \"none\"", "0 | 0");
    row("`odd name` < 1", "0 1 | 0");
    row("`tick``ed` == 4", "4 | 0");
    // Arithmetic and functions.
    row("n_genes / 100 - 1 == `tick``ed`", "0 1 2 3 4 5 6 7 8 9 10 11 | 0");
    row("-n_genes > -250", "0 1 | 0");
    row("log10(n_genes) between 2 and 2.5", "0 1 2 | 0");
    row("log1p(n_genes) > 7", "10 11 | 0");
    row("sqrt(score) > 2", "6 7 8 10 11 | 4"); // of a negative number: missing
    row("abs(score) >= 9", "9 10 11 | 2");
    row("round(`odd name`) == 2", "3 4 5 | 0"); // 1.5 and 2.5 go to the even neighbour
    row("min(n_genes, 500) == 500 and max(n_genes, 700) == 700", "4 5 6 | 0");
    row("exp(log(n_genes)) - n_genes < 0.001 and log2(n_genes) < 7", "0 | 0");
    // Kleene.
    row("score > 0 or true", "0 1 2 3 4 5 6 7 8 9 10 11 | 0");
    row("score > 0 and false", " | 0");
    row("(score > 0) is missing", "1 5 | 0");
    row("(score > 0) == true", "0 4 6 7 8 10 11 | 2");
    row("not (score > 0 and batch == 1)", "0 2 3 4 6 8 9 10 11 | 3");
    row("true", "0 1 2 3 4 5 6 7 8 9 10 11 | 0");
    row("1 > 2", " | 0");
}

void QueryFilterTest::choosesRows()
{
    QFETCH(QString, text);
    QFETCH(QString, rows);
    QCOMPARE(outcome(text, m_dataset->obs()), rows);
}

void QueryFilterTest::genes_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("rows");
    const auto row = [](const char* text, const char* rows) {
        QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(rows);
    };
    row("gene(\"CD3E\") > 2", "9 11 | 0");
    row("gene(\"GAPDH\") >= 3", "0 3 4 8 | 0");                 // by its symbol
    row("gene(\"ENSG00000000002\") >= 3", "0 3 4 8 | 0");       // by its name
    row("gene(\"ENSG00000000003\") == 4", "4 9 | 0");           // by its id
    row("gene(\"ENSG00000000001\") == 2", "5 | 0");             // whose version is left out
    row("gene(\"xist\") == 5", "7 | 0");                        // whatever its case
    row("gene(\"ENSG00000000005\") > 2", "6 7 8 | 0");          // one of two of a name
    row("gene(\"CD3E\") + gene(\"XIST\") > 4", "7 9 11 | 0");
    row("raw(\"MALAT1\") > 5", "5 9 | 0");
    row("raw(\"CD3E\") == 6", "10 11 | 0");
    row("layer(\"counts\", \"CD3E\") >= 8", "0 4 10 11 | 0");
    row("layer(\"scaled\", \"GAPDH\") > 1", "7 8 9 11 | 1");
    row("layer(\"scaled\", \"GAPDH\") is missing", "3 | 0");
    row("obsm(\"X_umap\", 0) < -2", "0 1 | 1");
    row("obsm(\"X_umap\", 1) < -4", "10 11 | 0");
    row("obsm(\"tissue\", \"depth\") > 90", "10 11 | 0");
    row("obsm(\"tissue\", \"site\") == \"left\" and n_genes > 900", "10 | 0");
    row("obsm(\"tissue\", 0) == 30", "3 | 0");
    // Staged: cheap parts first, whatever their order, and the same rows.
    row("gene(\"CD3E\") > 2 and cell_type == \"T cell\" and name contains \"zür\"", "11 | 0");
    row("gene(\"CD3E\") > 2 or cell_type == \"NK\"", "3 9 10 11 | 2");
    row("not (gene(\"CD3E\") > 2 or doublet) and n_genes < 400", "1 2 | 0");
    row("doublet and (gene(\"XIST\") > 0 or score < 0)", "9 | 0");
    row("score > 0 or gene(\"CD3E\") > 0", "0 4 5 6 7 8 9 10 11 | 1");
    row("gene(\"CD3E\") > mean(gene(\"CD3E\"))", "5 9 11 | 0"); // 19/12
    row("gene(\"CD3E\") > 0 and n_genes > mean(n_genes)", "9 11 | 0");
}

void QueryFilterTest::genes()
{
    QFETCH(QString, text);
    QFETCH(QString, rows);
    QCOMPARE(outcome(text, m_dataset->obs()), rows);
}

void QueryFilterTest::overGenes()
{
    const Element* var = m_dataset->var();
    QCOMPARE(outcome("highly_variable and n_cells > 100", var), "2 4 | 0");
    QCOMPARE(outcome("name == \"TBCE\"", var), "3 4 | 0");
    QCOMPARE(outcome("gene_symbols ~ \"^(XIST|GAPDH)$\"", var), "1 2 | 0");
    const Element* rawVar = m_dataset->raw()->child("var");
    QCOMPARE(outcome("name in [\"FOXP3\", \"CD3E\"]", rawVar), "0 6 | 0");
    QVERIFY(outcome("gene(\"CD3E\") > 1", var).contains("values of cells"));
}

// All that three-valued logic promises, on a column with missing values.
void QueryFilterTest::missingIsUnknown()
{
    const Element* obs = m_dataset->obs();
    const std::string plain[] = {"score > 3", "batch == 1", "stage < \"late\"", "checked",
                                 "donor == \"D0\"", "tenth < 0.5"};
    for (const std::string& a : plain) {
        const auto yes = filtered(a, obs, Selection::all(12));
        const auto no = filtered("not (" + a + ")", obs, Selection::all(12));
        QVERIFY(yes.ok() && no.ok());
        QCOMPARE(yes->missing, no->missing);
        QVERIFY(yes->missing > 0);
        QCOMPARE(yes->chosen.size() + no->chosen.size() + yes->missing, Index{12});
        for (const std::string& b : plain) {
            // De Morgan holds in Kleene's logic as well.
            const auto left = filtered("not (" + a + " and " + b + ")", obs, Selection::all(12));
            const auto right =
                filtered("not (" + a + ") or not (" + b + ")", obs, Selection::all(12));
            QVERIFY(left.ok() && right.ok());
            QVERIFY(left->chosen == right->chosen);
            QCOMPARE(left->missing, right->missing);
        }
    }
}

void QueryFilterTest::figuresSpeakOfTheRowsAtHand()
{
    const Element* obs = m_dataset->obs();
    QCOMPARE(outcome("n_genes > mean(n_genes)", obs), "6 7 8 9 10 11 | 0");
    QCOMPARE(outcome("n_genes > mean(n_genes) + 1.5 * sd(n_genes)", obs), "11 | 0"); // 650 + 540.8
    QCOMPARE(outcome("score < median(score)", obs), "0 2 3 4 9 | 2");   // 5
    QCOMPARE(outcome("n_genes >= quantile(n_genes, 0.75)", obs), "9 10 11 | 0"); // 925
    QCOMPARE(outcome("score == max(score) or score == min(score)", obs), "9 11 | 2");
    // A figure of a figure: distances from the mean, and their mean.
    QCOMPARE(outcome("abs(n_genes - mean(n_genes)) > mean(abs(n_genes - mean(n_genes)))", obs),
             "0 1 2 9 10 11 | 0"); // 300
    QCOMPARE(outcome("score > sd(gene(\"CD3E\") * 0)", obs), "0 4 6 7 8 10 11 | 2");

    // Of some rows, repeats counted: 100, 100, 100 and 1200 have the mean 375.
    const auto answer =
        filtered("n_genes > mean(n_genes)", obs, Selection::indices(12, {0, 4, 0, 0, 11}));
    QVERIFY(answer.ok());
    QCOMPARE(kept(answer->chosen), std::string("1 4"));
    const auto middle =
        filtered("n_genes > median(n_genes)", obs, Selection::indices(12, {0, 4, 0, 0, 11}));
    QVERIFY(middle.ok());
    QCOMPARE(kept(middle->chosen), std::string("1 4"));
    // A gene's own figure is not changed by what other parts of the expression leave.
    QCOMPARE(outcome("n_genes > 900 and gene(\"CD3E\") > mean(gene(\"CD3E\"))", obs), "9 11 | 0");
}

void QueryFilterTest::rowsOfAViewKeepTheirOrder()
{
    const Element* obs = m_dataset->obs();
    const Selection view = Selection::indices(12, {11, 3, 5, 5, 0, 1});
    for (const std::string text :
         {"n_genes > 150", "score > 0", "gene(\"CD3E\") > 0", "name ~ \"1$\"", "doublet"}) {
        const auto all = filtered(text, obs, Selection::all(12));
        const auto some = filtered(text, obs, view);
        QVERIFY(all.ok() && some.ok());
        const std::vector<Index> wanted = all->chosen.positions();
        std::vector<Index> expected;
        for (Index k = 0; k < view.size(); ++k) {
            if (std::find(wanted.begin(), wanted.end(), view[k]) != wanted.end())
                expected.push_back(view[k]);
        }
        QCOMPARE(view.then(some->chosen).positions(), expected);
    }
    const auto missing = filtered("score > 0", obs, view);
    QCOMPARE(missing->missing, Index{3}); // rows 5, 5 and 1
    QCOMPARE(filtered("true", obs, Selection::none(12))->chosen.size(), Index{0});
}

void QueryFilterTest::saysWhatIsWrong_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("position");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("word");
    const auto row = [](const char* text, int position, const char* code, const char* word) {
        QTest::newRow(text) << QString::fromUtf8(text) << position << code
                            << QString::fromUtf8(word);
    };
    row("n_gene > 5", 0, "NotFound", "Did you mean n_genes?");
    row("doublet and odd_name > 5", 12, "NotFound", "`odd name`");
    row("cell_type == \"T cel\"", 13, "NotFound", "\"T cell\"");
    row("cell_type in [\"NK\", \"b cell\"]", 20, "NotFound", "\"B cell\"");
    row("cell_type == NK", 13, "NotFound", "");
    row("cell_type < \"NK\"", 0, "BadExpression", "no order");
    row("cell_type > stage", 0, "BadExpression", "common order");
    row("stage < \"midd\"", 8, "NotFound", "\"mid\"");
    row("n_genes == \"5\"", 11, "BadExpression", "without quotes");
    row("note == 5", 8, "BadExpression", "\"5\"");
    row("doublet > false", 0, "BadExpression", "no order");
    row("doublet == 1", 11, "BadExpression", "true or false");
    row("n_genes", 0, "BadExpression", "no test");
    row("not note", 4, "BadExpression", "no test");
    row("n_genes contains \"5\"", 0, "BadExpression", "only text");
    row("note + 1 > 2", 0, "BadExpression", "number");
    row("log(cell_type) > 2", 4, "BadExpression", "number");
    row("highly_variable", 0, "NotFound", "--where-var");
    row("gene(\"CD3\") > 1", 0, "NotFound", "CD3E");
    row("gene(\"MALAT1\") > 1", 0, "NotFound", "raw(\"MALAT1\")");
    row("gene(\"TBCE\") > 1", 0, "Ambiguous", "2 rows");
    row("layer(\"count\", \"CD3E\") > 1", 0, "NotFound", "\"counts\"");
    row("obsm(\"umap\", 0) > 1", 0, "NotFound", "X_umap");
    row("obsm(\"X_umap\", 2) > 1", 0, "NotFound", "2 columns");
    row("obsm(\"tissue\", \"sit\") == \"left\"", 0, "NotFound", "site");
    row("selection(\"lasso\")", 0, "NotFound", "named");
    row("note in file(\"/nowhere/at all.txt\")", 0, "NotFound", "/nowhere");
    row("score in [1, true]", 13, "BadExpression", "true");
}

void QueryFilterTest::saysWhatIsWrong()
{
    QFETCH(QString, text);
    QFETCH(int, position);
    QFETCH(QString, code);
    QFETCH(QString, word);
    const auto answer = filtered(text.toStdString(), m_dataset->obs(), Selection::all(12));
    QVERIFY(!answer.ok());
    const Error& error = answer.error();
    const QString said = QString::fromStdString(error.message() + " " + error.fix());
    QCOMPARE(QString::fromStdString(std::string(nameOf(error.code()))), code);
    QCOMPARE(exitCode(error.code()), 1);
    QVERIFY2(error.position() == std::optional<Index>(position), qPrintable(said));
    QVERIFY2(said.contains(word), qPrintable(said));
}

void QueryFilterTest::listsFromFiles()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath("list.txt").toStdString();
    std::ofstream(path) << "\xEF\xBB\xBFNK\r\nB cell\r\n\nnobody\n";
    const QString quoted = QString::fromStdString(path);
    const Element* obs = m_dataset->obs();
    QCOMPARE(outcome("cell_type in file(\"" + quoted + "\")", obs), "1 3 8 10 | 2");
    QCOMPARE(outcome("name not in file(\"" + quoted + "\")", obs),
             "0 1 2 3 4 5 6 7 8 9 10 11 | 0");
    QVERIFY(outcome("n_genes in file(\"" + quoted + "\")", obs).contains("\"NK\""));
    std::ofstream(path) << "300\n9007199254740994\n0.4\n";
    QCOMPARE(outcome("n_genes in file(\"" + quoted + "\")", obs), "2 | 0");
    QCOMPARE(outcome("big in file(\"" + quoted + "\")", obs), "2 | 0");
    QCOMPARE(outcome("tenth in file(\"" + quoted + "\")", obs), "3 | 1");
}

void QueryFilterTest::namedSelections()
{
    auto parsed = FilterExpression::parse("selection(\"mine\") and not doublet");
    QVERIFY(parsed.ok());
    FilterContext context = contextOf(m_dataset->obs());
    context.selection = [](const std::string& name) -> Result<Selection> {
        if (name == "mine")
            return Selection::indices(12, {3, 1, 2, 2});
        return Error(ErrorCode::NotFound, "No such selection.");
    };
    auto filter = Filter::check(*parsed, context);
    QVERIFY(filter.ok());
    QCOMPARE(kept(filter->run(Selection::all(12))->chosen), std::string("1 2"));
    QCOMPARE(kept(filter->run(Selection::slice(12, {}, {}, -1))->chosen), std::string("9 10"));
    parsed = FilterExpression::parse("doublet and selection(\"yours\")");
    QCOMPARE(Filter::check(*parsed, context).error().position(), std::optional<Index>(12));
}

void QueryFilterTest::stopsWhenAsked()
{
    auto parsed = FilterExpression::parse("note ~ \"a\" and gene(\"CD3E\") > 1");
    auto filter = Filter::check(*parsed, contextOf(m_dataset->obs()));
    QVERIFY(filter.ok());
    std::stop_source source;
    source.request_stop();
    FilterOptions options;
    options.stop = source.get_token();
    const auto answer = filter->run(Selection::all(12), options);
    QVERIFY(!answer.ok());
    QCOMPARE(answer.error().code(), ErrorCode::Cancelled);
}

void QueryFilterTest::dearPartsAreReadForOpenRowsOnly()
{
    const Element* obs = m_dataset->obs();
    const auto read = [&](const std::string& text) {
        Progress progress;
        FilterOptions options;
        options.progress = &progress;
        auto filter = Filter::check(*FilterExpression::parse(text), contextOf(obs));
        const auto answer = filter->run(Selection::all(12), options);
        if (progress.done() != progress.total())
            return Index{-1}; // progress ends where it said it would
        return answer->valuesRead;
    };
    QCOMPARE(read("n_genes > 1000"), Index{12});
    QCOMPARE(read("note ~ \"a\" and n_genes > 1000"), Index{12 + 2});
    QCOMPARE(read("gene(\"CD3E\") > 0 and n_genes > 1000 and note ~ \"o\""), Index{12 + 2 + 1});
    QCOMPARE(read("note ~ \"a\" or n_genes > 1000"), Index{12 + 10});
    QCOMPARE(read("n_genes > 5000 and gene(\"CD3E\") > 0"), Index{12});
    QCOMPARE(read("n_genes > mean(n_genes) and gene(\"CD3E\") > 0"), Index{12 + 12 + 6});
    QCOMPARE(read("n_genes > 100 and n_genes < 500"), Index{12}); // named twice, read once
}

// Expressions put together at random: each is evaluated or refused with a place in the text, and
// "not" turns what is known round.
void QueryFilterTest::anyExpressionHasAnAnswerOrAPlace()
{
    QRandomGenerator random(3);
    const auto oneOf = [&random](const std::vector<std::string>& list) {
        return list[static_cast<std::size_t>(random.bounded(static_cast<int>(list.size())))];
    };
    const std::vector<std::string> values{
        "n_genes", "big", "huge", "tenth", "half", "score", "doublet", "cell_type", "stage",
        "cluster", "kept", "batch", "checked", "donor", "note", "`odd name`", "name", "`name`",
        "gene(\"CD3E\")", "raw(\"FOXP3\")", "layer(\"scaled\", \"GAPDH\")", "obsm(\"X_umap\", 0)",
        "obsm(\"tissue\", \"site\")", "5", "-2.5", "\"mid\"", "\"T cell\"", "true", "mean(score)",
        "(score + 1)", "log(score)", "min(score, n_genes)", "median(score - mean(score))"};
    const std::vector<std::string> tests{
        " == ", " != ", " < ", " >= ", " between 1 and ", " in [\"NK\", \"D0\"]", " in [1, 2.5]",
        " ~ \"a\"", " contains \"E\"", " is missing", " is not missing", " not in [true]", ""};
    int good = 0;
    for (int round = 0; round < 4000; ++round) {
        std::string text;
        for (int part = random.bounded(3); part >= 0; --part) {
            const std::string test = oneOf(tests);
            text += (random.bounded(4) == 0 ? "not " : "") + oneOf(values) + test;
            if (test.ends_with(" "))
                text += oneOf(values);
            if (part > 0)
                text += oneOf({" and ", " or "});
        }
        const auto answer = filtered(text, m_dataset->obs(), Selection::all(12));
        if (!answer) {
            QVERIFY2(answer.error().position().has_value(), text.c_str());
            QVERIFY2(exitCode(answer.error().code()) <= 2, text.c_str());
            continue;
        }
        ++good;
        const auto turned =
            filtered("not (" + text + ")", m_dataset->obs(), Selection::all(12));
        QVERIFY2(turned.ok(), text.c_str());
        QVERIFY2(turned->missing == answer->missing, text.c_str());
        QVERIFY2((turned->chosen & answer->chosen).empty(), text.c_str());
        QVERIFY2(turned->chosen.size() + answer->chosen.size() + answer->missing == 12,
                 text.c_str());
        // The same of rows in another order.
        const auto falling =
            filtered(text, m_dataset->obs(), Selection::slice(12, {}, {}, -1));
        QVERIFY2(falling.ok() && falling->missing == answer->missing, text.c_str());
        QVERIFY2(Selection::slice(12, {}, {}, -1).then(falling->chosen).toSet()
                     == answer->chosen.toSet(),
                 text.c_str());
    }
    QVERIFY(good > 300);
}

QTEST_GUILESS_MAIN(QueryFilterTest)
#include "query_filter_test.moc"
