// SPDX-License-Identifier: GPL-3.0-or-later
// One pass over a sparse matrix, cut into units of a few entries so that lines cross every border,
// against a plain map that adds up in stored order.
#include "core/canonical/matrix_rewrite.h"
#include "core/write/h5ad_writer.h"

#include <QtTest>

#include <map>
#include <random>

using namespace cellfolio;

namespace {

struct Stored {
    std::vector<Index> indptr{0};
    std::vector<std::int32_t> indices;
    std::vector<float> values;
};

// Lines in any order, with repeats; some empty, some much longer than a unit.
Stored randomLines(std::mt19937& random, Index lines, Index width)
{
    Stored stored;
    for (Index line = 0; line < lines; ++line) {
        const Index count = line % 7 == 3 ? 60 : static_cast<Index>(random() % 9);
        for (Index k = 0; k < count; ++k) {
            stored.indices.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(width)));
            stored.values.push_back(static_cast<float>(static_cast<int>(random() % 7) - 3));
        }
        if (line % 3 == 0)
            std::sort(stored.indices.begin() + stored.indptr.back(), stored.indices.end());
        stored.indptr.push_back(static_cast<Index>(stored.indices.size()));
    }
    return stored;
}

struct Canonical {
    std::vector<Index> indptr{0};
    std::vector<std::int32_t> indices;
    std::vector<float> values;
};

Canonical plainly(const Stored& stored, bool dropZeros)
{
    Canonical result;
    for (std::size_t line = 0; line + 1 < stored.indptr.size(); ++line) {
        std::map<std::int32_t, float> places;
        for (Index k = stored.indptr[line]; k < stored.indptr[line + 1]; ++k) {
            const auto [place, fresh] = places.try_emplace(stored.indices[at(k)], stored.values[at(k)]);
            if (!fresh)
                place->second += stored.values[at(k)];
        }
        for (const auto& [index, value] : places) {
            if (dropZeros && value == 0)
                continue;
            result.indices.push_back(index);
            result.values.push_back(value);
        }
        result.indptr.push_back(static_cast<Index>(result.indices.size()));
    }
    return result;
}

std::string write(const std::filesystem::path& path, const Stored& stored, Index width)
{
    StagedFile::Options options;
    options.overwrite = true;
    auto writer = H5adWriter::create(path, options);
    if (!writer || !(*writer)->beginData())
        return "cannot be made";
    const auto lines = static_cast<Index>(stored.indptr.size()) - 1;
    for (const auto& [name, rows] : {std::pair{"obs", lines}, std::pair{"var", width}}) {
        if (!(*writer)->beginTable(name, {}))
            return "no table";
        std::vector<std::string> names;
        for (Index k = 0; k < rows; ++k)
            names.push_back(std::to_string(k));
        if (!(*writer)->array(std::string(name) + "/_index", Values(std::move(names))))
            return "no names";
    }
    auto sparse = (*writer)->sparse("X", {Storage::Csr, lines, width, DType::Float32,
                                          static_cast<Index>(stored.indices.size())});
    if (!sparse)
        return "no matrix";
    std::vector<Index> ends(stored.indptr.begin() + 1, stored.indptr.end());
    if (!(*sparse)->append({static_cast<Index>(stored.indices.size()),
                            reinterpret_cast<const std::byte*>(stored.indices.data()),
                            reinterpret_cast<const std::byte*>(stored.values.data()), ends})
        || !(*sparse)->finish())
        return "no entries";
    sparse->reset();
    const auto done = (*writer)->commit();
    return done ? std::string() : done.error().message();
}

} // namespace

class CanonicalRewriteTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyCutGivesTheSame_data();
    void everyCutGivesTheSame();
    void wideLinesAreSortedWithoutAnAccumulator();
    void sumsKeepStoredOrder();
    void overflowIsTold();
};

