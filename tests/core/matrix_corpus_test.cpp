// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes, sums, entries and blocks of every matrix that the corpora's ground truth tells of.
#include "core/matrix/matrix_reader.h"
#include "core/matrix/stats.h"
#include "tests/support/corpus.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <cmath>
#include <fstream>
#include <numeric>
#include <set>

using namespace cellfolio;
using Json = nlohmann::json;

namespace {

Json readJson(const std::filesystem::path& path)
{
    std::ifstream stream(path);
    return stream ? Json::parse(stream) : Json();
}

std::shared_ptr<Reading> reading(bool tiny)
{
    return std::make_shared<Reading>(
        Reading::Options{Index{tiny ? 16 : 256} << 20, tiny ? Index{32} << 10 : 0, 2});
}

double numberOf(const Json& value)
{
    if (value.is_string()) {
        const std::string text = value.get<std::string>();
        if (text == "NaN")
            return std::nan("");
        return text[0] == '-' ? -HUGE_VAL : HUGE_VAL;
    }
    if (value.is_boolean())
        return value.get<bool>() ? 1 : 0;
    if (value.is_null())
        return std::nan("");
    return value.get<double>();
}

// Integers to the last digit, floats as doubles: read back from single precision they are exact,
// and so are their neighbours in the ground truth.
bool same(const Values& values, Index i, const Json& expected)
{
    if (values.isMissing(i))
        return expected.is_null();
    if (expected.is_number_integer() && isInteger(values.type()))
        return values.text(i) == expected.dump();
    const double number = values.number(i);
    const double wanted = numberOf(expected);
    if (std::isnan(wanted))
        return std::isnan(number);
    return number == wanted
           || std::abs(number - wanted) <= 1e-6 * std::max(1.0, std::abs(wanted));
}

// Sums of the ground truth were formed in another order: near relative to what was added up.
bool nearSum(double sum, double expected, const Figures& figures)
{
    const double moved = figures.sd.value_or(0) * std::sqrt(static_cast<double>(figures.n))
                         + std::abs(expected);
    return std::abs(sum - expected) <= 1e-9 * moved + 1e-12;
}

bool sameNumber(const std::optional<double>& number, const Json& expected)
{
    return expected.is_null() ? !number : number && *number == numberOf(expected);
}

struct Open {
    std::shared_ptr<const Dataset> dataset;
    const Element* element = nullptr;
    std::shared_ptr<const MatrixReader> reader;
};

} // namespace

class MatrixCorpusTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void reports_data();
    void reports();
    void spec_data();
    void spec();
    void real_data();
    void real();
    void hugeOnesAreReadInPart();
    void damagedLinesAreNamed_data();
    void damagedLinesAreNamed();

private:
    Open open(const std::string& location, const std::string& element, bool tiny);
    void checkBlock(const Open& matrix, const std::vector<Index>& rows,
                    const std::vector<Index>& columns, const Json& values);
    void checkReport(const std::string& location, const Json& expected, bool tiny);
    void checkMatrix(const Open& matrix, const Json& expected);
};

Open MatrixCorpusTest::open(const std::string& location, const std::string& element, bool tiny)
{
    Open result;
    Result<std::shared_ptr<const Dataset>> dataset = Dataset::open(location);
    if (!dataset) {
        QTest::qFail(dataset.error().describe().c_str(), __FILE__, __LINE__);
        return result;
    }
    result.dataset = *dataset;
    Result<const Element*> found = result.dataset->find(element);
    if (!found) {
        QTest::qFail(found.error().describe().c_str(), __FILE__, __LINE__);
        return result;
    }
    result.element = *found;
    auto reader = MatrixReader::open(result.dataset, **found, reading(tiny));
    if (reader)
        result.reader = *reader;
    else
        QTest::qFail(reader.error().describe().c_str(), __FILE__, __LINE__);
    return result;
}

void MatrixCorpusTest::checkBlock(const Open& matrix, const std::vector<Index>& rows,
                                  const std::vector<Index>& columns, const Json& values)
{
    auto block = matrix.reader->block(Selection::indices(matrix.reader->rows(), rows),
                                      Selection::indices(matrix.reader->columns(), columns));
    QVERIFY2(block.ok(), block.ok() ? "" : block.error().describe().c_str());
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const auto i = static_cast<Index>(r * columns.size() + c);
            QVERIFY2(same(*block, i, values[r][c]),
                     (matrix.element->path + " row " + std::to_string(rows[r]) + " column "
                      + std::to_string(columns[c]) + ": " + block->text(i) + ", not "
                      + values[r][c].dump())
                         .c_str());
        }
}

