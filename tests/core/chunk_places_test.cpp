// SPDX-License-Identifier: GPL-3.0-or-later
// Chunks read at places that we found ourselves, against what the HDF5 library reads there.
#include "core/hdf5/chunk_places.h"
#include "core/hdf5/signature.h"
#include "tests/support/corpus.h"

#include <QtTest>

#include <algorithm>

using namespace cellfolio;
using namespace cellfolio::hdf5;

namespace {

// Every chunk of the array, at most so many: offsets as File::readChunks() takes them.
std::vector<Index> offsetsOf(const ArrayInfo& info, std::size_t most)
{
    std::vector<Index> offsets;
    std::vector<Index> place(info.shape.size(), 0);
    for (bool more = true; more && offsets.size() < most * place.size();) {
        offsets.insert(offsets.end(), place.begin(), place.end());
        more = false;
        for (std::size_t d = place.size(); !more && d-- > 0;) {
            place[d] += info.chunk[d];
            more = place[d] < info.shape[d];
            if (!more)
                place[d] = 0;
        }
    }
    return offsets;
}

} // namespace

class ChunkPlacesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void chunksAreThoseOfTheLibrary();
    void whatCannotBeTrustedIsLeftToTheLibrary();
};

void ChunkPlacesTest::chunksAreThoseOfTheLibrary()
{
    int arrays = 0;
    std::size_t chunks = 0;
    for (const auto& path : test::allFiles()) {
        const auto signature = readSignature(path);
        const auto file = File::open(path);
        if (!signature || !file)
            continue; // no HDF5 file, or a damaged one
        const auto raw = RawFile::open(path, *signature);
        QVERIFY(raw.ok());
        std::vector<const Object*> pending{&(*file)->root()};
        while (!pending.empty()) {
            const Object* object = pending.back();
            pending.pop_back();
            for (const auto& child : object->children)
                pending.push_back(child.get());
            if (!object->isDataset() || !object->array || object->array->layout != Layout::Chunked
                || object->array->external)
                continue;
            const auto places = ChunkPlaces::find(**raw, *object);
            if (!places)
                continue;
            const std::vector<Index> offsets = offsetsOf(*object->array, 300);
            RawChunks own;
            const auto read = places->read(**raw, *object->array, offsets, own, {});
            // Nobody has asked in bulk: the file itself goes through the library.
            auto other = std::make_shared<RawChunks>();
            const auto library = (*file)->readChunks(*object, offsets, other, Lane::Interactive);
            const QByteArray where = QByteArray::fromStdString(path.string() + ": " + object->path);
            QVERIFY2(read.ok() && library.ok(), where.constData());
            QCOMPARE(own.items.size(), other->items.size());
            for (std::size_t i = 0; i < own.items.size(); ++i) {
                QVERIFY2(own.items[i].size == other->items[i].size
                             && own.items[i].filterMask == other->items[i].filterMask,
                         where.constData());
                QVERIFY2(std::ranges::equal(own.chunk(i), other->chunk(i)), where.constData());
            }
            ++arrays;
            chunks += own.items.size();
        }
    }
    qInfo("%d arrays, %zu chunks", arrays, chunks);
    QVERIFY(arrays > 40);
}

void ChunkPlacesTest::whatCannotBeTrustedIsLeftToTheLibrary()
{
    const auto path = test::dataFolder() / "files" / "filters_sparse.h5ad";
    const auto signature = readSignature(path);
    QVERIFY(signature.ok());
    auto file = File::open(path);
    QVERIFY(file.ok());
    const Object* data = (*file)->root().find("X/data");
    QVERIFY(data != nullptr && data->array->layout == Layout::Chunked);
    const auto raw = RawFile::open(path, *signature);
    QVERIFY(raw.ok());
    QVERIFY(ChunkPlaces::find(**raw, *data) != nullptr);
    // An array whose chunks were cut differently from what its header says.
    Object other;
    other.address = data->address;
    const auto array = std::make_shared<ArrayInfo>(*data->array);
    other.array = array;
    array->chunk[0] += 1;
    QVERIFY(ChunkPlaces::find(**raw, other) == nullptr);
    // Another object's header.
    array->chunk[0] -= 1;
    other.address = (*file)->root().address;
    QVERIFY(ChunkPlaces::find(**raw, other) == nullptr);
    // Too many chunks to keep.
    other.address = data->address;
    array->shape[0] = (ChunkPlaces::kMost + 1) * data->array->chunk[0];
    QVERIFY(ChunkPlaces::find(**raw, other) == nullptr);
}

QTEST_GUILESS_MAIN(ChunkPlacesTest)
#include "chunk_places_test.moc"
