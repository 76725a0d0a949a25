// SPDX-License-Identifier: GPL-3.0-or-later
// Genes of every sparse and dense matrix at hand, against plain copies of the stored arrays; and
// the search for a few numbers among many, against a plain loop.
#include "core/matrix/gene_scan.h"
#include "core/matrix/gene_source.h"
#include "core/matrix/index_search.h"
#include "core/matrix/number_types.h"
#include "tests/support/corpus.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

using namespace cellfolio;

namespace {

constexpr Index kMostEntries = 400'000;
constexpr Index kMostRows = 20'000;

Result<Values> readAll(const ArrayRef& array)
{
    hdf5::File::Slab slab;
    slab.start.assign(array.info().shape.size(), 0);
    slab.count = array.info().shape;
    slab.member = array.member;
    return array.file->read(*array.object, slab, hdf5::Lane::Bulk);
}

// A matrix as sums of its entries, gene by gene; none where it is damaged.
std::optional<std::vector<std::vector<double>>> plainGenes(const Element& element)
{
    const Index rows = (*element.shape)[0];
    const Index columns = (*element.shape)[1];
    std::vector<std::vector<double>> genes(at(columns), std::vector<double>(at(rows), 0.0));
    auto values = readAll(element.values);
    if (!values)
        return std::nullopt;
    if (!element.isSparse()) {
        for (Index row = 0; row < rows; ++row)
            for (Index column = 0; column < columns; ++column)
                genes[at(column)][at(row)] = values->number(
                    element.transposed ? column * rows + row : row * columns + column);
        return genes;
    }
    auto indices = readAll(element.indices);
    auto indptr = readAll(element.indptr);
    if (!indices || !indptr)
        return std::nullopt;
    const bool byRows = element.storage == Storage::Csr;
    const Index lines = byRows ? rows : columns;
    const Index width = byRows ? columns : rows;
    const Index stored = std::min(values->size(), indices->size());
    if (indptr->size() < lines + 1)
        return std::nullopt;
    for (Index line = 0; line < lines; ++line) {
        const Index begin = indptr->integer(line);
        const Index end = indptr->integer(line + 1);
        if (begin < 0 || end < begin || end > stored)
            return std::nullopt;
        for (Index e = begin; e < end; ++e) {
            const Index index = indices->integer(e);
            if (index < 0 || index >= width)
                return std::nullopt;
            const Index row = byRows ? line : index;
            const Index column = byRows ? index : line;
            double& sum = genes[at(column)][at(row)];
            sum = element.dtype == DType::Bool ? std::max(sum, values->number(e))
                                               : sum + values->number(e);
        }
    }
    return genes;
}

bool near(double a, double b)
{
    if (std::isnan(a) || std::isnan(b))
        return std::isnan(a) && std::isnan(b);
    return a == b || std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b));
}

template <typename T>
std::vector<std::byte> bytesOf(const std::vector<T>& numbers)
{
    const auto* bytes = reinterpret_cast<const std::byte*>(numbers.data());
    return {bytes, bytes + numbers.size() * sizeof(T)};
}

} // namespace

class GeneScanTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void searchAgreesWithPlainLoop();
    void corpora();
    void damageCostsItsRowsOnly();
    void brokenChunksCostTheirRowsOnly();
};

