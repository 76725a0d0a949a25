// SPDX-License-Identifier: GPL-3.0-or-later
// What `validate` finds in the corpora, against the rules their ground truth names; and nothing in
// sound files.
#include "core/validate/sparse_pass.h"
#include "core/validate/validator.h"
#include "tests/support/corpus.h"
#include "tests/support/expected.h"

#include <QtTest>

#include <fstream>
#include <set>

using namespace cellfolio;
using test::Json;

namespace {

std::shared_ptr<Reading> reading()
{
    return std::make_shared<Reading>(Reading::Options{Index{64} << 20, Index{64} << 10, 2});
}

const Finding* findingOf(const ValidationReport& report, const std::string& id)
{
    for (const Finding& finding : report.findings)
        if (finding.id == id)
            return &finding;
    return nullptr;
}

} // namespace

class RulesValidateTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void findsWhatIsWrong_data();
    void findsWhatIsWrong();
    void namesTheFault_data();
    void namesTheFault();
    void findsJustThese_data();
    void findsJustThese();
    void countsExactly();
    void saysWhatItLeftOut();
    void stopsWhenAsked();
};

void RulesValidateTest::findsWhatIsWrong_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("rules");
    QTest::addColumn<bool>("valid");
    const auto add = [](const std::filesystem::path& folder) {
        const Json expected = test::loadExpected(folder);
        const Json& files = expected.contains("files") ? expected["files"] : expected;
        for (const auto& [name, truth] : files.items())
            if (truth.is_object() && truth.value("outcome", "opens") != "error"
                && (truth.contains("rules") || truth.value("outcome", "") == "opens"))
                QTest::newRow(name.c_str())
                    << QString::fromStdString((folder / name).string())
                    << QString::fromStdString(truth.contains("rules") ? truth["rules"].dump() : "[]")
                    << truth.value("valid", false);
    };
    add(test::dataFolder());
    if (!test::corpusFolder("spec").empty())
        add(test::corpusFolder("spec"));
}

void RulesValidateTest::findsWhatIsWrong()
{
    QFETCH(QString, path);
    QFETCH(QString, rules);
    QFETCH(bool, valid);
    const auto dataset = Dataset::open(path.toStdString());
    const Json expected = Json::parse(rules.toStdString());
    if (!dataset) {
        // A file that does not open has its one finding in the error.
        QVERIFY2(expected.size() == 1 && dataset.error().ruleId() == expected[0].get<std::string>(),
                 dataset.error().describe().c_str());
        return;
    }
    const auto report = validate(*dataset, reading());
    QVERIFY2(report.ok(), report.ok() ? "" : report.error().describe().c_str());
    for (const Json& rule : expected) {
        const std::string id = rule.get<std::string>();
        QVERIFY2(findingOf(*report, id) != nullptr,
                 (id + " is not among:\n" + test::describe(report->findings)).c_str());
    }
    if (!valid)
        return;
    for (const Finding& finding : report->findings) {
        const bool told = std::find(expected.begin(), expected.end(), finding.id) != expected.end();
        QVERIFY2(told || finding.severity != Severity::Error,
                 test::describe(report->findings).c_str());
    }
}

void RulesValidateTest::namesTheFault_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("words");
    const std::filesystem::path folder = test::corpusFolder("reports");
    if (folder.empty())
        QSKIP("the corpus of reports is not beside this checkout");
    const Json expected = test::loadExpected(folder);
    for (const auto& [name, truth] : expected.items())
        if (truth.is_object() && truth.value("outcome", "") == "opens_warn"
            && !truth.contains("huge"))
            QTest::newRow(name.c_str()) << QString::fromStdString((folder / name).string())
                                        << QString::fromStdString(truth["mentions"].dump());
}

void RulesValidateTest::namesTheFault()
{
    QFETCH(QString, path);
    QFETCH(QString, words);
    const auto dataset = Dataset::open(path.toStdString());
    QVERIFY2(dataset.ok(), dataset.ok() ? "" : dataset.error().describe().c_str());
    const auto report = validate(*dataset, reading());
    QVERIFY(report.ok());
    QVERIFY2(test::names(report->findings, Json::parse(words.toStdString())),
             test::describe(report->findings).c_str());
}

// All that is found in our own files, looked at once by eye: nothing more, nothing less.
void RulesValidateTest::findsJustThese_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("findings");
    std::ifstream file(test::dataFolder() / "findings.json");
    const Json pinned = Json::parse(file);
    for (const auto& [name, findings] : pinned.items())
        QTest::newRow(name.c_str()) << QString::fromStdString(name)
                                    << QString::fromStdString(findings.dump());
}

