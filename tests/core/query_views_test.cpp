// SPDX-License-Identifier: GPL-3.0-or-later
// Views that are kept: every form of a selection comes back, names find rows again, and documents
// that someone damaged are refused.
#include "core/query/kept_views.h"
#include "core/query/view_document.h"
#include "core/anndata/column_reader.h"
#include "core/select/selection_text.h"
#include "tests/support/corpus.h"

#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

using namespace cellfolio;
using namespace cellfolio::test;
namespace fs = std::filesystem;

namespace {

query::KeptAxis axisOf(Selection selection)
{
    query::KeptAxis axis;
    axis.selection = std::move(selection);
    return axis;
}

} // namespace

class QueryViewsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void everySelectionComesBack();
    void base64();
    void keepsListsAndForgets();
    void namesFindRowsAgain();
    void manyRowsAreKeptByDigests();
    void noOtherFileAnswers();
    void damagedDocumentsAreRefused();
    void writingFails();

private:
    std::shared_ptr<const Dataset> open(const fs::path& path) const
    {
        auto dataset = Dataset::open(path.string());
        return dataset ? *dataset : nullptr;
    }
    std::vector<std::string> namesOf(const MatchedView& matched, Axis axis) const
    {
        const auto& dataset = matched.view.dataset();
        return *readNames(dataset, axis == Axis::Obs ? *dataset->obs() : *dataset->var(),
                          matched.view.of(axis), m_reading);
    }

    fs::path m_file;
    std::shared_ptr<Reading> m_reading = std::make_shared<Reading>();
};

void QueryViewsTest::initTestCase()
{
    m_file = dataFolder() / "files" / "filter.h5ad";
}

void QueryViewsTest::everySelectionComesBack()
{
    QRandomGenerator random(21);
    const auto roundTrip = [](const Selection& selection) {
        query::ViewDocument document;
        document.name = "ünï \"quoted\"";
        document.fingerprint = 0xfedcba9876543210;
        document.origin = {"a > 1", "b"};
        document.obs = axisOf(selection);
        document.var = axisOf(Selection::none(3));
        const auto back = query::fromJson(query::toJson(document), "x.json");
        return back && back->obs.selection == selection && back->var.selection == Selection::none(3)
            && back->name == document.name && back->fingerprint == document.fingerprint
            && back->origin.where == "a > 1" && back->origin.whereVar == "b";
    };
    for (const Index n : {1, 63, 64, 65, 1000, 300000}) {
        QVERIFY(roundTrip(Selection::all(n)));
        QVERIFY(roundTrip(Selection::none(n)));
        QVERIFY(roundTrip(Selection::slice(n, {}, {}, -3)));
        for (const int share : {2, 10, 40}) {
            std::vector<std::uint8_t> marks(at(n));
            for (auto& mark : marks)
                mark = random.bounded(share) == 0;
            const Selection set = Selection::mask(marks);
            QVERIFY(roundTrip(set));
            if (set.empty())
                continue;
            std::vector<Index> list;
            for (Index k = 0; k < std::min<Index>(n, 50000); ++k)
                list.push_back(set[random.bounded(static_cast<int>(set.size()))]);
            QVERIFY(roundTrip(Selection::indices(n, list)));
        }
    }
    const Index wide = Index{5} << 32;
    std::vector<Index> far;
    for (Index k = 0; k < 20000; ++k)
        far.push_back(random.bounded(1u << 31) * Index{10});
    QVERIFY(roundTrip(Selection::indices(wide, far)));
}

