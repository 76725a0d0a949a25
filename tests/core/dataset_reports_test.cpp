// SPDX-License-Identifier: GPL-3.0-or-later
// Files rebuilt from reports of users, and small files of our own: what must open opens with the
// right values, what is damaged is named, what is no data set is refused in one sentence.
#include "core/anndata/value_rules.h"
#include "tests/support/corpus.h"
#include "tests/support/expected.h"

#include <QtTest>

#include <algorithm>
#include <set>

using namespace cellfolio;
using namespace cellfolio::test;

namespace {

using Data = std::shared_ptr<const Dataset>;

bool isOfMatrixRules(const Json& rule)
{
    return rule.get<std::string>().front() == 'B'; // streamed rules of matrices have their own test
}

// Files whose one word comes from a rule of §4.B.
const std::set<std::string> kNamedByMatrixRules{
    "B045-one-heavy-unsorted-row.h5ad",   "B077-nnz-above-2-31.h5ad",
    "B083-same-variable-name-twice.h5ad", "B085-same-cell-name-twice.h5ad",
    "B103-nan-in-embedding.h5ad",         "B188-row-storage-unsorted.h5ad",
    "B190-duplicate-entries.h5ad"};

ColumnKind kindOf(const std::string& type)
{
    if (type == "categorical")
        return ColumnKind::Categorical;
    if (type == "string")
        return ColumnKind::String;
    if (type == "bool")
        return ColumnKind::Boolean;
    if (type == "nullable-integer")
        return ColumnKind::NullableInteger;
    if (type == "nullable-boolean")
        return ColumnKind::NullableBoolean;
    if (type == "nullable-string")
        return ColumnKind::NullableString;
    return ColumnKind::Numeric; // int, float
}

void checkColumn(const Data& data, const Json& expected)
{
    const std::string where = expected.dump();
    const std::string path =
        expected["frame"].get<std::string>() + "/" + expected["name"].get<std::string>();
    auto table = data->find(expected["frame"].get<std::string>());
    CHECK_THAT(table.ok() && (*table)->kind == ElementKind::Table, where);
    const Element* column = (*table)->child(expected["name"].get<std::string>());
    CHECK_THAT(column, where);
    auto found = data->find(path);
    CHECK_THAT(found.ok() && *found == column, where);
    CHECK_THAT(column->column == kindOf(expected["type"]),
               where + " is " + std::string(nameOf(column->column)));
    auto values = wholeColumn(data, *column);
    CHECK_THAT(values.ok(), where + (values ? "" : values.error().describe()));
    for (const auto& [row, value] : expected["values"].items())
        CHECK_THAT(agrees(value, jsonOf(*values, std::stoll(row))),
                   where + " row " + row + " is " + jsonOf(*values, std::stoll(row)).dump());
    if (expected.contains("categories")) {
        CHECK_THAT(values->categories, where);
        for (std::size_t i = 0; i < expected["categories"].size(); ++i)
            CHECK_THAT(agrees(expected["categories"][i], jsonOf(*values->categories, Index(i))),
                       where);
        CHECK_THAT(column->categoryCount == static_cast<Index>(expected["categories"].size()),
                   where);
    }
    if (expected.contains("ordered"))
        CHECK_THAT(column->ordered == expected["ordered"].get<bool>(), where);
    if (expected.contains("missing")) {
        Index missing = 0;
        for (Index i = 0; i < values->size(); ++i)
            if (values->isMissing(i) || jsonOf(*values, i) == "nan")
                ++missing;
        CHECK_THAT(missing == expected["missing"].get<Index>(), where);
    }
}

void checkContent(const Data& data, const Json& expected)
{
    if (expected.contains("shape")) {
        const Json& shape = expected["shape"];
        CHECK_THAT(shape[0].is_null() || data->nObs() == shape[0].get<Index>(), shape.dump());
        CHECK_THAT(shape[1].is_null() || data->nVars() == shape[1].get<Index>(), shape.dump());
    }
    if (expected.contains("columns"))
        for (const auto& [frame, columns] : expected["columns"].items()) {
            auto table = data->find(frame);
            CHECK_THAT(table.ok(), frame);
            CHECK_THAT((*table)->children.size() == columns.size(), frame);
            for (std::size_t i = 0; i < columns.size(); ++i)
                CHECK_THAT((*table)->children[i]->name == columns[i].get<std::string>(), frame);
        }
    if (expected.contains("n_columns"))
        for (const auto& [frame, count] : expected["n_columns"].items()) {
            auto table = data->find(frame);
            CHECK_THAT(table.ok() && (*table)->children.size() == count.get<std::size_t>(), frame);
        }
    if (expected.contains("column"))
        for (const Json& column : expected["column"]) {
            checkColumn(data, column);
            if (QTest::currentTestFailed())
                return;
        }
    if (expected.contains("index"))
        for (const auto& [frame, rows] : expected["index"].items()) {
            auto table = data->find(frame);
            CHECK_THAT(table.ok(), frame);
            auto names = allNames(data, **table);
            CHECK_THAT(names.ok(), frame + (names ? "" : names.error().describe()));
            for (const auto& [row, name] : rows.items())
                CHECK_THAT(names->at(std::stoul(row)) == name.get<std::string>(),
                           frame + " row " + row);
        }
    if (expected.contains("obsm"))
        for (const auto& [name, shape] : expected["obsm"].items()) {
            auto element = data->find("obsm/" + name);
            CHECK_THAT(element.ok(), name);
            CHECK_THAT((*element)->shape == shape.get<std::vector<Index>>(),
                       name + " " + shape.dump());
        }
    if (expected.contains("uns"))
        for (const auto& [path, value] : expected["uns"].items()) {
            auto element = data->find("uns/" + path);
            CHECK_THAT(element.ok(), path);
            const Json actual = jsonOf(data, **element);
            CHECK_THAT(agrees(value, actual), path + " is " + actual.dump());
        }
    if (expected.contains("uns_fields"))
        for (const auto& [path, fields] : expected["uns_fields"].items()) {
            auto element = data->find("uns/" + path);
            CHECK_THAT(element.ok(), path);
            if ((*element)->kind == ElementKind::Records) {
                std::vector<std::string> own;
                for (const ElementPart& part : (*element)->parts)
                    own.push_back(part.name);
                CHECK_THAT(Json(own) == fields, path);
            } else {
                const Json actual = jsonOf(data, **element);
                CHECK_THAT(agrees(fields, actual), path + " is " + actual.dump());
            }
        }
}

} // namespace

class DatasetReportsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void opens_data();
    void opens();
};

void DatasetReportsTest::opens_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("file");
    if (corpusFolder("reports").empty())
        QTest::newRow("no corpus") << QString() << QString();
    for (const auto& folder : {corpusFolder("reports"), dataFolder()}) {
        const Json expected = loadExpected(folder);
        for (const auto& [name, value] : expected.items())
            if (value.contains("outcome"))
                QTest::newRow(name.c_str())
                    << QString::fromStdString(folder.string()) << QString::fromStdString(name);
    }
}

void DatasetReportsTest::opens()
{
    QFETCH(QString, folder);
    QFETCH(QString, file);
    if (folder.isEmpty())
        QSKIP("../shared/data/reports is not there");
    const std::filesystem::path base(folder.toStdString());
    const Json all = loadExpected(base);
    const Json& expected = all[file.toStdString()];
    const std::filesystem::path path = base / file.toStdString();
    const FileSnapshot before = snapshotOf(path);
    const std::string outcome = expected["outcome"];
    const Json mentions = expected.value("mentions", Json::array());

    auto opened = Dataset::open(path.string());
    if (outcome == "error") {
        QVERIFY2(!opened, "it should be refused");
        const Error& error = opened.error();
        QVERIFY2(names(error, mentions), error.describe().c_str());
        QCOMPARE(error.message().find('\n'), std::string::npos);
        QCOMPARE(exitCode(error.code()), 1);
        return;
    }
    QVERIFY2(opened.ok(), opened ? "" : opened.error().describe().c_str());
    const Data data = *opened;
    checkContent(data, expected);
    if (QTest::currentTestFailed())
        return;

    std::vector<Finding> findings = data->findings();
    if (!expected.contains("huge")) {
        auto values = valueFindings(data, std::make_shared<Reading>());
        QVERIFY2(values.ok(), values ? "" : values.error().describe().c_str());
        findings.insert(findings.end(), values->begin(), values->end());
    }
    const Json rules = expected.value("rules", Json::array());
    const bool byMatrixRules =
        kNamedByMatrixRules.count(file.toStdString()) != 0 ||
        (!rules.empty() && std::all_of(rules.begin(), rules.end(), isOfMatrixRules));
    if (outcome == "opens_warn" && !byMatrixRules)
        QVERIFY2(mentions.empty() || names(findings, mentions), describe(findings).c_str());
    for (const Json& rule : rules)
        if (!isOfMatrixRules(rule))
            QVERIFY2(hasRule(findings, rule), (rule.dump() + "\n" + describe(findings)).c_str());
    if (outcome == "opens")
        for (const Finding& finding : data->findings())
            QVERIFY2(finding.id != "A056" && finding.id != "A045", describe(findings).c_str());

    if (expected.contains("modalities")) {
        QCOMPARE(data->modalities().size(), expected["modalities"].size());
        for (std::size_t i = 0; i < data->modalities().size(); ++i) {
            const Modality& modality = data->modalities()[i];
            QCOMPARE(modality.name, expected["modalities"][i][0].get<std::string>());
            QCOMPARE(modality.nObs, std::optional(expected["modalities"][i][1].get<Index>()));
            QCOMPARE(modality.nVars, std::optional(expected["modalities"][i][2].get<Index>()));
        }
    }
    if (expected.contains("inside"))
        for (const auto& [name, content] : expected["inside"].items()) {
            auto one = Dataset::open(path.string() + "::" + name);
            QVERIFY2(one.ok(), name.c_str());
            QVERIFY(!(*one)->isWhole());
            checkContent(*one, content);
            if (QTest::currentTestFailed())
                return;
        }
    QVERIFY2(snapshotOf(path) == before, "the file was changed");
}

QTEST_GUILESS_MAIN(DatasetReportsTest)
#include "dataset_reports_test.moc"
