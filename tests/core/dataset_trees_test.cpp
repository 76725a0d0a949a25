// SPDX-License-Identifier: GPL-3.0-or-later
// Structure alone, as trees made by hand: what no corpus holds, and what must not depend on a file.
#include "core/anndata/dataset_builder.h"
#include "tests/support/corpus.h"
#include "tests/support/expected.h"

#include <QtTest>

#include <functional>

using namespace cellfolio;
using namespace cellfolio::test;
using hdf5::Attribute;
using hdf5::Object;
using hdf5::ObjectKind;

namespace {

using Node = std::unique_ptr<Object>;

Attribute textAttribute(const std::string& name, std::vector<std::string> texts, bool scalar = true)
{
    Attribute attribute;
    attribute.name = name;
    attribute.type.cls = hdf5::TypeClass::String;
    attribute.type.value = DType::String;
    attribute.isScalar = scalar;
    if (!scalar)
        attribute.shape = {static_cast<Index>(texts.size())};
    attribute.texts = std::move(texts);
    return attribute;
}

Attribute integerAttribute(const std::string& name, std::vector<std::int64_t> values)
{
    Attribute attribute;
    attribute.name = name;
    attribute.type.cls = hdf5::TypeClass::Integer;
    attribute.type.value = DType::Int64;
    attribute.shape = {static_cast<Index>(values.size())};
    attribute.integers = std::move(values);
    return attribute;
}

std::uint64_t nextAddress()
{
    static std::uint64_t address = 1000;
    return ++address;
}

Node group(const std::string& name, const std::string& type = "", const std::string& version = "")
{
    auto object = std::make_unique<Object>();
    object->name = name;
    object->address = nextAddress();
    if (!type.empty()) {
        object->attributes.push_back(textAttribute("encoding-type", {type}));
        object->attributes.push_back(textAttribute("encoding-version", {version}));
    }
    return object;
}

Node array(const std::string& name, DType type, std::vector<Index> shape,
           const std::string& encoding = "", const std::string& version = "0.2.0")
{
    Node object = group(name, encoding, encoding.empty() ? "" : version);
    object->kind = ObjectKind::Dataset;
    auto info = std::make_shared<hdf5::ArrayInfo>();
    info->type.value = type;
    info->type.cls = type == DType::String ? hdf5::TypeClass::String
                     : isFloat(type)       ? hdf5::TypeClass::Float
                                           : hdf5::TypeClass::Integer;
    info->type.variable = type == DType::String;
    info->type.size = 8;
    info->isScalar = shape.empty();
    info->shape = std::move(shape);
    object->array = std::move(info);
    return object;
}

Object& add(Object& parent, Node child)
{
    child->path = (parent.path == "/" ? "/" : parent.path + "/") + child->name;
    parent.children.push_back(std::move(child));
    return *parent.children.back();
}

Object& addFrame(Object& parent, const std::string& name, Index rows,
                 const std::vector<std::string>& columns)
{
    Object& frame = add(parent, group(name, "dataframe", "0.2.0"));
    frame.attributes.push_back(textAttribute("_index", {"_index"}));
    frame.attributes.push_back(textAttribute("column-order", columns, false));
    add(frame, array("_index", DType::String, {rows}, "string-array"));
    return frame;
}

// A file of 6 observations and 4 variables, without X.
Object smallFile()
{
    Object root;
    root.name = "/";
    root.path = "/";
    root.address = nextAddress();
    root.attributes.push_back(textAttribute("encoding-type", {"anndata"}));
    root.attributes.push_back(textAttribute("encoding-version", {"0.1.0"}));
    addFrame(root, "obs", 6, {});
    addFrame(root, "var", 4, {});
    return root;
}

Object& addSparse(Object& parent, const std::string& name, const std::string& type,
                  std::vector<std::int64_t> shape, Index pointers, Index stored,
                  DType index = DType::Int32)
{
    Object& matrix = add(parent, group(name, type, "0.1.0"));
    if (!shape.empty())
        matrix.attributes.push_back(integerAttribute("shape", std::move(shape)));
    add(matrix, array("data", DType::Float32, {stored}));
    add(matrix, array("indices", index, {stored}));
    add(matrix, array("indptr", index, {pointers}));
    return matrix;
}

std::shared_ptr<const Dataset> built(const Object& root)
{
    auto dataset = DatasetBuilder::build({nullptr, &root, "made by hand", ""});
    return dataset ? *dataset : nullptr;
}

std::string refusal(const Object& root)
{
    auto dataset = DatasetBuilder::build({nullptr, &root, "made by hand", ""});
    return dataset ? "" : dataset.error().message();
}

} // namespace

class DatasetTreesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsAMinimalFile();
    void takesCategoriesByReference();
    void saysWhenAReferenceIsLost();
    void survivesNamesThatLeadNowhere();
    void listsLinksWithoutFollowing();
    void readsUnknownVersionsAndSaysSo();
    void guessesWhatIsNotDescribed();
    void takesTheShapeFromPointers();
    void refusesBrokenSparseMatrices_data();
    void refusesBrokenSparseMatrices();
    void countsFindingsOfOneRule();
    void aTableIsNoColumnOfItself();
    void findsNamesOfEveryAxis();
    void findsPathsHoweverTheyAreSpelled();
    void givesNeighbourGraphsTheirNewName();
    void saysWhatElseAFileIs();
    void splitsLocations();
};

void DatasetTreesTest::readsAMinimalFile()
{
    const Object root = smallFile();
    const auto dataset = built(root);
    QVERIFY(dataset);
    QCOMPARE(dataset->nObs(), std::optional<Index>(6));
    QCOMPARE(dataset->nVars(), std::optional<Index>(4));
    QCOMPARE(dataset->generation(), std::optional<std::string>("0.8"));
    QVERIFY(!dataset->x());
    QVERIFY2(dataset->findings().empty(), describe(dataset->findings()).c_str());
    QCOMPARE(dataset->elements().size(), std::size_t{2});
}

void DatasetTreesTest::takesCategoriesByReference()
{
    Object root = smallFile();
    Object& obs = *root.children[0];
    obs.attributes[1] = textAttribute("encoding-version", {"0.1.0"});
    obs.attributes[3] = textAttribute("column-order", {"kind"}, false);
    Object& codes = add(obs, array("kind", DType::Int8, {6}));
    Object& lists = add(obs, group("__categories"));
    Object& list = add(lists, array("kind", DType::String, {3}));
    list.attributes.push_back(integerAttribute("ordered", {1}));
    Attribute reference;
    reference.name = "categories";
    reference.type.cls = hdf5::TypeClass::Reference;
    reference.references = {list.address};
    codes.attributes.push_back(reference);

    const auto dataset = built(root);
    const Element* column = dataset->obs()->child("kind");
    QCOMPARE(column->column, ColumnKind::Categorical);
    QCOMPARE(column->categoryCount, std::optional<Index>(3));
    QVERIFY(column->ordered);
    QCOMPARE(column->dtype, std::optional(DType::String));
    QVERIFY(!hasRule(dataset->findings(), "A047"));
}

void DatasetTreesTest::saysWhenAReferenceIsLost()
{
    Object root = smallFile();
    Object& obs = *root.children[0];
    obs.attributes[1] = textAttribute("encoding-version", {"0.1.0"});
    obs.attributes[3] = textAttribute("column-order", {"kind", "bare"}, false);
    for (const char* name : {"kind", "bare"}) {
        Object& codes = add(obs, array(name, DType::Int8, {6}));
        Attribute reference;
        reference.name = "categories";
        reference.references = {0}; // as a copy leaves it
        codes.attributes.push_back(reference);
    }
    Object& lists = add(obs, group("__categories"));
    add(lists, array("kind", DType::String, {3}));

    const auto dataset = built(root);
    QCOMPARE(dataset->obs()->child("kind")->column, ColumnKind::Categorical);
    QCOMPARE(dataset->obs()->child("bare")->column, ColumnKind::Numeric);
    Index told = 0;
    for (const Finding& finding : dataset->findings())
        told += finding.id == "A047" ? 1 : 0;
    QCOMPARE(told, Index{2});
}

