// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/embedding_tab.h"
#include "app/gui/file_page.h"
#include "app/gui/matrix_tab.h"
#include "app/gui/session.h"
#include "app/gui/table_tab.h"
#include "tests/widgets/window_bench.h"
#include "widgets/views/matrix_grid.h"
#include "widgets/views/paged_table_view.h"

#include <QAction>
#include <QComboBox>
#include <QSignalSpy>

#include <algorithm>
#include <random>

using namespace cellfolio;
using namespace Qt::StringLiterals;

// Reloading a file keeps what was made of its views. version_first.h5ad holds cell0 … cell199 and
// gene0 … gene39, grade = 7 i mod 50; version_second.h5ad lacks cell0 … cell29 and gene0 … gene4.
class WindowReloadTest : public QObject
{
    Q_OBJECT

private:
    test::WindowBench m_bench;
    QString m_path;

    void put(const QString& version)
    {
        QFile::remove(m_path);
        QVERIFY(QFile::copy(test::dataPath(u"files/"_s + version), m_path));
    }
    MainWindow* openFirst()
    {
        m_path = m_bench.folder.filePath(u"changing.h5ad"_s);
        put(u"version_first.h5ad"_s);
        return m_bench.open(m_path);
    }
    bool reload(MainWindow& window)
    {
        QSignalSpy opened(&window.session(), &Session::opened);
        window.actionNamed(u"reload"_s)->trigger();
        return (!opened.isEmpty() || opened.wait(20'000)) && test::waitFilled(window);
    }
    // By address alone: what it points to may be gone.
    static bool isOf(const Element& root, const Element* element)
    {
        return &root == element
            || std::any_of(root.children.begin(), root.children.end(),
                           [&](const auto& child) { return isOf(*child, element); });
    }
    static bool settle(TableTab* table)
    {
        return QTest::qWaitFor(
            [&] {
                const FrameSource* source = table->source();
                return source->isFilled() && !source->isSorting()
                    && !source->nameAt(table->view()->currentCell().row).isEmpty();
            },
            20'000);
    }
    static RangeSet ranges(std::initializer_list<RangeSet::Range> list)
    {
        RangeSet set;
        for (const RangeSet::Range& range : list)
            set.add(range.first, range.last);
        return set;
    }

private Q_SLOTS:
    void initTestCase() { m_bench.prepare(u"window_reload_test"_s); }
    void init() { m_bench.start(); }
    void cleanup() { m_bench.stop(); }

    void keepsTableAsItWas()
    {
        MainWindow* window = openFirst();
        QVERIFY(window != nullptr);
        window->filePage()->showTab(FilePage::Tab::Cells);
        TableTab* cells = window->filePage()->cells();
        cells->source()->setShownColumns({0, 3, 1});
        cells->view()->setOffset({0, 1000});
        cells->view()->setCurrentCell({50, 1});
        cells->view()->setSelectedRows(ranges({{48, 50}, {60, 60}}));
        QVERIFY(settle(cells));
        const LongScrollArea::Offset offset = cells->view()->offset();
        QCOMPARE(offset.y, 1000);
        QVERIFY(reload(*window));
        QVERIFY(settle(cells));
        QCOMPARE(window->filePage()->currentTab(), FilePage::Tab::Cells);
        QCOMPARE(cells->source()->shownColumns(), (std::vector<int>{0, 3, 1}));
        QCOMPARE(cells->view()->offset(), offset);
        QVERIFY(cells->view()->selectedRows() == ranges({{48, 50}, {60, 60}}));
        QCOMPARE(cells->view()->currentCell().row, 50);
        QCOMPARE(cells->view()->currentCell().column, 1);
    }

    void keepsTheOrderAndItsRows()
    {
        MainWindow* window = openFirst();
        QVERIFY(window != nullptr);
        window->filePage()->showTab(FilePage::Tab::Cells);
        TableTab* cells = window->filePage()->cells();
        cells->view()->setSelectedRows(ranges({{7, 8}}));
        QSignalSpy sorted(cells->source(), &FrameSource::sorted);
        cells->sortBy(1);
        QVERIFY(sorted.wait(20'000));
        // Grades of cells 7 and 8 are 49 and 6; four cells have each grade, in the file's order.
        QVERIFY(cells->view()->selectedRows() == ranges({{4 * 6, 4 * 6}, {4 * 49, 4 * 49}}));
        QVERIFY(reload(*window));
        QVERIFY(settle(cells));
        QTRY_COMPARE(cells->source()->sortColumn(), 1);
        QCOMPARE(cells->source()->fileRow(0), 0);
        QCOMPARE(cells->source()->fileRow(1), 50);
        QVERIFY(cells->view()->selectedRows() == ranges({{24, 24}, {196, 196}}));
        cells->source()->sortBy(-1, SortMark::None);
        QVERIFY(cells->view()->selectedRows() == ranges({{7, 8}}));
    }

    void findsRowsThatMoved()
    {
        MainWindow* window = openFirst();
        QVERIFY(window != nullptr);
        window->filePage()->showTab(FilePage::Tab::Cells);
        TableTab* cells = window->filePage()->cells();
        cells->goToFileRow(150);
        QVERIFY(settle(cells));
        put(u"version_second.h5ad"_s);
        QVERIFY(reload(*window));
        QCOMPARE(cells->source()->rowCount(), 170);
        QTRY_VERIFY(cells->view()->selectedRows() == ranges({{120, 120}})); // cell150
        QTRY_COMPARE(cells->source()->fullText(120, 0), u"cell150"_s);
        QVERIFY(cells->view()->firstVisibleRow() <= 120 && cells->view()->lastVisibleRow() >= 120);
        // The new column is there: nobody had chosen columns.
        QCOMPARE(cells->source()->columnCount(), 5);
    }

    void saysWhatIsGone()
    {
        MainWindow* window = openFirst();
        QVERIFY(window != nullptr);
        window->filePage()->showTab(FilePage::Tab::Cells);
        TableTab* cells = window->filePage()->cells();
        cells->goToFileRow(3);
        QVERIFY(settle(cells));
        QSignalSpy said(cells, &TableTab::statusMessage);
        put(u"version_second.h5ad"_s);
        QVERIFY(reload(*window));
        QTRY_VERIFY(!said.isEmpty());
        QCOMPARE(said.last().first().toString(), u"cell3 is no longer in the file."_s);
        QVERIFY(cells->view()->selectedRows().empty()); // another cell stands there now
    }

    void keepsMatrixAndColour()
    {
        MainWindow* window = openFirst();
        QVERIFY(window != nullptr);
        FilePage* page = window->filePage();
        QVERIFY(page->embedding()->colorBy(u"depth"_s));
        page->showTab(FilePage::Tab::Matrix);
        page->matrix()->goToCell(150);
        page->matrix()->goToGene(20);
        QVERIFY(test::waitFilled(*window));
        const LongScrollArea::Offset offset = page->matrix()->grid()->offset();
        QVERIFY(reload(*window));
        QCOMPARE(page->currentTab(), FilePage::Tab::Matrix);
        QCOMPARE(page->embedding()->colorColumn(), u"depth"_s);
        QCOMPARE(page->matrix()->grid()->offset(), offset);
        QCOMPARE(page->matrix()->grid()->currentRow(), 150);
        QCOMPARE(page->matrix()->grid()->currentColumn(), 20);
        put(u"version_second.h5ad"_s);
        QVERIFY(reload(*window));
        QTRY_COMPARE(page->matrix()->grid()->currentRow(), 120);
        QTRY_COMPARE(page->matrix()->grid()->currentColumn(), 15);
        QTRY_COMPARE(page->matrix()->source()->rowHead(120).name, u"cell150"_s);
        QTRY_COMPARE(page->matrix()->source()->columnHead(15).name, u"gene20"_s);
    }

    // What was asked about one file is never answered when another is open: its elements are gone.
    void opensOneAfterAnother()
    {
        MainWindow* window = openFirst();
        QVERIFY(window != nullptr);
        int strange = 0;
        const auto check = [&](const Element* element) {
            strange += element == nullptr || isOf(window->session().dataset()->root(), element) ? 0 : 1;
        };
        connect(&window->session(), &Session::sizeFound, this, [&](const Element* element) { check(element); });
        connect(&window->session(), &Session::holdsFound, this, [&](const Element* matrix) { check(matrix); });
        connect(window->filePage(), &FilePage::elementPicked, this, [&](const Element* element) { check(element); });
        const QStringList files{test::examplePath(), m_path, test::dataPath(u"files/version_second.h5ad"_s),
                                test::dataPath(u"damaged/no_index.h5ad"_s)};
        std::mt19937 random(5);
        for (int i = 0; i < 40; ++i) {
            window->open(files[i % files.size()]);
            QVERIFY(QTest::qWaitFor([&] { return window->session().state() == Session::State::Open; }, 20'000));
            if (i % 3 == 0)
                window->filePage()->showTab(i % 2 == 0 ? FilePage::Tab::Matrix : FilePage::Tab::Cells);
            QTest::qWait(static_cast<int>(random() % 40));
        }
        QVERIFY(test::waitFilled(*window));
        QCOMPARE(strange, 0);
        window->disconnect(this);
        window->session().disconnect(this);
        window->filePage()->disconnect(this);
    }

    // A file that is gone meanwhile and back later: as if nothing had been.
    void keepsViewsOverAnError()
    {
        MainWindow* window = openFirst();
        QVERIFY(window != nullptr);
        window->filePage()->showTab(FilePage::Tab::Genes);
        window->filePage()->genes()->goToFileRow(30);
        QVERIFY(settle(window->filePage()->genes()));
        QVERIFY(QFile::remove(m_path));
        window->session().reload();
        QTRY_COMPARE_WITH_TIMEOUT(window->page(), MainWindow::Page::Problem, 20'000);
        put(u"version_first.h5ad"_s);
        QVERIFY(reload(*window));
        QCOMPARE(window->page(), MainWindow::Page::File);
        QCOMPARE(window->filePage()->currentTab(), FilePage::Tab::Genes);
        QVERIFY(window->filePage()->genes()->view()->selectedRows() == ranges({{30, 30}}));
    }
};

QTEST_MAIN(WindowReloadTest)
#include "window_reload_test.moc"
