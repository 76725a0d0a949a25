// SPDX-License-Identifier: GPL-3.0-or-later
// One small file for each encoding and each fault: the values that the corpus states, and the
// rules of the structure that each fault breaks.
#include "core/anndata/value_rules.h"
#include "tests/support/corpus.h"
#include "tests/support/expected.h"

#include <QtTest>

#include <algorithm>

using namespace cellfolio;
using namespace cellfolio::test;

namespace {

using Data = std::shared_ptr<const Dataset>;

// "name.what" in two; `what` empty without a point.
std::pair<std::string, std::string> split(const std::string& key)
{
    const std::size_t point = key.rfind('.');
    if (point == std::string::npos)
        return {key, ""};
    return {key.substr(0, point), key.substr(point + 1)};
}

void checkKey(const Data& data, const std::string& base, const std::string& key, const Json& value)
{
    const std::string where = base + " " + key + " " + value.dump();
    auto owner = data->find(base);
    CHECK_THAT(owner.ok(), where);
    const Element& element = **owner;
    if (element.kind == ElementKind::Table) {
        if (key == "index") {
            auto names = allNames(data, element);
            CHECK_THAT(names.ok() && Json(*names) == value, where);
            return;
        }
        if (key == "index_name") {
            CHECK_THAT(element.indexName == value.get<std::string>(), where);
            return;
        }
        if (key == "columns") {
            std::vector<std::string> names;
            for (const auto& child : element.children)
                names.push_back(child->name);
            CHECK_THAT(Json(names) == value, where);
            return;
        }
        if (const Element* column = element.child(key)) {
            const Json actual = jsonOf(data, *column);
            CHECK_THAT(agrees(value, actual), where + " is " + actual.dump());
            return;
        }
    }
    if (element.isSparse() || element.kind == ElementKind::Matrix) {
        if (key == "shape")
            CHECK_THAT(Json(*element.shape) == value, where);
        else if (key == "dtype")
            CHECK_THAT(nameOf(*element.dtype) == value.get<std::string>(), where);
        else if (key == "format")
            CHECK_THAT(nameOf(element.storage) == value.get<std::string>(), where);
        else if (key == "nnz" || key == "nnz_stored")
            CHECK_THAT(*element.stored == value.get<Index>(), where);
        return; // values of matrices have their own test
    }
    if (element.kind == ElementKind::Records) {
        const auto part = std::find_if(element.parts.begin(), element.parts.end(),
                                       [&key](const ElementPart& p) { return p.name == key; });
        CHECK_THAT(part != element.parts.end(), where);
        auto field = data->find(base + "/" + key);
        CHECK_THAT(field.ok(), where);
        const Json actual = jsonOf(data, **field);
        CHECK_THAT(agrees(value, actual), where + " is " + actual.dump());
        return;
    }

    // "table.site": something of a child of a mapping.
    const auto [name, what] = split(key);
    auto child = data->find(base + "/" + (what.empty() ? key : name));
    CHECK_THAT(child.ok(), where);
    if (what == "shape") {
        CHECK_THAT((*child)->shape && Json(*(*child)->shape) == value, where);
    } else if (what == "ordered") {
        CHECK_THAT((*child)->ordered == value.get<bool>(), where);
    } else if (what == "order") {
        return;
    } else if (!what.empty()) {
        checkKey(data, base + "/" + name, what, value);
    } else if ((*child)->kind == ElementKind::Records) {
        for (const auto& [field, values] : value.items())
            checkKey(data, base + "/" + key, field, values);
    } else if ((*child)->kind == ElementKind::Awkward) {
        CHECK_THAT((*child)->awkwardLength == static_cast<Index>(value.size()), where);
        CHECK_THAT(!(*child)->awkwardForm.empty(), where);
    } else {
        const Json actual = jsonOf(data, **child);
        CHECK_THAT(agrees(value, actual), where + " is " + actual.dump());
    }
}

} // namespace

class DatasetSpecTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void files_data();
    void files();
};

