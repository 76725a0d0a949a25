// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/cli_answer.h"
#include "tests/support/corpus.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fstream>

using nlohmann::json;
using namespace cellfolio::test;

namespace {

std::string joined(const std::vector<std::string>& parts, const std::string& mark)
{
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i)
        text += (i == 0 ? "" : mark) + parts[i];
    return text;
}

} // namespace

// The chains of the index algebra as repeated --obs options. Those over unique names run on the
// first ten cells of the bundled example, whose names stand for n0 … n9; those over repeated names
// on a file of our own that has them.
class CliSelectionTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        std::ifstream file(corpusFolder("spec") / "index_algebra.json");
        if (corpusFolder("spec").empty() || !file)
            QSKIP("../shared/data/spec is not here");
        m_all = json::parse(file);
        QCOMPARE(m_all["cases"].size(), std::size_t{121});
        m_unique = (std::filesystem::path(CELLFOLIO_SOURCE_DIR) /
                    "resources/examples/pbmc68k_reduced.h5ad")
                       .string();
        m_repeated = (dataFolder() / "files" / "names_of_chains.h5ad").string();
        // The names of the first ten cells stand for n0 … n9.
        json names = askCli({"view", m_unique, "obs", "--obs", ":10", "--columns", ""}).json;
        QCOMPARE(names["obs"].size(), std::size_t{10});
        for (std::size_t i = 0; i < 10; ++i)
            m_names["n" + std::to_string(i)] = names["obs"][i];
    }

    void chain_data()
    {
        QTest::addColumn<int>("number");
        for (int i = 0; i < static_cast<int>(m_all["cases"].size()); ++i)
            QTest::addRow("%d", i) << i;
    }
    void chain()
    {
        QFETCH(int, number);
        const json& one = m_all["cases"][static_cast<std::size_t>(number)];
        const bool repeated = one["names"] == "repeated";
        std::vector<std::string> arguments{"view", repeated ? m_repeated : m_unique, "obs",
                                           "--columns", ""};
        if (!repeated)
            arguments.insert(arguments.end(), {"--obs", ":10"});
        for (const json& step : one["steps"])
            arguments.insert(arguments.end(), {"--obs", written(step, !repeated)});
        compare(one, askCli(arguments), "obs_positions");
    }

private:
    void compare(const json& one, CliAnswer answer, const char* key)
    {
        const std::string told = one.dump() + "\n" + answer.run.report().toStdString();
        QVERIFY2(answer.misconduct().isEmpty(), told.c_str());
        if (one.contains("refused")) {
            const std::string reason = one["refused"];
            QVERIFY2(answer.run.exitCode == (reason == "zero-step" ? 2 : 1), told.c_str());
            const std::string code = reason == "zero-step"         ? "BadUsage"
                                   : reason == "ambiguous-label" ? "Ambiguous"
                                                                  : "NotFound";
            QVERIFY2(answer.json["error"]["code"] == code, told.c_str());
            return;
        }
        QVERIFY2(answer.run.exitCode == 0, told.c_str());
        QVERIFY2(answer.json[key] == one["rows"], told.c_str());
        QVERIFY2(answer.json["shape"][0] == one["rows"].size(), told.c_str());
    }

    // A step of the corpus as it would be typed.
    std::string written(const json& step, bool mapped) const
    {
        const std::string kind = step["kind"];
        const auto number = [&step](const char* key) {
            return step[key].is_null() ? std::string() : step[key].dump();
        };
        const auto name = [this, mapped](const json& text) {
            const auto found = m_names.find(text.get<std::string>());
            return mapped && found != m_names.end() ? found->second : text.get<std::string>();
        };
        if (kind == "slice")
            return number("start") + ":" + number("stop") + ":" + number("step");
        if (kind == "int")
            return number("v");
        if (kind == "label")
            return name(step["v"]);
        if (kind == "label_slice")
            return (step["start"].is_null() ? "" : name(step["start"])) + ".."
                 + (step["stop"].is_null() ? "" : name(step["stop"]));
        std::vector<std::string> parts;
        for (const json& value : step["v"])
            parts.push_back(value.is_string() ? name(value) : value.dump());
        if (kind == "mask")
            return "mask:" + joined(parts, "");
        return joined(parts, ",") + (kind == "labels" && !parts.empty() ? "," : "");
    }

    json m_all;
    std::string m_unique;
    std::string m_repeated;
    std::map<std::string, std::string> m_names;
};

QTEST_GUILESS_MAIN(CliSelectionTest)
#include "cli_selection_test.moc"
