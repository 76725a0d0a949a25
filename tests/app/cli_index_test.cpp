// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/cli_answer.h"
#include "tests/support/corpus.h"

#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <fstream>

#include <sys/wait.h>
#include <unistd.h>

using nlohmann::json;
using namespace cellfolio::test;
namespace fs = std::filesystem;

// `index`: what it answers, what it leaves in the cache folder, and what each failure ends with.
class CliIndexTest : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::string m_file;
    fs::path m_cache;

    fs::path store() const { return m_cache / "cellfolio" / "genes"; }
    int filesInStore() const
    {
        std::error_code failure;
        int count = 0;
        for (fs::directory_iterator it(store(), failure), end; !failure && it != end;
             it.increment(failure))
            ++count;
        return count;
    }
    fs::path settings() const
    {
        return fs::path(m_folder.filePath("config").toStdString()) / "cellfolio" / "genes.conf";
    }
    void set(const std::string& text) const
    {
        fs::create_directories(settings().parent_path());
        std::ofstream(settings()) << text;
    }
    static bool ends(const CliAnswer& answer, int code, const char* error)
    {
        return answer.misconduct().isEmpty() && answer.run.exitCode == code
            && answer.json["error"]["code"] == error;
    }
    CliAnswer index(std::vector<std::string> more) const
    {
        more.insert(more.begin(), {"index", m_file, "--matrix", "raw/X"});
        return askCli(more);
    }

