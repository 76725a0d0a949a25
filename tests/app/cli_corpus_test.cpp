// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/cli_answer.h"
#include "tests/support/corpus.h"

#include <QTest>

#include <cmath>
#include <fstream>

using nlohmann::json;
using namespace cellfolio::test;

namespace {

// How often a value of a column is missing, as the corpus counts it.
long long missingIn(const json& column)
{
    long long missing = 0;
    for (const json& value : column["values"])
        missing += value.is_null() || (column["column"] == "numeric" && value == "NaN");
    return missing;
}

// The sum of a column as its own type holds it: the shortest text of a float32 is another double.
json sumOf(const json& column, const std::string& dtype)
{
    const bool integers = dtype.find("int") != std::string::npos;
    long long whole = 0;
    double real = 0;
    for (const json& value : column["values"]) {
        if (value.is_number_integer() && integers)
            whole += value.get<long long>();
        else if (value.is_number() && dtype == "float32")
            real += static_cast<double>(static_cast<float>(value.get<double>()));
        else if (value.is_number())
            real += value.get<double>();
        else if (value == "Infinity" || value == "-Infinity")
            real += value == "Infinity" ? HUGE_VAL : -HUGE_VAL;
    }
    return integers ? json(whole) : json(real);
}

} // namespace

// Every real file through the program, against values computed with h5py and NumPy from the raw
// arrays.
class CliCorpusTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_folder = corpusFolder("real");
        if (m_folder.empty())
            QSKIP("../shared/data/real is not here");
        std::ifstream file(m_folder / "expected.json");
        m_files = json::parse(file)["files"];
        QVERIFY(m_files.size() > 100);
    }

    void file_data()
    {
        QTest::addColumn<QString>("name");
        for (const auto& [name, expected] : m_files.items())
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
    void file()
    {
        QFETCH(QString, name);
        const json& expected = m_files[name.toStdString()];
        const std::filesystem::path path = m_folder / name.toStdString();
        const FileState before = stateOf(path);
        m_problems.clear();

        CliAnswer info = ask({"info", path.string()});
        if (expected.contains("opens") && !expected["opens"].get<bool>()) {
            check(info.run.exitCode == 1 && info.json["error"]["code"] == "NotHdf5",
                  "it is not refused as no HDF5 file");
        } else {
            check(info.ok(), "info fails: " + info.json.dump());
            check(info.json["format"] == expected["format"],
                  "its format is " + info.json["format"].dump());
            check(info.json["bytes"] == expected["size"],
                  "its size is " + info.json["bytes"].dump());
            if (expected.contains("matrices"))
                tenX(path.string(), expected["matrices"]);
            else
                dataSet(path.string(), expected, info.json);
            if (expected.contains("modalities"))
                modalities(path.string(), expected["modalities"], info.json);
        }
        check(stateOf(path) == before, "the file was changed");
        QVERIFY2(m_problems.isEmpty(), m_problems);
    }

private:
    CliAnswer ask(const std::vector<std::string>& arguments)
    {
        CliAnswer answer = askCli(arguments);
        const QByteArray misconduct = answer.misconduct();
        if (!misconduct.isEmpty()) {
            std::string line;
            for (const std::string& argument : arguments)
                line += argument + " ";
            m_problems += "\n" + QByteArray::fromStdString(line) + ": " + misconduct;
        }
        return answer;
    }

    void check(bool right, const std::string& sentence)
    {
        if (!right)
            m_problems += "\n" + QByteArray::fromStdString(sentence);
    }

    void checkValue(const json& got, const json& wanted, const std::string& what)
    {
        check(sameValue(got, wanted),
              what + " is " + got.dump() + " and should be " + wanted.dump());
    }

    void dataSet(const std::string& file, const json& expected, json info)
    {
        checkValue(info["n_obs"], expected["shape"][0], "n_obs");
        checkValue(info["n_vars"], expected["shape"][1], "n_vars");
        frame(file, "obs", expected["obs"], info);
        frame(file, "var", expected["var"], info);
        if (expected.contains("X")) {
            if (expected["X"].is_null())
                check(elementOf(info, "X").is_null() || elementOf(info, "X")["kind"] == "null",
                      "there is an X");
            else
                matrix(file, "X", expected["X"], info);
        }
        if (expected.contains("layers")) {
            for (const auto& [name, layer] : expected["layers"].items())
                matrix(file, "layers/" + name, layer, info);
        }
        if (expected.contains("raw") && !expected["raw"].is_null()) {
            matrix(file, "raw/X", expected["raw"]["X"], info);
            frame(file, "raw/var", expected["raw"]["var"], info);
        }
        for (const char* group : {"obsm", "varm", "obsp", "varp"}) {
            if (!expected.contains(group))
                continue;
            for (const auto& [name, array] : expected[group].items())
                aligned(file, std::string(group) + "/" + name, array, info);
        }
    }

    void frame(const std::string& file, const std::string& path, const json& expected, json info)
    {
        json table = elementOf(info, path);
        if (table.is_null()) {
            check(false, path + " is not listed");
            return;
        }
        checkValue(table["shape"][0], expected["n"], path + "'s rows");
        json names = json::array();
        for (const json& column : expected["columns"])
            names.push_back(column["name"]);
        checkValue(table["columns"], names, path + "'s columns");

        json view = ask({"view", file, path}).json;
        check(!view.contains("error"), path + " cannot be viewed: " + view.dump().substr(0, 500));
        const std::string key = path == "obs" ? "obs" : "var";
        if (!view.contains(key))
            return;
        checkValue(view[key].size(), expected["n"], path + "'s names");
        if (!expected["index"].is_null() && expected["index"].contains("first") &&
            !view[key].empty()) {
            checkValue(view[key].front(), expected["index"]["first"], path + "'s first name");
            checkValue(view[key].back(), expected["index"]["last"], path + "'s last name");
        }
        for (const json& column : expected["columns"])
            tableColumn(path, column,
                        elementOf(info, path + "/" + column["name"].get<std::string>()), view);
    }

    void tableColumn(const std::string& path, const json& expected, json listed, json view)
    {
        const std::string what = path + "/" + expected["name"].get<std::string>();
        json column = columnOf(view, expected["name"]);
        if (column.is_null() || listed.is_null() || !column["values"].is_array()) {
            check(false, what + " is not there");
            return;
        }
        const std::string type = expected["type"];
        checkValue(column["column"], type == "bool" ? "boolean" : type, what + "'s kind");
        checkValue(column["values"].size(), view["shape"][0], what + "'s length");
        if (expected.contains("n_categories"))
            checkValue(listed["categories"], expected["n_categories"], what + "'s categories");
        if (expected.contains("ordered"))
            checkValue(listed["ordered"], expected["ordered"], what + "'s order");
        if (expected.contains("n_missing"))
            checkValue(missingIn(column), expected["n_missing"], what + "'s missing values");
        if (expected.contains("sum"))
            checkValue(sumOf(column, expected["dtype"]), expected["sum"], what + "'s sum");
        if (expected.contains("n_true"))
            checkValue(std::count(column["values"].begin(), column["values"].end(), json(true)),
                       expected["n_true"], what + "'s count of true");
    }

    void matrix(const std::string& file, const std::string& path, const json& expected, json info)
    {
        json element = elementOf(info, path);
        if (element.is_null()) {
            check(false, path + " is not listed");
            return;
        }
        checkValue(element["shape"], expected["shape"], path + "'s shape");
        const std::string dtype = expected["dtype"];
        if (dtype.find("string") != std::string::npos) {
            checkValue(element["dtype"], "string", path + "'s type");
            return;
        }
        checkValue(element["dtype"], dtype, path + "'s type");
        checkValue(element["storage"], expected["storage"], path + "'s storage");
        if (expected.contains("nnz_stored"))
            checkValue(element["stored"], expected["nnz_stored"], path + "'s stored entries");
        if (expected.contains("indices_dtype"))
            checkValue(element["indices_dtype"], expected["indices_dtype"], path + "'s index type");
        checkValue(element["chunks"],
                   expected["chunks"].is_object() ? expected["chunks"]["data"] : expected["chunks"],
                   path + "'s chunks");

        json stats = ask({"stats", file, path}).json;
        checkValue(stats["sum"], expected["sum"], path + "'s sum");
        if (expected.contains("n_nan"))
            checkValue(stats["nan"], expected["n_nan"], path + "'s NaN");
        if (expected.contains("nnz"))
            checkValue(stats["nnz"], expected["nnz"], path + "'s values that are not zero");
        if (expected.contains("nnz_stored"))
            checkValue(stats["stored"], expected["nnz_stored"], path + "'s entries");
        if (expected.contains("n_explicit_zeros"))
            checkValue(stats["explicit_zeros"], expected["n_explicit_zeros"],
                       path + "'s stored zeros");
        if (expected.contains("min") && !expected["min"].is_null()) {
            floatValue(stats["min"], expected["min"], dtype, path + "'s smallest");
            floatValue(stats["max"], expected["max"], dtype, path + "'s largest");
        }
        if (expected["shape"][0] > 0 && expected.contains("sum_first_row")) {
            rowSum(file, path, "0", expected["sum_first_row"]);
            rowSum(file, path, "-1", expected["sum_last_row"]);
        }
    }

    // A value in the shortest text of its own type against the exact double.
    void floatValue(const json& got, const json& wanted, const std::string& dtype,
                    const std::string& what)
    {
        if (got.is_number() && wanted.is_number() && dtype == "float32")
            check(static_cast<float>(got.get<double>()) == static_cast<float>(wanted.get<double>()),
                  what + " is " + got.dump() + " and should be " + wanted.dump());
        else
            checkValue(got, wanted, what);
    }

    void rowSum(const std::string& file, const std::string& path, const std::string& row,
                const json& wanted)
    {
        json stats = ask({"stats", file, path, "--rows", row}).json;
        checkValue(stats["sum"], wanted, path + "'s sum of row " + row);
    }

    void aligned(const std::string& file, const std::string& path, const json& expected, json info)
    {
        json element = elementOf(info, path);
        if (element.is_null()) {
            check(false, path + " is not listed");
            return;
        }
        checkValue(element["shape"], expected["shape"], path + "'s shape");
        if (expected["storage"] == "dataframe") {
            if (expected.contains("columns") && expected["columns"].is_array()
                && (expected["columns"].empty() || expected["columns"].front().is_string()))
                checkValue(element["columns"], expected["columns"], path + "'s columns");
            check(ask({"view", file, path}).ok(), path + " cannot be viewed");
            return;
        }
        if (!expected.contains("sum"))
            return;
        json stats = ask({"stats", file, path}).json;
        checkValue(stats["sum"], expected["sum"], path + "'s sum");
        if (expected.contains("n_nan"))
            checkValue(stats["nan"], expected["n_nan"], path + "'s NaN");
        if (expected.contains("nnz_stored"))
            checkValue(stats["stored"], expected["nnz_stored"], path + "'s entries");
    }

    void modalities(const std::string& file, const json& expected, json whole)
    {
        checkValue(whole["modalities"].size(), expected.size(), "the number of modalities");
        for (const auto& [name, modality] : expected.items()) {
            CliAnswer info = ask({"info", file + "::" + name});
            check(info.ok(), name + " does not open");
            if (info.ok())
                dataSet(file + "::" + name, modality, info.json);
        }
        if (expected.size() > 1) {
            CliAnswer x = ask({"view", file, "X"});
            check(x.run.exitCode == 1 && x.json["error"]["code"] == "Ambiguous",
                  "X of several modalities is not ambiguous: " + x.run.out.toStdString());
        }
    }

    void tenX(const std::string& file, const json& matrices)
    {
        for (const auto& [name, expected] : matrices.items()) {
            const std::string inside = matrices.size() > 1 ? file + "::" + name : file;
            CliAnswer info = ask({"info", inside});
            check(info.ok(), inside + " does not open");
            checkValue(info.json["n_obs"], expected["n_barcodes"], "n_obs");
            checkValue(info.json["n_vars"], expected["n_features"], "n_vars");
            json x = elementOf(info.json, "X");
            checkValue(x["stored"], expected["nnz_stored"], "the stored entries");
            checkValue(x["dtype"], expected["dtype"], "the type");
            checkValue(ask({"stats", inside, "X"}).json["sum"], expected["sum"], "the sum");
            rowSum(inside, "X", "0", expected["sum_first_barcode"]);
            rowSum(inside, "X", "-1", expected["sum_last_barcode"]);
            json names = ask({"view", inside, "obs", "--columns", ""}).json;
            checkValue(names["obs"].front(), expected["barcodes"]["first"], "the first barcode");
            checkValue(names["obs"].back(), expected["barcodes"]["last"], "the last barcode");
        }
    }

    std::filesystem::path m_folder;
    json m_files;
    QByteArray m_problems;
};

QTEST_GUILESS_MAIN(CliCorpusTest)
#include "cli_corpus_test.moc"
