// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/cli_answer.h"
#include "tests/support/corpus.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

using nlohmann::json;
using namespace cellfolio::test;

// Told apart by their text where they differ.
#define COMPARE_JSON(got, wanted)                                                                  \
    do {                                                                                           \
        const json gotJson = (got);                                                                \
        const json wantedJson = (wanted);                                                          \
        QVERIFY2(gotJson == wantedJson,                                                            \
                 (gotJson.dump() + " should be " + wantedJson.dump()).c_str());                    \
    } while (false)

namespace {

const std::string kExample =
    (std::filesystem::path(CELLFOLIO_SOURCE_DIR) / "resources/examples/pbmc68k_reduced.h5ad")
        .string();

std::string data(const char* name)
{
    return (dataFolder() / name).string();
}

} // namespace

// What the page on the command line promises to scripts, rule by rule.
class CliContractTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // The code that a line ends with; with --json the error's code says the same.
    void exitCodes_data()
    {
        QTest::addColumn<QStringList>("line");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("error");
        const auto row = [](const char* title, const QStringList& line, int code,
                            const char* error) {
            QTest::newRow(title) << line << code << QString(error);
        };
        const QString file = QString::fromStdString(kExample);
        row("info", {"info", file}, 0, "");
        row("findings that are only shown",
            {"info", QString::fromStdString(data("damaged/column_not_stored.h5ad"))}, 0, "");
        row("an empty selection", {"view", file, "obs", "--obs", ""}, 0, "");
        row("no such file", {"info", "/nowhere/at/all.h5ad"}, 1, "NotFound");
        row("no HDF5 file", {"info", QString::fromStdString(data("damaged/web_page.h5ad"))}, 1,
            "NotHdf5");
        row("no such element", {"view", file, "layers/nosuch"}, 1, "NotFound");
        row("no such name", {"view", file, "obs", "--obs", "nosuch"}, 1, "NotFound");
        row("no such position", {"view", file, "obs", "--obs", "700"}, 1, "NotFound");
        row("no such column", {"view", file, "obs", "--columns", "nosuch"}, 1, "NotFound");
        row("obs on var", {"view", file, "var", "--obs", "0"}, 1, "NotFound");
        row("var on obs", {"view", file, "obs", "--var", "0"}, 1, "NotFound");
        row("obs on uns", {"view", file, "uns", "--obs", "0"}, 1, "NotFound");
        row("stats of a table", {"stats", file, "obs"}, 1, "NotFound");
        row("unknown command", {"infos", file}, 2, "BadUsage");
        row("unknown option", {"info", file, "--colour"}, 2, "BadUsage");
        row("option of another command", {"info", file, "--obs", "0"}, 2, "BadUsage");
        row("a command of later", {"concat", file}, 2, "BadUsage");
        row("an option of later", {"validate", file, "--ontology", "terms"}, 2, "BadUsage");
        row("a view that is not kept", {"view", file, "obs", "--view", "mine"}, 1, "NotFound");
        row("no file", {"info"}, 2, "BadUsage");
        row("no element", {"view", file}, 2, "BadUsage");
        row("too much", {"view", file, "obs", "var"}, 2, "BadUsage");
        row("a value left out", {"view", file, "obs", "--obs"}, 2, "BadUsage");
        row("a value too many", {"view", file, "obs", "--csv=yes"}, 2, "BadUsage");
        row("a malformed selection", {"view", file, "obs", "--obs", "::0"}, 2, "BadUsage");
        row("a malformed selection of no file", {"view", "/nowhere.h5ad", "obs", "--obs", "\"a"}, 2,
            "BadUsage");
        row("a malformed size", {"info", file, "--memory", "lots"}, 2, "BadUsage");
        row("a size below the least", {"info", file, "--memory", "15M"}, 2, "BadUsage");
        row("no threads", {"info", file, "--threads", "0"}, 2, "BadUsage");
        row("a malformed quantile", {"stats", file, "X", "--quantiles", "0.5,2"}, 2, "BadUsage");
        row("a malformed axis", {"stats", file, "X", "--by", "rows"}, 2, "BadUsage");
        row("an option before the command", {"--memory", "64M", "info", file}, 2, "BadUsage");
        row("a folder that is no file", {"info", QString::fromStdString(dataFolder().string())}, 1,
            "NotHdf5");
    }
    void exitCodes()
    {
        QFETCH(QStringList, line);
        QFETCH(int, code);
        QFETCH(QString, error);
        const ProgramRun text = runCli(line);
        QVERIFY2(text.finished && text.exitCode == code, text.report());
        if (code != 0)
            QVERIFY2(text.out.isEmpty() && !text.err.isEmpty(), text.report());

        std::vector<std::string> words;
        for (const QString& word : line)
            words.push_back(word.toStdString());
        CliAnswer answer = askCli(words);
        QVERIFY2(answer.misconduct().isEmpty(), answer.misconduct());
        QVERIFY2(answer.run.exitCode == code, answer.run.report());
        if (code == 0)
            return;
        QVERIFY2(answer.run.err.isEmpty(), answer.run.report());
        json& failure = answer.json["error"];
        QVERIFY2(failure["code"] == error.toStdString(), answer.run.report());
        QVERIFY2(answer.json.contains("file"), answer.run.report());
        for (const char* key : {"id", "element", "message", "fix", "position"})
            QVERIFY2(failure.contains(key), answer.run.report());
        QVERIFY2(failure["message"].is_string() && !failure["message"].get<std::string>().empty(),
                 answer.run.report());
    }

    void aFailureSaysWhere()
    {
        json error = askCli({"view", kExample, "X", "--var", "CD3D,CD3Dx"}).json["error"];
        COMPARE_JSON(error["position"], json(5));
        COMPARE_JSON(error["element"], json("var"));
        QVERIFY(error["suggestions"].is_array());
        COMPARE_JSON(error["suggestions"][0], json("CD3D"));
        COMPARE_JSON(askCli({"view", kExample, "obs", "--obs", "0,\"a"}).json["error"]["position"],
                     json(2));
        COMPARE_JSON(askCli({"info", data("damaged/web_page.h5ad")}).json["error"]["id"],
                     json("A001"));
        COMPARE_JSON(askCli({"view", kExample, "obs/n_gene"}).json["error"]["suggestions"][0],
                     json("obs/n_genes"));
    }

    void optionsStandAnywhere()
    {
        const json wanted =
            askCli({"view", kExample, "obs", "--obs", "-5:", "--columns", "n_genes"}).json;
        COMPARE_JSON(wanted["shape"], json::array({5, 1}));
        const std::vector<std::vector<std::string>> lines{
            {"view", "--obs", "-5:", kExample, "--columns", "n_genes", "obs"},
            {"view", "--obs=-5:", "--columns=n_genes", kExample, "obs"},
            {"view", kExample, "--columns", "n_genes", "obs", "--obs=-5:"},
            {"view", "--obs", "-5:", "--columns=n_genes", "--json", "--", kExample, "obs"},
        };
        for (const auto& line : lines) {
            QStringList words;
            for (const std::string& word : line)
                words << QString::fromStdString(word);
            // Where -- ends the options, one that comes behind it is none.
            if (!words.contains("--"))
                words << "--json";
            const ProgramRun run = runCli(words);
            QVERIFY2(run.exitCode == 0, run.report());
            QVERIFY2(json::parse(run.out.begin(), run.out.end(), nullptr, false) == wanted,
                     run.report());
        }
    }

    void selectionsCompose()
    {
        const auto positions = [](const std::vector<std::string>& selections) {
            std::vector<std::string> line{"view", kExample, "obs", "--columns", ""};
            for (const std::string& selection : selections)
                line.insert(line.end(), {"--obs", selection});
            return askCli(line).json["obs_positions"];
        };
        COMPARE_JSON(positions({"2,5,7,11,3", "3,1,1"}), json::array({11, 5, 5}));
        COMPARE_JSON(positions({"::-1", "0", "0"}), json::array({699}));
        COMPARE_JSON(positions({"10:20", "mask:0000000011"}), json::array({18, 19}));
        // --rows speaks of the same axis and takes its place in the order.
        json view =
            askCli({"view", kExample, "obs", "--columns", "", "--obs", "10:20", "--rows", "-1"})
                .json;
        COMPARE_JSON(view["obs_positions"], json::array({19}));
    }

    void selectionsFromFilesAndStandardInput()
    {
        QTemporaryDir folder;
        QFile names(folder.filePath("names.txt"));
        QVERIFY(names.open(QIODevice::WriteOnly));
        names.write("NKG7\nCD3D\n");
        names.close();
        const json wanted = json::array({"NKG7", "CD3D"});
        json view = askCli({"view", kExample, "X", "--obs", "0", "--var",
                            "@" + names.fileName().toStdString()})
                        .json;
        COMPARE_JSON(view["var"], wanted);
        ProgramOptions options;
        options.input = "NKG7\nCD3D\n";
        view = askCli({"view", kExample, "X", "--obs", "0", "--var", "@-"}, options).json;
        COMPARE_JSON(view["var"], wanted);
        // Raw has genes of its own.
        view = askCli({"view", kExample, "raw/X", "--obs", "0", "--var", "NKG7"}).json;
        COMPARE_JSON(view["var"], json::array({"NKG7"}));
    }

    void severalFiles()
    {
        const std::string bad = data("damaged/web_page.h5ad");
        CliAnswer answer = askCli({"info", kExample, bad, data("files/aligned.h5ad")});
        QVERIFY2(answer.run.exitCode == 1, answer.run.report());
        QCOMPARE(answer.json["files"].size(), std::size_t{3});
        COMPARE_JSON(answer.json["failed"], json(1));
        COMPARE_JSON(answer.json["files"][0], askCli({"info", kExample}).json);
        COMPARE_JSON(answer.json["files"][1], askCli({"info", bad}).json);
        QVERIFY(answer.json["files"][2].contains("elements"));

        QTemporaryDir folder;
        QFile list(folder.filePath("list.txt"));
        QVERIFY(list.open(QIODevice::WriteOnly));
        list.write(QByteArray::fromStdString(kExample + "\n" + data("files/aligned.h5ad") + "\n"));
        list.close();
        answer = askCli({"info", "@" + list.fileName().toStdString()});
        QVERIFY2(answer.run.exitCode == 0, answer.run.report());
        QCOMPARE(answer.json["files"].size(), std::size_t{2});
        COMPARE_JSON(answer.json["failed"], json(0));
        COMPARE_JSON(askCli({"info", "@/nowhere.txt"}).json["error"]["code"], json("NotFound"));
    }

    void modalities()
    {
        const std::string file = data("files/two_modalities.h5mu");
        CliAnswer whole = askCli({"info", file});
        QVERIFY2(whole.ok(), whole.run.report());
        QCOMPARE(whole.json["modalities"].size(), std::size_t{2});
        const std::string first = whole.json["modalities"][0]["name"];
        CliAnswer x = askCli({"view", file, "X"});
        QVERIFY2(x.run.exitCode == 1 && x.json["error"]["code"] == "Ambiguous", x.run.report());
        QVERIFY2(x.json["error"]["message"].get<std::string>().find(first) != std::string::npos,
                 x.run.report());
        x = askCli({"view", file + "::" + first, "X"});
        QVERIFY2(x.ok(), x.run.report());
        json fromRoot = askCli({"view", file, "mod/" + first + "/X"}).json;
        COMPARE_JSON(fromRoot["values"], x.json["values"]);
        COMPARE_JSON(askCli({"view", file + "::nosuch", "X"}).json["error"]["code"],
                     json("NotFound"));
    }

    void viewAnswers()
    {
        json x = askCli({"view", kExample, "X", "--obs", "7,2", "--var", "0:3"}).json;
        COMPARE_JSON(x["shape"], json::array({2, 3}));
        COMPARE_JSON(x["obs_positions"], json::array({7, 2}));
        COMPARE_JSON(x["var_positions"], json::array({0, 1, 2}));
        QCOMPARE(x["values"].size(), std::size_t{2});
        QCOMPARE(x["values"][0].size(), std::size_t{3});
        json umap = askCli({"view", kExample, "obsm/X_umap", "--obs", "0"}).json;
        COMPARE_JSON(umap["columns"], json::array({"0", "1"}));
        QVERIFY(!umap.contains("var"));
        // Columns in the wanted order, by name in tables and by position in arrays.
        json table =
            askCli({"view", kExample, "obs", "--obs", "0", "--columns", "n_genes,bulk_labels"})
                .json;
        COMPARE_JSON(table["columns"][0]["name"], json("n_genes"));
        COMPARE_JSON(table["columns"][1]["column"], json("categorical"));
        umap = askCli({"view", kExample, "obsm/X_umap", "--obs", "0", "--columns", "1"}).json;
        COMPARE_JSON(umap["columns"], json::array({"1"}));
        table = askCli({"view", kExample, "obs", "--obs", "0", "--columns", ""}).json;
        COMPARE_JSON(table["columns"], json::array());
        json graph = askCli({"view", kExample, "obsp/distances", "--obs", "3,1"}).json;
        COMPARE_JSON(graph["shape"], json::array({2, 2}));
        COMPARE_JSON(graph["columns"], graph["obs"]);
        json value = askCli({"view", kExample, "uns/neighbors"}).json;
        COMPARE_JSON(value["value"]["params"]["method"], json("umap"));
        json records =
            askCli({"view", kExample, "uns/rank_genes_groups/names", "--rows", "0:2"}).json;
        QVERIFY(records["value"].is_object());
        QCOMPARE(records["value"].begin().value().size(), std::size_t{2});
        json column = askCli({"view", kExample, "/obs/n_genes", "--obs", "0:2"}).json;
        COMPARE_JSON(column["element"], json("obs/n_genes"));
        QCOMPARE(column["values"].size(), std::size_t{2});
    }

    void separatedValues()
    {
        const QString file = QString::fromStdString(kExample);
        const ProgramRun csv = runCli(
            {"view", file, "obs", "--obs", "0:2", "--columns", "bulk_labels,n_genes", "--csv"});
        const QList<QByteArray> lines = csv.out.split('\n');
        QCOMPARE(lines.size(), 4);
        QCOMPARE(lines[0], QByteArray("obs,bulk_labels,n_genes\r"));
        QCOMPARE(lines[1], QByteArray("AAAGCCTGGCTAAC-1,CD14+ Monocyte,1003\r"));
        // All rows, and a name with a comma in quotes.
        QCOMPARE(runCli({"view", file, "obs", "--csv"}).out.count('\n'), 701);
        QTemporaryDir folder;
        const ProgramRun names =
            runCli({"view", file, "uns/rank_genes_groups/names", "--rows", "0", "--csv"});
        QVERIFY2(names.exitCode == 0 && names.out.count('\n') == 2, names.report());
        const ProgramRun mapping = runCli({"view", file, "uns", "--csv"});
        QCOMPARE(mapping.exitCode, 1);
    }

    void textStopsAfterTwentyRows()
    {
        const QString file = QString::fromStdString(kExample);
        ProgramRun run = runCli({"view", file, "X"});
        QVERIFY2(run.out.contains("680 more rows and 745 more columns"), run.report());
        QCOMPARE(run.out.count('\n'), 22);
        run = runCli({"view", file, "obs", "--obs", "0:100"});
        QCOMPARE(run.out.count('\n'), 101);
    }

    void statsAnswers()
    {
        json stats = askCli({"stats", kExample, "raw/X", "--quantiles", "0.5,1"}).json;
        for (const char* key : {"shape", "dtype", "n", "stored", "nnz", "explicit_zeros", "sum",
                                "mean", "sd", "min", "max", "missing", "nan", "inf", "holds"})
            QVERIFY2(stats.contains(key), key);
        COMPARE_JSON(stats["n"], json(700 * 765));
        // The largest in its own type, the quantile as a double.
        QVERIFY2(sameValue(stats["quantiles"]["1"], stats["max"], 1e-6), stats.dump().c_str());
        json by = askCli({"stats", kExample, "raw/X", "--by", "var", "--var", "NKG7,CD3D"}).json;
        COMPARE_JSON(by["by"], json("var"));
        COMPARE_JSON(by["var"], json::array({"NKG7", "CD3D"}));
        QCOMPARE(by["sum"].size(), std::size_t{2});
        json labels = askCli({"stats", kExample, "obs/bulk_labels"}).json;
        COMPARE_JSON(labels["distinct"], json(10));
        json total = 0;
        for (const json& category : labels["categories"])
            total = total.get<int>() + category["count"].get<int>();
        COMPARE_JSON(total, json(700));
        const ProgramRun csv = runCli({"stats", QString::fromStdString(kExample), "X", "--csv"});
        QVERIFY2(csv.out.startsWith("n,stored,nnz,"), csv.report());
    }

    void helpIsMadeFromTheTables()
    {
        const QString folder = QStringLiteral(CELLFOLIO_SOURCE_DIR "/resources/examples");
        for (const char* command : {"info", "view", "stats", "validate"}) {
            const ProgramRun help = runCli({command, "--help"});
            QCOMPARE(help.exitCode, 0);
            QVERIFY2(help.out.contains("--json") && help.out.contains("256M"), help.report());
            // The two examples run as they stand.
            const QList<QByteArray> lines =
                help.out.mid(help.out.indexOf("Examples:")).trimmed().split('\n');
            QCOMPARE(lines.size(), 3);
            for (qsizetype i = 1; i < lines.size(); ++i) {
                QStringList words = QString::fromUtf8(lines[i].trimmed()).split(' ');
                QCOMPARE(words.takeFirst(), "cellfolio-cli");
                ProgramOptions options;
                options.folder = folder;
                const ProgramRun example = runCli(words, options);
                QVERIFY2(example.exitCode == 0 && !example.out.isEmpty(),
                         lines[i] + "\n" + example.report());
            }
        }
        QCOMPARE(runCli({"--help"}).exitCode, 0);
        QCOMPARE(runCli({}).exitCode, 2);
        QVERIFY(runCli({"--version"}).out.startsWith("cellfolio-cli "));
        QVERIFY(runCli({"--help-markdown"}).out.contains("## validate"));
        QVERIFY(askCli({"view", "--help"}).json.contains("options"));
    }

    void aClosedPipeIsNoFailure()
    {
        // The reader goes after the first line; the program's own code is what is asked for.
        const ProgramRun run = runProgram(
            "bash",
            {"-c", QString("set -o pipefail; '%1' view '%2' X --csv | head -n 1 > /dev/null; echo "
                           "${PIPESTATUS[0]}")
                       .arg(QStringLiteral(CELLFOLIO_CLI), QString::fromStdString(kExample))});
        QCOMPARE(run.out.trimmed(), QByteArray("0"));
        QVERIFY2(run.err.isEmpty(), run.report());
    }

    void aFullDiskIsToldAbout()
    {
        if (!QFile::exists("/dev/full"))
            QSKIP("there is no /dev/full here");
        const ProgramRun run = runProgram(
            "bash",
            {"-c", QString("'%1' view '%2' X --csv > /dev/full")
                       .arg(QStringLiteral(CELLFOLIO_CLI), QString::fromStdString(kExample))});
        QCOMPARE(run.exitCode, 3);
        QVERIFY2(!run.err.isEmpty(), run.report());
    }

    // Asked to stop while its reader keeps it waiting, it closes its answer and ends with 3.
    void cancelling()
    {
        int ends[2];
        QCOMPARE(::pipe(ends), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            ::dup2(ends[1], STDOUT_FILENO);
            ::close(ends[0]);
            ::close(ends[1]);
            ::execl(CELLFOLIO_CLI, "cellfolio-cli", "view", kExample.c_str(), "X", "--json",
                    "--memory", "16M", static_cast<char*>(nullptr));
            ::_exit(127);
        }
        ::close(ends[1]);
        std::string text(1, ' ');
        // The first piece fills the pipe; from then on it waits for us.
        QCOMPARE(::read(ends[0], text.data(), 1), ssize_t{1});
        QTest::qSleep(200);
        QCOMPARE(::kill(child, SIGTERM), 0);
        QTest::qSleep(200);
        std::vector<char> buffer(1 << 16);
        for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
            text.append(buffer.data(), static_cast<std::size_t>(got));
        ::close(ends[0]);
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 3);
        json answer = json::parse(text, nullptr, false);
        QVERIFY2(answer.is_object(),
                 text.substr(text.size() - std::min<std::size_t>(300, text.size())).c_str());
        COMPARE_JSON(answer["error"]["code"], json("Cancelled"));
    }

    // Damage met on the way: what was read stands, the object is closed, the code tells.
    void damageOnTheWay()
    {
        CliAnswer answer = askCli({"view", data("damaged/index_too_large.h5ad"), "X"});
        QVERIFY2(answer.run.exitCode == 1, answer.run.report());
        QVERIFY2(answer.json.contains("values") && answer.json.contains("error"),
                 answer.run.report());
        COMPARE_JSON(answer.json["error"]["code"], json("Corrupt"));
    }

    void textThatIsNotUtf8()
    {
        CliAnswer answer = askCli({"view", data("damaged/not_utf8.h5ad"), "obs"});
        QVERIFY2(answer.ok(), answer.run.report());
        QVERIFY2(answer.run.out.contains("\xEF\xBF\xBD"), answer.run.report());
        COMPARE_JSON(answer.json["findings"][0]["id"], json("A023"));
    }
};

QTEST_GUILESS_MAIN(CliContractTest)
#include "cli_contract_test.moc"