void GeneScanTest::searchAgreesWithPlainLoop()
{
    std::mt19937_64 random(7);
    const std::vector<DType> types{DType::Int8,  DType::UInt8,  DType::Int16, DType::UInt16,
                                   DType::Int32, DType::UInt32, DType::Int64, DType::UInt64};
    for (const DType type : types)
        for (const Index width : {Index{1}, Index{100}, Index{200}, Index{256}, Index{300},
                                  Index{40'000}, Index{70'000}, Index{5'000'000}})
            for (const std::size_t wantedCount : {1U, 2U, 7U, 64U}) {
                std::vector<Index> wanted;
                for (std::size_t k = 0; k < wantedCount; ++k)
                    wanted.push_back(static_cast<Index>(random())
                                     & std::numeric_limits<Index>::max());
                for (Index& w : wanted)
                    w %= width;
                std::sort(wanted.begin(), wanted.end());
                wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
                visitInteger(type, [&]<typename T>(const T*) {
                    std::vector<T> numbers;
                    std::vector<IndexSearch::Hit> expected;
                    const auto count = static_cast<int>(random() % 1000);
                    for (int i = 0; i < count; ++i) {
                        const auto kind = random() % 50;
                        T number = static_cast<T>(random() % static_cast<std::uint64_t>(width));
                        if (kind == 0)
                            number = static_cast<T>(random());
                        else if (kind == 1)
                            number = static_cast<T>(wanted[random() % wanted.size()]);
                        numbers.push_back(number);
                        const bool inside = number >= T{0}
                                            && static_cast<std::uint64_t>(number)
                                                   < static_cast<std::uint64_t>(width);
                        const auto place =
                            inside ? std::find(wanted.begin(), wanted.end(),
                                               static_cast<Index>(number))
                                   : wanted.end();
                        if (!inside)
                            expected.push_back({i, IndexSearch::kOutside});
                        else if (place != wanted.end())
                            expected.push_back(
                                {i, static_cast<std::int32_t>(place - wanted.begin())});
                    }
                    const IndexSearch search(type, width, wanted);
                    std::vector<IndexSearch::Hit> hits;
                    const std::vector<std::byte> bytes = bytesOf(numbers);
                    search.find(bytes.data(), count, hits);
                    QCOMPARE(hits.size(), expected.size());
                    for (std::size_t k = 0; k < hits.size(); ++k) {
                        QCOMPARE(hits[k].offset, expected[k].offset);
                        QCOMPARE(hits[k].number, expected[k].number);
                    }
                });
                if (QTest::currentTestFailed())
                    return;
            }
}

void GeneScanTest::corpora()
{
    std::mt19937_64 random(11);
    int matrices = 0;
    int damaged = 0;
    for (const auto& path : test::allFiles()) {
        const auto dataset = Dataset::open(path.string());
        if (!dataset)
            continue;
        for (const Element* element : (*dataset)->elements()) {
            if (!element->readable || element->whyNot || !element->shape
                || element->shape->size() != 2 || !element->dtype || !isReal(*element->dtype)
                || (element->kind != ElementKind::Matrix && element->kind != ElementKind::Array)
                || (element->isSparse() ? element->stored.value_or(0)
                                        : (*element->shape)[0] * (*element->shape)[1])
                       > kMostEntries
                || (*element->shape)[0] > kMostRows || (*element->shape)[1] == 0
                || (*element->shape)[0] * (*element->shape)[1] > 20 * kMostEntries)
                continue;
            const std::string where = path.filename().string() + " " + element->path;
            const auto plain = plainGenes(*element);
            const auto reading = std::make_shared<Reading>();
            auto source = GeneSource::open(*dataset, *element, reading);
            if (!source)
                continue;
            const Index cells = (*source)->cells();
            GeneSource::Request request;
            for (int k = 0; k < 5; ++k)
                request.genes.push_back(static_cast<Index>(
                    random() % static_cast<std::uint64_t>((*source)->genes())));
            if (random() % 2 == 0)
                std::sort(request.genes.begin(), request.genes.end());
            std::vector<Selection> choices{Selection::all(cells),
                                           Selection::slice(cells, {}, {}, -1)};
            if (cells > 0) {
                std::vector<Index> list;
                for (int k = 0; k < 9; ++k)
                    list.push_back(static_cast<Index>(random() % static_cast<std::uint64_t>(cells)));
                choices.push_back(Selection::indices(cells, list));
            }
            for (const Selection& choice : choices) {
                request.cells = choice;
                auto got = (*source)->read(request);
                if (!plain) {
                    // Damaged: a sentence or marks, never a crash.
                    damaged += got && got->damage ? 1 : 0;
                    continue;
                }
                QVERIFY2(got.ok(), got ? "" : (where + ": " + got.error().describe()).c_str());
                QCOMPARE(got->genes.size(), request.genes.size());
                QVERIFY2(!got->damage, where.c_str());
                for (std::size_t g = 0; g < request.genes.size(); ++g)
                    for (Index c = 0; c < choice.size(); ++c) {
                        const double wanted = (*plain)[at(request.genes[g])][at(choice[c])];
                        const double found = got->genes[g].number(c);
                        if (!near(wanted, found))
                            QFAIL((where + " gene " + std::to_string(request.genes[g]) + " cell "
                                   + std::to_string(choice[c]) + ": " + std::to_string(found)
                                   + " instead of " + std::to_string(wanted))
                                      .c_str());
                    }
            }
            ++matrices;
            if (!plain || !element->isSparse() || element->storage != Storage::Csr)
                continue;

            // By scans of short blocks, so that many rows are cut by a block's end; parts come in
            // order, without gaps, and hold the final values.
            auto sparse = SparseSource::open(*dataset, *element, reading);
            QVERIFY(sparse.ok());
            std::vector<Index> wanted = request.genes;
            std::sort(wanted.begin(), wanted.end());
            wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
            const GeneScan scan(*sparse, reading, Selection::slice(cells, {}, {}, 2), wanted);
            Index told = 0;
            QByteArray fault;
            GeneScan::Pass pass;
            pass.blockLength = 37;
            pass.part = [&](const GenePart& part) {
                if (part.first != told || part.count <= 0)
                    fault = "parts do not follow each other";
                told = part.first + part.count;
                for (std::size_t g = 0; g < wanted.size(); ++g)
                    for (Index c = part.first; c < told; ++c)
                        if (!near((*plain)[at(wanted[g])][at(2 * c)], part.genes[g].number(c)))
                            fault = "a part is not final";
            };
            const auto scanned = scan.run(pass);
            QVERIFY2(scanned.ok(), where.c_str());
            QVERIFY2(fault.isEmpty(), (where + ": " + fault.toStdString()).c_str());
            QCOMPARE(told, scan.lines().size());
        }
    }
    QVERIFY(matrices > 10);
    qInfo("%d matrices, %d damaged ones in part", matrices, damaged);
}

