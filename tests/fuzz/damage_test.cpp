// SPDX-License-Identifier: GPL-3.0-or-later
// Small files with bytes overwritten, by a fixed seed, opened and read from end to end in a process
// of their own: whatever the damage, it ends by itself, in time, with values or with errors.
#include "core/anndata/dataset.h"
#include "core/anndata/value_rules.h"
#include "core/paging/array_reader.h"
#include "tests/fuzz/damaged_copy.h"
#include "tests/support/corpus.h"

#include <QtTest>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <sys/wait.h>
#include <unistd.h>

using namespace cellfolio;

namespace {

// Seconds after which a copy counts as a hang; a whole one takes some hundredths.
constexpr unsigned kPatience = 20;
constexpr Index kMostValues = 200'000;
constexpr std::uintmax_t kLargestFile = 600'000;

// More copies of each file and kind of damage: CELLFOLIO_FUZZ_ROUNDS=20.
int roundsWanted(int usual)
{
    const char* text = std::getenv("CELLFOLIO_FUZZ_ROUNDS");
    const int wanted = text ? std::atoi(text) : 0;
    return wanted > 0 ? wanted : usual;
}

void readObject(const std::shared_ptr<const hdf5::File>& file, const hdf5::Object& object,
                const std::shared_ptr<Reading>& reading)
{
    if (!object.isDataset() || object.array->type.value == DType::Other)
        return;
    std::vector<int> members{-1};
    if (object.array->type.cls == hdf5::TypeClass::Compound && !isComplex(object.array->type.value)) {
        members.clear();
        for (std::size_t m = 0; m < object.array->type.members.size(); ++m)
            members.push_back(static_cast<int>(m));
    }
    for (const int member : members) {
        const ArrayReader reader(ArrayRef{file, &object, member}, reading, object.path);
        const std::vector<Index> shape = reader.array().shape();
        Index n = 1;
        bool small = true;
        for (const Index length : shape) {
            n *= std::clamp<Index>(length, 0, kMostValues + 1);
            small = small && n <= kMostValues;
        }
        if (small) {
            (void)reader.all();
        } else if (shape.size() == 1) {
            (void)reader.rows(0, std::min<Index>(shape[0], kMostValues));
            (void)reader.rows(std::max<Index>(0, shape[0] - 100), std::min<Index>(shape[0], 100));
        }
    }
}

// What the programs do with a file: structure, every value, the rules that look at values. Whether
// it is a data set at all.
bool useFile(const std::string& path)
{
    {
        const auto reading = std::make_shared<Reading>(Reading::Options{Index{64} << 20, 0, 2});
        auto file = hdf5::File::open(path);
        if (file) {
            std::vector<const hdf5::Object*> pending{&(*file)->root()};
            std::size_t seen = 0;
            while (!pending.empty() && seen++ < 2000) {
                const hdf5::Object* object = pending.back();
                pending.pop_back();
                for (const auto& child : object->children)
                    pending.push_back(child.get());
                readObject(*file, *object, reading);
                if (object->isDataset())
                    (void)(*file)->storedBytes(*object);
            }
        }
    }
    const auto reading = std::make_shared<Reading>(Reading::Options{Index{64} << 20, 0, 2});
    auto dataset = Dataset::open(path);
    if (!dataset)
        return false;
    (void)valueFindings(*dataset, reading);
    return true;
}

constexpr int kRead = 0;
constexpr int kRefused = 10;

struct Ending {
    int signal = 0;
    bool hung = false;
    int code = kRead;

    bool proper() const { return signal == 0 && (code == kRead || code == kRefused); }
};

Ending useInChild(const std::string& path)
{
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        // A crash is the parent's to report: no stack trace from a debugger for each.
        for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM, SIGTERM})
            ::signal(signal, SIG_DFL);
        ::alarm(kPatience);
        std::_Exit(useFile(path) ? kRead : kRefused);
    }
    Ending ending;
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        ending.signal = WTERMSIG(status);
        ending.hung = ending.signal == SIGALRM;
    } else {
        ending.code = WEXITSTATUS(status);
    }
    return ending;
}

} // namespace

class DamageTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void endsByItself_data();
    void endsByItself();
    void cleanupTestCase();

private:
    QTemporaryDir m_folder;
    int m_copies = 0;
    int m_refused = 0;
};

void DamageTest::endsByItself_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<int>("rounds");
    for (const auto& file : test::filesBelow(test::dataFolder() / "files"))
        QTest::newRow(file.filename().c_str()) << QString::fromStdString(file.string()) << roundsWanted(3);
    for (const auto& file : test::filesBelow(test::corpusFolder("real"))) {
        if (std::filesystem::file_size(file) <= kLargestFile)
            QTest::newRow(file.filename().c_str()) << QString::fromStdString(file.string()) << roundsWanted(1);
    }
}

void DamageTest::endsByItself()
{
    QFETCH(QString, path);
    QFETCH(int, rounds);
    std::ifstream stream(path.toStdString(), std::ios::binary);
    const std::vector<unsigned char> whole{std::istreambuf_iterator<char>(stream), {}};
    const std::string copy = m_folder.filePath(QStringLiteral("copy.h5ad")).toStdString();
    const auto write = [&](const std::vector<unsigned char>& bytes) {
        std::ofstream target(copy, std::ios::binary | std::ios::trunc);
        target.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    };
    write(whole);
    const Ending sound = useInChild(copy);
    QVERIFY2(sound.proper(), "the file as it is");
    if (sound.code == kRefused)
        QSKIP("is no data set as it is");
    QStringList failures;
    for (const test::Damage kind : test::kDamages) {
        for (int round = 0; round < rounds; ++round) {
            std::vector<unsigned char> bytes = whole;
            const std::string told = test::damage(bytes, kind, static_cast<std::uint64_t>(round) * 7919 + whole.size());
            write(bytes);
            ++m_copies;
            const Ending ending = useInChild(copy);
            m_refused += ending.code == kRefused ? 1 : 0;
            if (ending.proper())
                continue;
            const QString what = ending.hung ? QStringLiteral("does not end")
                                 : ending.signal != 0
                                     ? QStringLiteral("ends by signal %1").arg(ending.signal)
                                     : QStringLiteral("ends with code %1").arg(ending.code);
            failures += QStringLiteral("%1, round %2 (%3): %4")
                            .arg(QString::fromLatin1(test::nameOf(kind)), QString::number(round),
                                 QString::fromStdString(told).left(120), what);
            if (const char* keep = std::getenv("CELLFOLIO_FUZZ_KEEP")) {
                std::ofstream kept(std::string(keep) + "/" + QTest::currentDataTag() + "-"
                                       + test::nameOf(kind) + "-" + std::to_string(round),
                                   std::ios::binary);
                kept.write(reinterpret_cast<const char*>(bytes.data()),
                           static_cast<std::streamsize>(bytes.size()));
            }
        }
    }
    QVERIFY2(failures.isEmpty(), failures.join(QStringLiteral("\n")).toUtf8().constData());
}

void DamageTest::cleanupTestCase()
{
    qInfo("%d damaged copies, %d of them refused on opening", m_copies, m_refused);
    QVERIFY2(m_refused < m_copies / 2, "most of the damage lies where reading meets it");
}

QTEST_APPLESS_MAIN(DamageTest)
#include "damage_test.moc"
