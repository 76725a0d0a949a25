// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/cli_answer.h"
#include "tests/support/corpus.h"

#include <QTest>

#include <algorithm>
#include <cctype>
#include <fstream>

using nlohmann::json;
using namespace cellfolio::test;

namespace {

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// Everything an answer says that is for people: findings and the error.
std::string sentencesOf(const json& answer)
{
    std::string text;
    if (answer.contains("findings")) {
        for (const json& finding : answer["findings"])
            text += finding.dump() + "\n";
    }
    if (answer.contains("error"))
        text += answer["error"].dump() + "\n";
    return lower(text);
}

bool mentionsOne(const std::string& sentences, const json& words)
{
    return std::any_of(words.begin(), words.end(), [&sentences](const json& word) {
        return sentences.find(lower(word.get<std::string>())) != std::string::npos;
    });
}

// Members of a member; none where it is not there.
std::vector<std::pair<std::string, json>> membersOf(const json& object, const char* key)
{
    std::vector<std::pair<std::string, json>> members;
    if (object.contains(key)) {
        for (const auto& [name, value] : object[key].items())
            members.emplace_back(name, value);
    }
    return members;
}

// A list of positions as it would be typed.
std::string listOf(const json& positions)
{
    std::string text;
    for (const json& position : positions)
        text += position.dump() + ",";
    return text;
}

} // namespace

