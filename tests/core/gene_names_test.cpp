// SPDX-License-Identifier: GPL-3.0-or-later
// Names of genes as people type them: looked up and completed, against what the fixture says
// (tests/data/query_files.py) and against plain loops over real files.
#include "core/anndata/column_reader.h"
#include "core/query/gene_completion.h"
#include "core/query/gene_lookup.h"
#include "tests/support/corpus.h"

#include <QtTest>

#include <algorithm>
#include <cctype>
#include <set>

using namespace cellfolio;
namespace fs = std::filesystem;

namespace {

const std::shared_ptr<Reading>& reading()
{
    static const auto one = std::make_shared<Reading>();
    return one;
}

std::shared_ptr<const Dataset> opened(const fs::path& path)
{
    auto dataset = Dataset::open(path.string());
    return dataset ? *dataset : nullptr;
}

std::shared_ptr<const Dataset> fixture()
{
    return opened(CELLFOLIO_SOURCE_DIR "/tests/data/files/filter.h5ad");
}

std::string lower(std::string text)
{
    for (char& c : text)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

std::string told(const std::vector<GeneMatch>& matches)
{
    std::string text;
    for (const GeneMatch& match : matches)
        text += std::to_string(match.row) + ":" + match.text + " ";
    return text;
}

} // namespace

class GeneNamesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void completes_data();
    void completes();
    void completesWithinBounds();
    void columnsByTheirValues();
    void oneNameForARow();
    void realFiles();
};

void GeneNamesTest::completes_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("matches"); // row:text, best first
    QTest::addColumn<int>("fit");         // of the first
    const auto row = [](const char* text, const char* matches, GeneFit fit) {
        QTest::newRow(text) << text << matches << static_cast<int>(fit);
    };
    // Exact ones before those that differ in case, then those that begin so, then those that hold it.
    row("CD3E", "0:CD3E ", GeneFit::Exact);
    row("cd3e", "0:CD3E ", GeneFit::Alias);
    row("cd", "0:CD3E ", GeneFit::Begins);
    row("3e", "0:CD3E ", GeneFit::Holds);
    row("gapdh", "1:GAPDH ", GeneFit::Alias);
    row("TBCE", "3:TBCE 4:TBCE ", GeneFit::Exact); // shared by two
    row("tbce", "3:TBCE 4:TBCE ", GeneFit::Alias);
    row("ENSG00000000001.3", "0:ENSG00000000001.3 ", GeneFit::Exact);
    row("ENSG00000000001", "0:ENSG00000000001.3 ", GeneFit::Alias);
    row("ensg00000000001.7", "0:ENSG00000000001.3 ", GeneFit::Alias);
    row("ENSG00000000003.12", "2:ENSG00000000003 ", GeneFit::Alias); // the other way round
    row("ENSG0000000000", "1:ENSG00000000002 2:ENSG00000000003 3:ENSG00000000004 4:ENSG00000000005 "
                          "0:ENSG00000000001.3 ", GeneFit::Begins);
    row("S", "2:XIST 1:ENSG00000000002 3:ENSG00000000004 4:ENSG00000000005 0:ENSG00000000001.3 ", GeneFit::Holds);
    row("MALAT1", "", GeneFit::Exact); // in raw only
    row("", "", GeneFit::Exact);
}

void GeneNamesTest::completes()
{
    QFETCH(QString, text);
    QFETCH(QString, matches);
    QFETCH(int, fit);
    const auto dataset = fixture();
    QVERIFY(dataset);
    GeneQuery query{dataset, dataset->var(), nullptr, text.toStdString()};
    const auto found = completeGenes(query, reading());
    QVERIFY2(found.ok(), found ? "" : found.error().describe().c_str());
    QCOMPARE(QString::fromStdString(told(*found)), matches);
    if (!found->empty())
        QCOMPARE(static_cast<int>(found->front().fit), fit);
    // The same with the column of symbols: each match says what the row is called there.
    query.symbols = dataset->var()->child("gene_symbols");
    const auto again = completeGenes(query, reading());
    QVERIFY(again.ok());
    QCOMPARE(told(*again), told(*found));
    const char* symbols[]{"CD3E", "GAPDH", "XIST", "TBCE", "TBCE"};
    const char* names[]{"CD3E", "ENSG00000000002", "XIST", "TBCE", "TBCE"};
    for (const GeneMatch& match : *again) {
        QCOMPARE(match.symbol, std::string(symbols[match.row]));
        QCOMPARE(match.name, std::string(names[match.row]));
    }
}

void GeneNamesTest::completesWithinBounds()
{
    const auto dataset = fixture();
    QVERIFY(dataset);
    GeneQuery query{dataset, dataset->var(), nullptr, "ENSG", 2};
    const auto two = completeGenes(query, reading());
    QVERIFY(two.ok());
    QCOMPARE(told(*two), std::string("1:ENSG00000000002 2:ENSG00000000003 "));
    const Element* rawVar = dataset->raw()->child("var");
    QVERIFY(rawVar != nullptr);
    const auto raw = completeGenes({dataset, rawVar, nullptr, "malat"}, reading());
    QVERIFY(raw.ok());
    QCOMPARE(told(*raw), std::string("5:MALAT1 "));
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = completeGenes(query, reading(), stop.get_token());
    QVERIFY(!stopped && stopped.error().code() == ErrorCode::Cancelled);
}

