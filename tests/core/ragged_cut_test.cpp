// SPDX-License-Identifier: GPL-3.0-or-later
// Ragged arrays cut with a view, against a plain evaluation of form and buffers, item by item.
#include "core/export/h5ad_export.h"
#include "core/export/ragged_cut.h"
#include "tests/support/corpus.h"

#include <QTemporaryDir>
#include <QtTest>

#include <nlohmann/json.hpp>

#include <map>
#include <random>

using namespace cellfolio;
using Json = nlohmann::json;

namespace {

constexpr Index kRows = 4;

// Reads items one by one with all buffers in memory: slow, and nothing like the code under test.
class Plain
{
public:
    explicit Plain(const Element& element) : m_form(Json::parse(element.awkwardForm))
    {
        for (const ElementPart& part : element.parts)
            m_buffers[part.name] = *ArrayReader(part.array, std::make_shared<Reading>(), part.name).all();
    }

    Json row(Index i) const { return item(m_form, i); }

private:
    Index integer(const Json& form, const char* suffix, Index i) const
    {
        return m_buffers.at(form["form_key"].get<std::string>() + suffix).integer(i);
    }

    Json numbers(const Json& form, Index first, std::size_t dimension) const
    {
        const Json& inner = form["inner_shape"];
        if (dimension == inner.size())
            return m_buffers.at(form["form_key"].get<std::string>() + "-data").text(first);
        Json items = Json::array();
        Index step = 1;
        for (std::size_t d = dimension + 1; d < inner.size(); ++d)
            step *= inner[d].get<Index>();
        for (Index k = 0; k < inner[dimension].get<Index>(); ++k)
            items.push_back(numbers(form, first + k * step, dimension + 1));
        return items;
    }

    Json items(const Json& content, Index begin, Index end) const
    {
        Json list = Json::array();
        for (Index k = begin; k < end; ++k)
            list.push_back(item(content, k));
        return list;
    }

    Json item(const Json& form, Index i) const
    {
        const std::string kind = form["class"];
        if (kind == "NumpyArray") {
            Index each = 1;
            for (const Json& length : form["inner_shape"])
                each *= length.get<Index>();
            return numbers(form, i * each, 0);
        }
        if (kind == "ListOffsetArray")
            return items(form["content"], integer(form, "-offsets", i), integer(form, "-offsets", i + 1));
        if (kind == "ListArray")
            return items(form["content"], integer(form, "-starts", i), integer(form, "-stops", i));
        if (kind == "RegularArray")
            return items(form["content"], i * form["size"].get<Index>(), (i + 1) * form["size"].get<Index>());
        if (kind == "RecordArray") {
            Json record = Json::array({form["fields"]});
            for (const Json& content : form["contents"])
                record.push_back(item(content, i));
            return record;
        }
        if (kind == "IndexedArray" || kind == "IndexedOptionArray") {
            const Index index = integer(form, "-index", i);
            return index < 0 ? Json() : item(form["content"], index);
        }
        if (kind == "ByteMaskedArray")
            return (integer(form, "-mask", i) != 0) == form["valid_when"].get<bool>() ? item(form["content"], i) : Json();
        if (kind == "BitMaskedArray") {
            const Index place = form["lsb_order"].get<bool>() ? i % 8 : 7 - i % 8;
            const bool bit = (integer(form, "-mask", i / 8) >> place & 1) != 0;
            return bit == form["valid_when"].get<bool>() ? item(form["content"], i) : Json();
        }
        if (kind == "UnmaskedArray")
            return item(form["content"], i);
        if (kind == "UnionArray") {
            const Index tag = integer(form, "-tags", i);
            return Json::array({tag, item(form["contents"][at(tag)], integer(form, "-index", i))});
        }
        return "an item of nothing";
    }

    Json m_form;
    std::map<std::string, Values> m_buffers;
};

struct Exported {
    std::shared_ptr<const Dataset> dataset; // none: it was refused
    std::optional<Error> error;
    std::vector<Finding> findings;
    Index estimate = 0;

