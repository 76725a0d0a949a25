// SPDX-License-Identifier: GPL-3.0-or-later
// A new file is there whole or not at all, whatever fails.
#include "core/write/h5ad_writer.h"
#include "core/write/staged_file.h"

#include <QTemporaryDir>
#include <QtTest>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace cellfolio;
namespace fs = std::filesystem;

namespace {

// A disk on which one kind of call fails from the n-th on.
class FailingDisk final : public FileSystem
{
public:
    enum class Call { Write, Truncate, Sync, Rename, SyncFolder };
    FailingDisk(Call call, int from, int reason) : m_call(call), m_from(from), m_reason(reason) {}

    int write(int d, Index o, std::span<const std::byte> b) override
    {
        return fails(Call::Write) ? m_reason : FileSystem::write(d, o, b);
    }
    int truncate(int d, Index s) override { return fails(Call::Truncate) ? m_reason : FileSystem::truncate(d, s); }
    int sync(int d) override { return fails(Call::Sync) ? m_reason : FileSystem::sync(d); }
    int rename(const fs::path& f, const fs::path& t) override
    {
        return fails(Call::Rename) ? m_reason : FileSystem::rename(f, t);
    }
    int syncFolder(const fs::path& f) override
    {
        return fails(Call::SyncFolder) ? m_reason : FileSystem::syncFolder(f);
    }
    int calls() const { return m_calls; }

private:
    bool fails(Call call) { return call == m_call && m_calls++ >= m_from; }
    Call m_call;
    int m_from;
    int m_reason;
    std::atomic<int> m_calls{0};
};

void put(const fs::path& path, const std::string& text)
{
    std::ofstream(path) << text;
}

std::string get(const fs::path& path)
{
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

Result<void> writeText(const fs::path& target, const StagedFile::Options& options)
{
    auto staged = StagedFile::create(target, options);
    if (!staged)
        return std::move(staged).error();
    const std::string text = "new";
    if ((*staged)->system().write((*staged)->descriptor(), 0, std::as_bytes(std::span(text))) != 0)
        return Error(ErrorCode::Io, "write");
    return (*staged)->commit();
}

// A file of a few hundred KiB, some of it compressed.
Result<void> writeData(const fs::path& target, const StagedFile::Options& options)
{
    auto writer = H5adWriter::create(target, options, {Storing::As::Chosen, {hdf5::Packing::Gzip, 1}});
    if (!writer)
        return std::move(writer).error();
    if (auto begun = (*writer)->beginData(); !begun)
        return begun;
    for (int k = 0; k < 8; ++k) {
        const std::string path = "uns/a" + std::to_string(k);
        Values values(DType::Int32, 30'000);
        for (Index i = 0; i < values.size(); ++i)
            values.as<std::int32_t>()[at(i)] = static_cast<std::int32_t>(i * 7919 % 65'537);
        if (auto written = (*writer)->array(path, values); !written)
            return written;
        if (auto written = (*writer)->array(path + "t", Values(std::vector<std::string>(500, std::string(50, 'x')))); !written)
            return written;
    }
    return (*writer)->commit();
}

std::vector<std::string> listed(const QTemporaryDir& folder)
{
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder.path().toStdString()))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace

class StagedFileTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void appearsWhole();
    void refusals();
    void keepsModeAndLinks();
    void aTargetThatChangedIsLeft();
    void aFailingDiskLeavesTheTarget_data();
    void aFailingDiskLeavesTheTarget();
    void everyWriteMayFail();
    void leftoversAreFound();
    void folders();
};

void StagedFileTest::appearsWhole()
{
    QTemporaryDir folder;
    const fs::path target = folder.filePath("a.txt").toStdString();
    {
        auto staged = StagedFile::create(target, {});
        QVERIFY(staged.ok());
        QVERIFY(fs::exists((*staged)->part()));
        QVERIFY(!fs::exists(target));
        QCOMPARE((*staged)->part().filename().string().substr(0, 7), std::string(".a.txt."));
    }
    QVERIFY(listed(folder).empty()); // not committed: gone
    QVERIFY(writeText(target, {}).ok());
    QCOMPARE(get(target), std::string("new"));
    struct stat state {};
    QVERIFY(::stat(target.c_str(), &state) == 0);
    const mode_t mask = ::umask(022);
    ::umask(mask);
    QCOMPARE(state.st_mode & 0777, 0666u & ~mask);
    auto staged = StagedFile::create(target, {.overwrite = true});
    QVERIFY(staged.ok());
    const auto refused = (*staged)->commit([](const fs::path&) { return Result<void>(Error(ErrorCode::Io, "no")); });
    QVERIFY(!refused.ok());
    QCOMPARE(get(target), std::string("new"));
}

void StagedFileTest::refusals()
{
    QTemporaryDir folder;
    const fs::path base = folder.path().toStdString();
    const auto code = [](const fs::path& target, const StagedFile::Options& options) {
        const auto fine = StagedFile::check(target, options);
        return fine ? std::string("fine") : std::string(nameOf(fine.error().code()));
    };
    const StagedFile::Options over{.overwrite = true};
    put(base / "there", "old");
    QCOMPARE(code(base / "there", {}), std::string("TargetExists"));
    QCOMPARE(code(base / "there", over), std::string("fine"));
    QCOMPARE(code(base / "there", {.overwrite = true, .inputs = {base / "there"}}), std::string("BadUsage"));
    fs::create_symlink(base / "there", base / "link");
    QCOMPARE(code(base / "link", {.overwrite = true, .inputs = {base / "there"}}), std::string("BadUsage"));
    fs::create_hard_link(base / "there", base / "second");
    QCOMPARE(code(base / "second", over), std::string("Refused"));
    QCOMPARE(code(base, over), std::string("Refused"));
    QVERIFY(::mkfifo((base / "pipe").c_str(), 0600) == 0);
    QCOMPARE(code(base / "pipe", over), std::string("Refused"));
    QCOMPARE(code(base / "nowhere" / "x", over), std::string("NotFound"));
    StagedFile::Options huge;
    huge.bytesNeeded = Index{1} << 60;
    QCOMPARE(code(base / "new", huge), std::string("OutOfDisk"));
    put(base / "written", "old");
    const int writer = ::open((base / "written").c_str(), O_RDWR);
    QVERIFY(::flock(writer, LOCK_EX) == 0);
    QCOMPARE(code(base / "written", over), std::string("Refused"));
    ::close(writer);
    QCOMPARE(code(base / "written", over), std::string("fine"));
    if (::geteuid() != 0) {
        fs::create_directory(base / "locked");
        fs::permissions(base / "locked", fs::perms::owner_read | fs::perms::owner_exec);
        QCOMPARE(code(base / "locked" / "x", {}), std::string("PermissionDenied"));
    }
}

void StagedFileTest::keepsModeAndLinks()
{
    QTemporaryDir folder;
    const fs::path base = folder.path().toStdString();
    put(base / "real", "old");
    fs::permissions(base / "real", fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
    fs::create_symlink("real", base / "link");
    QVERIFY(writeText(base / "link", {.overwrite = true}).ok());
    QVERIFY(fs::is_symlink(base / "link"));
    QCOMPARE(get(base / "real"), std::string("new"));
    struct stat state {};
    QVERIFY(::stat((base / "real").c_str(), &state) == 0);
    QCOMPARE(state.st_mode & 0777, 0640u);
}

void StagedFileTest::aTargetThatChangedIsLeft()
{
    QTemporaryDir folder;
    const fs::path target = folder.filePath("a").toStdString();
    auto staged = StagedFile::create(target, {.overwrite = true});
    QVERIFY(staged.ok());
    put(target, "of another program");
    QVERIFY((*staged)->commit().error().code() == ErrorCode::FileChanged);
    QCOMPARE(get(target), std::string("of another program"));
    staged = StagedFile::create(target, {.overwrite = true});
    QVERIFY(staged.ok());
    put(target, "changed again");
    QVERIFY((*staged)->commit().error().code() == ErrorCode::FileChanged);
    QCOMPARE(get(target), std::string("changed again"));
}

void StagedFileTest::aFailingDiskLeavesTheTarget_data()
{
    QTest::addColumn<int>("call");
    QTest::addColumn<int>("reason");
    QTest::addColumn<QString>("code");
    QTest::newRow("write, no space") << 0 << ENOSPC << "OutOfDisk";
    QTest::newRow("write, quota") << 0 << EDQUOT << "OutOfDisk";
    QTest::newRow("write, broken") << 0 << EIO << "Io";
    QTest::newRow("sync, broken") << 2 << EIO << "Io";
    QTest::newRow("sync, no space") << 2 << ENOSPC << "OutOfDisk";
    QTest::newRow("rename") << 3 << EACCES << "PermissionDenied";
}

void StagedFileTest::aFailingDiskLeavesTheTarget()
{
    QFETCH(int, call);
    QFETCH(int, reason);
    QFETCH(QString, code);
    QTemporaryDir folder;
    const fs::path target = folder.filePath("a.h5ad").toStdString();
    put(target, "old");
    FailingDisk disk(static_cast<FailingDisk::Call>(call), 0, reason);
    const auto done = writeData(target, {.overwrite = true, .system = &disk});
    QVERIFY(!done.ok());
    QCOMPARE(QString::fromStdString(std::string(nameOf(done.error().code()))), code);
    QCOMPARE(get(target), std::string("old"));
    QCOMPARE(listed(folder), std::vector<std::string>{"a.h5ad"});
    QVERIFY(writeData(target, {.overwrite = true}).ok()); // and the next run succeeds
}

void StagedFileTest::everyWriteMayFail()
{
    QTemporaryDir folder;
    const fs::path target = folder.filePath("a.h5ad").toStdString();
    FailingDisk sound(FailingDisk::Call::Write, 1 << 30, 0);
    QVERIFY(writeData(target, {.system = &sound}).ok());
    fs::remove(target);
    const int writes = sound.calls();
    QVERIFY2(writes > 20, std::to_string(writes).c_str());
    for (int n = 0; n < writes; n += std::max(1, writes / 40)) {
        FailingDisk full(FailingDisk::Call::Write, n, ENOSPC);
        const auto done = writeData(target, {.system = &full});
        QVERIFY2(!done.ok() && done.error().code() == ErrorCode::OutOfDisk, std::to_string(n).c_str());
        QVERIFY(listed(folder).empty());
    }
}

void StagedFileTest::leftoversAreFound()
{
    QTemporaryDir folder;
    const fs::path base = folder.path().toStdString();
    put(base / ".a.h5ad.Abc123.part", "");
    put(base / ".b.h5ad.Abc123.part", "");
    put(base / "a.h5ad.part", "");
    auto running = StagedFile::create(base / "a.h5ad", {});
    QVERIFY(running.ok());
    QCOMPARE(StagedFile::leftovers(base / "a.h5ad"), std::vector<fs::path>{base / ".a.h5ad.Abc123.part"});
}

void StagedFileTest::folders()
{
    QTemporaryDir folder;
    const fs::path base = folder.path().toStdString();
    const std::vector<std::string> known{"one", "two"};
    {
        auto staged = StagedFolder::create(base / "out", {}, known);
        QVERIFY2(staged.ok(), staged ? "" : staged.error().message().c_str());
        put((*staged)->part() / "one", "1");
        QVERIFY((*staged)->commit().ok());
    }
    QCOMPARE(get(base / "out" / "one"), std::string("1"));
    {
        const auto refused = StagedFolder::create(base / "out", {}, known);
        QVERIFY(!refused.ok() && refused.error().code() == ErrorCode::TargetExists);
    }
    {
        auto staged = StagedFolder::create(base / "out", {.overwrite = true}, known);
        QVERIFY(staged.ok());
        put((*staged)->part() / "two", "2");
        QVERIFY((*staged)->commit().ok());
    }
    QVERIFY(!fs::exists(base / "out" / "one"));
    QCOMPARE(listed(folder), std::vector<std::string>{"out"});
    put(base / "out" / "of the user", "");
    {
        const auto refused = StagedFolder::create(base / "out", {.overwrite = true}, known);
        QVERIFY(!refused.ok() && refused.error().code() == ErrorCode::Refused);
    }
}

QTEST_GUILESS_MAIN(StagedFileTest)
#include "staged_file_test.moc"