// gene_ids-Sanger-Cells and the like say nothing by their name; a column with one value for all
// says nothing at all.
void GeneNamesTest::columnsByTheirValues()
{
    const auto dataset = fixture();
    auto columns = geneNameColumns(dataset, *dataset->var(), reading());
    QVERIFY(columns.ok());
    QCOMPARE(columns->size(), std::size_t{2});
    const fs::path file = test::corpusFolder("real") / "cxg-schema-invalid-cl.h5ad";
    if (!fs::exists(file))
        QSKIP("the corpus of real files is not here");
    const auto real = opened(file);
    QVERIFY(real);
    columns = geneNameColumns(real, *real->var(), reading());
    QVERIFY(columns.ok());
    std::set<std::string> names;
    for (const Element* column : *columns)
        names.insert(column->name);
    QVERIFY(names.count("gene_ids-Sanger-Cells") == 1);
    QVERIFY(names.count("feature_biotype") == 0);
    QVERIFY(names.count("feature_types-Harvard-Nuclei") == 0);
    const auto answers = findGenes(real, *real->var(), {"ENSG00000142599"}, reading());
    QVERIFY(answers.ok());
    QCOMPARE(answers->front().count, Index{1});
    QCOMPARE(answers->front().rows.front(), Index{0});
}

void GeneNamesTest::oneNameForARow()
{
    const auto dataset = fixture();
    const Element& var = *dataset->var();
    const auto name = [&](Index row, const char* wished) {
        const auto found = nameOfGene(dataset, var, row, wished, reading());
        return found ? *found : "error: " + found.error().message();
    };
    QCOMPARE(name(0, ""), std::string("CD3E"));
    QCOMPARE(name(1, "GAPDH"), std::string("GAPDH")); // by its symbol, as it was asked for
    QCOMPARE(name(1, ""), std::string("ENSG00000000002"));
    QCOMPARE(name(1, "CD3E"), std::string("ENSG00000000002")); // that is another gene
    QCOMPARE(name(3, "TBCE"), std::string("ENSG00000000004")); // shared
    QCOMPARE(name(4, "TBCE"), std::string("ENSG00000000005"));
    const Element& rawVar = *dataset->raw()->child("var");
    const auto raw = nameOfGene(dataset, rawVar, 4, "TBCE", reading());
    QVERIFY(raw.ok());
    QCOMPARE(*raw, std::string()); // no column tells them apart
}

// Every gene of every file of reasonable size: its name completes to itself, and the lookup of a
// name spelt otherwise finds the rows that a plain loop finds.
void GeneNamesTest::realFiles()
{
    int files = 0;
    for (const fs::path& path : test::allFiles()) {
        const auto dataset = opened(path);
        if (!dataset || dataset->var() == nullptr || dataset->var()->kind != ElementKind::Table
            || !dataset->var()->readable || dataset->var()->rows == 0 || dataset->var()->rows > 40'000)
            continue;
        const Element& var = *dataset->var();
        const auto names = readNames(dataset, var, Selection::all(var.rows), reading());
        if (!names)
            continue;
        ++files;
        std::vector<std::string> asked;
        for (Index k = 0; k < 5; ++k) {
            const Index row = var.rows * k / 5;
            const std::string& name = (*names)[at(row)];
            if (name.empty())
                continue;
            const auto same = std::count(names->begin(), names->end(), name);
            const auto found = completeGenes({dataset, &var, nullptr, name, 50}, reading());
            QVERIFY2(found.ok(), path.c_str());
            Index exact = 0;
            for (const GeneMatch& match : *found)
                exact += match.fit == GeneFit::Exact && (*names)[at(match.row)] == name ? 1 : 0;
            QVERIFY2(exact == std::min<Index>(same, 50), (path.string() + " " + name).c_str());
            asked.push_back(lower(name));
        }
        const auto answers = findGenes(dataset, var, asked, reading());
        QVERIFY2(answers.ok(), path.c_str());
        for (std::size_t k = 0; k < asked.size(); ++k) {
            const GeneAnswer& answer = (*answers)[k];
            QVERIFY2(answer.count > 0, (path.string() + " " + asked[k]).c_str());
            if (!answer.column.empty())
                continue; // a column has that very spelling
            const auto exact = std::count(names->begin(), names->end(), asked[k]);
            const auto loose = std::count_if(names->begin(), names->end(), [&](const std::string& name) {
                return lower(name) == asked[k];
            });
            QCOMPARE(answer.count, static_cast<Index>(exact > 0 ? exact : loose));
        }
    }
    QVERIFY2(files > 10, std::to_string(files).c_str());
}

QTEST_MAIN(GeneNamesTest)
#include "gene_names_test.moc"
