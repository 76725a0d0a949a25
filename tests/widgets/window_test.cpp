// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/details_panel.h"
#include "app/gui/embedding_tab.h"
#include "app/gui/findings_tab.h"
#include "app/gui/go_to_row.h"
#include "app/gui/help_window.h"
#include "app/gui/main_window.h"
#include "app/gui/matrix_tab.h"
#include "app/gui/gene_field.h"
#include "app/gui/program.h"
#include "app/gui/session.h"
#include "app/gui/snapshot.h"
#include "app/gui/status_line.h"
#include "app/gui/structure_panel.h"
#include "app/gui/table_tab.h"
#include "app/gui/value_tab.h"
#include "tests/support/corpus.h"
#include "tests/widgets/window_bench.h"
#include "widgets/style/theme.h"
#include "widgets/views/empty_view.h"
#include "widgets/views/matrix_grid.h"
#include "widgets/views/paged_table_view.h"
#include "widgets/views/scatter_view.h"

#include <QAction>
#include <QDropEvent>
#include <QMimeData>
#include <QSignalSpy>
#include <QTreeView>
#include <QtTest>

#include <random>

using namespace cellfolio;
using namespace Qt::StringLiterals;

// Drives the real window on real files. Values were taken with anndata from the example.
class WindowTest : public QObject
{
    Q_OBJECT

private:
    test::WindowBench m_bench;

    MainWindow* openExample() { return m_bench.open(test::examplePath()); }

private Q_SLOTS:
    void initTestCase() { m_bench.prepare(u"window_test"_s); }
    void init() { m_bench.start(); }
    void cleanup() { m_bench.stop(); }

    void startsEmpty()
    {
        MainWindow* window = m_bench.program->newWindow();
        window->show();
        QCOMPARE(window->page(), MainWindow::Page::Start);
        QVERIFY(!window->actionNamed(u"copy"_s)->isEnabled());
        QVERIFY(!window->geneBox()->isEnabled());
    }

    void firstScreenAsksNothing()
    {
        MainWindow* window = openExample();
        QVERIFY(window != nullptr);
        QCOMPARE(window->page(), MainWindow::Page::File);
        QCOMPARE(window->filePage()->currentTab(), FilePage::Tab::Embedding);
        QCOMPARE(window->filePage()->embedding()->colorColumn(), u"bulk_labels"_s);
        QVERIFY(window->filePage()->summary().startsWith(u"700 cells × 765 genes"_s));
        QCOMPARE(window->filePage()->embedding()->view()->points().size(), std::int64_t{700});
        QCOMPARE(window->filePage()->embedding()->table()->source()->rowCount(), 700);
        QVERIFY(window->windowTitle().startsWith(u"pbmc68k_reduced.h5ad"_s));
        QCOMPARE(window->program().recentFiles().entries().size(), 1U);
        QCOMPARE(window->program().recentFiles().entries().front().shape, u"700 × 765"_s);
    }

    void saysWhatMatricesHold()
    {
        MainWindow* window = openExample();
        QVERIFY(window != nullptr);
        const Element* x = window->session().dataset()->x();
        QVERIFY(window->session().holdsOf(*x) != nullptr);
        QCOMPARE(window->session().holdsOf(*x)->holds, Holds::Scaled);
    }