    std::string messages() const
    {
        std::string text = error ? error->message() : std::string();
        for (const Finding& finding : findings)
            text += finding.message + "\n";
        return text;
    }
};

Exported exported(const std::shared_ptr<const Dataset>& dataset, const QTemporaryDir& folder, const Selection& obs,
                  const Selection& var, Index budget = MemoryBudget::kCommandLineDefault)
{
    Exported result;
    ExportOptions options;
    options.view = DatasetView(dataset).narrowed(Axis::Obs, obs).narrowed(Axis::Var, var);
    options.overwrite = true;
    Reading::Options reading;
    reading.budget = budget;
    const ExportContext context{std::make_shared<Reading>(reading)};
    const std::filesystem::path target = folder.filePath("cut.h5ad").toStdString();
    auto plan = H5adExport::plan(options, context);
    if (!plan) {
        result.error = plan.error();
        return result;
    }
    if (auto estimate = plan->estimate(target, context))
        result.estimate = estimate->memory;
    auto done = plan->run(target, context);
    if (!done) {
        result.error = done.error();
        return result;
    }
    result.findings = done->findings;
    result.dataset = *Dataset::open(target.string());
    return result;
}

// A file with one ragged array of kRows rows, "obsm/lists", as a test wants it.
struct Stored {
    std::string name;
    DType type = DType::Int64;
    std::vector<std::int64_t> values;
};

void writeBuffer(H5adWriter& writer, const std::string& path, const Stored& buffer)
{
    Values values(buffer.type, static_cast<Index>(buffer.values.size()));
    visitReal(buffer.type, [&]<typename T>(const T*) {
        if constexpr (std::is_arithmetic_v<T>)
            std::transform(buffer.values.begin(), buffer.values.end(), values.as<T>().begin(),
                           [](std::int64_t v) { return static_cast<T>(v); });
    });
    auto array = writer.array(path + "/" + buffer.name, buffer.type, values.size());
    QVERIFY(array.ok() && array->append(values).ok() && array->finish().ok());
}

void writeRagged(H5adWriter& writer, const std::string& path, const std::string& form, const std::vector<Stored>& buffers)
{
    QVERIFY(writer.file().createGroup("/" + path).ok());
    QVERIFY(writer.describe(path, "awkward-array", "0.1.0").ok());
    QVERIFY(writer.file().setAttribute("/" + path, "form", form).ok());
    QVERIFY(writer.file().setAttribute("/" + path, "length", std::int64_t{kRows}).ok());
    for (const Stored& buffer : buffers)
        writeBuffer(writer, path, buffer);
}

std::shared_ptr<const Dataset> madeWith(const QTemporaryDir& folder, const std::string& form,
                                        const std::vector<Stored>& buffers)
{
    const std::filesystem::path path = folder.filePath("made.h5ad").toStdString();
    StagedFile::Options options;
    options.overwrite = true;
    auto writer = H5adWriter::create(path, options);
    if (!writer || !(*writer)->beginData())
        return nullptr;
    for (const char* name : {"obs", "var"}) {
        const bool obs = name[0] == 'o';
        const std::vector<std::string> columns = obs ? std::vector<std::string>{"ragged"} : std::vector<std::string>{};
        if (!(*writer)->beginTable(name, columns))
            return nullptr;
        auto names = (*writer)->array(std::string(name) + "/_index", DType::String, obs ? kRows : 1);
        const std::vector<std::string> texts = obs ? std::vector<std::string>{"a", "b", "c", "d"}
                                                   : std::vector<std::string>{"g"};
        if (!names || !names->append(std::span(texts)) || !names->finish())
            return nullptr;
    }
    writeRagged(**writer, "obsm/lists", form, buffers);
    writeRagged(**writer, "obs/ragged", form, buffers);
    if (!(*writer)->commit())
        return nullptr;
    auto dataset = Dataset::open(path.string());
    return dataset ? *dataset : nullptr;
}

const std::string kLists = R"({"class":"ListOffsetArray","offsets":"i64","form_key":"l","content":)"
                           R"({"class":"NumpyArray","primitive":"int32","inner_shape":[],"form_key":"n"}})";
const Stored kOffsets{"l-offsets", DType::Int64, {0, 2, 2, 3, 6}};
const Stored kNumbers{"n-data", DType::Int32, {1, 2, 3, 4, 5, 6}};

} // namespace

class RaggedCutTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rowsAreThoseOfThePlainEvaluation_data();
    void rowsAreThoseOfThePlainEvaluation();
    void longListsGoThroughManyWindows();
    void offsetsThatWouldOverflowBecomeWider();
    void columnsFollowToo();
    void damageIsLeftOutAndNamed_data();
    void damageIsLeftOutAndNamed();
    void whatIsDamagedBesideTheRowsDoesNotMatter();
    void tooManyLevelsForTheBudgetAreRefused();
};

void RaggedCutTest::rowsAreThoseOfThePlainEvaluation_data()
{
    QTest::addColumn<QString>("file");
    for (const char* name : {"lists", "records", "options"})
        QTest::newRow(name) << QString("files/ragged_%1.h5ad").arg(name);
}

void RaggedCutTest::rowsAreThoseOfThePlainEvaluation()
{
    QFETCH(QString, file);
    auto source = Dataset::open((test::dataFolder() / file.toStdString()).string());
    QVERIFY(source.ok());
    const Index rows = (*source)->nObs().value();
    const Index columns = (*source)->nVars().value();
    QTemporaryDir folder;
    const std::vector<std::vector<Index>> choices{{}, {0}, {6}, {6, 5, 4, 3, 2, 1, 0}, {1, 4, 6}, {3, 3, 0, 6, 3}, {2, 3, 4}};
    int compared = 0;
    for (std::size_t c = 0; c < choices.size(); ++c) {
        std::vector<Index> vars;
        for (const Index row : choices[choices.size() - 1 - c])
            vars.push_back(row % columns);
        const Exported cut = exported(*source, folder, Selection::indices(rows, choices[c]), Selection::indices(columns, vars));
        QVERIFY2(cut.dataset != nullptr, cut.messages().c_str());
        for (const Element* element : (*source)->elements()) {
            if (element->kind != ElementKind::Awkward)
                continue;
            const auto found = cut.dataset->find(element->path);
            QVERIFY2(found.ok(), (element->path + " is lost\n" + cut.messages()).c_str());
            const std::vector<Index> picked = element->path.starts_with("obsm") ? choices[c]
                                            : element->path.starts_with("varm") ? vars
                                                                                : std::vector<Index>{0, 1, 2, 3};
            QCOMPARE((*found)->awkwardLength, static_cast<Index>(picked.size()));
            QCOMPARE(Json::parse((*found)->awkwardForm), Json::parse(element->awkwardForm));
            const Plain before(*element);
            const Plain after(**found);
            for (std::size_t k = 0; k < picked.size(); ++k) {
                const std::string expected = before.row(picked[k]).dump();
                const std::string actual = after.row(static_cast<Index>(k)).dump();
                QVERIFY2(expected == actual, (element->path + ": " + actual + " is not " + expected).c_str());
            }
            ++compared;
        }
    }
    QVERIFY(compared > 60);
}

void RaggedCutTest::longListsGoThroughManyWindows()
{
    QTemporaryDir folder;
    // A million numbers in lists of lists; the four rows are some 30 000 lists each.
    const std::string form = R"({"class":"ListOffsetArray","offsets":"i64","form_key":"o","content":)" + kLists + "}";
    std::mt19937 random(3);
    Stored inner{"l-offsets", DType::Int64, {0}};
    while (inner.values.back() < 1'000'000)
        inner.values.push_back(inner.values.back() + static_cast<std::int64_t>(random() % 17));
    Stored numbers{"n-data", DType::Int32, {}};
    for (std::int64_t k = 0; k < inner.values.back(); ++k)
        numbers.values.push_back(k);
    const auto lists = static_cast<std::int64_t>(inner.values.size()) - 1;
    const auto source = madeWith(folder, form, {{"o-offsets", DType::Int64, {0, 100, lists / 2, lists - 5, lists}}, inner, numbers});
    QVERIFY(source != nullptr);
    const std::vector<Index> picked{3, 1, 2, 1, 0};
    const Exported cut = exported(source, folder, Selection::indices(kRows, picked), Selection::all(1));
    QVERIFY2(cut.dataset != nullptr, cut.messages().c_str());
    const Plain before(**source->find("obsm/lists"));
    const auto found = cut.dataset->find("obsm/lists");
    QVERIFY2(found.ok(), cut.messages().c_str());
    const Plain after(**found);
    for (std::size_t k = 0; k < picked.size(); ++k)
        QVERIFY(before.row(picked[k]) == after.row(static_cast<Index>(k)));
}