// Names that damage left empty lead to the table itself.
void DatasetTreesTest::survivesNamesThatLeadNowhere()
{
    for (const char* name : {"", "/", "//", "obs/..", "."}) {
        Object root = smallFile();
        root.children[0]->attributes[2] = textAttribute("_index", {name});
        root.children[0]->attributes[3] = textAttribute("column-order", {name, "x"}, false);
        const auto dataset = built(root);
        QVERIFY(dataset);
        QVERIFY(!dataset->obs()->index);
        QVERIFY(dataset->obs()->children.empty());
        QVERIFY(hasRule(dataset->findings(), "A007"));
        QVERIFY(hasRule(dataset->findings(), "A008"));
    }
}

void DatasetTreesTest::listsLinksWithoutFollowing()
{
    Object root = smallFile();
    Object& uns = add(root, group("uns", "dict", "0.1.0"));
    Node cycle = group("self");
    cycle->kind = ObjectKind::Cycle;
    add(uns, std::move(cycle));
    Node far = group("far");
    far->kind = ObjectKind::External;
    far->linkFile = "other.h5";
    far->linkTarget = "/x";
    add(uns, std::move(far));
    Node lost = group("lost");
    lost->kind = ObjectKind::Dangling;
    lost->soft = true;
    lost->linkTarget = "/nowhere";
    add(uns, std::move(lost));
    Node broken = group("broken");
    broken->kind = ObjectKind::Damaged;
    broken->failure = "its header cannot be read.";
    add(uns, std::move(broken));
    Node type = group("type");
    type->kind = ObjectKind::NamedType;
    add(uns, std::move(type));

    const auto dataset = built(root);
    const Element& mapping = *dataset->root().child("uns");
    QCOMPARE(mapping.children.size(), std::size_t{4}); // a data type is no element
    for (const char* name : {"self", "far", "lost"}) {
        QCOMPARE(mapping.child(name)->kind, ElementKind::Link);
        QVERIFY(!mapping.child(name)->readable);
        QVERIFY(mapping.child(name)->whyNot);
    }
    QCOMPARE(mapping.child("far")->linkType, std::string("external"));
    QCOMPARE(mapping.child("lost")->linkTarget, std::string("/nowhere"));
    QCOMPARE(mapping.child("broken")->kind, ElementKind::Unknown);
    QVERIFY(hasRule(dataset->findings(), "A046"));
    QVERIFY(hasRule(dataset->findings(), "A056"));
}

void DatasetTreesTest::readsUnknownVersionsAndSaysSo()
{
    Object root = smallFile();
    Object& uns = add(root, group("uns", "dict", "0.1.0"));
    add(uns, array("later", DType::Float32, {3}, "array", "0.9.0"));
    add(uns, group("as_group", "array", "0.2.0"));
    add(uns, array("as_dataset", DType::Int8, {3}, "csr_matrix", "0.1.0"));
    add(uns, array("strange", DType::Int8, {3}, "hyper-array", "1"));
    const auto dataset = built(root);
    const Element& mapping = *dataset->root().child("uns");
    QCOMPARE(mapping.child("later")->kind, ElementKind::Array);
    QVERIFY(mapping.child("later")->readable);
    QCOMPARE(mapping.child("as_group")->kind, ElementKind::Mapping);
    QCOMPARE(mapping.child("as_dataset")->kind, ElementKind::Array);
    QCOMPARE(mapping.child("strange")->kind, ElementKind::Unknown);
    QCOMPARE(mapping.child("strange")->whyNot->code(), ErrorCode::UnsupportedEncoding);
    Index told = 0;
    for (const Finding& finding : dataset->findings())
        told += finding.id == "A015" ? 1 : 0;
    QCOMPARE(told, Index{4});
}

