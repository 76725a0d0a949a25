// SPDX-License-Identifier: GPL-3.0-or-later
// New arrays against what the HDF5 library reads of them: it undoes every filter by itself.
#include "core/hdf5/file.h"
#include "core/run/work_sharing.h"
#include "core/write/h5ad_writer.h"
#include "core/write/placed_array.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cstring>
#include <random>

using namespace cellfolio;

namespace {

// Packed well, packed badly (an optional filter is skipped), and zeros.
std::vector<float> someFloats(Index count, int kind)
{
    std::mt19937 random(static_cast<unsigned>(kind));
    std::vector<float> values(at(count));
    for (float& v : values) {
        const std::uint32_t bits = static_cast<std::uint32_t>(random());
        if (kind == 0)
            v = static_cast<float>(bits % 7);
        else if (kind == 1)
            std::memcpy(&v, &bits, 4);
        else
            v = 0;
    }
    return values;
}

template <typename T>
const std::byte* bytesOf(const std::vector<T>& values)
{
    return reinterpret_cast<const std::byte*>(values.data());
}

Values readAll(const std::shared_ptr<const hdf5::File>& file, const std::string& path)
{
    const hdf5::Object* object = file->root().find(path);
    hdf5::File::Slab slab;
    slab.start.assign(object->array->shape.size(), 0);
    slab.count = object->array->shape;
    auto read = file->read(*object, slab, hdf5::Lane::Bulk);
    return read ? *std::move(read) : Values();
}

} // namespace

class WriteArraysTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyCompressionIsUndoneByTheLibrary_data();
    void everyCompressionIsUndoneByTheLibrary();
    void batchesOfSeveralThreadsComeInOrder();
    void stretchesOfSeveralThreadsMeetInChunks();
    void textsAndAttributes();
    void aWaitingBatchEndsWhenAnotherFails();
    void plansKeepChunksWithinBounds();
};

void WriteArraysTest::everyCompressionIsUndoneByTheLibrary_data()
{
    QTest::addColumn<QString>("compression");
    for (const char* name : {"none", "gzip", "gzip:9", "lzf", "zstd", "zstd:9"})
        QTest::newRow(name) << name;
}

void WriteArraysTest::everyCompressionIsUndoneByTheLibrary()
{
    QFETCH(QString, compression);
    QTemporaryDir folder;
    const std::filesystem::path target = folder.filePath("out.h5ad").toStdString();
    const auto chosen = hdf5::Compression::named(compression.toStdString());
    QVERIFY(chosen.has_value());
    auto writer = H5adWriter::create(target, {}, {Storing::As::Chosen, *chosen});
    QVERIFY2(writer.ok(), writer ? "" : writer.error().message().c_str());
    QVERIFY((*writer)->beginData().ok());
    const Index rows = 700;
    const Index columns = 301;
    for (int kind = 0; kind < 3; ++kind) {
        const auto values = someFloats(rows * columns, kind);
        auto dense = (*writer)->dense("layers/d" + std::to_string(kind), DType::Float32, {rows, columns});
        QVERIFY(dense.ok());
        const Index block = dense->bandRows() * (kind + 1);
        for (Index first = 0; first < rows; first += block)
            QVERIFY(dense->write(first, std::min(block, rows - first), bytesOf(values) + first * dense->rowBytes(), 2).ok());
        auto array = (*writer)->array("uns/a" + std::to_string(kind), DType::Float32, rows * columns);
        QVERIFY(array.ok());
        for (Index first = 0, step = 1; first < rows * columns; first += step, step = step * 3 + 1)
            QVERIFY(array->append(bytesOf(values) + 4 * first, std::min(step, rows * columns - first)).ok());
        QVERIFY(array->finish().ok());
    }
    auto done = (*writer)->commit();
    QVERIFY2(done.ok(), done ? "" : done.error().message().c_str());
    auto file = hdf5::File::open(target);
    QVERIFY(file.ok());
    for (int kind = 0; kind < 3; ++kind) {
        const auto values = someFloats(rows * columns, kind);
        for (const std::string& path : {"layers/d" + std::to_string(kind), "uns/a" + std::to_string(kind)}) {
            const Values read = readAll(*file, path);
            QVERIFY2(read.size() == rows * columns, path.c_str());
            QVERIFY2(std::memcmp(read.data(), values.data(), 4 * values.size()) == 0, path.c_str());
            const bool packed = !(*file)->root().find(path)->array->filters.empty();
            QCOMPARE(packed, compression != "none");
        }
    }
}