void RulesValidateTest::findsJustThese()
{
    QFETCH(QString, name);
    QFETCH(QString, findings);
    const auto dataset = Dataset::open((test::dataFolder() / name.toStdString()).string());
    QVERIFY2(dataset.ok(), dataset.ok() ? "" : dataset.error().describe().c_str());
    const auto report = validate(*dataset, reading());
    QVERIFY2(report.ok(), report.ok() ? "" : report.error().describe().c_str());
    std::set<std::string> found;
    for (const Finding& finding : report->findings)
        found.insert(finding.id + " " + finding.element);
    const auto pinned = Json::parse(findings.toStdString()).get<std::set<std::string>>();
    QVERIFY2(found == pinned, test::describe(report->findings).c_str());
}

void RulesValidateTest::countsExactly()
{
    const std::filesystem::path folder = test::corpusFolder("reports");
    if (folder.empty())
        QSKIP("the corpus of reports is not beside this checkout");
    // One row of 21 000 unsorted entries, of which the cleaned matrix keeps 20 333 in all.
    const auto heavy = Dataset::open((folder / "B045-one-heavy-unsorted-row.h5ad").string());
    QVERIFY(heavy.ok());
    auto report = validate(*heavy, reading());
    QVERIFY(report.ok());
    const Finding* unsorted = findingOf(*report, "B006");
    QVERIFY(unsorted != nullptr);
    QCOMPARE(unsorted->count.value_or(0), Index{3}); // rows 0, 3 and 7, counted with NumPy
    QCOMPARE(unsorted->places[1].row.value_or(-1), Index{3});
    const Finding* twice = findingOf(*report, "B007");
    QVERIFY(twice != nullptr);
    QCOMPARE(twice->count.value_or(0), Index{21010 - 20333});

    const auto entries = Dataset::open((folder / "B190-duplicate-entries.h5ad").string());
    QVERIFY(entries.ok());
    report = validate(*entries, reading());
    QVERIFY(report.ok());
    twice = findingOf(*report, "B007");
    QVERIFY(twice != nullptr);
    QCOMPARE(twice->count.value_or(0), Index{3});

    const auto names = Dataset::open((folder / "B083-same-variable-name-twice.h5ad").string());
    QVERIFY(names.ok());
    report = validate(*names, reading());
    QVERIFY(report.ok());
    const Finding* repeated = findingOf(*report, "B014");
    QVERIFY(repeated != nullptr);
    QCOMPARE(repeated->count.value_or(0), Index{1});
    QCOMPARE(repeated->places.front().row.value_or(-1), Index{2});
    QCOMPARE(QString::fromStdString(repeated->places.front().value), QString("g01"));
}

void RulesValidateTest::saysWhatItLeftOut()
{
    const auto dataset = Dataset::open((test::dataFolder() / "files" / "columns.h5ad").string());
    QVERIFY(dataset.ok());
    ValidationOptions quick;
    quick.quick = true;
    const auto fast = validate(*dataset, reading(), quick);
    const auto whole = validate(*dataset, reading());
    QVERIFY(fast.ok() && whole.ok());
    QVERIFY(fast->rulesChecked.size() < whole->rulesChecked.size());
    for (const ValidationReport* report : {&*fast, &*whole}) {
        std::set<std::string> ids(report->rulesChecked.begin(), report->rulesChecked.end());
        for (const ValidationReport::LeftOut& left : report->rulesLeftOut) {
            QVERIFY2(ids.insert(left.id).second, left.id.c_str());
            QVERIFY(!left.why.empty());
        }
        // All of A but the four reserved numbers, and all of B.
        QCOMPARE(static_cast<int>(ids.size()), 56 - 4 + 29);
    }
    ValidationOptions one;
    one.only = {"B013"};
    const auto only = validate(*dataset, reading(), one);
    QVERIFY(only.ok());
    QCOMPARE(only->rulesChecked, std::vector<std::string>{"B013"});
    QVERIFY(only->findings.empty());
}

void RulesValidateTest::stopsWhenAsked()
{
    const std::filesystem::path folder = test::corpusFolder("reports");
    if (folder.empty())
        QSKIP("the corpus of reports is not beside this checkout");
    // 2^31 entries: the check must be left while it is on its way.
    const auto dataset = Dataset::open((folder / "B077-nnz-above-2-31.h5ad").string());
    QVERIFY(dataset.ok());
    std::stop_source source;
    std::thread later([&source] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        source.request_stop();
    });
    QElapsedTimer timer;
    timer.start();
    const std::shared_ptr<Reading> own = reading();
    auto matrix = SparseSource::open(*dataset, *(*dataset)->x(), own);
    QVERIFY(matrix.ok());
    MatrixAsk ask;
    ask.structure = ask.values = ask.rows = true;
    ask.stop = source.get_token();
    const auto found = passSparse(*std::move(matrix), own, ask);
    later.join();
    QVERIFY(!found.ok());
    QCOMPARE(found.error().code(), ErrorCode::Cancelled);
    QVERIFY(timer.elapsed() < 1000);
}

QTEST_GUILESS_MAIN(RulesValidateTest)
#include "rules_validate_test.moc"
