// SPDX-License-Identifier: GPL-3.0-or-later
// Every real file: shape, tables, columns with their values, and the elements there are, against
// what h5py and NumPy found in the raw arrays.
#include "tests/support/corpus.h"
#include "tests/support/expected.h"

#include <QtTest>

#include <cmath>
#include <set>

using namespace cellfolio;
using namespace cellfolio::test;

namespace {

std::string columnKindOf(const Json& column)
{
    const std::string type = column["type"];
    return type == "bool" ? "boolean" : type;
}

std::string dtypeOf(const Json& stored)
{
    const std::string text = stored;
    return text.find("string") != std::string::npos ? "string" : text;
}

std::vector<Index> shapeOf(const Json& shape)
{
    return shape.get<std::vector<Index>>();
}

using Data = std::shared_ptr<const Dataset>;

void checkColumn(const Data& data, const Element& column, const Json& expected)
{
    const std::string where = column.path + " " + expected.dump();
    CHECK_THAT(column.name == expected["name"].get<std::string>(), where);
    CHECK_THAT(nameOf(column.column) == columnKindOf(expected), where);
    CHECK_THAT(column.readable, where);
    if (expected.contains("dtype"))
        CHECK_THAT(column.dtype && nameOf(*column.dtype) == dtypeOf(expected["dtype"]), where);
    if (expected.contains("n_categories"))
        CHECK_THAT(column.categoryCount == expected["n_categories"].get<Index>(), where);
    if (expected.contains("codes_dtype"))
        CHECK_THAT(nameOf(column.values.dtype()) == dtypeOf(expected["codes_dtype"]), where);
    if (expected.contains("categories_dtype"))
        CHECK_THAT(nameOf(column.categories.dtype()) == dtypeOf(expected["categories_dtype"]),
                   where);
    if (expected.contains("ordered"))
        CHECK_THAT(column.ordered == expected["ordered"].get<bool>(), where);

    auto values = wholeColumn(data, column);
    CHECK_THAT(values.ok(), where + (values ? "" : values.error().describe()));
    Index missing = 0;
    Index whole = 0;
    long double sum = 0;
    for (Index i = 0; i < values->size(); ++i) {
        const bool real = !values->categories && isReal(values->values.type());
        const double number = real ? values->values.number(i) : 0;
        if (values->isMissing(i) || (real && std::isnan(number))) {
            ++missing;
            continue;
        }
        sum += number;
        if (real && !isFloat(values->values.type()))
            whole += values->values.integer(i);
    }
    if (expected.contains("n_missing"))
        CHECK_THAT(missing == expected["n_missing"].get<Index>(), where);
    if (expected.contains("n_true"))
        CHECK_THAT(whole == expected["n_true"].get<Index>(), where);
    if (expected.contains("sum")) {
        const Json actual =
            isFloat(values->values.type()) ? Json(static_cast<double>(sum)) : Json(whole);
        if (expected["sum"].is_string())
            CHECK_THAT(!std::isfinite(static_cast<double>(sum)), where);
        else
            CHECK_THAT(agrees(expected["sum"], actual, 1e-9), where + " is " + actual.dump());
    }
}

void checkTable(const Data& data, const Element* table, const Json& expected,
                const std::string& name)
{
    CHECK_THAT(table && table->kind == ElementKind::Table, name);
    CHECK_THAT(table->rows == expected["n"].get<Index>(), name);
    const Json& index = expected["index"];
    CHECK_THAT((table->index != nullptr) == !index.is_null(), name);
    if (table->index) {
        CHECK_THAT(table->indexName == index["name"].get<std::string>(), name);
        CHECK_THAT(table->index->dtype && nameOf(*table->index->dtype) == dtypeOf(index["dtype"]),
                   name + " index is " + index.dump());
        auto names = allNames(data, *table);
        CHECK_THAT(names.ok(), name + (names ? "" : names.error().describe()));
        if (index.contains("first")) {
            CHECK_THAT(names->front() == index["first"].get<std::string>(), name);
            CHECK_THAT(names->back() == index["last"].get<std::string>(), name);
        }
        const std::set<std::string> unique(names->begin(), names->end());
        CHECK_THAT(static_cast<Index>(unique.size()) == index["n_unique"].get<Index>(), name);
    } else {
        auto names = allNames(data, *table);
        CHECK_THAT(names.ok() && names->back() == std::to_string(table->rows - 1), name);
    }
    CHECK_THAT(table->children.size() == expected["columns"].size(), name);
    for (std::size_t i = 0; i < table->children.size(); ++i) {
        checkColumn(data, *table->children[i], expected["columns"][i]);
        if (QTest::currentTestFailed())
            return;
    }
}

void checkArrayElement(const Element* element, const Json& expected, const std::string& name)
{
    CHECK_THAT(element, name + " is missing");
    const std::string where = name + " " + expected.dump();
    const std::string storage = expected["storage"];
    CHECK_THAT(element->shape && *element->shape == shapeOf(expected["shape"]), where);
    if (storage == "dataframe") {
        CHECK_THAT(element->kind == ElementKind::Table, where);
        for (std::size_t i = 0; i < element->children.size(); ++i)
            CHECK_THAT(element->children[i]->name == expected["columns"][i].get<std::string>(),
                       where);
        return;
    }
    const std::string ours = storage == "compound field" ? "dense" : storage;
    CHECK_THAT(nameOf(element->storage) == ours, where);
    CHECK_THAT(element->readable, where);
    CHECK_THAT(element->dtype && nameOf(*element->dtype) == dtypeOf(expected["dtype"]), where);
    if (expected.contains("nnz_stored"))
        CHECK_THAT(element->stored == expected["nnz_stored"].get<Index>(), where);
    if (expected.contains("indices_dtype"))
        CHECK_THAT(nameOf(element->indices.dtype()) == dtypeOf(expected["indices_dtype"]), where);
    if (expected.contains("indptr_dtype"))
        CHECK_THAT(nameOf(element->indptr.dtype()) == dtypeOf(expected["indptr_dtype"]), where);
    if (expected.contains("filters")) {
        std::vector<std::string> filters;
        for (const hdf5::Filter& filter : element->values.info().filters)
            filters.push_back(filter.text());
        CHECK_THAT(Json(filters) == expected["filters"], where + " are " + Json(filters).dump());
    }
    // One-dimensional arrays are summed through the column reader's arrays; matrices have their
    // own test.
    if (ours == "dense" && expected.contains("sum") && isReal(*element->dtype)) {
        auto values = wholeArray(*element);
        CHECK_THAT(values.ok(), where);
        // Sums of scaled values cancel: the error is relative to what was added.
        long double sum = 0;
        long double added = 0;
        for (Index i = 0; i < values->size(); ++i) {
            if (std::isnan(values->number(i)))
                continue;
            sum += values->number(i);
            added += std::fabs(values->number(i));
        }
        if (expected["sum"].is_number())
            CHECK_THAT(std::fabs(sum - expected["sum"].get<double>()) <= 1e-9L * added, where);
    }
}

void checkMapping(const Element& root, const char* name, const Json& expected)
{
    if (!expected.is_object())
        return;
    const Element* mapping = root.child(name);
    for (const auto& [key, value] : expected.items()) {
        CHECK_THAT(mapping, name);
        checkArrayElement(mapping->child(key), value, std::string(name) + "/" + key);
        if (QTest::currentTestFailed())
            return;
    }
    // And nothing that is not there: what answers to an old name is extra.
    if (mapping)
        for (const auto& child : mapping->children)
            CHECK_THAT(expected.contains(child->name) || !child->aliasOf.empty(), child->path);
}

void checkDataSet(const Data& data, const Element& root, const Json& expected)
{
    checkTable(data, root.child("obs"), expected["obs"], "obs");
    if (QTest::currentTestFailed())
        return;
    checkTable(data, root.child("var"), expected["var"], "var");
    if (QTest::currentTestFailed())
        return;
    for (const char* name : {"layers", "obsm", "varm", "obsp", "varp"}) {
        if (expected.contains(name))
            checkMapping(root, name, expected[name]);
        if (QTest::currentTestFailed())
            return;
    }
    if (expected.contains("X")) {
        CHECK_THAT((root.child("X") == nullptr) == expected["X"].is_null(), "X");
        if (!expected["X"].is_null())
            checkArrayElement(root.child("X"), expected["X"], "X");
    }
    if (QTest::currentTestFailed())
        return;
    if (expected.contains("raw") && !expected["raw"].is_null()) {
        const Element* raw = root.child("raw");
        CHECK_THAT(raw, "raw");
        checkArrayElement(raw->child("X"), expected["raw"]["X"], "raw/X");
        if (QTest::currentTestFailed())
            return;
        checkTable(data, raw->child("var"), expected["raw"]["var"], "raw/var");
        if (QTest::currentTestFailed())
            return;
        if (expected["raw"].contains("varm"))
            checkMapping(*raw, "varm", expected["raw"]["varm"]);
    } else if (expected.contains("raw")) {
        CHECK_THAT(!root.child("raw"), "raw");
    }
    if (expected.contains("uns_keys")) {
        const Element* uns = root.child("uns");
        for (const Json& key : expected["uns_keys"]) {
            const std::string name = key;
            // A list that belongs to a column is no entry, but is found by its path.
            CHECK_THAT((uns && uns->child(name)) || data->find("uns/" + name).ok(), "uns/" + name);
        }
    }
}

} // namespace

class DatasetRealTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void opens_data();
    void opens();
};

void DatasetRealTest::opens_data()
{
    QTest::addColumn<QString>("file");
    const Json expected = loadExpected(corpusFolder("real"));
    if (expected.is_null()) {
        QTest::newRow("no corpus") << QString();
        return;
    }
    for (const auto& [name, value] : expected.items())
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void DatasetRealTest::opens()
{
    QFETCH(QString, file);
    if (file.isEmpty())
        QSKIP("../shared/data/real is not there");
    static const Json all = loadExpected(corpusFolder("real"));
    const Json& expected = all[file.toStdString()];
    const std::filesystem::path path = corpusFolder("real") / file.toStdString();
    const FileSnapshot before = snapshotOf(path);
    auto opened = Dataset::open(path.string());
    if (expected.contains("opens") && !expected["opens"].get<bool>()) {
        QVERIFY(!opened);
        QVERIFY(!opened.error().message().empty());
        QCOMPARE(exitCode(opened.error().code()), 1);
        return;
    }
    QVERIFY2(opened.ok(), opened ? "" : opened.error().describe().c_str());
    const Data data = *opened;
    const std::string format = expected["format"];
    if (format == "10x") {
        QCOMPARE(data->format(), FileFormat::TenX);
        for (const auto& [name, matrix] : expected["matrices"].items()) {
            auto one = Dataset::open(path.string() + "::" + name);
            QVERIFY2(one.ok(), name.c_str());
            const Element* x = (*one)->x();
            QCOMPARE((*one)->nObs(), std::optional(matrix["n_barcodes"].get<Index>()));
            QCOMPARE((*one)->nVars(), std::optional(matrix["n_features"].get<Index>()));
            QVERIFY(x && x->readable && x->kind == ElementKind::Matrix);
            QCOMPARE(x->storage, Storage::Csr);
            QCOMPARE(x->stored, std::optional(matrix["nnz_stored"].get<Index>()));
            QCOMPARE(std::string(nameOf(*x->dtype)), matrix["dtype"].get<std::string>());
            auto cells = allNames(*one, *(*one)->obs());
            QVERIFY(cells.ok());
            QCOMPARE(cells->front(), matrix["barcodes"]["first"].get<std::string>());
            QCOMPARE(cells->back(), matrix["barcodes"]["last"].get<std::string>());
            auto ids = wholeColumn(*one, *(*one)->var()->child("gene_ids"));
            QVERIFY(ids.ok());
            const Json& listed =
                matrix.contains("features") ? matrix["features"]["id"] : matrix["genes"];
            QCOMPARE(ids->text(0), listed["first"].get<std::string>());
            QCOMPARE(ids->text(ids->size() - 1), listed["last"].get<std::string>());
            auto genes = allNames(*one, *(*one)->var());
            QVERIFY(genes.ok());
            const std::set<std::string> unique(genes->begin(), genes->end());
            const Json& symbols = matrix.contains("features") ? matrix["features"]["name_n_unique"]
                                                              : matrix["gene_names_n_unique"];
            QCOMPARE(static_cast<Index>(unique.size()), symbols.get<Index>());
        }
        QCOMPARE(data->isWhole(), expected["matrices"].size() > 1);
    } else {
        const std::vector<Index> shape = shapeOf(expected["shape"]);
        QCOMPARE(data->nObs(), std::optional(shape[0]));
        QCOMPARE(data->nVars(), std::optional(shape[1]));
        QCOMPARE(data->format(), format == "h5ad" ? FileFormat::H5ad : FileFormat::H5mu);
        checkDataSet(data, data->root(), expected);
        if (QTest::currentTestFailed())
            return;
        if (expected.contains("modalities")) {
            QVERIFY(data->isWhole());
            QCOMPARE(data->modalities().size(), expected["modalities"].size());
            for (const auto& [name, modality] : expected["modalities"].items()) {
                auto one = Dataset::open(path.string() + "::" + name);
                QVERIFY2(one.ok(), name.c_str());
                QCOMPARE((*one)->nObs(), std::optional(shapeOf(modality["shape"])[0]));
                QCOMPARE((*one)->nVars(), std::optional(shapeOf(modality["shape"])[1]));
                checkDataSet(*one, (*one)->root(), modality);
                if (QTest::currentTestFailed())
                    return;
                // The same data set seen from the whole.
                auto inWhole = data->find("mod/" + name);
                QVERIFY(inWhole.ok());
                checkDataSet(data, **inWhole, modality);
                if (QTest::currentTestFailed())
                    return;
            }
        }
    }
    QVERIFY2(snapshotOf(path) == before, "the file was changed");
}

QTEST_GUILESS_MAIN(DatasetRealTest)
#include "dataset_real_test.moc"