void CanonicalRewriteTest::everyCutGivesTheSame_data()
{
    QTest::addColumn<int>("unit");
    QTest::addColumn<int>("threads");
    for (const int unit : {1, 2, 7, 16, 100, 100'000})
        for (const int threads : {1, 4})
            QTest::addRow("units of %d, %d threads", unit, threads) << unit << threads;
}

void CanonicalRewriteTest::everyCutGivesTheSame()
{
    QFETCH(int, unit);
    QFETCH(int, threads);
    QTemporaryDir folder;
    std::mt19937 random(7);
    for (const bool dropZeros : {false, true}) {
        const Index width = 33;
        const Stored stored = randomLines(random, 40, width);
        const Canonical wanted = plainly(stored, dropZeros);
        const std::filesystem::path source = (folder.path() + "/source.h5ad").toStdString();
        QCOMPARE(write(source, stored, width), std::string());
        const auto dataset = Dataset::open(source.string());
        QVERIFY(dataset.ok());
        const auto reading = std::make_shared<Reading>(Reading::Options{Index{64} << 20, 0, threads});
        const auto matrix = SparseSource::open(*dataset, *(*dataset)->x(), reading);
        QVERIFY(matrix.ok());
        MatrixRewrite::Options options;
        options.rules.dropZeros = dropZeros;
        options.unit = unit;
        QVERIFY(!*MatrixRewrite(*matrix, reading, options).isInForm());

        const std::filesystem::path target = (folder.path() + "/target.h5ad").toStdString();
        StagedFile::Options staging;
        staging.overwrite = true;
        auto writer = H5adWriter::create(target, staging);
        QVERIFY(writer.ok() && (*writer)->beginData().ok());
        auto sparse = (*writer)->sparse("X", {Storage::Csr, 40, width, DType::Float32, matrix->stored()});
        QVERIFY(sparse.ok());
        const auto tally = MatrixRewrite(*matrix, reading, options).run(sparse->get());
        QVERIFY2(tally.ok(), tally ? "" : tally.error().message().c_str());
        QCOMPARE(*(*sparse)->finish(), static_cast<Index>(wanted.indices.size()));
        sparse->reset();
        for (const auto& [name, rows] : {std::pair{"obs", Index{40}}, std::pair{"var", width}}) {
            QVERIFY((*writer)->beginTable(name, {}).ok());
            std::vector<std::string> names;
            for (Index k = 0; k < rows; ++k)
                names.push_back(std::to_string(k));
            QVERIFY((*writer)->array(std::string(name) + "/_index", Values(std::move(names))).ok());
        }
        QVERIFY((*writer)->commit().ok());
        QCOMPARE(tally->before, static_cast<Index>(stored.indices.size()));
        QCOMPARE(tally->after, static_cast<Index>(wanted.indices.size()));
        QCOMPARE(tally->lines.merged + tally->lines.zeros,
                 static_cast<Index>(stored.indices.size() - wanted.indices.size()));

        const auto made = Dataset::open(target.string());
        QVERIFY(made.ok());
        const auto result = SparseSource::open(*made, *(*made)->x(), reading);
        QVERIFY(result.ok());
        const auto block = result->block(0, 40);
        QVERIFY(block.ok());
        QVERIFY(block->indptr == wanted.indptr);
        QVERIFY(std::equal(block->indices.begin(), block->indices.end(), wanted.indices.begin(), wanted.indices.end()));
        for (std::size_t k = 0; k < wanted.values.size(); ++k)
            QCOMPARE(block->data.as<float>()[k], wanted.values[k]);
        QVERIFY(*MatrixRewrite(*result, reading, options).isInForm());
        QCOMPARE(MatrixRewrite(*result, reading, options).run(nullptr)->content, tally->content);
    }
}

void CanonicalRewriteTest::wideLinesAreSortedWithoutAnAccumulator()
{
    LineMerger<std::int32_t, double> merger(2'147'483'647, 1 << 20, {});
    const std::vector<std::int32_t> indices{2'147'483'646, 0, 2'147'483'646};
    const std::vector<double> values{1, 2, 3};
    std::vector<std::int32_t> outIndices(3);
    std::vector<double> outValues(3);
    QCOMPARE(merger.line(indices.data(), values.data(), 3, outIndices.data(), outValues.data()), Index{2});
    QCOMPARE(outIndices[0], 0);
    QCOMPARE(outIndices[1], 2'147'483'646);
    QCOMPARE(outValues[1], 4.0);
    QCOMPARE(merger.tally.merged, Index{1});
    QCOMPARE(merger.tally.unsorted, Index{1});
}

void CanonicalRewriteTest::sumsKeepStoredOrder()
{
    // In another order 1e8 + 1 + 1 - 1e8 would give 2.
    const std::vector<float> values{1e8F, 1, 1, -1e8F};
    for (const Index width : {Index{4}, Index{100'000}}) { // by accumulator, by sorting
        LineMerger<std::int32_t, float> merger(width, 1 << 20, {});
        std::vector<std::int32_t> outIndices(5);
        std::vector<float> outValues(5);
        const std::vector<std::int32_t> mixed{3, 3, 3, 3, 1};
        std::vector<float> more = values;
        more.push_back(5);
        QCOMPARE(merger.line(mixed.data(), more.data(), 5, outIndices.data(), outValues.data()), Index{2});
        QCOMPARE(outValues[0], 5.0F);
        QCOMPARE(outValues[1], 0.0F);
    }
}

void CanonicalRewriteTest::overflowIsTold()
{
    LineMerger<std::int32_t, std::uint64_t> merger(4, 1 << 20, {});
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    const std::vector<std::int32_t> indices{2, 2};
    const std::vector<std::uint64_t> values{most, most};
    std::vector<std::int32_t> outIndices(2);
    std::vector<std::uint64_t> outValues(2);
    merger.line(indices.data(), values.data(), 2, outIndices.data(), outValues.data());
    QVERIFY(merger.overflow.has_value());
    QCOMPARE(merger.overflow->index, Index{2});
    QVERIFY(merger.overflow->sum == static_cast<Int128>(most) * 2);
}

QTEST_GUILESS_MAIN(CanonicalRewriteTest)
#include "canonical_rewrite_test.moc"