private Q_SLOTS:
    void init()
    {
        m_cache = m_folder.filePath("cache").toStdString();
        fs::remove_all(m_cache);
        qputenv("XDG_CACHE_HOME", QByteArray::fromStdString(m_cache.string()));
        fs::remove_all(settings().parent_path());
        qputenv("XDG_CONFIG_HOME", m_folder.filePath("config").toUtf8());
        m_file = m_folder.filePath("cells.h5ad").toStdString();
        fs::copy_file(CELLFOLIO_SOURCE_DIR "/resources/examples/pbmc68k_reduced.h5ad", m_file,
                      fs::copy_options::overwrite_existing);
    }

    // The limit and the place that were chosen in the window.
    void obeysTheSettings()
    {
        const fs::path other = m_folder.filePath("elsewhere").toStdString();
        set("# chosen\nlimit = 1000\nfolder = " + other.string() + "\n");
        const CliAnswer estimate = index({"--estimate"});
        QCOMPARE(estimate.run.exitCode, 3);
        QVERIFY(estimate.json["fits"] == false);
        QVERIFY(estimate.json["reason"].get<std::string>().find("1000 bytes") != std::string::npos);
        QVERIFY(ends(index({}), 3, "OutOfDisk"));
        set("limit = 100000000\nfolder = " + other.string() + "\n");
        const CliAnswer built = index({});
        QVERIFY2(built.ok(), built.run.report());
        QVERIFY(fs::path(built.json["path"].get<std::string>()).parent_path() == other);
        QCOMPARE(filesInStore(), 0);
        set("limit = much\n");
        const CliAnswer wrong = index({"--status"});
        QVERIFY(ends(wrong, 1, "Corrupt"));
        QVERIFY(wrong.json["error"]["message"].get<std::string>().find("line 1") != std::string::npos);
        // What only reads goes on without an index.
        QVERIFY(askCli({"filter", m_file, "--where", "raw(\"CD3D\") > 2", "--count"}).ok());
    }

    void lifeOfAnIndex()
    {
        const FileState before = stateOf(m_file);
        CliAnswer answer = index({"--status"});
        QVERIFY2(answer.ok(), answer.run.report());
        QVERIFY(answer.json["matrix"] == "raw/X");
        QVERIFY(answer.json["exists"] == false);
        QVERIFY(answer.json["fresh"] == false);
        QVERIFY(answer.json["bytes"].is_null() && answer.json["entries"].is_null());
        QVERIFY(!answer.json.contains("used"));

        answer = index({"--estimate"});
        QVERIFY2(answer.ok(), answer.run.report());
        QVERIFY(answer.json["fits"] == true);
        QVERIFY(answer.json["output"].is_null());
        for (const char* key : {"memory", "temporary", "output", "seconds"})
            QVERIFY(answer.json["estimate"][key].get<double>() > 0);
        const double guessed = answer.json["estimate"]["output"].get<double>();
        QCOMPARE(filesInStore(), 0);

        answer = index({});
        QVERIFY2(answer.ok(), answer.run.report());
        QVERIFY(answer.json["exists"] == true);
        QVERIFY(answer.json["fresh"] == true);
        const CliAnswer info = askCli({"info", m_file});
        QVERIFY(answer.json["entries"] == elementOf(info.json, "raw/X")["stored"]);
        const std::string path = answer.json["path"];
        QVERIFY(fs::path(path).parent_path() == store());
        QVERIFY(answer.json["bytes"] == fs::file_size(path));
        QVERIFY(guessed > 0.5 * static_cast<double>(fs::file_size(path)));
        QVERIFY(guessed < 2 * static_cast<double>(fs::file_size(path)));
        for (const char* key : {"memory", "temporary", "output", "seconds", "processor_seconds"})
            QVERIFY(answer.json["used"][key].is_number());
        QCOMPARE(filesInStore(), 1);

        // Again: nothing is done; the text says so.
        const auto changed = fs::last_write_time(path);
        QVERIFY(index({}).ok());
        QVERIFY(fs::last_write_time(path) == changed);
        const ProgramRun text =
            runCli({"index", QString::fromStdString(m_file), "--matrix=raw/X"});
        QCOMPARE(text.exitCode, 0);
        QVERIFY(text.err.contains("already"));
        QVERIFY(text.out.contains("bytes an entry"));

        answer = index({"--drop"});
        QVERIFY2(answer.ok(), answer.run.report());
        QVERIFY(answer.json["dropped"] == true);
        QVERIFY(answer.json["exists"] == false);
        QCOMPARE(filesInStore(), 0);
        QVERIFY(index({"--drop"}).json["dropped"] == false);
        QVERIFY(stateOf(m_file) == before);
    }

    void viewTakesItAndAnswersAlike()
    {
        const std::vector<std::vector<std::string>> lines{
            {"view", m_file, "raw/X", "--var", "CD3D,NKG7,CD3D"},
            {"view", m_file, "raw/X", "--var", "HES4", "--obs", "500:100:-3"},
            {"view", m_file, "raw/X", "--var", "::12"}};
        std::vector<json> before;
        for (const auto& line : lines)
            before.push_back(askCli(line).json);
        QVERIFY(index({}).ok());
        for (std::size_t k = 0; k < lines.size(); ++k)
            QVERIFY(askCli(lines[k]).json == before[k]);
        // Also when it breaks: it is dropped, and the matrix itself answers.
        const std::string path = index({"--status"}).json["path"];
        {
            std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
            file.seekp(5000);
            const std::string zeros(60'000, '\0');
            file.write(zeros.data(), static_cast<std::streamsize>(zeros.size()));
        }
        for (std::size_t k = 0; k < lines.size(); ++k)
            QVERIFY(askCli(lines[k]).json == before[k]);
        fs::resize_file(path, 3000);
        const CliAnswer status = index({"--status"});
        QVERIFY(status.json["exists"] == true);
        QVERIFY(status.json["fresh"] == false);
        QVERIFY(status.json["reason"].is_string());
        for (std::size_t k = 0; k < lines.size(); ++k)
            QVERIFY(askCli(lines[k]).json == before[k]);
        QVERIFY(index({}).ok());
        QVERIFY(index({"--status"}).json["fresh"] == true);
    }

    void failures()
    {
        QVERIFY(ends(askCli({"index", m_file, "--matrix", "nosuch"}), 1, "NotFound"));
        QVERIFY(ends(askCli({"index", m_file, "--matrix", "obs"}), 1, "NotFound"));
        QVERIFY(ends(askCli({"index", m_file}), 1, "Refused")); // X is dense
        QVERIFY(ends(askCli({"index", m_file, "--status", "--drop"}), 2, "BadUsage"));
        QVERIFY(ends(askCli({"index", m_file, m_file}), 2, "BadUsage"));
        QVERIFY(ends(askCli({"index", m_file, "--obs", "0"}), 2, "BadUsage"));
        QVERIFY(ends(askCli({"index", "/nowhere.h5ad"}), 1, "NotFound"));
        QVERIFY(ends(askCli({"index", m_file, "--memory", "1M"}), 2, "BadUsage"));

        // No place for it.
        std::ofstream(m_cache) << "a file where the folder should be";
        const CliAnswer answer = index({});
        QVERIFY2(answer.misconduct().isEmpty() && answer.run.exitCode == 3, answer.run.report());
    }
};

QTEST_GUILESS_MAIN(CliIndexTest)
#include "cli_index_test.moc"
