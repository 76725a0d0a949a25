// SPDX-License-Identifier: GPL-3.0-or-later
// What the user chose for gene indexes, and the genes of a file as all who ask share them.
#include "core/matrix/gene_index_settings.h"
#include "core/matrix/gene_sources.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>
#include <thread>

using namespace cellfolio;
namespace fs = std::filesystem;

namespace {

fs::path exampleFile()
{
    return CELLFOLIO_SOURCE_DIR "/resources/examples/pbmc68k_reduced.h5ad";
}

} // namespace

class GeneSourcesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void settingsAreKept();
    void wrongSettingsAreTold_data();
    void wrongSettingsAreTold();
    void oneSourceForAll();
    void takesTheIndexAndSaysWhatWasDropped();
};

void GeneSourcesTest::settingsAreKept()
{
    QTemporaryDir folder;
    const fs::path file = fs::path(folder.filePath("not/yet").toStdString()) / "genes.conf";
    auto read = GeneIndexSettings::read(file);
    QVERIFY(read.ok());
    QCOMPARE(read->limit, GeneIndexStore::kDefaultLimit);
    QVERIFY(read->folder == GeneIndexStore::defaultFolder());

    GeneIndexSettings mine;
    mine.limit = Index{3} << 30;
    mine.folder = "/some where/genes = all";
    QVERIFY(mine.write(file).ok());
    read = GeneIndexSettings::read(file);
    QVERIFY(read.ok());
    QCOMPARE(read->limit, mine.limit);
    QVERIFY(read->folder == mine.folder);
    QCOMPARE(read->store().limit(), mine.limit);
    QVERIFY(read->store().folder() == mine.folder);

    // Only what is said is changed; spaces, comments and empty lines do no harm.
    std::ofstream(file) << "# of mine\n\n  limit=0  \r\n";
    read = GeneIndexSettings::read(file);
    QVERIFY(read.ok());
    QCOMPARE(read->limit, Index{0});
    QVERIFY(read->folder == GeneIndexStore::defaultFolder());

    // Where no file can be made, that is an error, and nothing is left.
    const fs::path blocked = file / "genes.conf";
    QVERIFY(!mine.write(blocked));
    QCOMPARE(std::distance(fs::directory_iterator(file.parent_path()), fs::directory_iterator()), 1);
}

void GeneSourcesTest::wrongSettingsAreTold_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("told");
    QTest::newRow("no number") << "limit = 20 GiB\n" << "line 1: \"20 GiB\" is no number of bytes.";
    QTest::newRow("negative") << "\nlimit = -1\n" << "line 2: \"-1\"";
    QTest::newRow("relative") << "folder = genes\n" << "\"genes\" is no absolute folder.";
    QTest::newRow("empty") << "limit =\n" << "\"\" is no number of bytes.";
    QTest::newRow("unknown") << "limits = 5\n" << "\"limits\" is neither limit nor folder.";
    QTest::newRow("no sign") << "limit 5\n" << "\"limit 5\" is neither";
}

void GeneSourcesTest::wrongSettingsAreTold()
{
    QFETCH(QString, text);
    QFETCH(QString, told);
    QTemporaryDir folder;
    const fs::path file = folder.filePath("genes.conf").toStdString();
    std::ofstream(file) << text.toStdString();
    const auto read = GeneIndexSettings::read(file);
    QVERIFY(!read);
    QCOMPARE(read.error().code(), ErrorCode::Corrupt);
    QVERIFY2(QString::fromStdString(read.error().message()).contains(told), read.error().message().c_str());
    QVERIFY(!read.error().fix().empty());
}

void GeneSourcesTest::oneSourceForAll()
{
    const auto dataset = Dataset::open(exampleFile().string());
    QVERIFY(dataset.ok());
    GeneSources sources(*dataset, std::make_shared<Reading>(), std::nullopt);
    const Element& raw = **(*dataset)->find("raw/X");
    QVERIFY(sources.known(raw) == nullptr);
    std::vector<std::shared_ptr<GeneSource>> got(8);
    std::vector<std::thread> threads;
    for (auto& place : got)
        threads.emplace_back([&sources, &raw, &place] {
            if (auto source = sources.of(raw))
                place = *source;
        });
    for (std::thread& thread : threads)
        thread.join();
    for (const auto& source : got)
        QVERIFY(source != nullptr && source == got.front());
    QVERIFY(sources.known(raw) == got.front());
    QCOMPARE(sources.allKnown().size(), std::size_t{1});
    QCOMPARE(got.front()->scanSeconds(), 0.0);
    QVERIFY(got.front()->read({{3}}).ok());
    QVERIFY(got.front()->scanSeconds() > 0);
    const auto none = sources.of(**(*dataset)->find("obs"));
    QVERIFY(!none.ok());
}

void GeneSourcesTest::takesTheIndexAndSaysWhatWasDropped()
{
    QTemporaryDir folder;
    const fs::path file = folder.filePath("cells.h5ad").toStdString();
    fs::copy_file(exampleFile(), file);
    const GeneIndexStore store{fs::path(folder.filePath("genes").toStdString())};
    const auto reading = std::make_shared<Reading>();
    auto dataset = Dataset::open(file.string());
    QVERIFY(dataset.ok());
    const auto raw = [&]() -> const Element& { return **(*dataset)->find("raw/X"); };
    GeneSources first(*dataset, reading, store);
    auto source = first.of(raw());
    QVERIFY(source.ok() && (*source)->index() == nullptr);
    QVERIFY(first.takeRemarks().empty());
    QVERIFY(store.build(*dataset, raw(), reading).ok());
    QVERIFY((*source)->lookForIndex(store).ok());
    QVERIFY((*source)->index() != nullptr);
    QVERIFY((*source)->cost({{3}}).way == GeneWay::Indexed);

    // Dense, so there is none to find, which is nothing to talk about.
    auto x = first.of(*(*dataset)->x());
    QVERIFY(x.ok() && (*x)->index() == nullptr);
    QVERIFY(first.takeRemarks().empty());

    source = std::shared_ptr<GeneSource>();
    std::ofstream(file, std::ios::binary | std::ios::app) << "more";
    dataset = Dataset::open(file.string());
    QVERIFY(dataset.ok());
    GeneSources second(*dataset, reading, store);
    source = second.of(raw());
    QVERIFY(source.ok() && (*source)->index() == nullptr);
    const std::vector<std::string> remarks = second.takeRemarks();
    QCOMPARE(remarks.size(), std::size_t{1});
    QVERIFY2(remarks.front().find("has changed") != std::string::npos, remarks.front().c_str());
    QVERIFY(second.takeRemarks().empty());
    QCOMPARE(store.total().indexes, Index{0});
}

QTEST_MAIN(GeneSourcesTest)
#include "gene_sources_test.moc"