void RaggedCutTest::offsetsThatWouldOverflowBecomeWider()
{
    QTemporaryDir folder;
    // Items without fields take no room, so two thousand million of them are quickly there.
    const std::string form = R"({"class":"ListOffsetArray32","offsets":"i32","form_key":"l","content":)"
                             R"({"class":"RecordArray","fields":[],"contents":[],"form_key":"r"}})";
    const std::int64_t most = 2'000'000'000;
    const auto source = madeWith(folder, form, {{"l-offsets", DType::Int32, {0, 0, 0, most, most}}});
    QVERIFY(source != nullptr);
    for (const bool twice : {false, true}) {
        const Exported cut = exported(source, folder, Selection::indices(kRows, twice ? std::vector<Index>{2, 2} : std::vector<Index>{2}),
                                      Selection::all(1));
        QVERIFY2(cut.dataset != nullptr, cut.messages().c_str());
        const auto found = cut.dataset->find("obsm/lists");
        QVERIFY2(found.ok(), cut.messages().c_str());
        const ArrayRef offsets = (*found)->parts.front().array;
        QCOMPARE(offsets.dtype(), twice ? DType::Int64 : DType::Int32);
        QCOMPARE(Json::parse((*found)->awkwardForm)["offsets"].get<std::string>(), std::string(twice ? "i64" : "i32"));
        QCOMPARE(ArrayReader(offsets, std::make_shared<Reading>(), "").all()->integer(twice ? 2 : 1), twice ? 2 * most : most);
    }
}

void RaggedCutTest::columnsFollowToo()
{
    QTemporaryDir folder;
    const auto source = madeWith(folder, kLists, {kOffsets, kNumbers});
    QVERIFY(source != nullptr);
    const Exported cut = exported(source, folder, Selection::indices(kRows, {3, 0, 3}), Selection::all(1));
    QVERIFY2(cut.dataset != nullptr, cut.messages().c_str());
    const auto column = cut.dataset->find("obs/ragged");
    QVERIFY2(column.ok(), cut.messages().c_str());
    const Plain after(**column);
    QCOMPARE(after.row(0).dump() + after.row(1).dump() + after.row(2).dump(),
             std::string(R"(["4","5","6"]["1","2"]["4","5","6"])"));
}

void RaggedCutTest::damageIsLeftOutAndNamed_data()
{
    QTest::addColumn<QString>("form");
    QTest::addColumn<QString>("offsets");
    QTest::addColumn<QString>("numbers");
    QTest::addColumn<QString>("said");
    const QString lists = QString::fromStdString(kLists);
    const QString known = "0 2 2 3 6";
    const auto with = [&](const char* from, const char* to) { return QString(lists).replace(from, to); };
    QTest::newRow("no JSON") << "{" << known << "1 2 3 4 5 6" << "no JSON text";
    QTest::newRow("unknown part") << with("NumpyArray", "LaterArray") << known << "1 2 3 4 5 6" << "(LaterArray)";
    QTest::newRow("unknown type") << with("int32", "float128") << known << "1 2 3 4 5 6" << "\"float128\"";
    QTest::newRow("another type") << with("int32", "float64") << known << "1 2 3 4 5 6" << "of the type that its form says (float64)";
    QTest::newRow("no buffer") << with("\"n\"", "\"m\"") << known << "1 2 3 4 5 6" << "\"m-data\" that its form names is not stored";
    QTest::newRow("one buffer twice")
        << R"({"class":"RecordArray","fields":null,"form_key":"r","contents":[)"
           R"({"class":"NumpyArray","primitive":"int32","form_key":"n"},{"class":"NumpyArray","primitive":"int32","form_key":"n"}]})"
        << known << "1 2 3 4 5 6" << "same buffer \"n-data\"";
    QTest::newRow("too few offsets") << lists << "0 2 2 3" << "1 2 3 4 5 6" << "said to have 4 rows, and its buffers hold 3";
    QTest::newRow("falling offsets") << lists << "0 2 1 3 6" << "1 2 3 4 5 6" << "Row 1 cannot be followed: list 1 of \"l\" ends before it begins";
    QTest::newRow("below 0") << lists << "0 2 -1 3 6" << "1 2 3 4 5 6" << "Row 1 cannot be followed";
    QTest::newRow("too few numbers") << lists << known << "1 2 3 4 5" << "Row 3 cannot be followed: it points to item 5 of \"n\", which has 5";
    QTest::newRow("no content") << R"({"class":"ListOffsetArray","offsets":"i64","form_key":"l"})" << known << "1" << "without a content";
}