void GeneScanTest::damageCostsItsRowsOnly()
{
    int damagedMatrices = 0;
    int marked = 0;
    for (const auto& path : test::allFiles()) {
        const auto dataset = Dataset::open(path.string());
        if (!dataset)
            continue;
        for (const Element* element : (*dataset)->elements()) {
            if (element->storage != Storage::Csr || element->whyNot || !element->shape
                || element->shape->size() != 2 || element->stored.value_or(0) > kMostEntries
                || (*element->shape)[0] > kMostRows || (*element->shape)[1] > kMostEntries
                || (*element->shape)[1] == 0 || !element->dtype || !isReal(*element->dtype)
                || plainGenes(*element))
                continue;
            auto values = readAll(element->values);
            auto indices = readAll(element->indices);
            auto indptr = readAll(element->indptr);
            if (!values || !indices || !indptr)
                continue;
            const auto reading = std::make_shared<Reading>();
            auto source = SparseSource::open(*dataset, *element, reading);
            if (!source)
                continue;
            const std::string where = path.filename().string() + " " + element->path;
            const Index wanted = (*element->shape)[1] / 2;
            std::vector<double> sums(at(source->lines()), 0.0);
            std::vector<std::uint8_t> unknown(at(source->lines()), 0);
            const Index stored = std::min(values->size(), indices->size());
            for (Index row = 0; row < source->lines(); ++row) {
                const Index begin = row + 1 < indptr->size() ? indptr->integer(row) : -1;
                const Index end = row + 1 < indptr->size() ? indptr->integer(row + 1) : -1;
                if (begin < 0 || end < begin || end > stored) {
                    unknown[at(row)] = 1;
                    continue;
                }
                for (Index e = begin; e < end; ++e) {
                    const Index index = indices->integer(e);
                    if (index < 0 || index >= source->width())
                        unknown[at(row)] = 1;
                    else if (index == wanted)
                        sums[at(row)] += values->number(e);
                }
            }
            const GeneScan scan(*source, reading, std::nullopt, {wanted});
            for (const Index blockLength : {0, 29}) {
                GeneScan::Pass pass;
                pass.blockLength = blockLength;
                const auto found = scan.run(pass);
                QVERIFY2(found.ok(), found ? "" : (where + found.error().describe()).c_str());
                const GeneDamage& damage = found->damage;
                const Index expected = std::count(unknown.begin(), unknown.end(), 1);
                // A short indptr ends a window; all rows of the window are then unknown.
                if (indptr->size() >= source->lines() + 1) {
                    QVERIFY2(damage.places == expected,
                             (where + ": " + std::to_string(damage.places) + " instead of "
                              + std::to_string(expected))
                                 .c_str());
                    QVERIFY2(expected == 0 || damage.unknown == unknown, where.c_str());
                }
                QVERIFY2(damage.places >= expected, where.c_str());
                QCOMPARE(damage.errors.size(),
                         std::min(GeneDamage::kErrors, static_cast<std::size_t>(damage.places)));
                for (const Error& error : damage.errors)
                    QVERIFY2(!error.message().empty() && error.element() == element->path,
                             where.c_str());
                for (Index row = 0; row < source->lines(); ++row)
                    if (!damage || damage.unknown[at(row)] == 0)
                        QVERIFY2(near(found->genes[0].number(row), sums[at(row)]), where.c_str());
                marked += damage.places > 0 ? 1 : 0;
            }
            ++damagedMatrices;
        }
    }
    qInfo("%d damaged matrices, %d scans with marks", damagedMatrices, marked);
    QVERIFY(damagedMatrices > 0 && marked > 0);
}

