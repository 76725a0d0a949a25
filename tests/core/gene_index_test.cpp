// SPDX-License-Identifier: GPL-3.0-or-later
// The transpose within a budget, the coding of genes and the gene index, against plain loops over
// the stored arrays of every sparse matrix at hand.
#include "core/matrix/external_transpose.h"
#include "core/matrix/gene_index_store.h"
#include "core/matrix/gene_source.h"
#include "core/matrix/number_types.h"
#include "core/paging/page_cache.h"
#include "tests/support/corpus.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <mutex>
#include <random>
#include <thread>

using namespace cellfolio;
namespace fs = std::filesystem;

namespace {

constexpr Index kMostEntries = 300'000;

Result<Values> readAll(const ArrayRef& array)
{
    hdf5::File::Slab slab;
    slab.start.assign(array.info().shape.size(), 0);
    slab.count = array.info().shape;
    slab.member = array.member;
    return array.file->read(*array.object, slab, hdf5::Lane::Bulk);
}

// Lines and value bytes of each index in the order of the lines, as stored within a line.
struct Regrouped {
    std::vector<std::vector<std::uint32_t>> lines;
    std::vector<std::string> values;
};

std::optional<Regrouped> regrouped(const SparseSource& source)
{
    // A shape that nothing stored bears out: only that there is an answer is tested.
    if (source.lines() > 1'000'000 || source.width() > 1'000'000)
        return std::nullopt;
    auto values = readAll(source.data());
    auto indices = readAll(source.indices());
    auto indptr = readAll(source.indptr());
    if (!values || !indices || !indptr || indptr->size() < source.lines() + 1)
        return std::nullopt;
    Regrouped result;
    result.lines.resize(at(source.width()));
    result.values.resize(at(source.width()));
    const std::size_t item = sizeOf(values->type());
    for (Index line = 0; line < source.lines(); ++line) {
        const Index begin = indptr->integer(line);
        const Index end = indptr->integer(line + 1);
        if (begin < 0 || end < begin || end > std::min(values->size(), indices->size()))
            return std::nullopt;
        for (Index e = begin; e < end; ++e) {
            const Index index = indices->integer(e);
            if (index < 0 || index >= source.width())
                return std::nullopt;
            result.lines[at(index)].push_back(static_cast<std::uint32_t>(line));
            result.values[at(index)].append(
                reinterpret_cast<const char*>(values->data()) + at(e) * item, item);
        }
    }
    return result;
}

struct Matrix {
    std::string where;
    std::shared_ptr<const Dataset> dataset;
    const Element* element;
};

// The sparse matrices of reasonable size of all files.
std::vector<Matrix> sparseMatrices()
{
    std::vector<Matrix> result;
    for (const auto& path : test::allFiles()) {
        auto dataset = Dataset::open(path.string());
        if (!dataset)
            continue;
        for (const Element* element : (*dataset)->elements())
            if (element->isSparse() && !element->whyNot && element->readable && element->shape
                && element->shape->size() == 2 && element->stored.value_or(0) <= kMostEntries)
                result.push_back({path.filename().string() + " " + element->path, *dataset, element});
    }
    return result;
}

QString exampleFile()
{
    return QStringLiteral(CELLFOLIO_SOURCE_DIR "/resources/examples/pbmc68k_reduced.h5ad");
}

// A copy of the example in a folder of its own, and an empty folder for indexes.
struct Bench {
    QTemporaryDir folder;
    fs::path file = folder.filePath("cells.h5ad").toStdString();
    GeneIndexStore store{fs::path(folder.filePath("genes").toStdString())};
    std::shared_ptr<Reading> reading = std::make_shared<Reading>();

    Bench() { fs::copy_file(exampleFile().toStdString(), file); }

    std::shared_ptr<const Dataset> open() const
    {
        auto dataset = Dataset::open(file.string());
        return dataset ? *dataset : nullptr;
    }
    static const Element& raw(const Dataset& dataset) { return **dataset.find("raw/X"); }
    Index filesInStore() const
    {
        std::error_code failure;
        Index count = 0;
        for (fs::directory_iterator it(store.folder(), failure), end; !failure && it != end;
             it.increment(failure))
            ++count;
        return count;
    }
};

bool sameBytes(const Values& a, const Values& b)
{
    return a.type() == b.type() && a.size() == b.size()
           && std::memcmp(a.data(), b.data(), at(a.size()) * sizeOf(a.type())) == 0;
}

} // namespace

class GeneIndexTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void transposeAgreesWithPlainLoop();
    void codingKeepsEveryBit();
    void everyMatrix();
    void damageIsNeverBelieved();
    void staleIndexesGo();
    void cancelLeavesNothing();
    void severalBuildsAtOnce();
    void leastRecentlyUsedGoesFirst();
    void clearLeavesWhatIsNotOurs();
    void smallBudgets();
    void sourceTakesTheIndex();
};

void GeneIndexTest::transposeAgreesWithPlainLoop()
{
    const QTemporaryDir folder;
    int checked = 0;
    for (const Matrix& matrix : sparseMatrices()) {
        const auto reading = std::make_shared<Reading>();
        auto source = SparseSource::open(matrix.dataset, *matrix.element, reading);
        if (!source)
            continue;
        const auto expected = regrouped(*source);
        const std::size_t item = sizeOf(source->dtype());
        // Usual; short blocks and little memory; every segment alone too long for memory.
        for (const auto& [block, gather] : {std::pair<Index, Index>{0, 0}, {41, 200}, {977, 1}}) {
            ExternalTranspose::Options options;
            options.folder = folder.path().toStdString();
            options.blockLength = block;
            options.gatherBytes = gather;
            Regrouped got;
            std::vector<Index> told;
            std::string fault;
            std::mutex mutex;
            const auto begin = [&](const std::vector<Index>& counts, int) -> Result<void> {
                told = counts;
                got.lines.resize(counts.size());
                got.values.resize(counts.size());
                return {};
            };
            const auto sink = [&](const TransposedPiece& piece) -> Result<void> {
                const std::lock_guard lock(mutex);
                auto& lines = got.lines[at(piece.index)];
                if (piece.first != static_cast<Index>(lines.size()))
                    fault = "a piece is not where it says";
                lines.insert(lines.end(), piece.lines.begin(), piece.lines.end());
                if (piece.last != (static_cast<Index>(lines.size()) == told[at(piece.index)]))
                    fault = "the last piece is not marked";
                got.values[at(piece.index)].append(reinterpret_cast<const char*>(piece.values),
                                                   piece.lines.size() * item);
                return {};
            };
            const auto done = ExternalTranspose(*source, reading).run(options, begin, sink);
            if (!expected && done) {
                QVERIFY2(source->lines() > 1'000'000 || source->width() > 1'000'000,
                         matrix.where.c_str());
                continue;
            }
            if (!expected) {
                QVERIFY2(done.error().code() != ErrorCode::Internal, matrix.where.c_str());
                continue;
            }
            QVERIFY2(done.ok(), done ? "" : (matrix.where + done.error().describe()).c_str());
            QVERIFY2(fault.empty(), (matrix.where + ": " + fault).c_str());
            QVERIFY2(got.lines == expected->lines, matrix.where.c_str());
            QVERIFY2(got.values == expected->values, matrix.where.c_str());
            ++checked;
        }
    }
    QVERIFY(checked > 20);
    QCOMPARE(fs::is_empty(folder.path().toStdString()), true);
}