void RaggedCutTest::damageIsLeftOutAndNamed()
{
    QFETCH(QString, form);
    QFETCH(QString, offsets);
    QFETCH(QString, numbers);
    QFETCH(QString, said);
    const auto listed = [](const QString& text) {
        std::vector<std::int64_t> values;
        for (const QString& word : text.split(' '))
            values.push_back(word.toLongLong());
        return values;
    };
    QTemporaryDir folder;
    const auto source = madeWith(folder, form.toStdString(), {{"l-offsets", DType::Int64, listed(offsets)},
                                                              {"n-data", DType::Int32, listed(numbers)}});
    QVERIFY(source != nullptr);
    const Exported cut = exported(source, folder, Selection::indices(kRows, {3, 1}), Selection::all(1));
    QVERIFY2(cut.dataset != nullptr, cut.messages().c_str());
    for (const char* path : {"obsm/lists", "obs/ragged"}) {
        QVERIFY2(!cut.dataset->find(path), path);
        const auto finding = std::find_if(cut.findings.begin(), cut.findings.end(),
                                          [&](const Finding& f) { return f.element == path; });
        QVERIFY2(finding != cut.findings.end(), path);
        QVERIFY2(QString::fromStdString(finding->message).contains(said, Qt::CaseInsensitive), finding->message.c_str());
    }
    // Whole, it is copied as it is.
    const Exported whole = exported(source, folder, Selection::all(kRows), Selection::all(1));
    QVERIFY2(whole.dataset && whole.dataset->find("obsm/lists"), whole.messages().c_str());
}

void RaggedCutTest::whatIsDamagedBesideTheRowsDoesNotMatter()
{
    QTemporaryDir folder;
    const auto source = madeWith(folder, kLists, {{"l-offsets", DType::Int64, {0, 2, 1, 3, 600}}, kNumbers});
    QVERIFY(source != nullptr);
    const Exported cut = exported(source, folder, Selection::indices(kRows, {2, 0}), Selection::all(1));
    QVERIFY2(cut.dataset != nullptr, cut.messages().c_str());
    const auto found = cut.dataset->find("obsm/lists");
    QVERIFY2(found.ok(), cut.messages().c_str());
    const Plain after(**found);
    QCOMPARE(after.row(0).dump() + after.row(1).dump(), std::string(R"(["2","3"]["1","2"])"));
}

void RaggedCutTest::tooManyLevelsForTheBudgetAreRefused()
{
    QTemporaryDir folder;
    std::string form = kLists;
    for (int k = 0; k < 60; ++k)
        form = R"({"class":"UnmaskedArray","form_key":"u","content":)" + form + "}";
    const auto source = madeWith(folder, form, {kOffsets, kNumbers});
    QVERIFY(source != nullptr);
    const Selection rows = Selection::indices(kRows, {2, 0});
    const Exported small = exported(source, folder, rows, Selection::all(1), Index{32} << 20);
    QVERIFY(small.error.has_value());
    QCOMPARE(small.error->code(), ErrorCode::OutOfBudget);
    QCOMPARE(small.error->element(), std::string("obs/ragged"));
    QVERIFY(!std::filesystem::exists(folder.filePath("cut.h5ad").toStdString()));
    const Exported large = exported(source, folder, rows, Selection::all(1));
    QVERIFY2(large.dataset && large.dataset->find("obsm/lists"), large.messages().c_str());
    const auto plain = madeWith(folder, kLists, {kOffsets, kNumbers});
    QVERIFY(plain != nullptr);
    // The estimate knows the difference.
    QVERIFY(large.estimate > exported(plain, folder, rows, Selection::all(1)).estimate + (Index{32} << 20));
}

QTEST_GUILESS_MAIN(RaggedCutTest)
#include "ragged_cut_test.moc"
