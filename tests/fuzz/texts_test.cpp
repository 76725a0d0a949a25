// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of variable length, which are read past the HDF5 library, against the library's own reads
// of the same values, in every sound file at hand: arrays, fields of records, attributes.
#include "core/hdf5/file.h"
#include "core/hdf5/handle.h"
#include "tests/support/corpus.h"

#include <QtTest>

#include <hdf5.h>

using namespace cellfolio;
using Texts = std::vector<std::string>;

class TextsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void agreeWithTheLibrary_data();
    void agreeWithTheLibrary();
    void everySecondRow_data() { agreeWithTheLibrary_data(); }
    void everySecondRow();
    void cleanupTestCase();

private:
    Index m_texts = 0;
    Index m_attributes = 0;
};

namespace {

constexpr Index kMostTexts = 200'000;

struct Closed {
    hid_t id;
    herr_t (*close)(hid_t);
    ~Closed()
    {
        if (id >= 0)
            close(id);
    }
};

// Opened as the program has it open already: the library shares the two and wants them alike.
hid_t openLikeUs(const std::string& path)
{
    const Closed access{H5Pcreate(H5P_FILE_ACCESS), H5Pclose};
    H5Pset_file_locking(access.id, false, true);
    return H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id);
}

Texts taken(hid_t type, hid_t space, std::vector<char*>& pointers)
{
    Texts texts;
    for (const char* p : pointers)
        texts.emplace_back(p ? p : "");
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
    return texts;
}

// What the library reads of a dataset (member -1) or of one field of its records; none: it cannot.
std::optional<Texts> libraryTexts(const std::string& path, const hdf5::Object& object, int member)
{
    return hdf5::Hdf5Thread::instance().call(hdf5::Lane::Bulk, [&]() -> std::optional<Texts> {
        const Closed file{openLikeUs(path), H5Fclose};
        const Closed dataset{H5Dopen2(file.id, object.path.c_str(), H5P_DEFAULT), H5Dclose};
        const Closed space{H5Dget_space(dataset.id), H5Sclose};
        const Closed stored{H5Dget_type(dataset.id), H5Tclose};
        Closed wanted{H5Tcopy(stored.id), H5Tclose};
        if (member >= 0) {
            const Closed field{H5Tget_member_type(stored.id, static_cast<unsigned>(member)), H5Tclose};
            H5Tclose(wanted.id);
            wanted.id = H5Tcreate(H5T_COMPOUND, H5Tget_size(field.id));
            const std::string& name = object.array->type.members[at(member)].name;
            H5Tinsert(wanted.id, name.c_str(), 0, field.id);
        }
        std::vector<char*> pointers(at(object.array->count()), nullptr);
        const herr_t read = H5Dread(dataset.id, wanted.id, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data());
        Texts texts = taken(wanted.id, space.id, pointers);
        H5Eclear2(H5E_DEFAULT);
        if (read < 0)
            return std::nullopt;
        return texts;
    });
}

std::optional<Texts> libraryAttribute(const std::string& path, const hdf5::Object& object,
                                      const hdf5::Attribute& attribute)
{
    return hdf5::Hdf5Thread::instance().call(hdf5::Lane::Bulk, [&]() -> std::optional<Texts> {
        const Closed file{openLikeUs(path), H5Fclose};
        const Closed id{H5Aopen_by_name(file.id, object.path.c_str(), attribute.name.c_str(), H5P_DEFAULT,
                                        H5P_DEFAULT),
                        H5Aclose};
        const Closed space{H5Aget_space(id.id), H5Sclose};
        const Closed type{H5Aget_type(id.id), H5Tclose};
        const hssize_t count = H5Sget_simple_extent_npoints(space.id);
        std::vector<char*> pointers(static_cast<std::size_t>(std::max<hssize_t>(count, 0)), nullptr);
        const herr_t read = pointers.empty() ? 0 : H5Aread(id.id, type.id, pointers.data());
        Texts texts = taken(type.id, space.id, pointers);
        H5Eclear2(H5E_DEFAULT);
        if (id.id < 0 || read < 0)
            return std::nullopt;
        return texts;
    });
}

bool isVariableText(const hdf5::StoredType& type)
{
    return type.cls == hdf5::TypeClass::String && type.variable;
}