void QueryViewsTest::base64()
{
    // RFC 4648, section 10.
    const std::vector<std::pair<std::string, std::string>> known{
        {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
    for (const auto& [plain, packed] : known) {
        const std::vector<std::uint8_t> bytes(plain.begin(), plain.end());
        QCOMPARE(query::toBase64(bytes), packed);
        QCOMPARE(*query::fromBase64(packed), bytes);
    }
    for (const char* bad : {"Z", "Zg=", "Z===", "Zg==Zg==", "Zm9*", "====", "Z=g="})
        QVERIFY2(!query::fromBase64(bad), bad);
}

void QueryViewsTest::keepsListsAndForgets()
{
    QTemporaryDir folder;
    const KeptViews views(folder.filePath("views").toStdString());
    const auto dataset = open(m_file);
    QVERIFY(views.list(*dataset)->empty());
    const DatasetView view = DatasetView(dataset)
                                 .narrowed(Axis::Obs, Selection::indices(12, {5, 1, 1}))
                                 .narrowed(Axis::Var, Selection::slice(5, 1, 3));
    for (const std::string name : {"T cells", "a/b", "..", "ünï", "x.json", "%41"})
        QVERIFY2(views.save(view, name, {}, m_reading).ok(), name.c_str());
    std::vector<std::string> names;
    const auto entries = views.list(*dataset);
    for (const KeptEntry& entry : *entries) {
        QVERIFY(entry.exact);
        names.push_back(entry.name);
    }
    QCOMPARE(names, (std::vector<std::string>{"%41", "..", "T cells", "a/b", "x.json", "ünï"}));
    const auto loaded = views.load(dataset, "a/b", m_reading);
    QVERIFY(loaded.ok());
    QVERIFY(loaded->view == view);
    QVERIFY(!loaded->obs.byName && loaded->losses().empty());
    // A name that is used again stands for the new view.
    QVERIFY(views.save(DatasetView(dataset), "a/b", {}, m_reading).ok());
    QVERIFY(views.load(dataset, "a/b", m_reading)->view.isAll());
    QCOMPARE(views.list(*dataset)->size(), std::size_t{6});
    QVERIFY(views.rename(*dataset, "x.json", "ünï 2").ok());
    QVERIFY(views.load(dataset, "ünï 2", m_reading)->view == view);
    QCOMPARE(views.load(dataset, "ünï 2", m_reading)->name, std::string("ünï 2"));
    QCOMPARE(views.load(dataset, "x.json", m_reading).error().code(), ErrorCode::NotFound);
    QCOMPARE(views.rename(*dataset, "ünï 2", "T cells").error().code(), ErrorCode::TargetExists);
    QCOMPARE(views.rename(*dataset, "x.json", "y").error().code(), ErrorCode::NotFound);
    QCOMPARE(views.rename(*dataset, "T cells", "").error().code(), ErrorCode::BadUsage);
    QCOMPARE(views.list(*dataset)->size(), std::size_t{6});
    QVERIFY(views.remove(*dataset, "a/b").ok());
    QCOMPARE(views.remove(*dataset, "a/b").error().code(), ErrorCode::NotFound);
    const auto gone = views.load(dataset, "T cell", m_reading);
    QCOMPARE(gone.error().code(), ErrorCode::NotFound);
    QCOMPARE(gone.error().suggestions().front(), std::string("T cells"));
    for (const std::string& bad : {std::string(), std::string(81, 'a'), std::string("a\nb"),
                                   std::string("\xff")})
        QCOMPARE(views.save(view, bad, {}, m_reading).error().code(), ErrorCode::BadUsage);
    // Nothing half-written lies about.
    for (const auto& entry : fs::recursive_directory_iterator(folder.path().toStdString()))
        QVERIFY(entry.is_directory() || entry.path().extension() == ".json");
}

void QueryViewsTest::namesFindRowsAgain()
{
    QTemporaryDir folder;
    const KeptViews views(folder.filePath("views").toStdString());
    const fs::path moved = folder.filePath("moved.h5ad").toStdString();
    fs::copy_file(m_file, moved);
    {
        const auto before = open(moved);
        // AAAC3 twice, AAAC1 (which will be cut) and the last; genes CD3E, TBCE (twice in the file).
        const DatasetView view(before, Selection::indices(12, {3, 1, 11, 3}),
                               Selection::indices(5, {0, 3}));
        QVERIFY(views.save(view, "some", {}, m_reading).ok());
        QVERIFY(views.save(DatasetView(before), "all", {}, m_reading).ok());
    }
    fs::remove(moved);
    fs::copy_file(dataFolder() / "files" / "filter_changed.h5ad", moved);
    const auto after = open(moved);
    const auto entries = views.list(*after);
    QCOMPARE(entries->size(), std::size_t{2});
    QVERIFY(!entries->front().exact);
    const auto some = views.load(after, "some", m_reading);
    QVERIFY2(some.ok(), some.ok() ? "" : some.error().describe().c_str());
    QCOMPARE(namesOf(*some, Axis::Obs),
             (std::vector<std::string>{"AAAC3", "Zürich-11", "AAAC3"}));
    QCOMPARE(namesOf(*some, Axis::Var), (std::vector<std::string>{"CD3E"}));
    QCOMPARE(some->obs.lost, Index{1});
    QCOMPARE(some->obs.lostNames, (std::vector<std::string>{"AAAC1"}));
    QCOMPARE(some->var.lost, Index{1});
    QCOMPARE(some->losses(), std::string("1 of 4 cells was not found again: AAAC1. "
                                         "1 of 2 genes was not found again: TBCE."));
    const auto all = views.load(after, "all", m_reading);
    QVERIFY(all.ok() && all->view.isAll() && all->losses().empty());
}

// More than a thousand rows: names are not written out, and found all the same.
void QueryViewsTest::manyRowsAreKeptByDigests()
{
    const fs::path big = corpusFolder("real") / "tiledbsoma-spatial-legacy.h5ad";
    if (!fs::exists(big))
        QSKIP("../shared/data/real is not here");
    const auto dataset = open(big);
    const Index n = dataset->nObs().value_or(0);
    QVERIFY(n > 5000);
    const Selection odd = Selection::slice(n, 1, {}, 2).then(
        Selection::mask(std::vector<std::uint8_t>(at(n / 2), 1)));
    const DatasetView view = DatasetView(dataset).with(Axis::Obs, odd);
    auto document = query::describeView(view, "odd", {}, m_reading, {});
    QVERIFY(document.ok());
    QVERIFY(document->obs.names.empty());
    QCOMPARE(document->obs.digests.size(), at(odd.size()));
    // As if the bytes had changed: looked up by name, the same rows come out.
    document->fingerprint ^= 1;
    const auto back = query::fromJson(query::toJson(*document), "x");
    QVERIFY(back.ok());
    const auto matched = query::matchView(*back, dataset, m_reading, {});
    QVERIFY(matched.ok());
    QVERIFY(matched->obs.byName);
    QVERIFY(matched->view.obs() == odd);
    QCOMPARE(matched->obs.lost, Index{0});
}

void QueryViewsTest::noOtherFileAnswers()
{
    QTemporaryDir folder;
    const KeptViews views(folder.filePath("views").toStdString());
    QVERIFY(views.save(DatasetView(open(m_file)), "mine", {}, m_reading).ok());
    const auto other = open(dataFolder() / "files" / "filter_changed.h5ad");
    QVERIFY(views.list(*other)->empty());
    QCOMPARE(views.load(other, "mine", m_reading).error().code(), ErrorCode::NotFound);
    // A copy has the same bytes.
    const fs::path copy = folder.filePath("copy.h5ad").toStdString();
    fs::copy_file(m_file, copy);
    QVERIFY(views.load(open(copy), "mine", m_reading).ok());
}

void QueryViewsTest::damagedDocumentsAreRefused()
{
    const auto dataset = open(m_file);
    query::ViewDocument document;
    document.obs = axisOf(Selection::indices(12, {1, 2, 5}));
    document.obs.named = true;
    document.obs.names = {"a", "b", "c"};
    document.obs.digests = {1, 2, 3};
    std::vector<std::uint8_t> marks(100000);
    for (std::size_t i = 0; i < marks.size(); ++i)
        marks[i] = i * i % 7 < 3;
    document.var = axisOf(Selection::mask(marks));
    const std::string good = query::toJson(document);
    QVERIFY(query::fromJson(good, "x").ok());
    QRandomGenerator random(9);
    int refused = 0;
    for (int round = 0; round < 2000; ++round) {
        std::string text = good;
        const auto place = [&] {
            return static_cast<std::size_t>(random.bounded(static_cast<int>(std::min<std::size_t>(text.size(), 900))));
        };
        if (round % 3 == 0)
            text.resize(place());
        else if (round % 3 == 1)
            text[place()] = static_cast<char>(random.bounded(256));
        else
            text.erase(place(), 1 + static_cast<std::size_t>(random.bounded(5)));
        const auto read = query::fromJson(text, "x");
        if (!read) {
            ++refused;
            QCOMPARE(read.error().code(), ErrorCode::Corrupt);
        }
    }
    QVERIFY(refused > 1000);
    for (const char* text :
         {"", "[]", "{}", "{\"cellfolio\":\"view\"}", "{\"cellfolio\":\"view\",\"version\":2}"})
        QCOMPARE(query::fromJson(text, "x").error().code(), ErrorCode::Corrupt);
    QTemporaryDir folder;
    const fs::path path = folder.filePath("v.json").toStdString();
    std::ofstream(path) << good.substr(0, 100);
    const auto read = KeptViews::readFile(dataset, path, m_reading);
    QCOMPARE(read.error().code(), ErrorCode::Corrupt);
    QVERIFY(read.error().message().find("v.json") != std::string::npos);
}

void QueryViewsTest::writingFails()
{
    const DatasetView view(open(m_file));
    QTemporaryDir folder;
    const fs::path nowhere = folder.filePath("not here/v.json").toStdString();
    const auto written = KeptViews::writeFile(view, nowhere, {}, KeptViews::Existing::Keep, m_reading);
    QVERIFY(!written.ok());
    QCOMPARE(exitCode(written.error().code()), 3);
    // A file where the folder of the views should be.
    const fs::path blocked = folder.filePath("views").toStdString();
    std::ofstream(blocked) << "x";
    const auto saved = KeptViews(blocked).save(view, "a", {}, m_reading);
    QVERIFY(!saved.ok());
    QCOMPARE(exitCode(saved.error().code()), 3);
    QVERIFY(KeptViews(blocked).list(*view.dataset())->empty());
    // Cancelled before anything is written.
    std::stop_source source;
    source.request_stop();
    const DatasetView part = view.with(Axis::Obs, Selection::slice(12, 0, 5));
    const fs::path target = folder.filePath("t.json").toStdString();
    QCOMPARE(KeptViews::writeFile(part, target, {}, KeptViews::Existing::Keep, m_reading,
                                  source.get_token())
                 .error()
                 .code(),
             ErrorCode::Cancelled);
    QVERIFY(!fs::exists(target));
}

QTEST_GUILESS_MAIN(QueryViewsTest)
#include "query_views_test.moc"