void WriteArraysTest::batchesOfSeveralThreadsComeInOrder()
{
    QTemporaryDir folder;
    const std::filesystem::path target = folder.filePath("out.h5ad").toStdString();
    auto writer = H5adWriter::create(target, {}, {Storing::As::Chosen, {hdf5::Packing::Gzip, 1}});
    QVERIFY(writer.ok());
    QVERIFY((*writer)->beginData().ok());
    const Index lines = 20'000;
    H5adWriter::Sparse options;
    options.rows = lines;
    options.columns = 50'000;
    auto sparse = (*writer)->sparse("X", options);
    QVERIFY(sparse.ok());
    // Line k has k % 23 entries, whose values count on from line to line.
    std::vector<Index> starts{0};
    for (Index k = 0; k < lines; ++k)
        starts.push_back(starts.back() + k % 23);
    const Index perBatch = 777;
    const Index batches = (lines + perBatch - 1) / perBatch;
    std::vector<hdf5::EncodeScratch> scratch(4);
    auto done = WorkSharing(batches).run(4, [&](int worker, Index ordinal) -> Result<void> {
        const Index first = ordinal * perBatch;
        const Index last = std::min(lines, first + perBatch);
        std::vector<std::int32_t> indices;
        std::vector<float> values;
        std::vector<Index> ends;
        for (Index k = first; k < last; ++k) {
            for (Index e = starts[at(k)]; e < starts[at(k + 1)]; ++e) {
                indices.push_back(static_cast<std::int32_t>(e - starts[at(k)]));
                values.push_back(static_cast<float>(e));
            }
            ends.push_back(static_cast<Index>(values.size()));
        }
        return (*sparse)->add(ordinal, {static_cast<Index>(values.size()), bytesOf(indices), bytesOf(values), ends},
                              scratch[static_cast<std::size_t>(worker)]);
    });
    QVERIFY2(done.ok(), done ? "" : done.error().message().c_str());
    auto entries = (*sparse)->finish();
    QVERIFY(entries.ok());
    QCOMPARE(*entries, starts.back());
    QVERIFY((*writer)->commit().ok());
    auto file = hdf5::File::open(target);
    QVERIFY(file.ok());
    const Values data = readAll(*file, "X/data");
    const Values pointers = readAll(*file, "X/indptr");
    QCOMPARE(data.size(), starts.back());
    QCOMPARE(pointers.size(), lines + 1);
    for (Index e = 0; e < data.size(); ++e)
        QVERIFY2(data.as<float>()[at(e)] == static_cast<float>(e), std::to_string(e).c_str());
    for (Index k = 0; k <= lines; ++k)
        QVERIFY(pointers.integer(k) == starts[at(k)]);
}