void DatasetTreesTest::guessesWhatIsNotDescribed()
{
    Object root = smallFile();
    root.attributes.clear();
    for (const auto& frame : root.children)
        frame->attributes.erase(frame->attributes.begin(), frame->attributes.begin() + 2);
    Object& x = addSparse(root, "X", "", {}, 5, 7); // 4 + 1 pointers: by columns
    x.attributes.clear();
    Object& uns = add(root, group("uns"));
    Object& categorical = add(uns, group("kind"));
    add(categorical, array("codes", DType::Int8, {6}));
    add(categorical, array("categories", DType::String, {2}));
    Object& nullable = add(uns, group("count"));
    add(nullable, array("values", DType::Int64, {6}));
    add(nullable, array("mask", DType::Bool, {6}));
    const auto dataset = built(root);
    QCOMPARE(dataset->generation(), std::optional<std::string>());
    QCOMPARE(dataset->x()->storage, Storage::Csc);
    QCOMPARE(dataset->x()->shape, std::optional(std::vector<Index>{6, 4}));
    QCOMPARE((*dataset->find("uns/kind"))->column, ColumnKind::Categorical);
    QCOMPARE((*dataset->find("uns/count"))->column, ColumnKind::NullableInteger);
    QVERIFY(hasRule(dataset->findings(), "A016"));
    QVERIFY(hasRule(dataset->findings(), "A029"));
}

void DatasetTreesTest::takesTheShapeFromPointers()
{
    Object root = smallFile();
    addSparse(root, "X", "csr_matrix", {9, 4}, 7, 3); // says 9 rows, has pointers for 6
    const auto dataset = built(root);
    QCOMPARE(dataset->x()->shape, std::optional(std::vector<Index>{6, 4}));
    QVERIFY(dataset->x()->readable);
    QVERIFY(hasRule(dataset->findings(), "A029"));
}

void DatasetTreesTest::refusesBrokenSparseMatrices_data()
{
    QTest::addColumn<QString>("rule");
    QTest::addColumn<bool>("readable");
    QTest::addColumn<std::function<void(Object&)>>("make");
    const auto row = [](const char* name, const char* rule, bool readable,
                        std::function<void(Object&)> make) {
        QTest::newRow(name) << QString(rule) << readable << std::move(make);
    };
    row("pointers", "A030", false, [](Object& root) {
        addSparse(root, "X", "csr_matrix", {6, 4}, 6, 3);
    });
    row("pointers of columns", "A030", false, [](Object& root) {
        addSparse(root, "X", "csc_matrix", {6, 4}, 7, 3);
    });
    row("no indices", "A028", false, [](Object& root) {
        Object& x = addSparse(root, "X", "csr_matrix", {6, 4}, 7, 3);
        x.children.erase(x.children.begin() + 1);
    });
    row("two dimensions", "A028", false, [](Object& root) {
        Object& x = addSparse(root, "X", "csr_matrix", {6, 4}, 7, 3);
        x.children[0] = array("data", DType::Float32, {3, 1});
    });
    row("lengths", "A033", false, [](Object& root) {
        Object& x = addSparse(root, "X", "csr_matrix", {6, 4}, 7, 3);
        x.children[0] = array("data", DType::Float32, {2});
    });
    row("other shape", "A029", false, [](Object& root) {
        addSparse(root, "X", "csr_matrix", {6, 5}, 7, 3);
    });
    row("unsigned", "A035", true, [](Object& root) {
        addSparse(root, "X", "csr_matrix", {6, 4}, 7, 3, DType::UInt64);
    });
    row("fractions as indices", "A035", false, [](Object& root) {
        addSparse(root, "X", "csr_matrix", {6, 4}, 7, 3, DType::Float64);
    });
    row("half precision", "A037", true, [](Object& root) {
        Object& x = addSparse(root, "X", "csr_matrix", {6, 4}, 7, 3);
        x.children[0] = array("data", DType::Float16, {3});
    });
}

void DatasetTreesTest::refusesBrokenSparseMatrices()
{
    QFETCH(QString, rule);
    QFETCH(bool, readable);
    QFETCH(std::function<void(Object&)>, make);
    Object root = smallFile();
    make(root);
    const auto dataset = built(root);
    QVERIFY(dataset);
    QVERIFY2(hasRule(dataset->findings(), rule.toStdString()),
             describe(dataset->findings()).c_str());
    QCOMPARE(dataset->x()->readable, readable);
    QCOMPARE(dataset->x()->whyNot.has_value(), !readable);
    if (!readable)
        QCOMPARE(dataset->x()->whyNot->element(), std::string("X"));
}