// Overwrites a chunk of an array in a copy of its file: found by its stored bytes.
bool breakChunk(const ArrayRef& array, Index chunk, std::string& file)
{
    const auto raw = std::make_shared<hdf5::RawChunks>();
    if (!array.file->readChunks(*array.object, {chunk * array.info().chunk[0]}, raw,
                                hdf5::Lane::Bulk))
        return false;
    const auto bytes = raw->chunk(0);
    const std::string needle(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::size_t place = file.find(needle);
    if (place == std::string::npos)
        return false;
    for (std::size_t i = 20; i < 60; ++i)
        file[place + i] = static_cast<char>(file[place + i] ^ 0x5a);
    return true;
}

void GeneScanTest::brokenChunksCostTheirRowsOnly()
{
    const QTemporaryDir folder;
    std::string content;
    {
        std::ifstream in(CELLFOLIO_SOURCE_DIR "/resources/examples/pbmc68k_reduced.h5ad",
                         std::ios::binary);
        content.assign(std::istreambuf_iterator<char>(in), {});
    }
    const auto whole = Dataset::open(CELLFOLIO_SOURCE_DIR "/resources/examples/pbmc68k_reduced.h5ad");
    QVERIFY(whole.ok());
    const Element& matrix = **(*whole)->find("raw/X");
    const auto truth = plainGenes(matrix);
    auto indices = readAll(matrix.indices);
    auto indptr = readAll(matrix.indptr);
    QVERIFY(truth && indices.ok() && indptr.ok());
    const Index length = matrix.indices.info().chunk[0];
    const std::vector<Index> badIndices{0, 7, 8, 63};
    const std::vector<Index> badValues{3, 30};
    for (const Index chunk : badIndices)
        QVERIFY(breakChunk(matrix.indices, chunk, content));
    for (const Index chunk : badValues)
        QVERIFY(breakChunk(matrix.values, chunk, content));
    const std::filesystem::path file = folder.filePath("broken.h5ad").toStdString();
    std::ofstream(file, std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));

    const std::vector<Index> wanted{2, 400};
    std::vector<std::uint8_t> unknown(truth->front().size(), 0);
    const auto isIn = [](const std::vector<Index>& list, Index chunk) {
        return std::find(list.begin(), list.end(), chunk) != list.end();
    };
    for (std::size_t row = 0; row < unknown.size(); ++row)
        for (Index e = indptr->integer(static_cast<Index>(row));
             e < indptr->integer(static_cast<Index>(row) + 1); ++e) {
            if (isIn(badIndices, e / length))
                unknown[row] = 1;
            else if (isIn(wanted, indices->integer(e))
                     && isIn(badValues, e / matrix.values.info().chunk[0]))
                unknown[row] = 1;
        }

    const auto broken = Dataset::open(file.string());
    QVERIFY(broken.ok());
    const auto reading = std::make_shared<Reading>();
    auto source = SparseSource::open(*broken, **(*broken)->find("raw/X"), reading);
    QVERIFY(source.ok());
    for (const Index blockLength : {Index{0}, length, 3 * length}) {
        const GeneScan scan(*source, reading, std::nullopt, wanted);
        Index told = 0;
        GeneScan::Pass pass;
        pass.blockLength = blockLength;
        pass.part = [&told](const GenePart& part) { told = part.first + part.count; };
        const auto found = scan.run(pass);
        QVERIFY2(found.ok(), found ? "" : found.error().describe().c_str());
        QVERIFY(found->damage.unknown == unknown);
        QCOMPARE(found->damage.places, std::count(unknown.begin(), unknown.end(), 1));
        QCOMPARE(told, static_cast<Index>(unknown.size()));
        for (std::size_t g = 0; g < wanted.size(); ++g)
            for (std::size_t row = 0; row < unknown.size(); ++row)
                QVERIFY(unknown[row] != 0
                        || near(found->genes[g].number(static_cast<Index>(row)),
                                (*truth)[at(wanted[g])][row]));
    }
}

QTEST_GUILESS_MAIN(GeneScanTest)
#include "gene_scan_test.moc"