void WriteArraysTest::stretchesOfSeveralThreadsMeetInChunks()
{
    QTemporaryDir folder;
    const std::filesystem::path target = folder.filePath("out.h5ad").toStdString();
    auto writer = H5adWriter::create(target, {}, {Storing::As::Chosen, {hdf5::Packing::Gzip, 1}});
    QVERIFY(writer.ok());
    QVERIFY((*writer)->beginData().ok());
    std::mt19937 random(3);
    const std::vector<Index> lengths{0, 1, 999, 1000, 1001, 54'321};
    for (std::size_t k = 0; k < lengths.size(); ++k) {
        hdf5::NewArray plan = planArray({DType::Float32, {lengths[k]}, true}, (*writer)->storing(), nullptr);
        plan.chunk = {1000};
        auto array = (*writer)->file().createArray("/uns/p" + std::to_string(k), plan);
        QVERIFY(array.ok());
        const auto values = someFloats(lengths[k], 1);
        PlacedArray placed(*array);
        // Some stretches, brought in parts, by whichever thread is free.
        std::vector<Index> borders{0};
        while (borders.back() < lengths[k])
            borders.push_back(std::min(lengths[k], borders.back() + 1 + static_cast<Index>(random() % 3500)));
        std::vector<PlacedArray::Stretch> stretches(3);
        auto done = WorkSharing(static_cast<Index>(borders.size()) - 1).run(3, [&](int worker, Index s) -> Result<void> {
            for (Index first = borders[at(s)]; first < borders[at(s + 1)];) {
                const Index count = std::min<Index>(borders[at(s + 1)] - first, 1 + first % 700);
                if (auto put = placed.put(stretches[at(Index{worker})], first, bytesOf(values) + 4 * first, count); !put)
                    return put;
                first += count;
            }
            return {};
        });
        QVERIFY(done.ok());
        for (PlacedArray::Stretch& stretch : stretches)
            QVERIFY(placed.close(stretch).ok());
        auto finished = placed.finish();
        QVERIFY2(finished.ok(), finished ? "" : finished.error().message().c_str());
    }
    QVERIFY((*writer)->commit().ok());
    auto file = hdf5::File::open(target);
    QVERIFY(file.ok());
    for (std::size_t k = 0; k < lengths.size(); ++k) {
        const Values read = readAll(*file, "/uns/p" + std::to_string(k));
        const auto values = someFloats(lengths[k], 1);
        QCOMPARE(read.size(), lengths[k]);
        QVERIFY(lengths[k] == 0 || std::memcmp(read.data(), values.data(), 4 * values.size()) == 0);
    }
}

void WriteArraysTest::textsAndAttributes()
{
    QTemporaryDir folder;
    const std::filesystem::path target = folder.filePath("out.h5ad").toStdString();
    for (const char* compression : {"none", "gzip"}) {
        auto writer = H5adWriter::create(target, {.overwrite = true}, {Storing::As::Chosen, *hdf5::Compression::named(compression)});
        QVERIFY(writer.ok());
        std::vector<std::string> columns;
        for (int k = 0; k < 5000; ++k)
            columns.push_back("column " + std::to_string(k));
        QVERIFY((*writer)->beginTable("obs", columns).ok());
        std::vector<std::string> names;
        for (int k = 0; k < 70'000; ++k)
            names.push_back(k % 5 == 0 ? "" : "zelle_é" + std::to_string(k));
        auto texts = (*writer)->array("obs/_index", DType::String, static_cast<Index>(names.size()));
        QVERIFY(texts.ok());
        for (std::size_t first = 0; first < names.size(); first += 9'999)
            QVERIFY(texts->append(std::span(names).subspan(first, std::min<std::size_t>(9'999, names.size() - first))).ok());
        QVERIFY(texts->finish().ok());
        const std::string bad("a\0b", 3);
        auto one = (*writer)->array("obs/bad", DType::String, 1);
        QVERIFY(one.ok());
        const auto refused = one->append(std::span(&bad, 1));
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().ruleId(), std::string("A025"));
        QVERIFY((*writer)->commit().ok());
        auto file = hdf5::File::open(target);
        QVERIFY(file.ok());
        QVERIFY(readAll(*file, "obs/_index").texts() == names);
        const hdf5::Attribute* order = (*file)->root().child("obs")->attribute("column-order");
        QVERIFY(order != nullptr && order->texts == columns);
        QCOMPARE((*file)->superblockVersion(), 0);
    }
}

void WriteArraysTest::aWaitingBatchEndsWhenAnotherFails()
{
    QTemporaryDir folder;
    auto writer = H5adWriter::create(folder.filePath("out.h5ad").toStdString(), {});
    QVERIFY(writer.ok());
    H5adWriter::Sparse options;
    options.rows = options.columns = 10;
    auto sparse = (*writer)->sparse("X", options);
    QVERIFY(sparse.ok());
    std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        (*sparse)->abort();
    });
    hdf5::EncodeScratch scratch;
    const auto waited = (*sparse)->add(1, {}, scratch);
    other.join();
    QVERIFY(!waited.ok());
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(!(*sparse)->add(1, {}, scratch, stop.get_token()).ok());
}

void WriteArraysTest::plansKeepChunksWithinBounds()
{
    hdf5::ArrayInfo like;
    like.layout = hdf5::Layout::Chunked;
    like.type.value = DType::Float32;
    like.shape = {100'000'000};
    like.chunk = {100'000'000};
    const Storing keep{Storing::As::Source, {}};
    QVERIFY(planArray({DType::Float32, {0}, true}, keep, &like).chunk[0] * 4 <= kLargestChunkBytes);
    like.shape = {1'000'000, 30'000};
    like.chunk = {1954, 59};
    const hdf5::NewArray plan = planArray({DType::Float32, {500'000, 30'000}}, keep, &like);
    QVERIFY(plan.chunk[0] * 30'000 * 4 <= kLargestBandBytes);
    QCOMPARE(plan.chunk[1], Index{59});
    QCOMPARE(planArray({DType::Float32, {10, 20}}, keep, &like).chunk, (std::vector<Index>{10, 20}));
    // A filter that cannot be written becomes gzip.
    hdf5::Filter blosc;
    blosc.id = 32001;
    like.filters = {blosc};
    QCOMPARE(planArray({DType::Float32, {10, 20}}, keep, &like).filters.back().id, 1);
    QVERIFY(planArray({DType::Float32, {0, 20}}, keep, &like).chunk.empty());
}

QTEST_GUILESS_MAIN(WriteArraysTest)
#include "write_arrays_test.moc"