void DatasetTreesTest::countsFindingsOfOneRule()
{
    Object root = smallFile();
    std::vector<std::string> names;
    for (int i = 0; i < 300; ++i)
        names.push_back("absent" + std::to_string(i));
    root.children[0]->attributes[3] = textAttribute("column-order", names, false);
    const auto dataset = built(root);
    Index told = 0;
    Index counted = 0;
    for (const Finding& finding : dataset->findings())
        if (finding.id == "A008") {
            ++told;
            counted += finding.count.value_or(1);
        }
    QVERIFY2(told < 60, std::to_string(told).c_str());
    QCOMPARE(counted, Index{300});
}

void DatasetTreesTest::aTableIsNoColumnOfItself()
{
    // Names of slashes alone, as damage makes them, lead back to the table.
    Object root = smallFile();
    Object& frame = *root.children[0];
    frame.attributes[2] = textAttribute("_index", {"/"});
    frame.attributes[3] = textAttribute("column-order", {"//"}, false);
    const auto dataset = built(root);
    QVERIFY(hasRule(dataset->findings(), "A007"));
    QVERIFY(hasRule(dataset->findings(), "A008"));
    QCOMPARE(dataset->obs()->children.size(), std::size_t{0});
}

void DatasetTreesTest::findsNamesOfEveryAxis()
{
    Object root = smallFile();
    add(root, array("X", DType::Float32, {6, 4}, "array"));
    Object& obsm = add(root, group("obsm", "dict", "0.1.0"));
    add(obsm, array("X_pca", DType::Float32, {6, 2}, "array"));
    Object& varp = add(root, group("varp", "dict", "0.1.0"));
    add(varp, array("links", DType::Float32, {4, 4}, "array"));
    Object& raw = add(root, group("raw", "raw", "0.1.0"));
    add(raw, array("X", DType::Float32, {6, 9}, "array"));
    addFrame(raw, "var", 9, {});
    const auto dataset = built(root);
    QVERIFY2(dataset->findings().empty(), describe(dataset->findings()).c_str());
    const Element* obs = dataset->obs();
    const Element* var = dataset->var();
    const Element* rawVar = dataset->raw()->child("var");
    QCOMPARE(dataset->namesOf(*dataset->x(), 0), obs);
    QCOMPARE(dataset->namesOf(*dataset->x(), 1), var);
    QCOMPARE(dataset->namesOf(**dataset->find("raw/X"), 0), obs);
    QCOMPARE(dataset->namesOf(**dataset->find("raw/X"), 1), rawVar);
    QCOMPARE(dataset->namesOf(**dataset->find("obsm/X_pca"), 0), obs);
    QVERIFY(!dataset->namesOf(**dataset->find("obsm/X_pca"), 1));
    QCOMPARE(dataset->namesOf(**dataset->find("varp/links"), 1), var);
    QCOMPARE(dataset->namesOf(*rawVar, 0), rawVar);
}

void DatasetTreesTest::findsPathsHoweverTheyAreSpelled()
{
    Object root = smallFile();
    root.children[0]->attributes[3] = textAttribute("column-order", {"cell_type", "a/b"}, false);
    Object& column = add(*root.children[0], group("cell_type", "categorical", "0.2.0"));
    column.attributes.push_back(integerAttribute("ordered", {0}));
    add(column, array("codes", DType::Int8, {6}));
    add(column, array("categories", DType::String, {2}));
    Object& between = add(*root.children[0], group("a"));
    add(between, array("b", DType::Int8, {6}, "array"));
    addSparse(root, "raw.X", "csr_matrix", {6, 4}, 7, 3);
    const auto dataset = built(root);
    for (const char* path : {"obs", "/obs", "obs/", "obs/_index", "obs/cell_type",
                             "obs/cell_type/codes", "obs/cell_type/categories", "obs/a/b", "raw/X",
                             "raw.X", "raw.X/indptr", "raw/X/data", "/", ""})
        QVERIFY2(dataset->find(path).ok(), path);
    QCOMPARE((*dataset->find("obs/a/b"))->name, std::string("a/b"));
    QCOMPARE((*dataset->find("raw.X"))->path, std::string("raw/X"));
    QCOMPARE((*dataset->find("raw.X"))->aliasOf, std::string("raw.X"));
    auto missing = dataset->find("obs/cel_type");
    QVERIFY(!missing);
    QCOMPARE(missing.error().code(), ErrorCode::NotFound);
    QVERIFY(!missing.error().suggestions().empty());
    QCOMPARE(missing.error().suggestions().front(), std::string("obs/cell_type"));
}

