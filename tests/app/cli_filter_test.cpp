// SPDX-License-Identifier: GPL-3.0-or-later
// `filter`, and the view options on other commands: what is chosen, in which order, and what is
// said where something is wrong. What expressions mean has its own tests.
#include "tests/support/cli_answer.h"
#include "tests/support/corpus.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>

using nlohmann::json;
using namespace cellfolio::test;

namespace fs = std::filesystem;

class CliFilterTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("XDG_DATA_HOME", m_folder.filePath("data").toUtf8());
        m_file = (dataFolder() / "files" / "filter.h5ad").string();
    }

    void answersAsTheContractSays()
    {
        const CliAnswer answer = ask({"filter", m_file, "--where", "score > 0", "--where-var",
                                      "highly_variable", "--names", "--positions"});
        const json wanted = {
            {"file", m_file}, {"n_obs", 12}, {"n_vars", 5}, {"obs_count", 7}, {"obs_missing", 2},
            {"var_count", 3}, {"var_missing", 0},
            {"obs", {"AAAC0", "AAAC4", "GGTT6", "GGTT7", "GGTT8", "GGTT10", "Zürich-11"}},
            {"obs_positions", {0, 4, 6, 7, 8, 10, 11}}, {"var", {"CD3E", "XIST", "TBCE"}},
            {"var_positions", {0, 2, 4}}};
        QCOMPARE(answer.json.dump(), reordered(answer.json, wanted));
        // Genes are listed where they were filtered.
        const json cells = ask({"filter", m_file, "--where", "doublet", "--names"}).json;
        QVERIFY(cells.contains("obs") && !cells.contains("var") && !cells.contains("obs_positions"));
        QCOMPARE(cells["var_count"].get<int>(), 5);
        const json none = ask({"filter", m_file, "--where", "score > 100"}).json;
        QCOMPARE(none["obs_count"].get<int>(), 0);
    }

    void textIsTheLineTheNumberOrTheList()
    {
        QCOMPARE(text({"filter", m_file, "--where", "score > 0 and cell_type == \"T cell\""}),
                 QByteArray("3 of 12 cells · 7 not in filter · 2 missing\n"));
        QCOMPARE(text({"filter", m_file, "--where", "true"}), QByteArray("12 of 12 cells\n"));
        QCOMPARE(text({"filter", m_file, "--where-var", "n_cells > 100"}),
                 QByteArray("3 of 5 genes · 2 not in filter\n"));
        QCOMPARE(text({"filter", m_file, "--where", "doublet", "--where-var", "n_cells > 100"}),
                 QByteArray("4 of 12 cells · 8 not in filter\n3 of 5 genes · 2 not in filter\n"));
        QCOMPARE(text({"filter", m_file, "--where", "doublet", "--count"}), QByteArray("4\n"));
        QCOMPARE(text({"filter", m_file, "--where-var", "highly_variable", "--count"}),
                 QByteArray("3\n"));
        QCOMPARE(text({"filter", m_file, "--where", "doublet", "--names"}),
                 QByteArray("AAAC0\nAAAC3\nGGTT6\nGGTT9\n"));
        QCOMPARE(text({"filter", m_file, "--where", "doublet", "--positions"}),
                 QByteArray("0\n3\n6\n9\n"));
        QCOMPARE(text({"filter", m_file, "--where", "doublet", "--obs", "-1,0,0"}),
                 QByteArray("3 of 12 cells · 8 not in filter · 2 not selected\n"));
        QCOMPARE(text({"filter", m_file, "--where-var", "name == \"TBCE\"", "--names"}),
                 QByteArray("TBCE\nTBCE\n"));
    }

    // Views, then expressions, then selections, whatever the order on the line.
    void optionsHaveTheirOrder()
    {
        const auto positions = [&](const std::vector<std::string>& options) {
            std::vector<std::string> words{"filter", m_file, "--positions"};
            words.insert(words.end(), options.begin(), options.end());
            return ask(words).json["obs_positions"].dump();
        };
        QCOMPARE(positions({"--obs", "1:", "--where", "doublet"}), std::string("[3,6,9]"));
        QCOMPARE(positions({"--obs", "::-1", "--obs", "0,0,-1", "--where", "doublet"}),
                 std::string("[9,9,0]"));
        QCOMPARE(positions({"--where", "n_genes > 300", "--where", "n_genes > mean(n_genes)"}),
                 std::string("[8,9,10,11]")); // of the rows at hand: above 800
        QVERIFY(ask({"filter", m_file, "--where", "doublet", "--obs", "::-1", "--save", "falling"}).ok());
        QCOMPARE(positions({"--view", "falling"}), std::string("[9,6,3,0]"));
        QCOMPARE(positions({"--obs", ":2", "--where", "n_genes > 150", "--view", "falling"}),
                 std::string("[9,6]"));
        QVERIFY(ask({"filter", m_file, "--where", "n_genes < 800", "--save", "low"}).ok());
        QCOMPARE(positions({"--view", "falling", "--view", "low"}), std::string("[6,3,0]"));
        QCOMPARE(positions({"--where", "selection(\"falling\") and not selection(\"low\")"}),
                 std::string("[9]"));
        QCOMPARE(text({"filter", m_file, "--view", "falling", "--where", "score > 0"}),
                 QByteArray("2 of 12 cells · 8 not in view · 2 not in filter\n"));
    }

    void otherCommandsTakeTheSameOptions()
    {
        const json seen = ask({"view", m_file, "X", "--where", "doublet", "--where-var",
                               "highly_variable", "--obs", "::-1"})
                              .json;
        QCOMPARE(seen["obs_positions"].dump(), std::string("[9,6,3,0]"));
        QCOMPARE(seen["values"].dump(), std::string("[[8,4,0],[0,0,3],[0,0,0],[0,0,0]]"));
        // Rows of var where var is the first axis; both axes of nothing.
        QCOMPARE(ask({"view", m_file, "var", "--where-var", "n_cells > 100"}).json["var"].dump(),
                 std::string("[\"XIST\",\"TBCE\",\"TBCE\"]"));
        QCOMPARE(ask({"view", m_file, "raw/X", "--where", "doublet", "--where-var", "`mean` > 2.5"})
                     .json["var"]
                     .dump(),
                 std::string("[\"CD3E\",\"TBCE\"]"));
        QCOMPARE(ask({"view", m_file, "obs/score", "--where", "score is missing"}).json["values"].dump(),
                 std::string("[\"NaN\",\"NaN\"]"));
        const json figures = ask({"stats", m_file, "layers/counts", "--where", "doublet"}).json;
        QCOMPARE(figures["shape"].dump(), std::string("[4,5]"));
        QCOMPARE(figures["sum"].get<int>(), 8 + 13 + 14 + 11); // by column
        QCOMPARE(ask({"stats", m_file, "obs/n_genes", "--where", "doublet"}).json["sum"].get<int>(),
                 100 + 400 + 700 + 1000);
        // A view speaks of what an element has; an expression of what it must have.
        QVERIFY(ask({"filter", m_file, "--where", "doublet", "--where-var", "highly_variable",
                     "--save", "both"})
                    .ok());
        QCOMPARE(ask({"view", m_file, "X", "--view", "both"}).json["shape"].dump(),
                 std::string("[4,3]"));
        QCOMPARE(ask({"view", m_file, "raw/X", "--view", "both"}).json["shape"].dump(),
                 std::string("[4,7]"));
        QCOMPARE(ask({"view", m_file, "var", "--view", "both", "--columns", ""}).json["var"].dump(),
                 std::string("[\"CD3E\",\"XIST\",\"TBCE\"]"));
        refused({"view", m_file, "var", "--where", "doublet"}, 1, "NotFound", {});
        refused({"view", m_file, "obs", "--where-var", "highly_variable"}, 1, "NotFound", {});
    }

    void refusals()
    {
        refused({"filter", m_file}, 2, "BadUsage", {});
        refused({"filter", m_file, "--where", "score >"}, 2, "BadUsage", 7);
        refused({"filter", "/nowhere.h5ad", "--where", "score >"}, 2, "BadUsage", 7);
        refused({"filter", m_file, "--where", ""}, 2, "BadUsage", 0);
        refused({"filter", m_file, "--where", "doublet and scor > 1"}, 1, "NotFound", 12);
        refused({"filter", m_file, "--where", "doublet and note > 1"}, 1, "BadExpression", 19);
        refused({"filter", m_file, "--where", "gene(\"TBCE\") > 1"}, 1, "Ambiguous", 0);
        refused({"filter", m_file, "--where-var", "gene(\"TBCE\") > 1"}, 1, "BadExpression", 0);
        refused({"filter", m_file, "--where", "selection(\"none\")"}, 1, "NotFound", 0);
        refused({"filter", m_file, "--view", "none"}, 1, "NotFound", {});
        refused({"filter", m_file, "--view", "fallin"}, 1, "NotFound", {});
        refused({"filter", m_file, "--view", "/nowhere/v.json"}, 1, "NotFound", {});
        refused({"filter", m_file, "--view", ""}, 2, "BadUsage", {});
        refused({"filter", m_file, "--where", "doublet", "--save", ""}, 2, "BadUsage", {});
        refused({"filter", m_file, "--where", "doublet", "--save", std::string(81, 'x')}, 2,
                "BadUsage", {});
        refused({"filter", m_file, m_file, "--where", "doublet"}, 2, "BadUsage", {});
        refused({"filter", m_file, "--where", "doublet", "--save", "/nowhere/at/all.json"}, 3, "Io",
                {});
        QCOMPARE(runCli({"filter", QString::fromStdString(m_file), "--where", "doublet", "--count",
                         "--names"})
                     .exitCode,
                 2);
        // The nearest names come with the answer.
        const auto nearest = [](const std::vector<std::string>& words) {
            return askCli(words).json["error"]["suggestions"][0].get<std::string>();
        };
        QCOMPARE(nearest({"filter", m_file, "--where", "scor > 1"}), std::string("score"));
        QCOMPARE(nearest({"filter", m_file, "--view", "fallin"}), std::string("falling"));
    }

    void viewsInFilesOfTheirOwn()
    {
        const std::string out = m_folder.filePath("out.json").toStdString();
        QVERIFY(ask({"filter", m_file, "--where", "doublet", "--save", out}).ok());
        const auto before = stateOf(out);
        refused({"filter", m_file, "--where", "true", "--save", out}, 3, "TargetExists", {});
        QVERIFY(stateOf(out) == before);
        QCOMPARE(text({"filter", m_file, "--view", out, "--positions"}), QByteArray("0\n3\n6\n9\n"));
        QVERIFY(ask({"filter", m_file, "--where", "true", "--save", out, "--overwrite"}).ok());
        QCOMPARE(text({"filter", m_file, "--view", out, "--count"}), QByteArray("12\n"));
        std::ofstream(out) << "{\"cellfolio\": \"view\"";
        refused({"filter", m_file, "--view", out}, 1, "Corrupt", {});
        refused({"filter", m_file, "--view", m_file + ".json"}, 1, "NotFound", {});
    }

    // A file whose cells were re-ordered and cut: rows are found by name, and what is lost is said.
    void viewsFollowTheNamesInAChangedFile()
    {
        const std::string moved = m_folder.filePath("moved.h5ad").toStdString();
        fs::copy_file(m_file, moved);
        QVERIFY(ask({"filter", moved, "--where", "n_genes < 400", "--where-var",
                     "highly_variable", "--save", "some"})
                    .ok());
        // The same bytes elsewhere are the same file.
        QCOMPARE(text({"filter", m_file, "--view", "some", "--positions"}), QByteArray("0\n1\n2\n"));
        const std::string changed = (dataFolder() / "files" / "filter_changed.h5ad").string();
        fs::copy_file(changed, moved, fs::copy_options::overwrite_existing);
        const ProgramRun run =
            runCli({"filter", QString::fromStdString(moved), "--view", "some", "--names"});
        QCOMPARE(run.exitCode, 0);
        QCOMPARE(run.out, QByteArray("AAAC0\nAAAC2\n")); // AAAC1 was cut
        QVERIFY2(run.err.contains("1 of 3 cells was not found again: AAAC1"), run.err);
        QVERIFY2(run.err.contains("gene"), run.err); // TBCE stood twice, so it says nothing
        QCOMPARE(text({"filter", moved, "--view", "some", "--positions"}), QByteArray("11\n10\n"));
        // Kept anew, it is exact again and speaks of these bytes.
        QVERIFY(ask({"filter", moved, "--view", "some", "--save", "some"}).ok());
        const ProgramRun again =
            runCli({"filter", QString::fromStdString(moved), "--view", "some", "--positions"});
        QCOMPARE(again.out, QByteArray("11\n10\n"));
        QCOMPARE(again.err, QByteArray());
    }

    void listsComeFromStandardInput()
    {
        ProgramOptions options;
        options.input = "GGTT9\nnobody\nAAAC1\n";
        const CliAnswer answer = askCli(
            {"filter", m_file, "--where", "name in file(\"-\")", "--positions"}, options);
        QCOMPARE(answer.json["obs_positions"].dump(), std::string("[1,9]"));
    }

    void theFileIsNotTouched()
    {
        const auto before = stateOf(m_file);
        QVERIFY(ask({"filter", m_file, "--where", "gene(\"CD3E\") > 0", "--save", "genes"}).ok());
        QVERIFY(stateOf(m_file) == before);
    }