void DatasetSpecTest::files_data()
{
    QTest::addColumn<QString>("file");
    const Json expected = loadExpected(corpusFolder("spec"));
    if (expected.is_null()) {
        QTest::newRow("no corpus") << QString();
        return;
    }
    for (const auto& [name, value] : expected.items())
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void DatasetSpecTest::files()
{
    QFETCH(QString, file);
    if (file.isEmpty())
        QSKIP("../shared/data/spec is not there");
    static const Json all = loadExpected(corpusFolder("spec"));
    const Json& expected = all[file.toStdString()];
    const std::filesystem::path path = corpusFolder("spec") / file.toStdString();
    const FileSnapshot before = snapshotOf(path);
    auto opened = Dataset::open(path.string());
    QVERIFY2(opened.ok(), opened ? "" : opened.error().describe().c_str());
    const Data data = *opened;

    for (const auto& [stored, content] : expected["values"].items()) {
        std::string base = stored.substr(1);
        if (base == "mod") {
            const auto& modalities = data->modalities();
            for (std::size_t i = 0; i < content["order"].size(); ++i)
                QCOMPARE(modalities.at(i).name, content["order"][i].get<std::string>());
            for (const Modality& modality : modalities)
                QCOMPARE(Json({*modality.nObs, *modality.nVars}),
                         content[modality.name + ".shape"]);
            continue;
        }
        if (data->format() == FileFormat::TenX || data->format() == FileFormat::Loom) {
            const Json& rows = content["cells_x_features"];
            QCOMPARE(*data->x()->shape,
                     (std::vector<Index>{Index(rows.size()), Index(rows[0].size())}));
            QCOMPARE(data->x()->transposed, data->format() == FileFormat::Loom);
            if (content.contains("barcodes"))
                checkKey(data, "obs", "index", content["barcodes"]);
            if (content.contains("features"))
                checkKey(data, "var", "index", content["features"]);
            continue;
        }
        if (content.is_null()) {
            QVERIFY2(!data->x(), "X is absent");
            continue;
        }
        if (base == "obsm/ragged") {
            checkKey(data, "obsm", "ragged", content);
            continue;
        }
        for (const auto& [key, value] : content.items()) {
            if (key == "same_as" || key == "same_object_as") {
                auto one = data->find(base);
                auto other = data->find(value.get<std::string>());
                QVERIFY(one.ok() && other.ok());
                QCOMPARE((*one)->object->address, (*other)->object->address);
                continue;
            }
            checkKey(data, base, key, value);
            if (QTest::currentTestFailed())
                return;
        }
    }

    std::vector<Finding> findings = data->findings();
    auto values = valueFindings(data, std::make_shared<Reading>());
    QVERIFY2(values.ok(), values ? "" : values.error().describe().c_str());
    findings.insert(findings.end(), values->begin(), values->end());
    for (const Json& rule : expected["rules"])
        if (rule.get<std::string>().front() == 'A')
            QVERIFY2(hasRule(findings, rule), (rule.dump() + "\n" + describe(findings)).c_str());
    // What is sound has no error that the corpus does not state.
    if (expected["valid"].get<bool>())
        for (const Finding& finding : findings)
            QVERIFY2(finding.severity != Severity::Error ||
                         std::any_of(expected["rules"].begin(), expected["rules"].end(),
                                     [&](const Json& rule) { return rule == finding.id; }),
                     describe(findings).c_str());
    // Every sentence is one line, ends like one, and names the element it is about.
    for (const Finding& finding : findings) {
        QVERIFY2(!finding.message.empty() && finding.message.find('\n') == std::string::npos,
                 finding.message.c_str());
        QVERIFY2(finding.element == "/" || data->find(finding.element).ok() ||
                     finding.id == "A009" || finding.id == "A005" || finding.id == "A055",
                 (finding.id + " " + finding.element).c_str());
    }
    QVERIFY2(snapshotOf(path) == before, "the file was changed");
}

QTEST_GUILESS_MAIN(DatasetSpecTest)
#include "dataset_spec_test.moc"