void DatasetTreesTest::givesNeighbourGraphsTheirNewName()
{
    Object root = smallFile();
    Object& uns = add(root, group("uns", "dict", "0.1.0"));
    Object& neighbors = add(uns, group("neighbors", "dict", "0.1.0"));
    addSparse(neighbors, "distances", "csr_matrix", {6, 6}, 7, 3);
    addSparse(neighbors, "of_other_size", "csr_matrix", {2, 2}, 3, 1);
    const auto dataset = built(root);
    auto graph = dataset->find("obsp/distances");
    QVERIFY(graph.ok());
    QCOMPARE((*graph)->aliasOf, std::string("uns/neighbors/distances"));
    QCOMPARE(dataset->namesOf(**graph, 1), dataset->obs());
    QVERIFY(dataset->find("uns/neighbors/distances").ok());
    QVERIFY(!dataset->find("obsp/of_other_size").ok());
}

void DatasetTreesTest::saysWhatElseAFileIs()
{
    Object empty;
    empty.path = "/";
    QVERIFY(refusal(empty).find("without any content") != std::string::npos);

    Object seurat;
    seurat.path = "/";
    add(seurat, group("assays"));
    add(seurat, array("cell.names", DType::String, {3}));
    QVERIFY(refusal(seurat).find("h5Seurat") != std::string::npos);

    Object counts;
    counts.path = "/";
    addSparse(counts, "matrix", "", {}, 4, 2);
    QVERIFY(refusal(counts).find("count matrix") != std::string::npos);

    Object other;
    other.path = "/";
    add(other, group("images"));
    QVERIFY(refusal(other).find("\"images\"") != std::string::npos);
    auto refused = DatasetBuilder::build({nullptr, &other, "x", ""});
    QCOMPARE(refused.error().code(), ErrorCode::NotAnnData);
    QCOMPARE(exitCode(refused.error().code()), 1);
}

void DatasetTreesTest::splitsLocations()
{
    const auto stored = dataFolder() / "files" / "two_modalities.h5mu";
    QVERIFY(std::filesystem::exists(stored));
    QTemporaryDir folder;
    const auto base = std::filesystem::path(folder.path().toStdString());
    // A file whose own name holds the mark wins.
    const auto odd = base / "a::b.h5mu";
    std::filesystem::copy_file(stored, odd);
    auto whole = Dataset::open(odd.string());
    QVERIFY(whole.ok());
    QVERIFY((*whole)->isWhole());
    const std::string first = (*whole)->modalities().front().name;
    auto one = Dataset::open(odd.string() + "::" + first);
    QVERIFY(one.ok());
    QVERIFY(!(*one)->isWhole());
    QCOMPARE((*one)->inside(), std::string());
    auto element = Dataset::open(odd.string() + "::" + first + "/obs");
    QVERIFY(element.ok());
    QCOMPARE((*element)->inside(), std::string("obs"));
    auto inWhole = Dataset::open(odd.string() + "::obs");
    QVERIFY(inWhole.ok());
    QVERIFY((*inWhole)->isWhole());
    QCOMPARE((*inWhole)->inside(), std::string("obs"));
    auto none = Dataset::open(odd.string() + "::" + first + "x");
    QVERIFY(!none.ok());
    QCOMPARE(none.error().code(), ErrorCode::NotFound);
    QCOMPARE(none.error().suggestions().front(), first);
    QCOMPARE(Dataset::open((base / "absent.h5ad").string()).error().code(), ErrorCode::NotFound);
    QCOMPARE(Dataset::open((base / "absent.h5ad::X").string()).error().code(), ErrorCode::NotFound);
}

QTEST_GUILESS_MAIN(DatasetTreesTest)
#include "dataset_trees_test.moc"