void MatrixCorpusTest::reports_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("truth");
    const auto add = [](const std::filesystem::path& folder) {
        const Json all = readJson(folder / "expected.json");
        for (const auto& [name, expected] : all.items())
            if (expected.is_object() && expected.value("outcome", "").starts_with("open"))
                QTest::newRow(name.c_str()) << QString::fromStdString((folder / name).string())
                                            << QString::fromStdString(expected.dump());
    };
    add(test::dataFolder());
    if (!test::corpusFolder("reports").empty())
        add(test::corpusFolder("reports"));
}

void MatrixCorpusTest::reports()
{
    QFETCH(QString, path);
    QFETCH(QString, truth);
    const Json expected = Json::parse(truth.toStdString());
    for (const bool tiny : {false, true}) {
        checkReport(path.toStdString(), expected, tiny);
        if (expected.contains("inside"))
            for (const auto& [name, inside] : expected["inside"].items())
                checkReport(path.toStdString() + "::" + name, inside, tiny);
    }
}

void MatrixCorpusTest::checkReport(const std::string& location, const Json& expected, bool tiny)
{
    const auto dataset = Dataset::open(location);
    QVERIFY2(dataset.ok(), dataset.ok() ? "" : dataset.error().describe().c_str());
    std::set<std::string> huge;
    const Json none = Json::object();
    const auto part = [&](const char* key) -> const Json& {
        return expected.contains(key) ? expected[key] : none;
    };
    for (const Json& element : part("huge"))
        huge.insert(element.get<std::string>());

    for (const auto& [element, stored] : part("nnz").items()) {
        const Open matrix = open(location, element, tiny);
        QVERIFY(matrix.reader != nullptr);
        if (matrix.element->isSparse()) {
            QCOMPARE(matrix.element->stored.value_or(-1), stored.get<Index>());
            continue;
        }
        auto stats = matrixStats(matrix.dataset, *matrix.element, reading(tiny), {});
        QVERIFY(stats.ok());
        QCOMPARE(stats->figures.nnz, stored.get<Index>());
    }
    for (const auto& [element, sum] : part("sum").items()) {
        if (huge.contains(element))
            continue;
        const Open matrix = open(location, element, tiny);
        QVERIFY(matrix.reader != nullptr);
        auto stats = matrixStats(matrix.dataset, *matrix.element, reading(tiny), {});
        QVERIFY2(stats.ok(), stats.ok() ? "" : stats.error().describe().c_str());
        if (stats->figures.sum.integral && sum.is_number_integer())
            QCOMPARE(stats->figures.sum.text(), sum.dump());
        else
            QVERIFY(nearSum(stats->figures.sum.number(), sum.get<double>(), stats->figures));
    }
    for (const Json& cell : part("cells"))
        checkBlock(open(location, cell[0], tiny), {cell[1].get<Index>()}, {cell[2].get<Index>()},
                   Json::array({Json::array({cell[3]})}));
    for (const Json& select : part("select"))
        checkBlock(open(location, select["element"], tiny),
                   select["rows"].get<std::vector<Index>>(),
                   select["cols"].get<std::vector<Index>>(), select["values"]);
    for (const auto& [element, holds] : part("holds").items()) {
        const Open matrix = open(location, element, tiny);
        QVERIFY(matrix.reader != nullptr);
        auto sampled = sampleHolds(matrix.dataset, *matrix.element, reading(tiny));
        QVERIFY(sampled.ok());
        auto exact = matrixStats(matrix.dataset, *matrix.element, reading(tiny), {});
        QVERIFY(exact.ok());
        for (const HoldsResult& result : {*sampled, exact->holds}) {
            QCOMPARE(std::string(nameOf(result.holds)), holds[0].get<std::string>());
            QCOMPARE(result.total.has_value(), !holds[1].is_null());
            if (result.total)
                QCOMPARE(*result.total, holds[1].get<double>());
        }
    }
}

void MatrixCorpusTest::spec_data()
{
    QTest::addColumn<QString>("location");
    QTest::addColumn<QString>("element");
    QTest::addColumn<QString>("dense");
    const std::filesystem::path folder = test::corpusFolder("spec");
    if (folder.empty())
        QSKIP("the corpus of encodings is not beside this checkout");
    const Json all = readJson(folder / "expected.json");
    for (const auto& [name, expected] : all["files"].items())
        for (const auto& [element, values] : expected["values"].items()) {
            if (!values.is_object())
                continue;
            const char* key = values.contains("dense") ? "dense" : "cells_x_features";
            if (!values.contains(key))
                continue;
            const bool genome = element != "/X" && element != "/matrix";
            QTest::newRow(name.c_str())
                << QString::fromStdString((folder / name).string()
                                          + (genome ? ":" + std::string(":") + element.substr(1) : ""))
                << QString("X") << QString::fromStdString(values[key].dump());
        }
}