    void everyTabFills()
    {
        MainWindow* window = openExample();
        QVERIFY(window != nullptr);
        FilePage* page = window->filePage();
        for (const char* id : {"showCells", "showGenes", "showMatrix", "showFindings", "showEmbedding"}) {
            window->actionNamed(QString::fromLatin1(id))->trigger();
            QVERIFY2(QTest::qWaitFor([&] { return page->isFilled(); }, 30'000), id);
        }
        QCOMPARE(page->genes()->source()->rowCount(), 765);
        QCOMPARE(page->matrix()->source()->columnCount(), 765);
    }

    void tableScrollsSortsAndGoesToRow()
    {
        MainWindow* window = openExample();
        QVERIFY(window != nullptr);
        FilePage* page = window->filePage();
        page->showTab(FilePage::Tab::Cells);
        QVERIFY(test::waitFilled(*window));
        PagedTableView* view = page->cells()->view();
        page->cells()->goToFileRow(650);
        QVERIFY(view->firstVisibleRow() <= 650 && view->lastVisibleRow() >= 650);
        QVERIFY(test::waitFilled(*window));
        QCOMPARE(view->currentCell().row, 650);
        QSignalSpy sorted(page->cells()->source(), &FrameSource::sorted);
        page->cells()->sortBy(2);
        QVERIFY(sorted.wait(20'000));
        QCOMPARE(page->cells()->source()->fileRow(0), 33);
        QCOMPARE(view->firstVisibleRow(), 0); // whoever sorts wants to see the first of them
        QCOMPARE(view->selectedRows().count(), 1); // cell 650 is still selected, where it stands now
        QCOMPARE(page->cells()->source()->fileRow(view->selectedRows().ranges().front().first), 650);
        page->cells()->sortBy(2);
        QVERIFY(sorted.wait(20'000));
        QCOMPARE(page->cells()->source()->fileRow(0), 92);
        page->cells()->sortBy(2); // the third click is the file's order again
        QCOMPARE(page->cells()->source()->fileRow(0), 0);
    }

    void findsAGeneFromTheBox()
    {
        MainWindow* window = openExample();
        QVERIFY(window != nullptr);
        QVERIFY(window->geneBox()->isEnabled());
        window->filePage()->showTab(FilePage::Tab::Matrix);
        QSignalSpy picked(window->geneBox(), &GeneField::picked);
        window->geneBox()->setFocus();
        QTest::keyClicks(window->geneBox(), u"cd79a"_s);
        QTest::keyClick(window->geneBox(), Qt::Key_Return);
        QVERIFY(picked.size() == 1 || picked.wait(20'000));
        QCOMPARE(picked.first().first().value<GeneField::Match>().gene.row, 709);
        QCOMPARE(window->filePage()->currentTab(), FilePage::Tab::Matrix);
        QCOMPARE(window->filePage()->matrix()->grid()->currentColumn(), 709);
        QVERIFY(test::waitFilled(*window));
    }

    void treeLeadsToViews()
    {
        MainWindow* window = openExample();
        QVERIFY(window != nullptr);
        const std::shared_ptr<const Dataset> dataset = window->session().dataset();
        const auto go = [&](const char* path) {
            const auto element = dataset->find(path);
            window->structure()->showElement(*element);
            Q_EMIT window->structure()->activated(*element);
            return QTest::qWaitFor([&] { return window->filePage()->isFilled(); }, 30'000);
        };
        QVERIFY(go("obs/n_genes"));
        QCOMPARE(window->filePage()->currentTab(), FilePage::Tab::Cells);
        QVERIFY(go("raw/X"));
        QCOMPARE(window->filePage()->currentTab(), FilePage::Tab::Matrix);
        QCOMPARE(window->filePage()->matrix()->matrix()->path, std::string("raw/X"));
        QVERIFY(go("obsp/distances"));
        QCOMPARE(window->filePage()->matrix()->source()->columnHead(0).pending, false);
        QVERIFY(go("obsm/X_pca"));
        QCOMPARE(window->filePage()->currentTab(), FilePage::Tab::Embedding);
        QVERIFY(go("uns/louvain/params"));
        QCOMPARE(window->filePage()->currentTab(), FilePage::Tab::Value);
        QVERIFY2(window->filePage()->value()->text().contains(u"resolution"_s),
                 qPrintable(window->filePage()->value()->text()));
        QVERIFY(go("uns/bulk_labels_colors"));
        QVERIFY2(window->filePage()->value()->text().startsWith(u"#1f77b4"_s),
                 qPrintable(window->filePage()->value()->text()));
    }

    void detailsTellHowItIsStored()
    {
        MainWindow* window = openExample();
        QVERIFY(window != nullptr);
        const auto raw = window->session().dataset()->find("raw/X");
        window->details()->showElement(*raw);
        const auto keys = [&] {
            QStringList list;
            for (const Fact& fact : window->details()->facts())
                list.append(fact.key);
            return list;
        };
        QVERIFY(keys().contains(u"Stored as"_s));
        QTRY_VERIFY_WITH_TIMEOUT(keys().contains(u"On disk"_s), 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(keys().contains(u"One gene"_s), 20'000);
    }

    void changesItsColours()
    {
        MainWindow* window = openExample();
        QVERIFY(window != nullptr);
        const QImage light = window->grab().toImage();
        window->actionNamed(u"themeDark"_s)->trigger();
        QVERIFY(Theme::current().isDark());
        const QImage dark = window->grab().toImage();
        QVERIFY(light.pixelColor(4, 4).lightness() > 200);
        QVERIFY(dark.pixelColor(4, 4).lightness() < 60);
        QCOMPARE(m_bench.program->themeChoice(), ThemeChoice::Dark);
        window->actionNamed(u"themeLight"_s)->trigger();
        QVERIFY(!Theme::current().isDark());
    }

    void refusesWhatIsNoFileOfItsKind()
    {
        QFile page(m_bench.folder.filePath(u"page.h5ad"_s));
        QVERIFY(page.open(QIODevice::WriteOnly));
        page.write("<html><body>Not found</body></html>");
        page.close();
        MainWindow* window = m_bench.program->newWindow();
        window->show();
        window->open(page.fileName());
        QTRY_COMPARE_WITH_TIMEOUT(window->page(), MainWindow::Page::Problem, 20'000);
        QVERIFY(window->problemView()->content().title.contains(u"page.h5ad"_s));
        QVERIFY(!window->problemView()->content().sentence.isEmpty());
        QVERIFY(!window->problemView()->content().button.isEmpty());
        QVERIFY(!window->actionNamed(u"copy"_s)->isEnabled());
        window->open(m_bench.folder.filePath(u"nothing.h5ad"_s));
        QTRY_COMPARE_WITH_TIMEOUT(window->session().state(), Session::State::Failed, 20'000);
        window->open(test::examplePath()); // and the program goes on
        QVERIFY(test::waitFilled(*window));
        QCOMPARE(window->page(), MainWindow::Page::File);
    }

    void opensWhatIsDropped()
    {
        MainWindow* window = m_bench.program->newWindow();
        window->show();
        QMimeData files;
        files.setUrls({QUrl::fromLocalFile(test::examplePath())});
        QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(200, 200), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(window, &drop);
        QVERIFY(QTest::qWaitFor([&] { return window->page() == MainWindow::Page::File; }, 20'000));
    }

    void opensEachFileOnce()
    {
        MainWindow* window = openExample();
        QVERIFY(window != nullptr);
        QCOMPARE(m_bench.program->open(test::examplePath()), window);
        QVERIFY(QFile::copy(test::examplePath(), m_bench.folder.filePath(u"second.h5ad"_s)));
        MainWindow* second = m_bench.program->open(m_bench.folder.filePath(u"second.h5ad"_s), window);
        QVERIFY(second != window);
        QVERIFY(test::waitFilled(*second));
        QCOMPARE(m_bench.program->windows().size(), 2U);
    }

    void saysThatTheFileChanged()
    {
        const QString path = m_bench.folder.filePath(u"changing.h5ad"_s);
        QVERIFY(QFile::copy(test::examplePath(), path));
        MainWindow* window = m_bench.program->newWindow();
        window->show();
        window->open(path);
        QVERIFY(test::waitFilled(*window));
        QSignalSpy changed(&window->session(), &Session::changedOnDisk);
        QFile file(path);
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
        QVERIFY(file.open(QIODevice::Append));
        file.write("x");
        file.close();
        QVERIFY(changed.wait(15'000));
        QVERIFY(window->session().isChangedOnDisk());
    }

    void abandonedOpeningDoesNotComeBack()
    {
        MainWindow* window = m_bench.program->newWindow();
        window->show();
        window->open(test::examplePath());
        window->session().abandon();
        QTest::qWait(500);
        QVERIFY(window->session().dataset() == nullptr);
        QCOMPARE(window->page(), MainWindow::Page::Start);
    }

    void jumpsKeepTheBudget()
    {
        MainWindow* window = openExample();
        QVERIFY(window != nullptr);
        std::mt19937 random(11);
        FilePage* page = window->filePage();
        page->showTab(FilePage::Tab::Matrix);
        for (int jump = 0; jump < 500; ++jump) {
            page->matrix()->grid()->goToRow(std::uniform_int_distribution<qint64>(0, 699)(random));
            page->matrix()->grid()->goToColumn(std::uniform_int_distribution<qint64>(0, 764)(random));
            if (jump % 25 == 0)
                QTest::qWait(1);
        }
        page->showTab(FilePage::Tab::Cells);
        for (int jump = 0; jump < 500; ++jump) {
            page->cells()->view()->goToRow(std::uniform_int_distribution<qint64>(0, 699)(random));
            if (jump % 25 == 0)
                QTest::qWait(1);
        }
        QVERIFY(QTest::qWaitFor([&] { return page->isFilled(); }, 30'000));
        const MemorySnapshot memory = m_bench.program->context().reading->budget().snapshot();
        QVERIFY2(memory.peak <= memory.limit, qPrintable(QString::number(memory.peak)));
    }

    // With CELLFOLIO_BROWSE_FILE=FILE: the same on a large file, and the size of the process.
    void jumpsInALargeFile()
    {
        const QString path = qEnvironmentVariable("CELLFOLIO_BROWSE_FILE");
        if (path.isEmpty())
            QSKIP("CELLFOLIO_BROWSE_FILE names no file");
        MainWindow* window = m_bench.program->newWindow();
        window->resize(1280, 800);
        window->show();
        const Index before = residentBytes();
        window->open(path);
        QVERIFY(test::waitFilled(*window));
        FilePage* page = window->filePage();
        std::mt19937_64 random(11);
        const auto jump = [&](FilePage::Tab tab, qint64 extent, auto go) {
            page->showTab(tab);
            for (int i = 0; i < 500; ++i) {
                go(std::uniform_int_distribution<qint64>(0, extent - 1)(random));
                QTest::qWait(i % 10 == 0 ? 30 : 1);
            }
            QVERIFY(QTest::qWaitFor([&] { return page->isFilled(); }, 60'000));
        };
        jump(FilePage::Tab::Matrix, page->matrix()->source()->rowCount(), [&](qint64 row) {
            page->matrix()->grid()->goToRow(row);
            page->matrix()->grid()->goToColumn(row % page->matrix()->source()->columnCount());
        });
        jump(FilePage::Tab::Cells, page->cells()->source()->rowCount(),
             [&](qint64 row) { page->cells()->view()->goToRow(row); });
        const MemorySnapshot memory = m_bench.program->context().reading->budget().snapshot();
        const Index peak = peakResidentBytes();
        qInfo("budget %lld, peak of it %lld, process before %lld, at its peak %lld", (long long)memory.limit,
              (long long)memory.peak, (long long)before, (long long)peak);
        QVERIFY(memory.peak <= memory.limit);
        QVERIFY(peak - before <= memory.limit + (Index{64} << 20));
    }

    void remembersViews()
    {
        MainWindow* window = openExample();
        QVERIFY(window != nullptr);
        window->filePage()->showTab(FilePage::Tab::Matrix);
        QVERIFY(window->filePage()->embedding()->colorBy(u"louvain"_s));
        window->close();
        QTRY_VERIFY(m_bench.program->windows().empty());
        window = openExample();
        QVERIFY(window != nullptr);
        QCOMPARE(window->filePage()->currentTab(), FilePage::Tab::Matrix);
        QCOMPARE(window->filePage()->embedding()->colorColumn(), u"louvain"_s);
    }

    void everyActionSaysWhatItDoes()
    {
        MainWindow* window = openExample();
        QVERIFY(window != nullptr);
        QSet<QString> names;
        for (const QAction* action : window->allActions()) {
            QVERIFY2(!action->toolTip().isEmpty(), qPrintable(action->text()));
            const QString key = action->shortcut().toString(QKeySequence::NativeText);
            QVERIFY2(key.isEmpty() || action->toolTip().contains(key), qPrintable(action->toolTip()));
            QVERIFY2(!names.contains(action->objectName()), qPrintable(action->objectName()));
            names.insert(action->objectName());
        }
    }

    void manualIsThere()
    {
        HelpWindow help(QStringLiteral(CELLFOLIO_SOURCE_DIR "/resources/manual"));
        QVERIFY(help.pages().contains(u"index.md"_s));
        for (const QString& page : help.pages()) {
            help.showPage(page);
            QVERIFY2(help.shownText().size() > 200, qPrintable(page));
        }
        HelpWindow missing{QString()};
        missing.showPage(u"index.md"_s);
        QVERIFY(missing.shownText().contains(u"not installed"_s));
    }

    void choosesAModality()
    {
        const auto folder = test::corpusFolder("real");
        if (folder.empty())
            QSKIP("the shared corpora are not beside this checkout");
        MainWindow* window = m_bench.program->newWindow();
        window->show();
        window->open(QString::fromStdString((folder / "h5mu" / "mudata-v0.2.4-axis0.h5mu").string()));
        QTRY_COMPARE_WITH_TIMEOUT(window->page(), MainWindow::Page::Modalities, 20'000);
        const std::string modality = window->session().dataset()->modalities().front().name;
        window->open(QString::fromStdString((folder / "h5mu" / "mudata-v0.2.4-axis0.h5mu").string() + "::" + modality));
        QVERIFY(QTest::qWaitFor([&] { return window->page() == MainWindow::Page::File; }, 20'000));
        QVERIFY(test::waitFilled(*window));
    }

    // Several at a time: what one window waits for, another uses.
    void opensEveryFile_data()
    {
        QTest::addColumn<QStringList>("paths");
        const auto files = test::allFiles();
        for (std::size_t first = 0; first < files.size(); first += 8) {
            QStringList paths;
            for (std::size_t k = first; k < std::min(first + 8, files.size()); ++k)
                paths << QString::fromStdString(files[k].string());
            QTest::addRow("from %s", files[first].filename().c_str()) << paths;
        }
    }

    void opensEveryFile()
    {
        QFETCH(QStringList, paths);
        std::vector<MainWindow*> windows;
        for (const QString& path : paths) {
            windows.push_back(m_bench.program->newWindow());
            windows.back()->resize(1000, 700);
            windows.back()->show();
            windows.back()->open(path);
        }
        for (MainWindow* window : windows) {
            const auto opened = [&] { return window->session().state() != Session::State::Opening; };
            QVERIFY2(QTest::qWaitFor(opened, 60'000), qPrintable(window->windowTitle()));
            QVERIFY2(test::waitFilled(*window), qPrintable(window->windowTitle()));
        }
        std::erase_if(windows, [](MainWindow* window) { return window->page() != MainWindow::Page::File; });
        const auto allFill = [&] {
            for (MainWindow* window : windows)
                QVERIFY2(QTest::qWaitFor([&] { return window->filePage()->isFilled(); }, 60'000),
                         qPrintable(window->windowTitle()));
        };
        for (const FilePage::Tab tab : {FilePage::Tab::Cells, FilePage::Tab::Genes, FilePage::Tab::Matrix,
                                        FilePage::Tab::Embedding, FilePage::Tab::Findings}) {
            for (MainWindow* window : windows)
                window->filePage()->showTab(tab);
            allFill();
        }
        for (MainWindow* window : windows)
            for (const Element* element : window->session().dataset()->elements())
                if (element->path.starts_with("uns"))
                    window->filePage()->showElement(*element);
        allFill();
    }

    void parsesRowNumbers()
    {
        QCOMPARE(parseRow(u"0"_s, 10), std::optional<Index>(0));
        QCOMPARE(parseRow(u"9,999,999"_s, 10'000'000), std::optional<Index>(9'999'999));
        QCOMPARE(parseRow(u" 1 234 "_s, 2000), std::optional<Index>(1234));
        for (const QString& text : {u""_s, u"10"_s, u"-1"_s, u"2a"_s, u"cell 3"_s, u"99999999999999999999"_s})
            QVERIFY2(!parseRow(text, 10), qPrintable(text));
        QCOMPARE(noSuchRow(u"x"_s, 1000), u"There is no row “x”: rows go from 0 to 999."_s);
    }

    void parsesSizes()
    {
        QCOMPARE(parseSize(u"1280x800"_s), std::optional(QSize(1280, 800)));
        QVERIFY(!parseSize(u"1280"_s));
        QVERIFY(!parseSize(u"10x10"_s));
        QVERIFY(!parseSize(u"9000x9000"_s));
    }
};

QTEST_MAIN(WindowTest)
#include "window_test.moc"