private:
    static CliAnswer ask(const std::vector<std::string>& arguments)
    {
        CliAnswer answer = askCli(arguments);
        if (!answer.misconduct().isEmpty() || !answer.ok())
            qWarning().noquote() << answer.misconduct() << answer.run.report();
        return answer;
    }
    static QByteArray text(const std::vector<std::string>& arguments)
    {
        QStringList words;
        for (const std::string& argument : arguments)
            words << QString::fromStdString(argument);
        return runCli(words).out;
    }
    // The wanted object in the order of the answer's keys, so that both can be compared as text.
    static std::string reordered(const json& answer, const json& wanted)
    {
        return answer == wanted ? answer.dump() : wanted.dump();
    }
    static void refused(const std::vector<std::string>& arguments, int code,
                        const std::string& error, const json& position)
    {
        const CliAnswer answer = askCli(arguments);
        const QByteArray report = answer.run.report();
        QVERIFY2(answer.misconduct().isEmpty(), answer.misconduct());
        QVERIFY2(answer.run.exitCode == code, report);
        QVERIFY2(answer.json["error"]["code"] == error, report);
        QVERIFY2(position.is_null() || answer.json["error"]["position"] == position, report);
        QVERIFY2(!answer.json["error"]["message"].get<std::string>().empty(), report);
    }

    QTemporaryDir m_folder;
    std::string m_file;
};

QTEST_GUILESS_MAIN(CliFilterTest)
#include "cli_filter_test.moc"