void MatrixCorpusTest::spec()
{
    QFETCH(QString, location);
    QFETCH(QString, element);
    QFETCH(QString, dense);
    const Json values = Json::parse(dense.toStdString());
    const Open matrix = open(location.toStdString(), element.toStdString(), true);
    QVERIFY(matrix.reader != nullptr);
    QCOMPARE(matrix.reader->rows(), static_cast<Index>(values.size()));
    std::vector<Index> rows(values.size());
    std::vector<Index> columns(values[0].size());
    std::iota(rows.begin(), rows.end(), Index{0});
    std::iota(columns.begin(), columns.end(), Index{0});
    QCOMPARE(matrix.reader->columns(), static_cast<Index>(columns.size()));
    checkBlock(matrix, rows, columns, values);
}

void MatrixCorpusTest::real_data()
{
    QTest::addColumn<QString>("location");
    QTest::addColumn<QString>("element");
    QTest::addColumn<QString>("truth");
    const std::filesystem::path folder = test::corpusFolder("real");
    if (folder.empty())
        QSKIP("the corpus of real files is not beside this checkout");
    const Json all = readJson(folder / "expected.json");
    const auto add = [&](const std::string& name, const std::string& inside, const std::string& element,
                         const Json& truth) {
        if (truth.is_object() && truth.contains("storage"))
            QTest::newRow((name + inside + " " + element).c_str())
                << QString::fromStdString((folder / name).string() + inside)
                << QString::fromStdString(element) << QString::fromStdString(truth.dump());
    };
    for (const auto& [name, expected] : all["files"].items()) {
        if (expected.contains("X"))
            add(name, "", "X", expected["X"]);
        if (expected.contains("raw") && expected["raw"].is_object() && expected["raw"].contains("X"))
            add(name, "", "raw/X", expected["raw"]["X"]);
        for (const char* group : {"layers", "obsm", "varm", "obsp", "varp"})
            if (expected.contains(group) && expected[group].is_object())
                for (const auto& [key, truth] : expected[group].items())
                    add(name, "", std::string(group) + "/" + key, truth);
        if (expected.contains("matrices"))
            for (const auto& [genome, truth] : expected["matrices"].items()) {
                Json cells = truth;
                cells["storage"] = "csr";
                cells["shape"] = {truth["n_barcodes"], truth["n_features"]};
                cells["sum_first_row"] = truth["sum_first_barcode"];
                cells["sum_last_row"] = truth["sum_last_barcode"];
                add(name, expected["matrices"].size() > 1 ? "::" + genome : "", "X", cells);
            }
    }
}

void MatrixCorpusTest::real()
{
    QFETCH(QString, location);
    QFETCH(QString, element);
    QFETCH(QString, truth);
    const Json expected = Json::parse(truth.toStdString());
    if (expected.value("shape", Json::array()).size() > 2)
        QSKIP("of more than two dimensions");
    if (expected.value("dtype", "").find("string") != std::string::npos)
        QSKIP("text");
    const auto dataset = Dataset::open(location.toStdString());
    QVERIFY(dataset.ok());
    const auto found = (*dataset)->find(element.toStdString());
    QVERIFY(found.ok());
    if ((*found)->kind == ElementKind::Table)
        QSKIP("a table");
    const Open matrix = open(location.toStdString(), element.toStdString(), false);
    QVERIFY(matrix.reader != nullptr);
    checkMatrix(matrix, expected);
}

void MatrixCorpusTest::checkMatrix(const Open& matrix, const Json& expected)
{
    const MatrixReader& reader = *matrix.reader;
    QCOMPARE(reader.rows(), expected["shape"][0].get<Index>());
    if (expected["shape"].size() > 1)
        QCOMPARE(reader.columns(), expected["shape"][1].get<Index>());
    if (!isReal(reader.dtype()))
        QSKIP("not of real numbers");
    const auto shared = reading(false);
    auto stats = matrixStats(matrix.dataset, *matrix.element, shared, {});
    QVERIFY2(stats.ok(), stats.ok() ? "" : stats.error().describe().c_str());
    const Figures& figures = stats->figures;
    QCOMPARE(figures.n, reader.rows() * reader.columns());
    if (expected.contains("nnz_stored"))
        QCOMPARE(matrix.element->stored.value_or(figures.stored), expected["nnz_stored"].get<Index>());
    if (expected.contains("n_explicit_zeros"))
        QCOMPARE(figures.explicitZeros, expected["n_explicit_zeros"].get<Index>());
    if (expected.contains("nnz"))
        QCOMPARE(figures.nnz, expected["nnz"].get<Index>());
    if (expected.contains("n_nan"))
        QCOMPARE(figures.nan, expected["n_nan"].get<Index>());
    if (expected.contains("sum")) {
        if (figures.sum.integral && expected["sum"].is_number_integer())
            QCOMPARE(figures.sum.text(), expected["sum"].dump());
        else
            QVERIFY2(nearSum(figures.sum.number(), numberOf(expected["sum"]), figures),
                     figures.sum.text().c_str());
    }
    if (expected.contains("min"))
        QVERIFY(sameNumber(figures.min, expected["min"]));
    if (expected.contains("max"))
        QVERIFY(sameNumber(figures.max, expected["max"]));
    for (const bool first : {true, false}) {
        const char* key = first ? "sum_first_row" : "sum_last_row";
        if (!expected.contains(key) || reader.rows() == 0 || reader.columns() == 0)
            continue;
        const Selection row =
            Selection::of(reader.rows(), {first ? 0 : reader.rows() - 1, 1, 1});
        auto block = reader.block(row, Selection::all(reader.columns()));
        QVERIFY2(block.ok(), block.ok() ? "" : block.error().describe().c_str());
        double sum = 0;
        double size = 0;
        for (Index i = 0; i < block->size(); ++i) {
            const double value = block->number(i);
            sum += std::isnan(value) ? 0 : value;
            size += std::isnan(value) ? 0 : std::abs(value);
        }
        QVERIFY(std::abs(sum - numberOf(expected[key])) <= 1e-9 * size + 1e-12);
    }
}

