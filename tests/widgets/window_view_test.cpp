// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/column_boxes.h"
#include "app/gui/embedding_tab.h"
#include "app/gui/filter_bar.h"
#include "app/gui/filter_chips.h"
#include "app/gui/matrix_tab.h"
#include "app/gui/name_field.h"
#include "app/gui/session.h"
#include "app/gui/table_tab.h"
#include "app/gui/view_chooser.h"
#include "app/gui/view_status.h"
#include "tests/widgets/window_bench.h"
#include "widgets/views/category_legend.h"
#include "widgets/views/expression_edit.h"
#include "widgets/views/header_boxes.h"
#include "widgets/views/matrix_grid.h"
#include "widgets/views/paged_table_view.h"
#include "widgets/views/scatter_view.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QSignalSpy>
#include <QtTest>

#include <numeric>

using namespace cellfolio;
using namespace Qt::StringLiterals;

// Narrows what the window shows by typing, clicking, undoing. Counts of the example were taken with
// pandas, those of filter.h5ad follow from tests/data/query_files.py.
class WindowViewTest : public QObject
{
    Q_OBJECT

private:
    test::WindowBench m_bench;
    MainWindow* m_window = nullptr;

    FilePage* page() const { return m_window->filePage(); }
    ViewModel& view() const { return m_window->session().view(); }
    bool settled() const
    {
        return QTest::qWaitFor([&] { return !view().isEvaluating(); }, 30'000) && test::waitFilled(*m_window);
    }
    void trigger(const QString& id) const { m_window->actionNamed(id)->trigger(); }
    // Writes into the expression field and presses Enter.
    bool write(const QString& text) const
    {
        trigger(u"filter"_s);
        ExpressionEdit* field = page()->filterBar()->field();
        QTest::keyClicks(field, text);
        if (field->isListShown())
            QTest::keyClick(field, Qt::Key_Escape);
        QTest::keyClick(field, Qt::Key_Return);
        return settled();
    }
    // Writes into the box below a shown column and waits for its 200 ms.
    bool writeBox(TableTab* table, int column, const QString& text) const
    {
        HeaderBoxes* boxes = table->view()->headerBoxes();
        boxes->focusBox(column);
        QLineEdit* box = boxes->box(column);
        box->selectAll();
        QTest::keyClick(box, Qt::Key_Delete);
        QTest::keyClicks(box, text);
        QSignalSpy edited(boxes, &HeaderBoxes::edited);
        return edited.wait(2000) && settled();
    }

private Q_SLOTS:
    void initTestCase() { m_bench.prepare(u"window_view_test"_s); }
    void init()
    {
        m_bench.start();
        m_window = m_bench.open(test::examplePath());
        QVERIFY(m_window != nullptr);
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window));
    }
    void cleanup() { m_bench.stop(); }

    void anExpressionNarrowsEveryTab()
    {
        QVERIFY(!m_window->actionNamed(u"undo"_s)->isEnabled());
        QVERIFY(write(u"bulk_labels == \"Dendritic\""_s));
        QCOMPARE(view().rows(Axis::Obs).size(), 240);
        page()->showTab(FilePage::Tab::Cells);
        QVERIFY(settled());
        FrameSource* cells = page()->cells()->source();
        QCOMPARE(cells->rowCount(), 240);
        QCOMPARE(cells->fileRow(0), 1);
        QCOMPARE(cells->fileRow(2), 6);
        QCOMPARE(cells->fileRow(239), 699);
        QTRY_COMPARE(cells->nameAt(0), u"AAATTCGATGCACA-1"_s);
        QCOMPARE(cells->rowLabel(1), u"4"_s); // the number in the file
        QCOMPARE(page()->genes()->source()->rowCount(), 765);
        // The heads: the file pale, the view solid.
        const auto inView = [cells](int column) {
            const ColumnProfile profile = cells->profile(column);
            return std::accumulate(profile.barsInView.begin(), profile.barsInView.end(), 0.0);
        };
        QTRY_COMPARE(inView(1), 240.0);
        QTRY_COMPARE(inView(2), 240.0);
        const ColumnProfile labels = cells->profile(1);
        QCOMPARE(std::accumulate(labels.bars.begin(), labels.bars.end(), 0.0), 700.0);
        QCOMPARE(labels.captionRight, u"240 of 240"_s); // Dendritic is the largest
        QCOMPARE(labels.barsInView.at(1), 0.0);

        EmbeddingTab* embedding = page()->embedding();
        QCOMPARE(embedding->table()->source()->rowCount(), 240);
        const auto* legend = embedding->findChild<CategoryLegend*>();
        QVERIFY(embedding->colorBy(u"phase"_s));
        QVERIFY(settled());
        QTRY_COMPARE(legend->content().outside.value_or(-1), 460);
        QTRY_COMPARE(legend->content().entries.at(0).name, u"G1"_s);
        QTRY_COMPARE(legend->content().entries.at(0).count, 196);
        QCOMPARE(legend->content().entries.at(1).count, 0); // G2M
        QCOMPARE(legend->content().entries.at(2).count, 44);
        QVERIFY(legend->content().subtitle.endsWith(u"cells shown"_s));

        page()->showTab(FilePage::Tab::Matrix);
        QVERIFY(settled());
        MatrixSource* matrix = page()->matrix()->source();
        QCOMPARE(matrix->rowCount(), 240);
        QCOMPARE(matrix->columnCount(), 765);
        QTRY_COMPARE(matrix->rowName(0), u"AAATTCGATGCACA-1"_s);

        // Genes: the same bar, of the tab in front.
        page()->showTab(FilePage::Tab::Genes);
        QCOMPARE(page()->filterBar()->axis(), Axis::Var);
        QVERIFY(page()->filterBar()->chips()->chips().empty());
        QVERIFY(write(u"highly_variable"_s));
        QCOMPARE(page()->genes()->source()->rowCount(), 309);
        QCOMPARE(page()->genes()->source()->fileRow(2), 4);
        page()->showTab(FilePage::Tab::Matrix);
        QVERIFY(settled());
        QCOMPARE(matrix->columnCount(), 309);
        QTRY_COMPARE(matrix->columnName(2), u"RBP7"_s);
        QTRY_COMPARE(matrix->exactText(2, 1), u"-0.191"_s); // X of row 6, TNFRSF4

        // Everything back and forth, in the order it was made.
        trigger(u"undo"_s);
        QCOMPARE(page()->genes()->source()->rowCount(), 765);
        QCOMPARE(matrix->columnCount(), 765);
        trigger(u"undo"_s);
        QVERIFY(view().view().isAll());
        QCOMPARE(page()->cells()->source()->rowCount(), 700);
        QCOMPARE(legend->content().outside.has_value(), false);
        QVERIFY(!m_window->actionNamed(u"undo"_s)->isEnabled());
        trigger(u"redo"_s);
        trigger(u"redo"_s);
        QCOMPARE(view().rows(Axis::Obs).size(), 240);
        QCOMPARE(view().rows(Axis::Var).size(), 309);
        QVERIFY(!m_window->actionNamed(u"redo"_s)->isEnabled());
        trigger(u"showAll"_s);
        QVERIFY(view().view().isAll());
    }

    void chipsEditAndRemoveSteps()
    {
        page()->showTab(FilePage::Tab::Cells);
        QVERIFY(write(u"n_genes > 1500"_s));
        QVERIFY(write(u"bulk_labels == \"Dendritic\""_s));
        QVERIFY(write(u"percent_mito < 0.02"_s));
        QCOMPARE(view().rows(Axis::Obs).size(), 18);
        FilterBar* bar = page()->filterBar();
        QCOMPARE(bar->chips()->chips().size(), 3U);
        QCOMPARE(bar->field()->text(), QString());
        // A click brings the rule back into the field.
        QTest::mouseClick(bar->chips()->chips()[0], Qt::LeftButton, {}, {12, 12});
        QCOMPARE(bar->field()->text(), u"n_genes > 1500"_s);
        bar->field()->setText(u"n_genes > 1200"_s);
        QTest::keyClick(bar->field(), Qt::Key_Escape); // restores
        QCOMPARE(bar->field()->text(), u"n_genes > 1500"_s);
        bar->field()->setText(u"n_genes > 1000"_s);
        QTest::keyClick(bar->field(), Qt::Key_Return);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 196);
        QCOMPARE(view().steps(Axis::Obs).front().expression, u"n_genes > 1000"_s);
        // The cross takes a step away; the others stay in order.
        FilterChip* chip = bar->chips()->chips()[1];
        QTest::mouseClick(chip, Qt::LeftButton, {}, {chip->width() - 8, 12});
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 510);
        trigger(u"undo"_s);
        QCOMPARE(view().rows(Axis::Obs).size(), 196);
        QCOMPARE(bar->chips()->chips().size(), 3U);
    }

    void aFaultIsSaidUnderItsPlace()
    {
        page()->showTab(FilePage::Tab::Cells);
        QVERIFY(write(u"n_genes > 1500 and percent_mit < 0.02"_s));
        FilterBar* bar = page()->filterBar();
        QVERIFY(view().view().isAll());
        QVERIFY(!bar->trouble().isEmpty());
        QCOMPARE(bar->suggestions().value(0), u"percent_mito"_s);
        QVERIFY(bar->field()->faultX() > 60);
        QCOMPARE(bar->field()->text(), u"n_genes > 1500 and percent_mit < 0.02"_s); // stays to be mended
        bar->takeSuggestion(0);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 29);
        QVERIFY(bar->trouble().isEmpty());
        // A category that is not there, with quotes around what was meant.
        QVERIFY(write(u"bulk_labels == \"Dendritc\""_s));
        QCOMPARE(bar->suggestions().value(0), u"\"Dendritic\""_s);
        bar->takeSuggestion(0);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 18);
        QVERIFY(write(u"gene(\"CD79C\") > 1"_s));
        QVERIFY(bar->suggestions().contains(u"CD79A"_s));
        bar->takeSuggestion(int(bar->suggestions().indexOf(u"CD79A"_s)));
        QVERIFY(settled());
        QCOMPARE(view().steps(Axis::Obs).back().expression, u"gene(\"CD79A\") > 1"_s);
    }

    void completesWhileOneWrites()
    {
        trigger(u"filter"_s);
        FilterBar* bar = page()->filterBar();
        QSignalSpy answered(bar, &FilterBar::answered);
        QTest::keyClicks(bar->field(), u"bulk"_s);
        QTRY_VERIFY(bar->field()->isListShown());
        QTest::keyClick(bar->field(), Qt::Key_Tab);
        QCOMPARE(bar->field()->text(), u"bulk_labels"_s);
        QTest::keyClicks(bar->field(), u" == \"den"_s);
        QTRY_VERIFY(bar->field()->isListShown() && bar->field()->completions().size() == 1);
        QTest::keyClick(bar->field(), Qt::Key_Down);
        QTest::keyClick(bar->field(), Qt::Key_Return);
        QCOMPARE(bar->field()->text(), u"bulk_labels == \"Dendritic\""_s);
        QTest::keyClick(bar->field(), Qt::Key_Return);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 240);
        // What was applied before comes back with Up.
        QVERIFY(write(u"n_genes > 1500"_s));
        trigger(u"filter"_s);
        QTest::keyClick(bar->field(), Qt::Key_Up);
        QCOMPARE(bar->field()->text(), u"n_genes > 1500"_s);
        QTest::keyClick(bar->field(), Qt::Key_Up);
        QCOMPARE(bar->field()->text(), u"bulk_labels == \"Dendritic\""_s);
        QTest::keyClick(bar->field(), Qt::Key_Down);
        QTest::keyClick(bar->field(), Qt::Key_Down);
        QCOMPARE(bar->field()->text(), QString());
        QTest::keyClick(bar->field(), Qt::Key_Escape);
        QVERIFY(!bar->field()->hasFocus());
    }

    void statusLineSaysWhyAndTheWayBack()
    {
        m_window = m_bench.open(test::dataPath(u"files/filter.h5ad"_s));
        QVERIFY(m_window != nullptr);
        page()->showTab(FilePage::Tab::Cells);
        ViewStatus* status = m_window->viewStatus();
        QVERIFY(status->isHidden());
        QVERIFY(write(u"score > 0"_s));
        QCOMPARE(status->text(), u"3 not in filter · 2 missing"_s);
        QCOMPARE(ViewStatus::extentOf(view()), u"7 of 12 cells shown · 5 genes"_s);
        QMenu missing;
        status->fillMissingMenu(missing);
        QCOMPARE(missing.actions().size(), 1);
        missing.actions().front()->trigger();
        QVERIFY(settled());
        QCOMPARE(ViewStatus::extentOf(view()), u"9 of 12 cells shown · 5 genes"_s);
        QCOMPARE(status->text(), u"3 not in filter"_s);
        QMenu notIn;
        status->fillNotInMenu(notIn);
        notIn.actions().front()->trigger();
        QVERIFY(settled());
        QVERIFY(view().view().isAll());
        QVERIFY(status->isHidden());
    }

    void boxesUnderTheHeads()
    {
        page()->showTab(FilePage::Tab::Cells);
        QVERIFY(settled());
        TableTab* cells = page()->cells();
        // Shown columns: names, bulk_labels, n_genes, percent_mito …
        QVERIFY(writeBox(cells, 1, u"dendr"_s));
        QCOMPARE(view().rows(Axis::Obs).size(), 240);
        QCOMPARE(view().steps(Axis::Obs).front().expression, u"bulk_labels contains \"dendr\""_s);
        QTest::keyClick(cells->view()->headerBoxes()->box(1), Qt::Key_Tab);
        QVERIFY(cells->view()->headerBoxes()->box(2)->hasFocus());
        QVERIFY(writeBox(cells, 2, u"> 1500"_s));
        QCOMPARE(view().rows(Axis::Obs).size(), 20);
        QVERIFY(writeBox(cells, 2, u"many"_s)); // refused: said there, the view stays
        QCOMPARE(view().rows(Axis::Obs).size(), 20);
        QVERIFY(cells->view()->headerBoxes()->box(2)->property("refused").toBool());
        QVERIFY(!cells->view()->headerBoxes()->box(2)->toolTip().isEmpty());
        QTest::qWait(ViewModel::kOneChange + 100); // else one change for undo
        QVERIFY(writeBox(cells, 2, u"1001..1200"_s));
        QVERIFY(!cells->view()->headerBoxes()->box(2)->property("refused").toBool());
        QVERIFY(view().steps(Axis::Obs).size() == 2);
        QCOMPARE(view().rows(Axis::Obs).size(), 128);
        trigger(u"undo"_s);
        QCOMPARE(cells->view()->headerBoxes()->box(2)->text(), u"> 1500"_s);
        trigger(u"redo"_s);
        QCOMPARE(view().rows(Axis::Obs).size(), 128);
        // Esc empties a box, and its step goes.
        cells->view()->headerBoxes()->focusBox(1);
        QTest::keyClick(cells->view()->headerBoxes()->box(1), Qt::Key_Escape);
        QVERIFY(settled());
        QCOMPARE(view().steps(Axis::Obs).size(), 1U);
        // Removing the chip empties the box.
        view().removeStep(view().steps(Axis::Obs).front().id);
        QVERIFY(settled());
        QCOMPARE(cells->view()->headerBoxes()->box(2)->text(), QString());
        page()->cellBoxes()->setShown(false);
        QVERIFY(cells->view()->headerBoxes() == nullptr);
        page()->cellBoxes()->setShown(true);
        QVERIFY(cells->view()->headerBoxes() != nullptr);
    }

    void sortingAndFindingWithinTheView()
    {
        page()->showTab(FilePage::Tab::Cells);
        FrameSource* cells = page()->cells()->source();
        QSignalSpy sorted(cells, &FrameSource::sorted);
        page()->cells()->sortBy(2);
        QVERIFY(sorted.wait(20'000));
        QVERIFY(write(u"bulk_labels == \"Dendritic\""_s));
        QTRY_COMPARE(cells->rowCount(), 240); // sorted again, within the view
        QCOMPARE(cells->sortColumn(), 2);
        QCOMPARE(cells->fileRow(0), 416);
        QCOMPARE(cells->fileRow(1), 60);
        sorted.clear();
        page()->cells()->sortBy(2);
        QVERIFY(sorted.wait(20'000));
        QCOMPARE(cells->fileRow(0), 220);
        QCOMPARE(cells->placeOf(220), 0);
        QCOMPARE(cells->placeOf(0), -1);
        QSignalSpy said(page(), &FilePage::statusMessage);
        page()->cells()->goToFileRow(0);
        QCOMPARE(said.size(), 1);
        sorted.clear();
        page()->cells()->sortBy(2); // the file's order, of the view
        QCOMPARE(cells->fileRow(0), 1);
        NameField* find = page()->cells()->nameField();
        QSignalSpy answered(find, &NameField::answered);
        find->setFocus();
        QTest::keyClicks(find, u"AAAGCCTGGCTAAC"_s); // row 0: not in the view
        QTest::keyClick(find, Qt::Key_Return);
        QVERIFY(!answered.isEmpty() || answered.wait(10'000));
        QVERIFY(find->matches().empty());
        // Selected cells stay selected as long as they are shown.
        page()->cells()->view()->setSelectedRows(cells->placesOf(RangeSet::of({1, 4, 6})));
        QVERIFY(write(u"n_genes > 1100"_s));
        const RangeSet kept = *cells->fileRowsOf(page()->cells()->view()->selectedRows());
        for (const qint64 row : {1, 4, 6})
            QCOMPARE(kept.contains(row), cells->placeOf(row) >= 0);
    }

    void keptViewsComeBack()
    {
        KeptViewList& kept = m_window->session().keptViews();
        QSignalSpy said(&kept, &KeptViewList::said);
        QVERIFY(write(u"bulk_labels == \"Dendritic\""_s));
        QSignalSpy listed(&kept, &KeptViewList::changed);
        kept.keep(u"dendritic"_s);
        QVERIFY(listed.wait(20'000));
        QCOMPARE(kept.names(), QStringList{u"dendritic"_s});
        QVERIFY(said.last().first().toString().contains(u"240 cells"_s));
        trigger(u"showAll"_s);
        QCOMPARE(m_window->viewChooser()->currentText(), u"All cells"_s);
        // Set algebra, against pandas: 48 cells have more than 1500 genes, 20 of them dendritic.
        QVERIFY(write(u"n_genes > 1500"_s));
        QCOMPARE(m_window->viewChooser()->currentText(), u"48 cells"_s);
        kept.combine(u"dendritic"_s, KeptViewList::Combine::Or);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 268);
        trigger(u"undo"_s);
        kept.combine(u"dendritic"_s, KeptViewList::Combine::And);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 20);
        trigger(u"undo"_s);
        kept.combine(u"dendritic"_s, KeptViewList::Combine::Without);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 28);
        // From its menu; another window of the same file knows it as well, also in expressions.
        QMenu menu;
        m_window->viewChooser()->fillMenu(menu);
        QMenu* one = nullptr;
        for (QAction* action : menu.actions())
            if (action->text() == u"dendritic"_s)
                one = action->menu();
        QVERIFY(one != nullptr);
        one->actions().front()->trigger();
        QTRY_COMPARE(view().rows(Axis::Obs).size(), 240);
        QVERIFY(settled());
        QCOMPARE(m_window->viewChooser()->currentText(), u"dendritic"_s);
        m_window->session().reload();
        QVERIFY(QTest::qWaitFor([&] { return m_window->session().state() == Session::State::Open; }, 20'000));
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 240);
        QVERIFY(write(u"not selection(\"dendritc\")"_s));
        QCOMPARE(page()->filterBar()->suggestions(), QStringList{u"dendritic"_s});
        kept.remove(u"dendritic"_s);
        QTRY_VERIFY(kept.names().isEmpty());
    }

    void keptViewsOfGenesAreCombinedAndRenamed()
    {
        KeptViewList& kept = m_window->session().keptViews();
        page()->showTab(FilePage::Tab::Genes);
        QVERIFY(write(u"highly_variable"_s));
        QCOMPARE(view().rows(Axis::Var).size(), 309);
        QSignalSpy listed(&kept, &KeptViewList::changed);
        kept.keep(u"variable"_s);
        QVERIFY(listed.wait(20'000));
        view().reset();
        // Against pandas: 651 of the genes have n_counts > 500, 241 of them are highly variable.
        QVERIFY(write(u"n_counts > 500"_s));
        QCOMPARE(view().rows(Axis::Var).size(), 651);
        kept.combine(u"variable"_s, KeptViewList::Combine::And, Axis::Var);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Var).size(), 241);
        trigger(u"undo"_s);
        kept.combine(u"variable"_s, KeptViewList::Combine::Or, Axis::Var);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Var).size(), 651 + 309 - 241);
        trigger(u"undo"_s);
        kept.combine(u"variable"_s, KeptViewList::Combine::Without, Axis::Var);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Var).size(), 651 - 241);
        QVERIFY(view().rows(Axis::Obs).isAll());

        // Renamed: what is shown follows, and so does what can be shown.
        QSignalSpy said(&kept, &KeptViewList::said);
        QSignalSpy failed(&kept, &KeptViewList::failed);
        kept.rename(u"variable"_s, u"most variable"_s);
        QTRY_COMPARE(kept.names(), QStringList{u"most variable"_s});
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Var).size(), 651 - 241);
        QCOMPARE(view().steps(Axis::Var).back().expression, u"not selection(\"most variable\")"_s);
        kept.show(u"most variable"_s);
        QTRY_COMPARE(view().rows(Axis::Var).size(), 309);
        QVERIFY(settled());
        QCOMPARE(m_window->viewChooser()->currentText(), u"most variable"_s);
        kept.rename(u"nobody"_s, u"somebody"_s);
        QTRY_COMPARE(failed.size(), 1);
        QMenu menu;
        m_window->viewChooser()->fillMenu(menu);
        QStringList words;
        for (QAction* action : menu.actions())
            if (action->menu() != nullptr)
                for (QAction* inner : action->menu()->actions())
                    words.append(inner->text());
        QVERIFY(words.contains(u"Rename…"_s) && words.contains(u"Remove…"_s));
        QVERIFY(words.contains(u"Take its genes out of those shown"_s));
        kept.remove(u"most variable"_s);
        QTRY_VERIFY(kept.names().isEmpty());
    }

    // tests/data/query_files.py: filter_changed.h5ad is filter.h5ad in another order, AAAC1 cut.
    void pickedRowsAreFoundAgainByName()
    {
        const QString path = m_bench.folder.filePath(u"picked.h5ad"_s);
        QVERIFY(QFile::copy(test::dataPath(u"files/filter.h5ad"_s), path));
        m_window = m_bench.open(path);
        QVERIFY(m_window != nullptr);
        view().setStep(Axis::Obs, 0, u"n_genes >= 0"_s);
        view().setPicked(Axis::Obs, 0, Selection::indices(12, {0, 1, 11}), {u"3 picked cells"_s, {}});
        view().setPicked(Axis::Var, 0, Selection::indices(5, {0, 2}), {u"2 picked genes"_s, {}});
        QVERIFY(settled());
        QVERIFY(QTest::qWaitFor([&] { return !view().isLearningNames(); }, 20'000));
        // The same file again: the same rows, and nothing to say.
        QSignalSpy found(&view(), &ViewModel::picksFound);
        QSignalSpy dropped(&view(), &ViewModel::picksDropped);
        const auto reload = [&] {
            QSignalSpy opened(&m_window->session(), &Session::opened);
            trigger(u"reload"_s);
            return (!opened.isEmpty() || opened.wait(20'000)) && settled();
        };
        QVERIFY(reload());
        QCOMPARE(view().rows(Axis::Obs).positions(), (std::vector<Index>{0, 1, 11}));
        QVERIFY(found.isEmpty() && dropped.isEmpty());
        QVERIFY(QTest::qWaitFor([&] { return !view().isLearningNames(); }, 20'000));

        QVERIFY(QFile::remove(path));
        QVERIFY(QFile::copy(test::dataPath(u"files/filter_changed.h5ad"_s), path));
        QVERIFY(reload());
        // Cells: Zürich-11 stands at 1 now, AAAC0 at 11; AAAC1 is gone. Genes: CD3E at 4, XIST at 2.
        QCOMPARE(view().rows(Axis::Obs).positions(), (std::vector<Index>{1, 11}));
        QCOMPARE(view().rows(Axis::Var).positions(), (std::vector<Index>{2, 4}));
        QCOMPARE(view().steps(Axis::Obs).size(), 2U);
        QVERIFY(view().steps(Axis::Obs)[1].picked.has_value()); // in its place
        QVERIFY(dropped.isEmpty());
        QCOMPARE(found.size(), 1);
        const QString sentence = found.front().front().toString();
        QVERIFY2(sentence.contains(u"1 of 3 cells of “3 picked cells” are no longer in the file: AAAC1."_s),
                 qPrintable(sentence));
    }

    // tests/data/query_files.py: filter_changed.h5ad is filter.h5ad in another order, AAAC1 cut.
    void aKeptViewIsFoundAgainByName()
    {
        const QString path = m_bench.folder.filePath(u"changing.h5ad"_s);
        QVERIFY(QFile::copy(test::dataPath(u"files/filter.h5ad"_s), path));
        m_window = m_bench.open(path);
        QVERIFY(m_window != nullptr);
        QVERIFY(write(u"n_genes < 350"_s));
        QCOMPARE(view().rows(Axis::Obs).positions(), (std::vector<Index>{0, 1, 2}));
        KeptViewList& kept = m_window->session().keptViews();
        QSignalSpy listed(&kept, &KeptViewList::changed);
        kept.keep(u"first three"_s);
        QVERIFY(listed.wait(20'000));
        view().reset();
        QVERIFY(QFile::remove(path));
        QVERIFY(QFile::copy(test::dataPath(u"files/filter_changed.h5ad"_s), path));
        QSignalSpy opened(&m_window->session(), &Session::opened);
        trigger(u"reload"_s);
        QVERIFY(!opened.isEmpty() || opened.wait(20'000));
        QVERIFY(settled());
        QTRY_COMPARE(kept.names(), QStringList{u"first three"_s});
        QSignalSpy said(&kept, &KeptViewList::said);
        kept.show(u"first three"_s);
        QVERIFY(said.wait(20'000));
        QCOMPARE(said.last().first().toString(), u"1 of 3 cells was not found again: AAAC1."_s);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).positions(), (std::vector<Index>{10, 11}));
        QVERIFY(!view().rows(Axis::Var).empty());
    }

    void pickedRowsAreAStep()
    {
        page()->showTab(FilePage::Tab::Cells);
        QVERIFY(settled());
        TableTab* cells = page()->cells();
        Q_EMIT cells->onlyRowsRequested(Selection::indices(700, {3, 5, 8}), u"3 picked cells"_s);
        QVERIFY(settled());
        QCOMPARE(cells->source()->rowCount(), 3);
        QCOMPARE(cells->source()->fileRow(2), 8);
        QCOMPARE(page()->filterBar()->chips()->chips().front()->text(), u"3 picked cells"_s);
        trigger(u"undo"_s);
        QCOMPARE(cells->source()->rowCount(), 700);
    }

    void matrixRowsByLabelKeepToTheView()
    {
        QVERIFY(write(u"n_genes > 1500"_s));
        page()->showTab(FilePage::Tab::Matrix);
        QVERIFY(settled());
        MatrixSource* matrix = page()->matrix()->source();
        QCOMPARE(matrix->rowCount(), 48);
        QComboBox* order = nullptr;
        for (QComboBox* box : page()->matrix()->findChildren<QComboBox*>())
            if (box->accessibleName() == u"Order of the cells"_s)
                order = box;
        QVERIFY(order != nullptr);
        order->setCurrentIndex(order->findData(u"bulk_labels"_s));
        Q_EMIT order->activated(order->currentIndex());
        QTRY_VERIFY(matrix->fileRow(0) != 5);
        QCOMPARE(matrix->fileRow(0), 26);
        QCOMPARE(matrix->fileRow(47), 699);
        for (qint64 row = 0; row < 48; ++row)
            QCOMPARE(matrix->placeOf(matrix->fileRow(row)), row);
        // Another view, in the same order.
        QVERIFY(write(u"phase == \"S\""_s));
        QTRY_COMPARE(matrix->rowCount(), view().rows(Axis::Obs).size());
        trigger(u"undo"_s);
        QTRY_COMPARE(matrix->rowCount(), 48);
        QTRY_COMPARE(matrix->fileRow(0), 26);
        page()->matrix()->goToGene(709);
        QCOMPARE(page()->matrix()->grid()->currentColumn(), 709);
    }
};

QTEST_MAIN(WindowViewTest)
#include "window_view_test.moc"