// Files rebuilt from public bug reports, files of one fault each, and small files of our own,
// through the program: what opens, what is said about it, and the values.
class CliReportsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void file_data()
    {
        QTest::addColumn<QString>("path");
        bool any = false;
        for (const std::filesystem::path& folder : {corpusFolder("reports"), dataFolder()}) {
            std::ifstream file(folder / "expected.json");
            if (folder.empty() || !file)
                continue;
            json all = json::parse(file);
            if (all.contains("files"))
                all = all["files"];
            for (const auto& [name, expected] : all.items()) {
                if (!expected.is_object() || !expected.contains("outcome"))
                    continue;
                const std::string path = (folder / name).string();
                m_expected[path] = expected;
                QTest::newRow(name.c_str()) << QString::fromStdString(path);
                any = true;
            }
        }
        if (!any)
            QSKIP("neither ../shared/data/reports nor tests/data is here");
    }
    void file()
    {
        QFETCH(QString, path);
        m_file = path.toStdString();
        m_problems.clear();
        json& expected = m_expected[m_file];
        const FileState before = stateOf(m_file);
        CliAnswer info = ask({"info"}, {});
        const CliAnswer validate = ask({"validate"}, {});
        const std::string said = sentencesOf(info.json) + sentencesOf(validate.json);
        const std::string outcome = expected["outcome"];
        if (outcome == "error") {
            check(info.run.exitCode != 0, "it is not refused");
            check(mentionsOne(said, expected["mentions"]),
                  "the refusal names none of " + expected["mentions"].dump() + ": " + said);
        } else if (outcome != "either" || info.ok()) {
            check(info.ok(), "it does not open: " + info.run.out.toStdString().substr(0, 600));
            if (outcome == "opens_warn")
                check(mentionsOne(said, expected["mentions"]),
                      "nothing names one of " + expected["mentions"].dump() + ": " + said);
            if (expected.contains("rules")) {
                for (const json& rule : expected["rules"])
                    check(said.find(lower("\"id\":" + rule.dump())) != std::string::npos,
                          "rule " + rule.dump() + " is not among " + said);
            }
            if (info.ok()) {
                values(expected, info.json);
                inside(expected);
            }
        }
        check(stateOf(m_file) == before, "the file was changed");
        QVERIFY2(m_problems.isEmpty(), m_problems);
    }

    // Files of the specification: each of its rules is found by `info` or `validate`.
    void specification_data()
    {
        QTest::addColumn<QString>("name");
        const std::filesystem::path folder = corpusFolder("spec");
        if (folder.empty())
            QSKIP("../shared/data/spec is not here");
        std::ifstream file(folder / "expected.json");
        m_specification = json::parse(file)["files"];
        for (const auto& [name, expected] : m_specification.items())
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
    void specification()
    {
        QFETCH(QString, name);
        json& expected = m_specification[name.toStdString()];
        m_file = (corpusFolder("spec") / name.toStdString()).string();
        m_problems.clear();
        const FileState before = stateOf(m_file);
        const CliAnswer info = ask({"info"}, {});
        const CliAnswer validate = ask({"validate"}, {});
        check(info.ok(), "it does not open: " + info.run.out.toStdString().substr(0, 600));
        const std::string said = sentencesOf(info.json) + sentencesOf(validate.json);
        for (const json& rule : expected["rules"]) {
            const std::string id = rule;
            check(said.find(lower("\"id\":\"" + id + "\"")) != std::string::npos,
                  "rule " + id + " is not among " + said);
        }
        if (expected["valid"].get<bool>() && expected["rules"].empty())
            check(validate.run.exitCode == 0, "a valid file fails: " + said);
        if (info.ok())
            specificationValues(expected["values"]);
        check(stateOf(m_file) == before, "the file was changed");
        QVERIFY2(m_problems.isEmpty(), m_problems);
    }

private:
    CliAnswer ask(std::vector<std::string> before, const std::vector<std::string>& after)
    {
        before.push_back(m_file + m_inside);
        before.insert(before.end(), after.begin(), after.end());
        CliAnswer answer = askCli(before);
        const QByteArray misconduct = answer.misconduct();
        if (!misconduct.isEmpty()) {
            std::string line;
            for (const std::string& argument : before)
                line += argument + " ";
            m_problems += "\n" + QByteArray::fromStdString(line) + ": " + misconduct;
        }
        return answer;
    }

    void check(bool right, const std::string& sentence)
    {
        if (!right)
            m_problems += "\n" + QByteArray::fromStdString(m_inside + " " + sentence);
    }

    void checkValue(const json& got, const json& wanted, const std::string& what,
                    double tolerance = 1e-9)
    {
        check(sameValue(got, wanted, tolerance),
              what + " is " + got.dump() + " and should be " + wanted.dump());
    }

    // The keys of the report corpus.
    void values(json& expected, json info)
    {
        if (expected.contains("shape"))
            checkValue(json{info["n_obs"], info["n_vars"]}, expected["shape"], "the shape");
        const json huge = expected.value("huge", json::array());
        const auto isHuge = [&huge](const std::string& path) {
            return std::find(huge.begin(), huge.end(), path) != huge.end();
        };
        for (const auto& [path, sum] : membersOf(expected, "sum")) {
            if (!isHuge(path))
                checkValue(ask({"stats"}, {path}).json["sum"], sum, path + "'s sum");
        }
        for (const auto& [path, nnz] : membersOf(expected, "nnz")) {
            const json stored = elementOf(info, path).value("stored", json());
            // Dense matrices have no entries: the values that differ from zero stand for them.
            checkValue(stored.is_null() ? ask({"stats"}, {path}).json["nnz"] : stored, nnz,
                       path + "'s entries");
        }
        for (const json& cell : expected.value("cells", json::array())) {
            json view =
                ask({"view"}, {cell[0], "--rows", cell[1].dump(), "--cols", cell[2].dump()}).json;
            checkValue(view["values"], json::array({json::array({cell[3]})}), "cell " + cell.dump(),
                       1e-6);
        }
        for (const json& select : expected.value("select", json::array())) {
            json view = ask({"view"}, {select["element"], "--rows", listOf(select["rows"]),
                                       "--cols", listOf(select["cols"])})
                            .json;
            checkValue(view["values"], select["values"], "the selection " + select.dump(),
                       toleranceOf(elementOf(info, select["element"])));
        }
        if (expected.contains("view_of_view")) {
            json& chain = expected["view_of_view"];
            json view = ask({"view"}, {chain["element"], "--obs", listOf(chain["first_rows"]),
                                       "--obs", listOf(chain["then_rows"])})
                            .json;
            checkValue(view["values"], chain["values"], "the view of a view", 1e-6);
        }
        for (const auto& [frame, names] : membersOf(expected, "columns"))
            checkValue(elementOf(info, frame)["columns"], names, frame + "'s columns");
        for (const auto& [frame, count] : membersOf(expected, "n_columns"))
            checkValue(elementOf(info, frame)["columns"].size(), count,
                       frame + "'s number of columns");
        for (const auto& [frame, rows] : membersOf(expected, "index"))
            index(frame, rows);
        for (const json& column : expected.value("column", json::array()))
            tableColumn(column, info);
        for (const auto& [name, shape] : membersOf(expected, "obsm"))
            checkValue(elementOf(info, "obsm/" + name)["shape"], shape,
                       "obsm/" + name + "'s shape");
        for (const auto& [path, value] : membersOf(expected, "uns"))
            checkValue(ask({"view"}, {"uns/" + path}).json["value"], value, "uns/" + path, 1e-6);
        for (const auto& [path, wanted] : membersOf(expected, "uns_fields"))
            recordFields("uns/" + path, wanted);
        for (const auto& [path, holds] : membersOf(expected, "holds")) {
            const json element = elementOf(info, path);
            checkValue(element.value("holds", json()), holds[0], "what " + path + " holds");
            if (!holds[1].is_null())
                checkValue(element.value("holds_total", json()), holds[1], path + "'s total", 0.02);
        }
    }

    // Either the names of all fields of a record array, or the values of the field named last.
    void recordFields(const std::string& path, const json& wanted)
    {
        json value = ask({"view"}, {path}).json["value"];
        if (value.is_object()) {
            for (const json& field : wanted)
                check(value.contains(field.get<std::string>()),
                      path + " has no field " + field.dump());
            return;
        }
        const std::size_t slash = path.rfind('/');
        value = ask({"view"}, {path.substr(0, slash)}).json["value"];
        checkValue(value[path.substr(slash + 1)], wanted, path, 1e-6);
    }

    // How near a value must be: half precision has the shortest text of its own, too.
    static double toleranceOf(const json& element)
    {
        return element.is_object() && element.value("dtype", json()) == "float16" ? 1e-3 : 1e-6;
    }

    void index(const std::string& frame, const json& rows)
    {
        for (const auto& [row, name] : rows.items()) {
            json view = ask({"view"}, {frame, "--rows", row, "--columns", ""}).json;
            const std::string key = view.contains("obs")   ? "obs"
                                    : view.contains("var") ? "var"
                                                           : "index";
            checkValue(view[key], json::array({name}), frame + "'s name of row " + row);
        }
    }

    void tableColumn(const json& expected, json& info)
    {
        const std::string frame = expected["frame"];
        const std::string name = expected["name"];
        const std::string what = frame + "/" + name;
        json column = columnOf(ask({"view"}, {frame, "--columns", "\"" + name + "\""}).json, name);
        if (column.is_null() || !column["values"].is_array()) {
            check(false, what + " cannot be viewed");
            return;
        }
        const std::string type = expected["type"];
        const std::string kind = type == "int" || type == "float" ? "numeric"
                               : type == "bool"                   ? "boolean"
                                                                  : type;
        checkValue(column["column"], kind, what + "'s kind");
        for (const auto& [row, value] : membersOf(expected, "values"))
            checkValue(column["values"][std::stoul(row)], value, what + " at row " + row,
                       toleranceOf(elementOf(info, what)));
        if (expected.contains("ordered"))
            checkValue(column["ordered"], expected["ordered"], what + "'s order");
        json stats = ask({"stats"}, {what}).json;
        if (expected.contains("missing"))
            checkValue(stats["missing"], expected["missing"], what + "'s missing values");
        if (!expected.contains("categories"))
            return;
        checkValue(elementOf(info, what)["categories"], expected["categories"].size(),
                   what + "'s categories");
        json categories = json::array();
        for (const json& category : stats["categories"])
            categories.push_back(category["value"]);
        checkValue(categories, expected["categories"], what + "'s categories");
    }

    void inside(json& expected)
    {
        json& all = expected["inside"];
        for (auto& [name, values] : all.items()) {
            m_inside = "::" + name;
            CliAnswer info = ask({"info"}, {});
            check(info.ok(), "does not open");
            if (info.ok())
                this->values(values, info.json);
            m_inside.clear();
        }
    }

    // Dense values, columns and names as the specification lists them.
    void specificationValues(json& values)
    {
        for (const auto& [path, wanted] : values.items()) {
            const std::string element = path.substr(1);
            if (wanted.is_object() && wanted.contains("dense"))
                checkValue(ask({"view"}, {element}).json["values"], wanted["dense"], path);
            if (!wanted.is_object() || (element != "obs" && element != "var"))
                continue;
            json view = ask({"view"}, {element}).json;
            for (const auto& [key, list] : wanted.items()) {
                if (key == "index")
                    checkValue(view[element], list, path + "'s names");
                else if (key == "columns")
                    checkValue(columnNames(view), list, path + "'s columns");
                else if (list.is_array())
                    checkValue(columnOf(view, key).value("values", json()), list, path + "/" + key,
                               1e-6);
            }
        }
    }

    static json columnNames(const json& view)
    {
        json names = json::array();
        for (const json& column : view["columns"])
            names.push_back(column["name"]);
        return names;
    }

    std::map<std::string, json> m_expected;
    json m_specification;
    std::string m_file;
    std::string m_inside;
    QByteArray m_problems;
};

QTEST_GUILESS_MAIN(CliReportsTest)
#include "cli_reports_test.moc"