std::vector<int> textMembers(const hdf5::ArrayInfo& info)
{
    std::vector<int> members;
    if (isVariableText(info.type))
        members.push_back(-1);
    for (std::size_t m = 0; m < info.type.members.size(); ++m) {
        if (isVariableText(info.type.members[m].type))
            members.push_back(static_cast<int>(m));
    }
    return members;
}

// Every object of a file once, but for those behind other paths.
template <typename F>
void forEachObject(const hdf5::File& file, F&& f)
{
    std::vector<const hdf5::Object*> pending{&file.root()};
    while (!pending.empty()) {
        const hdf5::Object* object = pending.back();
        pending.pop_back();
        for (const auto& child : object->children)
            pending.push_back(child.get());
        if (object->isGroup() || object->isDataset())
            f(*object);
    }
}

} // namespace

void TextsTest::agreeWithTheLibrary_data()
{
    QTest::addColumn<QString>("path");
    for (const auto& file : test::allFiles())
        QTest::newRow(file.filename().c_str()) << QString::fromStdString(file.string());
}

void TextsTest::agreeWithTheLibrary()
{
    QFETCH(QString, path);
    auto file = hdf5::File::open(path.toStdString());
    if (!file)
        QSKIP("is no HDF5 file");
    forEachObject(**file, [&](const hdf5::Object& object) {
        for (const hdf5::Attribute& attribute : object.attributes) {
            if (!isVariableText(attribute.type))
                continue;
            const auto wanted = libraryAttribute(path.toStdString(), object, attribute);
            QVERIFY2(attribute.readable == wanted.has_value(), (object.path + " " + attribute.name).c_str());
            QVERIFY2(!wanted || attribute.texts == *wanted, (object.path + " " + attribute.name).c_str());
            ++m_attributes;
        }
        if (!object.isDataset() || object.array->count() > kMostTexts)
            return;
        for (const int member : textMembers(*object.array)) {
            hdf5::File::Slab slab;
            slab.start.assign(object.array->shape.size(), 0);
            slab.count = object.array->shape;
            slab.member = member;
            const auto ours = (*file)->read(object, slab, hdf5::Lane::Bulk);
            const auto theirs = libraryTexts(path.toStdString(), object, member);
            QVERIFY2(ours.ok() == theirs.has_value(), (object.path + (ours ? "" : ours.error().describe())).c_str());
            QVERIFY2(!ours || ours->texts() == *theirs, object.path.c_str());
            m_texts += ours ? ours->size() : 0;
        }
    });
}

void TextsTest::everySecondRow()
{
    QFETCH(QString, path);
    auto file = hdf5::File::open(path.toStdString());
    if (!file)
        QSKIP("is no HDF5 file");
    forEachObject(**file, [&](const hdf5::Object& object) {
        if (!object.isDataset() || object.array->shape.empty() || object.array->count() > kMostTexts
            || object.array->shape[0] < 4)
            return;
        for (const int member : textMembers(*object.array)) {
            hdf5::File::Slab whole;
            whole.start.assign(object.array->shape.size(), 0);
            whole.count = object.array->shape;
            whole.member = member;
            hdf5::File::Slab part = whole;
            part.start[0] = 1;
            part.step.assign(object.array->shape.size(), 1);
            part.step[0] = 2;
            part.count[0] = (object.array->shape[0] - 1) / 2;
            const auto all = (*file)->read(object, whole, hdf5::Lane::Bulk);
            const auto some = (*file)->read(object, part, hdf5::Lane::Bulk);
            QVERIFY(!all || some);
            if (!all)
                continue;
            const std::size_t row = at(object.array->count() / object.array->shape[0]);
            QCOMPARE(some->size(), part.count[0] * static_cast<Index>(row));
            for (std::size_t i = 0; i < some->texts().size(); ++i)
                QCOMPARE(some->texts()[i], all->texts()[(1 + i / row * 2) * row + i % row]);
        }
    });
}

void TextsTest::cleanupTestCase()
{
    qInfo("%lld texts and %lld attributes compared", static_cast<long long>(m_texts),
          static_cast<long long>(m_attributes));
    QVERIFY(m_texts > 100 && m_attributes > 100);
}

QTEST_GUILESS_MAIN(TextsTest)
#include "texts_test.moc"
