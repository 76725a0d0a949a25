// SPDX-License-Identifier: GPL-3.0-or-later
// Every array of every file at hand, read by pages, by selections and by scans, against the
// library's own read of the same values.
#include "core/paging/array_reader.h"
#include "core/paging/page_cache.h"
#include "core/paging/scan.h"
#include "tests/support/corpus.h"

#include <QtTest>

#include <cstring>
#include <mutex>
#include <random>

using namespace cellfolio;

class ArrayReaderTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void agreesWithTheLibrary_data();
    void agreesWithTheLibrary();

private:
    void checkArray(const std::shared_ptr<const hdf5::File>& file, const hdf5::Object& object);
    void checkScan(const ArrayRef& array, const Values& whole);
    int m_arrays = 0;
};

namespace {

std::shared_ptr<Reading> tinyReading()
{
    // A cache of some pages only, so that reading crosses evictions.
    return std::make_shared<Reading>(Reading::Options{Index{64} << 20, Index{64} << 10, 2});
}

bool same(const Values& a, const Values& b, Index offset = 0)
{
    for (Index i = 0; i < a.size(); ++i) {
        if (a.text(i) != b.text(i + offset))
            return false;
    }
    return true;
}

Index product(const std::vector<Index>& v)
{
    Index n = 1;
    for (Index x : v)
        n *= x;
    return n;
}

} // namespace

void ArrayReaderTest::agreesWithTheLibrary_data()
{
    QTest::addColumn<QString>("path");
    for (const auto& file : test::allFiles())
        QTest::newRow(file.filename().c_str()) << QString::fromStdString(file.string());
}

void ArrayReaderTest::agreesWithTheLibrary()
{
    QFETCH(QString, path);
    auto file = hdf5::File::open(path.toStdString());
    if (!file) {
        QVERIFY2(!file.error().message().empty(), "a refusal says why");
        return;
    }
    std::vector<const hdf5::Object*> pending{&(*file)->root()};
    while (!pending.empty()) {
        const hdf5::Object* object = pending.back();
        pending.pop_back();
        for (const auto& child : object->children)
            pending.push_back(child.get());
        if (object->isDataset() && object->array->count() <= 3'000'000 && pending.size() < 200)
            checkArray(*file, *object);
        if (QTest::currentTestFailed()) {
            qWarning("at %s", object->path.c_str());
            return;
        }
    }
}

void ArrayReaderTest::checkArray(const std::shared_ptr<const hdf5::File>& file,
                                 const hdf5::Object& object)
{
    ArrayRef array{file, &object, -1};
    if (object.array->type.cls == hdf5::TypeClass::Compound && !isComplex(object.array->type.value)) {
        if (object.array->type.members.empty())
            return;
        array.member = static_cast<int>(object.array->type.members.size() - 1);
    }
    if (array.dtype() == DType::Other)
        return;
    hdf5::File::Slab slab;
    slab.start.assign(object.array->shape.size(), 0);
    slab.count = object.array->shape;
    slab.member = array.member;
    auto expected = file->read(object, slab, hdf5::Lane::Bulk);
    const auto reading = tinyReading();
    const ArrayReader reader(array, reading, object.path);
    auto whole = reader.all();
    if (!expected) {
        // Damaged, or a filter that the library lacks: the reader must say so, or know better.
        if (!whole)
            QVERIFY(!whole.error().message().empty());
        return;
    }
    QVERIFY2(whole.ok(), whole.ok() ? "" : whole.error().message().c_str());
    ++m_arrays;
    QCOMPARE(whole->size(), expected->size());
    QVERIFY(same(*whole, *expected));
    const std::vector<Index> shape = array.shape();
    if (shape.empty() || object.array->isNull || shape[0] == 0)
        return;

    // Rows in any order with repeats.
    std::mt19937_64 random(static_cast<std::uint64_t>(shape[0]));
    std::vector<Index> wanted;
    for (int i = 0; i < 17; ++i)
        wanted.push_back(static_cast<Index>(random() % static_cast<std::uint64_t>(shape[0])));
    const Selection rows = Selection::indices(shape[0], wanted);
    auto picked = reader.rows(rows);
    QVERIFY(picked.ok());
    const Index width = product(std::vector<Index>(shape.begin() + 1, shape.end()));
    for (Index k = 0; k < rows.size(); ++k) {
        for (Index c = 0; c < width; c += std::max<Index>(1, width / 50))
            QCOMPARE(picked->text(k * width + c), expected->text(rows[k] * width + c));
    }
    if (shape.size() == 2 && shape[1] > 0) {
        const Selection columns = Selection::slice(shape[1], {}, {}, -2);
        auto block = reader.rowsAndColumns(rows, columns);
        QVERIFY(block.ok());
        for (Index k = 0; k < rows.size(); ++k) {
            for (Index c = 0; c < columns.size(); c += std::max<Index>(1, columns.size() / 20))
                QCOMPARE(block->text(k * columns.size() + c),
                         expected->text(rows[k] * width + columns[c]));
        }
    }
    checkScan(array, *expected);
}

void ArrayReaderTest::checkScan(const ArrayRef& array, const Values& whole)
{
    if (!isReal(array.dtype()))
        return;
    const auto reading = tinyReading();
    const std::vector<Index> shape = array.shape();
    const std::size_t item = sizeOf(array.dtype());
    std::mutex mutex;
    Index seen = 0;
    bool equal = true;
    if (shape.size() == 1) {
        const Index first = shape[0] / 3;
        ScanOptions options;
        options.blockLength = 7;
        const ScanPlan plan = planScan({array}, first, shape[0], *reading, options);
        auto done = scan({array}, "x", *reading, plan, options, [&](const ScanBlock& block) -> Result<void> {
            const std::lock_guard lock(mutex);
            seen += block.count;
            equal = equal
                    && std::memcmp(block.bytes[0].data(), whole.data() + at(block.first) * item,
                                   at(block.count) * item)
                           == 0;
            return {};
        });
        QVERIFY(done.ok());
        QCOMPARE(seen, shape[0] - first);
        QVERIFY(equal);
    }
    seen = 0;
    auto done = scanTiles(array, "x", *reading, {}, [&](const ScanTile& tile) -> Result<void> {
        const std::lock_guard lock(mutex);
        seen += tile.values;
        equal = equal && tile.start.size() == shape.size() && product(tile.count) == tile.values;
        if (equal && tile.values > 0) {
            // Compares the first row of the tile.
            Index from = 0;
            for (std::size_t d = 0; d < shape.size(); ++d)
                from = from * shape[d] + tile.start[d];
            equal = equal
                    && std::memcmp(tile.bytes.data(), whole.data() + at(from) * item,
                                   at(tile.count.back()) * item)
                           == 0;
        }
        return {};
    });
    QVERIFY(done.ok());
    QCOMPARE(seen, whole.size());
    QVERIFY(equal);
}

QTEST_GUILESS_MAIN(ArrayReaderTest)
#include "array_reader_test.moc"