void GeneIndexTest::codingKeepsEveryBit()
{
    std::mt19937_64 random(3);
    for (int round = 0; round < 400; ++round) {
        const auto type = static_cast<DType>(random() % (static_cast<unsigned>(DType::Complex128) + 1));
        const auto count = static_cast<Index>(random() % 300);
        const std::size_t item = sizeOf(type);
        Values values(type, count);
        const auto kind = random() % 5;
        for (Index i = 0; i < count; ++i) {
            double number = 0;
            switch (kind) {
            case 0: number = static_cast<double>(random() % 256); break;
            case 1: number = static_cast<double>(random() % 65536); break;
            case 2: number = static_cast<double>(random() % 4'000'000'000U); break;
            case 3: number = static_cast<double>(static_cast<float>(random() % 1000) / 7.0F); break;
            default: number = 0; break;
            }
            if (kind == 4) { // any bits: NaN, -0, infinities, subnormals
                std::uint64_t bits[2]{random(), random()};
                if (random() % 4 == 0)
                    bits[0] = std::uint64_t{1} << 63;
                std::memcpy(values.data() + at(i) * item, bits, item);
            } else {
                const bool known = visitReal(type, [&]<typename T>(const T*) {
                    T value{};
                    if constexpr (std::is_arithmetic_v<T>)
                        value = static_cast<T>(std::min(
                            number, static_cast<double>(std::numeric_limits<T>::max()) / 2));
                    std::memcpy(values.data() + at(i) * item, &value, item);
                });
                if (!known)
                    std::memset(values.data() + at(i) * item, static_cast<int>(random() % 256), item);
            }
        }
        std::vector<std::uint32_t> cells;
        std::uint32_t cell = 0;
        for (Index i = 0; i < count; ++i) {
            cell += static_cast<std::uint32_t>(random() % (round % 3 == 0 ? 3 : 3'000'000));
            cells.push_back(cell);
        }
        GeneCoder coder(type);
        const auto first = static_cast<std::size_t>(random() % static_cast<std::uint64_t>(count + 1));
        coder.add(std::span(cells).first(first), values.data(), count);
        coder.add(std::span(cells).subspan(first), values.data() + first * item, count);
        const GeneCoder::Coded parts = coder.finish();
        const GeneValueKind coded = parts.kind;
        Buffer code(parts.cells.size() + parts.values.size());
        std::copy(parts.cells.begin(), parts.cells.end(), code.data());
        std::copy(parts.values.begin(), parts.values.end(), code.data() + parts.cells.size());
        const std::size_t size = code.size();
        auto back = decodeGene(code.span().first(size), coded, count, Index{cell} + 1, type);
        QVERIFY(back.ok());
        QVERIFY(back->cells == cells);
        QVERIFY(sameBytes(back->values, values));
        if (kind == 0 && item > 1 && isReal(type) && type != DType::Float16)
            QVERIFY(coded == GeneValueKind::UInt8 || count == 0);
        // Whatever is wrong with it is said.
        QVERIFY(count == 0 || !decodeGene(code.span().first(size), coded, count, cell, type));
        QVERIFY(count == 0 || !decodeGene(code.span().first(size - 1), coded, count, Index{cell} + 1, type));
    }
}

void GeneIndexTest::everyMatrix()
{
    int built = 0;
    int refused = 0;
    for (const Matrix& matrix : sparseMatrices()) {
        const QTemporaryDir folder;
        const GeneIndexStore store(folder.path().toStdString());
        const auto reading = std::make_shared<Reading>();
        auto source = SparseSource::open(matrix.dataset, *matrix.element, reading);
        if (!source)
            continue;
        const auto done = store.build(matrix.dataset, *matrix.element, reading);
        const auto expected = regrouped(*source);
        if (matrix.element->storage == Storage::Csc || !expected) {
            QVERIFY2(!done, matrix.where.c_str());
            QVERIFY2(fs::is_empty(folder.path().toStdString()), matrix.where.c_str());
            ++refused;
            continue;
        }
        QVERIFY2(done.ok(), done ? "" : (matrix.where + ": " + done.error().describe()).c_str());
        auto index = store.find(matrix.dataset, *matrix.element, reading);
        QVERIFY2(index.ok(), index ? "" : (matrix.where + index.error().describe()).c_str());
        QCOMPARE((*index)->entries(), done->entries);
        QCOMPARE((*index)->cells(), source->lines());
        QCOMPARE((*index)->genes(), source->width());
        for (Index gene = 0; gene < source->width(); ++gene) {
            auto entries = (*index)->entries(gene);
            QVERIFY2(entries.ok(), matrix.where.c_str());
            QVERIFY2(entries->cells == expected->lines[at(gene)], matrix.where.c_str());
            const std::string& bytes = expected->values[at(gene)];
            QVERIFY2(std::memcmp(entries->values.data(), bytes.data(), bytes.size()) == 0,
                     matrix.where.c_str());
        }
        ++built;
    }
    qInfo("%d built, %d refused", built, refused);
    QVERIFY(built > 5);
}

void GeneIndexTest::damageIsNeverBelieved()
{
    Bench bench;
    const auto dataset = bench.open();
    QVERIFY(dataset);
    const Element& matrix = Bench::raw(*dataset);
    const auto built = bench.store.build(dataset, matrix, bench.reading);
    QVERIFY(built.ok());
    std::vector<GeneEntries> truth;
    {
        auto index = GeneIndex::open(built->file, bench.reading);
        QVERIFY(index.ok());
        for (Index gene = 0; gene < (*index)->genes(); ++gene)
            truth.push_back(*(*index)->entries(gene));
    }
    std::string whole;
    {
        std::ifstream in(built->file, std::ios::binary);
        whole.assign(std::istreambuf_iterator<char>(in), {});
    }
    std::mt19937_64 random(5);
    const fs::path broken = bench.store.folder() / "broken.genes";
    int told = 0;
    for (int round = 0; round < 120; ++round) {
        std::string bytes = whole;
        if (round % 5 == 0) {
            bytes.resize(random() % bytes.size());
        } else {
            // The header, the directory, a gene.
            const std::size_t at0 = round % 5 == 1   ? random() % 4096
                                    : round % 5 == 2 ? bytes.size() - 1 - random() % 20000
                                                     : random() % bytes.size();
            bytes[at0] = static_cast<char>(bytes[at0] ^ (1 << (random() % 8)));
        }
        std::ofstream(broken, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        auto index = GeneIndex::open(broken, bench.reading);
        if (!index) {
            QCOMPARE(index.error().code(), ErrorCode::Corrupt);
            ++told;
            continue;
        }
        bool all = true;
        for (Index gene = 0; gene < (*index)->genes(); ++gene) {
            auto entries = (*index)->entries(gene);
            if (!entries) {
                QCOMPARE(entries.error().code(), ErrorCode::Corrupt);
                all = false;
                continue;
            }
            QVERIFY(entries->cells == truth[at(gene)].cells);
            QVERIFY(sameBytes(entries->values, truth[at(gene)].values));
        }
        told += all ? 0 : 1;
    }
    // All bytes count but the few between genes and at the end of texts, of which there are none.
    QCOMPARE(told, 120);

    // The store drops it, says so, and builds it again.
    std::ofstream(built->file, std::ios::binary).write(whole.data(), 1000);
    auto status = bench.store.status(dataset, matrix, bench.reading);
    QVERIFY(status.ok() && status->exists && !status->fresh && !status->why.empty());
    auto found = bench.store.find(dataset, matrix, bench.reading);
    QVERIFY(!found && found.error().code() == ErrorCode::Corrupt);
    QVERIFY(found.error().message().ends_with("It was dropped."));
    QVERIFY(!fs::exists(built->file));
    QVERIFY(bench.store.build(dataset, matrix, bench.reading).ok());
    QVERIFY(bench.store.find(dataset, matrix, bench.reading).ok());
}

void GeneIndexTest::staleIndexesGo()
{
    Bench bench;
    auto dataset = bench.open();
    auto built = bench.store.build(dataset, Bench::raw(*dataset), bench.reading);
    QVERIFY(built.ok());

    // A copy has it too; so has the file after its time was changed.
    const fs::path copy = bench.folder.filePath("copy.h5ad").toStdString();
    fs::copy_file(bench.file, copy);
    auto other = Dataset::open(copy.string());
    QVERIFY(other.ok());
    QVERIFY(bench.store.find(*other, Bench::raw(**other), bench.reading).ok());
    fs::last_write_time(bench.file, fs::last_write_time(bench.file) + std::chrono::hours(1));
    dataset = bench.open();
    QVERIFY(bench.store.find(dataset, Bench::raw(*dataset), bench.reading).ok());

    // Another content has not: the old index goes.
    dataset.reset();
    std::ofstream(bench.file, std::ios::binary | std::ios::app) << "more";
    dataset = bench.open();
    QVERIFY(dataset);
    auto status = bench.store.status(dataset, Bench::raw(*dataset), bench.reading);
    QVERIFY(status.ok());
    QVERIFY(status->exists && !status->fresh);
    auto found = bench.store.find(dataset, Bench::raw(*dataset), bench.reading);
    QVERIFY(!found && found.error().code() == ErrorCode::FileChanged);
    QCOMPARE(bench.filesInStore(), Index{0});
    found = bench.store.find(dataset, Bench::raw(*dataset), bench.reading);
    QVERIFY(!found && found.error().code() == ErrorCode::NotFound);
    status = bench.store.status(dataset, Bench::raw(*dataset), bench.reading);
    QVERIFY(status.ok() && !status->exists);
}

void GeneIndexTest::cancelLeavesNothing()
{
    Bench bench;
    const auto dataset = bench.open();
    for (const int after : {0, 1, 2, 5, 20}) {
        std::stop_source stop;
        Progress progress;
        std::atomic<bool> ended{false};
        std::thread canceller([&] {
            while (!ended && progress.done() < after)
                std::this_thread::yield();
            stop.request_stop();
        });
        const auto done = bench.store.build(dataset, Bench::raw(*dataset), bench.reading,
                                            stop.get_token(), &progress);
        ended = true;
        canceller.join();
        if (done) { // it was quicker than the wish
            bench.store.shrinkTo(0);
            continue;
        }
        QCOMPARE(done.error().code(), ErrorCode::Cancelled);
        QCOMPARE(bench.filesInStore(), Index{0});
    }
}

void GeneIndexTest::severalBuildsAtOnce()
{
    Bench bench;
    const auto dataset = bench.open();
    std::atomic<int> failures{0};
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
        threads.emplace_back([&] {
            const auto reading = std::make_shared<Reading>();
            for (int round = 0; round < 3; ++round) {
                if (!bench.store.build(dataset, Bench::raw(*dataset), reading))
                    ++failures;
                if (!bench.store.find(dataset, Bench::raw(*dataset), reading))
                    ++failures;
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    QCOMPARE(failures.load(), 0);
    QCOMPARE(bench.filesInStore(), Index{1});
    // What a program left behind that was killed is cleared away by the next build.
    std::ofstream(bench.store.folder() / "x.genes.abcdef.part") << "half";
    QVERIFY(bench.store.build(dataset, Bench::raw(*dataset), bench.reading).ok());
    QCOMPARE(bench.filesInStore(), Index{1});
}

void GeneIndexTest::leastRecentlyUsedGoesFirst()
{
    Bench bench;
    const auto dataset = bench.open();
    const auto built = bench.store.build(dataset, Bench::raw(*dataset), bench.reading);
    QVERIFY(built.ok());
    const auto now = fs::last_write_time(built->file);
    const auto put = [&](const char* name, int hours) {
        const fs::path path = bench.store.folder() / name;
        fs::copy_file(built->file, path);
        fs::last_write_time(path, now - std::chrono::hours(hours));
    };
    const char* old = "0000000000000001-00000000000000ab.genes";
    const char* older = "0000000000000002-00000000000000ab.genes";
    put(old, 3);
    put(older, 5);
    put("notes.genes", 9); // of somebody else: neither counted nor dropped
    QCOMPARE(bench.store.total().indexes, Index{3});
    QCOMPARE(bench.store.total().bytes, 3 * built->bytes);
    bench.store.shrinkTo(2 * built->bytes);
    QVERIFY(!fs::exists(bench.store.folder() / older));
    QVERIFY(fs::exists(bench.store.folder() / old));
    QVERIFY(fs::exists(bench.store.folder() / "notes.genes"));
    fs::remove(bench.store.folder() / "notes.genes");
    // A limit that holds one keeps the one that was just built.
    const GeneIndexStore tight(bench.store.folder(), built->bytes + built->bytes / 2);
    QVERIFY(tight.build(dataset, Bench::raw(*dataset), bench.reading).ok());
    QCOMPARE(bench.filesInStore(), Index{1});
    // One that holds none is told before any work.
    const GeneIndexStore none(bench.store.folder(), 1000);
    const auto estimate = none.estimate(dataset, Bench::raw(*dataset), bench.reading);
    QVERIFY(estimate.ok() && !estimate->fits() && !estimate->reason.empty());
    const auto refused = none.build(dataset, Bench::raw(*dataset), bench.reading);
    QVERIFY(!refused && refused.error().code() == ErrorCode::OutOfDisk);
    QVERIFY(bench.store.find(dataset, Bench::raw(*dataset), bench.reading).ok());
}

void GeneIndexTest::clearLeavesWhatIsNotOurs()
{
    Bench bench;
    const auto dataset = bench.open();
    const auto built = bench.store.build(dataset, Bench::raw(*dataset), bench.reading);
    QVERIFY(built.ok());
    std::ofstream(bench.store.folder() / "notes.genes") << "mine";
    std::ofstream(bench.store.folder() / "0123.txt") << "mine";
    // One that is in use can be read to its end.
    const auto inUse = bench.store.find(dataset, Bench::raw(*dataset), bench.reading);
    QVERIFY(inUse.ok());
    auto cleared = bench.store.clear();
    QVERIFY(cleared.ok());
    QCOMPARE(cleared->indexes, Index{1});
    QCOMPARE(cleared->bytes, built->bytes);
    QVERIFY(!fs::exists(built->file));
    QCOMPARE(bench.filesInStore(), Index{2});
    QCOMPARE(bench.store.total().indexes, Index{0});
    QVERIFY((*inUse)->values(0).ok());
    cleared = bench.store.clear();
    QVERIFY(cleared.ok() && cleared->indexes == 0);
    // A folder that is not there holds nothing.
    const GeneIndexStore nowhere(bench.store.folder() / "none");
    QVERIFY(nowhere.clear().ok());
    QCOMPARE(nowhere.total().bytes, Index{0});
}

void GeneIndexTest::smallBudgets()
{
    Bench bench;
    const auto dataset = bench.open();
    Reading::Options options;
    options.budget = MemoryBudget::kSmallest;
    const auto reading = std::make_shared<Reading>(options);
    QVERIFY(bench.store.build(dataset, Bench::raw(*dataset), reading).ok());
    QVERIFY(reading->budget().snapshot().peak <= MemoryBudget::kSmallest);
    reading->pages().shrinkTo(0);
    QCOMPARE(reading->budget().snapshot().total, Index{0});

    const auto tiny = std::make_shared<Reading>(options);
    const auto held = tiny->budget().force(MemoryTag::Job, MemoryBudget::kSmallest - 100'000);
    const auto refused = bench.store.build(dataset, Bench::raw(*dataset), tiny);
    QVERIFY2(!refused && refused.error().code() == ErrorCode::OutOfBudget,
             refused ? "built" : refused.error().describe().c_str());
    QCOMPARE(bench.filesInStore(), Index{1});
}

void GeneIndexTest::sourceTakesTheIndex()
{
    Bench bench;
    const auto dataset = bench.open();
    const Element& matrix = Bench::raw(*dataset);
    auto source = GeneSource::open(dataset, matrix, bench.reading);
    QVERIFY(source.ok());
    GeneSource::Request request;
    request.genes = {7, 3, 7, 100};
    request.cells = Selection::slice((*source)->cells(), {}, {}, -2);
    auto before = (*source)->read(request);
    QVERIFY(before.ok());
    QCOMPARE((*source)->cost(request).way, GeneWay::Cells);

    const auto built = bench.store.build(dataset, matrix, bench.reading);
    QVERIFY(built.ok());
    QVERIFY((*source)->lookForIndex(bench.store).ok());
    QCOMPARE((*source)->cost(request).way, GeneWay::Indexed);
    auto after = (*source)->read(request);
    QVERIFY(after.ok());
    for (std::size_t k = 0; k < request.genes.size(); ++k)
        QVERIFY(sameBytes(before->genes[k], after->genes[k]));

    // Damaged while in use: the source says so once and goes on without.
    {
        std::fstream file(built->file, std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(4096);
        const std::string zeros(200'000, '\0');
        file.write(zeros.data(), static_cast<std::streamsize>(zeros.size()));
    }
    (*source)->dropKept();
    auto later = (*source)->read(request);
    QVERIFY(later.ok());
    for (std::size_t k = 0; k < request.genes.size(); ++k)
        QVERIFY(sameBytes(before->genes[k], later->genes[k]));
    QCOMPARE((*source)->cost(request).way, GeneWay::Cells);
    QVERIFY(!(*source)->indexFault().empty());
}

QTEST_GUILESS_MAIN(GeneIndexTest)
#include "gene_index_test.moc"
