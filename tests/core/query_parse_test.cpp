// SPDX-License-Identifier: GPL-3.0-or-later
// What is an expression, and where one that is none goes wrong.
#include "core/query/filter_expression.h"
#include "core/query/lexer.h"

#include <QRandomGenerator>
#include <QtTest>

using namespace cellfolio;

class QueryParseTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void accepts_data();
    void accepts();
    void refuses_data();
    void refuses();
    void adviceNamesTheWayOut();
    void namesAndTextsAreWrittenSoThatTheyReadBack();
    void nestingHasAnEnd();
    void noBytesBreakIt();
};

void QueryParseTest::accepts_data()
{
    QTest::addColumn<QString>("text");
    const char* const texts[] = {
        R"(n_genes > 500 and not doublet and cell_type in ["T cell", "B cell"] and gene("CD3E") > 1)",
        R"(log1p(total_counts) between 5 and 9 and name ~ "^AAAC" and `odd name` contains "fetal")",
        "batch is not missing or batch is missing", "a = 1", "a <> 1", "a == -1", "-a < -(-2)",
        "a not between 1 and 2 and b not in [1, -2, 3.5e2,]", "x in []", "x not in file(\"genes.txt\")",
        R"(x not ~ "a" and x not ~* "b\d" and x not contains "c" and x not startswith "d")",
        R"(x endswith "e" or (a or b) and (not (c)))", "min(a, b, 3) > max(a)", "quantile(a, 0.95) < a",
        "(a + 1) * 2 / -b - 3 >= abs(round(a))", "true", "(a > 1) == true", "percent.mt < 5",
        R"(obsm("X_umap", 0) < 2.5 and obsm("spatial", "x") > .5)", R"(layer("counts", "GAPDH") >= 3)",
        R"(selection("lasso 1") and raw("XIST") > 0)", "größe > 1", "a==1 and b==2", "((((a))))",
        "`a``b` is missing", "a > 18446744073709551615", "a > 1e400"};
    for (const char* text : texts)
        QTest::newRow(text) << QString::fromUtf8(text);
}

void QueryParseTest::accepts()
{
    QFETCH(QString, text);
    const auto parsed = FilterExpression::parse(text.toStdString());
    QVERIFY2(parsed.ok(), parsed.ok() ? "" : parsed.error().describe().c_str());
    QCOMPARE(parsed->text(), text.toStdString());
}

void QueryParseTest::refuses_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("position"); // where the fault begins
    QTest::addColumn<QString>("word"); // which the sentence or the advice holds
    const auto row = [](const char* text, int position, const char* word) {
        QTest::newRow(*text != '\0' ? text : "empty")
            << QString::fromUtf8(text) << position << QString::fromUtf8(word);
    };
    row("", 0, "empty");
    row("   ", 3, "empty");
    row("a >", 3, "due");
    row("a > > 1", 4, "due");
    row("a b", 2, "backticks");
    row("(a > 1", 0, "not closed");
    row("a > 1)", 5, "not opened");
    row("a in [1, 2", 5, "not closed");
    row("a in 1", 5, "brackets");
    row("a in [b]", 6, "double quotes");
    row("a in [1 2]", 8, "comma");
    row("a == \"b", 5, "not closed");
    row("`a == 1", 0, "not closed");
    row("a == 'b'", 5, "double quotes");
    row("a && b", 2, "and");
    row("a || b", 2, "or");
    row("!a", 0, "not");
    row("a > 1 AND b > 2", 6, "Write and");
    row("1 < a < 5", 6, "between");
    row("a between 1 or 2", 12, "and");
    row("a not == 1", 6, "between");
    row("a is 5", 5, "missing");
    row("a ~ \"(\"", 4, "regular expression");
    row("a ~ b", 4, "regular expression");
    row("a contains b", 11, "double quotes");
    row("gene(CD3E) > 1", 5, "double quotes");
    row("gene > 1", 5, "`gene`");
    row("layer(\"counts\") > 1", 14, "layer(");
    row("obsm(\"X\", 1.5) > 1", 10, "numbered");
    row("lg(a) > 1", 0, "log");
    row("log(a, b) > 1", 0, "one value");
    row("quantile(a, 2) > 1", 12, "between 0 and 1");
    row("quantile(a) > 1", 0, "quantile");
    row("missing > 1", 0, "`missing`");
    row("10x > 1", 0, "`10x`");
    row("a # b", 2, "part of the language");
    row("größe > größe >", 18, "chain");
    row("a > 1 and", 9, "due");
    row("file(\"x\")", 0, "`file`");
    row("a in file(x)", 10, "path");
    row("a == 1;", 6, "part of the language");
}

