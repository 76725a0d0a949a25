// SPDX-License-Identifier: GPL-3.0-or-later
// Filters against arrays that their own libraries packed (tests/data/filters/make_filters.py), and
// damaged streams.
#include "core/hdf5/filters.h"
#include "core/paging/array_reader.h"
#include "tests/support/corpus.h"

#include <QtTest>

using namespace cellfolio;
using namespace cellfolio::hdf5;

class FiltersTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyFilterGivesThePlainValues();
    void damagedStreamsAreRefused();
    void shuffleAgreesWithItsDefinition();
    void absentFilterIsNamed();
};

void FiltersTest::everyFilterGivesThePlainValues()
{
    auto file = File::open(test::dataFolder() / "filters" / "filters.h5");
    QVERIFY2(file.ok(), file.ok() ? "" : file.error().message().c_str());
    const auto reading = std::make_shared<Reading>();
    const Object* plain = (*file)->root().child("plain");
    int arrays = 0;
    for (const auto& filter : (*file)->root().children) {
        if (filter->name == "plain" || filter->name == "blosc2")
            continue;
        for (const auto& array : filter->children) {
            auto expected = ArrayReader({*file, plain->child(array->name), -1}, reading, "plain").all();
            auto read = ArrayReader({*file, array.get(), -1}, reading, array->path).all();
            QVERIFY2(read.ok(), (array->path + ": " + (read ? "" : read.error().message())).c_str());
            QCOMPARE(canDecode(*array->array), filter->name != "scaleoffset");
            for (Index i = 0; i < expected->size(); ++i)
                QVERIFY2(read->text(i) == expected->text(i), array->path.c_str());
            ++arrays;
        }
    }
    QVERIFY(arrays >= 19);
}

void FiltersTest::absentFilterIsNamed()
{
    auto file = File::open(test::dataFolder() / "filters" / "filters.h5");
    QVERIFY(file.ok());
    const Object* array = (*file)->root().find("blosc2/i4");
    if (array->array->filters[0].decodable)
        QSKIP("the library at hand has a blosc2 plugin");
    auto read = ArrayReader({*file, array, -1}, std::make_shared<Reading>(), "X").all();
    QVERIFY(!read.ok());
    QCOMPARE(read.error().code(), ErrorCode::UnsupportedFilter);
    QCOMPARE(read.error().element(), std::string("X"));
    QVERIFY(read.error().message().find("32026") != std::string::npos);
}

void FiltersTest::damagedStreamsAreRefused()
{
    auto file = File::open(test::dataFolder() / "filters" / "filters.h5");
    QVERIFY(file.ok());
    DecodeScratch scratch;
    int refused = 0;
    for (const auto& filter : (*file)->root().children) {
        const Object* array = filter->child("i4");
        const ArrayInfo& info = *array->array;
        if (info.layout != Layout::Chunked || !canDecode(info))
            continue;
        auto raw = std::make_shared<RawChunks>();
        QVERIFY((*file)->readChunks(*array, {0, 0}, raw, Lane::Bulk).ok());
        std::vector<std::byte> whole(raw->chunk(0).begin(), raw->chunk(0).end());
        std::vector<std::byte> out(std::size_t{20 * 16 * 4});
        QVERIFY(decodeChunk(info, whole, 0, out, scratch).ok());
        // Every cut of the stream: an error or the right length, never a foreign read.
        for (std::size_t length = 0; length < whole.size(); length += 7) {
            const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
            refused += decodeChunk(info, cut, 0, out, scratch).ok() ? 0 : 1;
        }
        // Every byte changed in turn.
        for (std::size_t i = 0; i < whole.size(); i += 3) {
            std::vector<std::byte> bad = whole;
            bad[i] ^= std::byte{0x5A};
            std::vector<std::byte> changed(out.size());
            const bool ok = decodeChunk(info, bad, 0, changed, scratch).ok();
            // What carries a checksum is refused, or (a bit that decides nothing) reads the same.
            if (filter->name == "fletcher" || filter->name.starts_with("gzip"))
                QVERIFY2(!ok || changed == out, filter->name.c_str());
        }
    }
    QVERIFY(refused > 100);
}

void FiltersTest::shuffleAgreesWithItsDefinition()
{
    for (std::size_t item : {1, 2, 3, 4, 8}) {
        std::vector<std::byte> in(item * 13 + 2);
        for (std::size_t i = 0; i < in.size(); ++i)
            in[i] = static_cast<std::byte>(i * 31 + 7);
        std::vector<std::byte> out(in.size());
        unshuffle(in, out, item);
        const std::size_t n = in.size() / item;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t b = 0; b < item; ++b)
                QCOMPARE(out[i * item + b], in[b * n + i]);
        }
        QCOMPARE(out.back(), in.back());
    }
}

QTEST_GUILESS_MAIN(FiltersTest)
#include "filters_test.moc"