void MatrixCorpusTest::hugeOnesAreReadInPart()
{
    const std::filesystem::path folder = test::corpusFolder("reports");
    if (folder.empty())
        QSKIP("the corpus of reports is not beside this checkout");
    // 11 GiB of zeros that are not stored, and a sparse matrix of 2^31 + 5 entries: a block and a
    // sample of them take no more than a few pages.
    for (const char* name : {"B039-virtual-dense-11-gib.h5ad", "B077-nnz-above-2-31.h5ad"}) {
        auto dataset = Dataset::open((folder / name).string());
        QVERIFY(dataset.ok());
        const auto shared = reading(true);
        auto reader = MatrixReader::open(*dataset, *(*dataset)->x(), shared);
        QVERIFY(reader.ok());
        const Index rows = (*reader)->rows();
        const Index columns = (*reader)->columns();
        QElapsedTimer timer;
        timer.start();
        auto block = (*reader)->block(Selection::of(rows, {rows - 1, 1, 1}),
                                      Selection::all(columns).part(0, std::min(columns, Index{20})));
        QVERIFY(block.ok());
        auto holds = sampleHolds(*dataset, *(*dataset)->x(), shared);
        QVERIFY(holds.ok());
        QVERIFY(timer.elapsed() < 5000);
        QVERIFY(shared->budget().snapshot().peak <= shared->budget().limit());
    }
}

void MatrixCorpusTest::damagedLinesAreNamed_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("sentence");
    QTest::addColumn<int>("row");   // that is damaged
    QTest::addColumn<int>("other"); // that is not
    QTest::newRow("falls") << "bad_indptr_falls.h5ad" << "A032" << "falls from" << 1 << 0;
    QTest::newRow("range") << "bad_index_range.h5ad" << "A034" << "outside 0..2" << -1 << -1;
    QTest::newRow("negative") << "bad_index_negative.h5ad" << "A034" << "index -1" << -1 << -1;
}

void MatrixCorpusTest::damagedLinesAreNamed()
{
    QFETCH(QString, file);
    QFETCH(QString, rule);
    QFETCH(QString, sentence);
    QFETCH(int, row);
    QFETCH(int, other);
    const std::filesystem::path folder = test::corpusFolder("spec");
    if (folder.empty())
        QSKIP("the corpus of encodings is not beside this checkout");
    const Open matrix = open((folder / file.toStdString()).string(), "X", false);
    QVERIFY(matrix.reader != nullptr);
    const Index rows = matrix.reader->rows();
    const Selection columns = Selection::all(matrix.reader->columns());
    const auto all = matrix.reader->block(Selection::all(rows), columns);
    QVERIFY(!all.ok());
    QCOMPARE(all.error().code(), ErrorCode::Corrupt);
    QCOMPARE(QString::fromStdString(all.error().ruleId()), rule);
    QVERIFY2(QString::fromStdString(all.error().message()).contains(sentence),
             all.error().message().c_str());
    QVERIFY(QString::fromStdString(all.error().message()).contains("row"));
    // One row alone: at least one is damaged, at least one can be read.
    int readable = 0;
    for (Index k = 0; k < rows; ++k) {
        const auto one = matrix.reader->block(Selection::of(rows, {k, 1, 1}), columns);
        readable += one.ok() ? 1 : 0;
        if (k == row)
            QVERIFY(!one.ok());
        if (k == other)
            QVERIFY2(one.ok(), one.ok() ? "" : one.error().describe().c_str());
    }
    QVERIFY(readable > 0 && readable < rows);
}

QTEST_GUILESS_MAIN(MatrixCorpusTest)
#include "matrix_corpus_test.moc"