void QueryParseTest::refuses()
{
    QFETCH(QString, text);
    QFETCH(int, position);
    QFETCH(QString, word);
    const auto parsed = FilterExpression::parse(text.toStdString());
    QVERIFY(!parsed.ok());
    const Error& error = parsed.error();
    QCOMPARE(error.code(), ErrorCode::BadUsage);
    QCOMPARE(exitCode(error.code()), 2);
    QCOMPARE(error.position(), std::optional<Index>(position));
    const QString said = QString::fromStdString(error.message() + " " + error.fix());
    QVERIFY2(said.contains(word), qPrintable(said));
    QVERIFY2(said.startsWith('"') || said.at(0).isUpper() || said.at(0) == 'q' || said.at(0) == 'l',
             qPrintable(said));
}

void QueryParseTest::adviceNamesTheWayOut()
{
    const auto parsed = FilterExpression::parse("sqr(a) > 1");
    QVERIFY(!parsed.ok());
    QCOMPARE(parsed.error().suggestions().front(), std::string("sqrt"));
}

void QueryParseTest::namesAndTextsAreWrittenSoThatTheyReadBack()
{
    const std::vector<std::string> names{"a", "odd name", "a`b", "``", "name", "10x", "größe", "",
                                         "a.b", ".a", "in", "x-y", "\"", "mean"};
    for (const std::string& name : names) {
        const auto tokens = tokensOf(columnText(name));
        QVERIFY(tokens.ok());
        QCOMPARE(tokens->size(), std::size_t{2});
        QCOMPARE(tokens->front().text, name);
        QVERIFY(tokens->front().kind == TokenKind::Quoted
                || (tokens->front().kind == TokenKind::Word && !isReservedWord(name)));
    }
    const std::vector<std::string> texts{"", "a", "\"", "\\", "\\\"", "a\\d", "\\\\", "tab\t"};
    for (const std::string& text : texts) {
        const auto tokens = tokensOf(quotedText(text));
        QVERIFY(tokens.ok());
        QCOMPARE(tokens->front().text, text);
        QVERIFY(tokens->front().kind == TokenKind::Text);
    }
    // What is no \" and no \\ stays as it is, for regular expressions.
    QCOMPARE(tokensOf("\"^\\d+$\"")->front().text, std::string("^\\d+$"));
}

void QueryParseTest::nestingHasAnEnd()
{
    for (const char* piece : {"(", "not ", "-", "-(", "(not "}) {
        std::string text;
        for (int k = 0; k < 100000; ++k)
            text += piece;
        const auto parsed = FilterExpression::parse(text + "a");
        QVERIFY(!parsed.ok());
        QCOMPARE(parsed.error().code(), ErrorCode::BadUsage);
    }
    std::string sum = "a";
    std::string both = "a";
    for (int k = 0; k < 5000; ++k) {
        sum += " + a";
        both += " and a";
    }
    QVERIFY(!FilterExpression::parse(sum + " > 1").ok());
    QVERIFY(FilterExpression::parse(both).ok()); // as long as one likes: they are siblings
    QVERIFY(FilterExpression::parse("((((((((((((((((((((((a))))))))))))))))))))))").ok());
}

// Pieces of expressions in any order, and any bytes: an answer or an error with a place in the text.
void QueryParseTest::noBytesBreakIt()
{
    const std::vector<std::string> pieces{
        "a", "`b c`", "\"t\"", "1", "2.5", "(", ")", "[", "]", ",", "==", "<", "~", "~*", "and", "or",
        "not", "in", "is", "missing", "between", "contains", "gene", "log", "min", "quantile", "-",
        "+", "/", "name", "true", "file", "obsm", "\"", "`", "\xff", "é", "0x1", ".", "1e", "\\"};
    QRandomGenerator random(5);
    int good = 0;
    for (int round = 0; round < 40000; ++round) {
        std::string text;
        for (int k = random.bounded(9); k >= 0; --k) {
            text += pieces[static_cast<std::size_t>(random.bounded(static_cast<int>(pieces.size())))];
            if (random.bounded(4) != 0)
                text += ' ';
        }
        if (random.bounded(20) == 0)
            text[static_cast<std::size_t>(random.bounded(static_cast<int>(text.size())))] =
                static_cast<char>(random.bounded(256));
        const auto parsed = FilterExpression::parse(text);
        if (parsed) {
            ++good;
            continue;
        }
        QCOMPARE(parsed.error().code(), ErrorCode::BadUsage);
        QVERIFY2(parsed.error().position().has_value(), text.c_str());
        QVERIFY(*parsed.error().position() >= 0
                && *parsed.error().position() <= static_cast<Index>(text.size()));
        QVERIFY(!parsed.error().message().empty());
    }
    QVERIFY(good > 100);
}

QTEST_GUILESS_MAIN(QueryParseTest)
#include "query_parse_test.moc"
