// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/category_body.h"
#include "app/gui/choice_box.h"
#include "app/gui/filter_bar.h"
#include "app/gui/filter_card_frame.h"
#include "app/gui/filter_chips.h"
#include "app/gui/filters_panel.h"
#include "app/gui/gene_adder.h"
#include "app/gui/name_field.h"
#include "app/gui/names_body.h"
#include "app/gui/plain_body.h"
#include "app/gui/range_body.h"
#include "app/gui/session.h"
#include "tests/widgets/window_bench.h"
#include "widgets/models/category_list_model.h"
#include "widgets/views/category_list.h"
#include "widgets/views/expression_edit.h"
#include "widgets/views/range_histogram.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <QtTest>

using namespace cellfolio;
using namespace Qt::StringLiterals;

// Filters the example by cards: clicks, drags, types, undoes. Counts were taken with pandas.
class WindowFiltersTest : public QObject
{
    Q_OBJECT

private:
    test::WindowBench m_bench;
    MainWindow* m_window = nullptr;

    FilePage* page() const { return m_window->filePage(); }
    FiltersPanel* panel() const { return m_window->filters(); }
    ViewModel& view() const { return m_window->session().view(); }
    bool settled() const
    {
        return QTest::qWaitFor([&] { return !view().isEvaluating(); }, 30'000) && test::waitFilled(*m_window)
            && QTest::qWaitFor([&] { return panel()->isSettled(); }, 30'000);
    }
    void trigger(const QString& id) const { m_window->actionNamed(id)->trigger(); }
    const Element& column(const char* name) const { return *m_window->session().dataset()->obs()->child(name); }
    FilterCardFrame* addColumn(const char* name) const
    {
        panel()->addColumn(column(name));
        return settled() ? panel()->list()->frames().back() : nullptr;
    }
    template <typename Body>
    static Body* bodyOf(FilterCardFrame* frame)
    {
        return frame == nullptr ? nullptr : dynamic_cast<Body*>(frame->body());
    }
    void clickRow(CategoryList* list, const QString& name) const
    {
        for (int row = 0; row < list->model()->rowCount(); ++row) {
            const QModelIndex index = list->model()->index(row, 0);
            if (index.data().toString() != name)
                continue;
            list->scrollTo(index);
            QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(index).topLeft() + QPoint(6, 8));
            return;
        }
        QFAIL(qPrintable(u"no row "_s + name));
    }
    static void type(QLineEdit* field, const QString& text)
    {
        field->setFocus();
        field->selectAll();
        QTest::keyClick(field, Qt::Key_Delete);
        QTest::keyClicks(field, text);
        QTest::keyClick(field, Qt::Key_Return);
    }

private Q_SLOTS:
    void initTestCase() { m_bench.prepare(u"window_filters_test"_s); }
    void init()
    {
        m_bench.start();
        m_window = m_bench.open(test::examplePath(), {1440, 900});
        QVERIFY(m_window != nullptr);
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window));
        page()->showTab(FilePage::Tab::Cells);
        m_window->setFiltersShown(true);
        QVERIFY(settled());
    }
    void cleanup() { m_bench.stop(); }

    void theDockIsRemembered()
    {
        QVERIFY(m_window->areFiltersShown());
        trigger(u"toggleFilters"_s);
        QVERIFY(!m_window->areFiltersShown());
        MainWindow* second = m_bench.open(test::examplePath(), {1440, 900});
        QVERIFY(second != nullptr);
        QVERIFY(!second->areFiltersShown());
        second->actionNamed(u"toggleFilters"_s)->trigger();
        QVERIFY(second->areFiltersShown());
        second->close();
        trigger(u"toggleFilters"_s);
        QTest::mouseClick(panel()->titleBar()->findChild<QToolButton*>(), Qt::LeftButton);
        QVERIFY(!m_window->areFiltersShown());
    }

    void categoriesByClicks()
    {
        FilterCardFrame* frame = addColumn("bulk_labels");
        auto* body = bodyOf<CategoryBody>(frame);
        QVERIFY(body != nullptr);
        QCOMPARE(body->model()->rowCount(), 10);
        QCOMPARE(body->list()->model()->index(0, 0).data().toString(), u"Dendritic"_s); // largest first
        QCOMPARE(body->list()->model()->index(0, 0).data(kCategoryInFile).toLongLong(), 240);
        QVERIFY(body->list()->model()->index(0, 0).data(kCategoryColor).value<QColor>().isValid());
        QVERIFY(view().steps(Axis::Obs).empty());
        QCOMPARE(panel()->expression(), QString());

        clickRow(body->list(), u"CD34+"_s);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 687);
        QCOMPARE(panel()->expression(), u"bulk_labels != \"CD34+\""_s);
        QCOMPARE(panel()->countText(), u"687 of 700 cells"_s);
        QCOMPARE(frame->stateText(), u"not CD34+"_s);
        QCOMPARE(page()->filterBar()->chips()->chips().front()->text(), u"bulk_labels not CD34+"_s);
        clickRow(body->list(), u"Dendritic"_s);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 447);
        QCOMPARE(panel()->expression(), u"bulk_labels not in [\"CD34+\", \"Dendritic\"]"_s);
        QCOMPARE(body->list()->model()->index(0, 0).data(kCategoryInView).toLongLong(), 0);
        QCOMPARE(body->list()->model()->index(1, 0).data(kCategoryInView).toLongLong(), 129);

        // The card stays, and shows what holds. (Changes close together are one for undo.)
        while (view().canUndo())
            trigger(u"undo"_s);
        QVERIFY(settled());
        QVERIFY(view().rows(Axis::Obs).isAll());
        QCOMPARE(panel()->list()->frames().size(), 1U);
        QCOMPARE(body->model()->tickedCount(), 10);
        while (view().canRedo())
            trigger(u"redo"_s);
        QVERIFY(settled());
        QCOMPARE(body->model()->tickedCount(), 8);

        // Within a search, then the most frequent.
        body->search()->show();
        QTest::keyClicks(body->search(), u"cd4+/"_s);
        QTRY_COMPARE(body->model()->rowCount(), 3);
        body->model()->tickNone();
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 447 - 68 - 8 - 19);
        QMenu top;
        body->fillTopMenu(top);
        QCOMPARE(top.actions().size(), 2); // 1 and 5 of 10
        top.actions().at(1)->trigger();
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 240 + 129 + 95 + 68 + 54);
        // A double click asks for one alone.
        body->search()->clear();
        body->model()->setSearch({});
        const QModelIndex monocyte = body->list()->model()->index(1, 0);
        Q_EMIT body->list()->onlyRequested(monocyte);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 129);
        QCOMPARE(frame->stateText(), u"CD14+ Monocyte"_s);
        QTest::mouseClick(frame->cross(), Qt::LeftButton);
        QVERIFY(settled());
        QVERIFY(view().rows(Axis::Obs).isAll());
        QVERIFY(panel()->list()->frames().empty());
    }

    void aRangeByHandlesAndFields()
    {
        FilterCardFrame* frame = addColumn("n_genes");
        auto* body = bodyOf<RangeBody>(frame);
        QVERIFY(body != nullptr);
        QTRY_COMPARE(body->lowField()->placeholderText(), u"1,001"_s);
        QCOMPARE(body->highField()->placeholderText(), u"2,605"_s);
        QVERIFY(body->missingBox()->isHidden());
        type(body->lowField(), u"1,500"_s);
        QVERIFY(settled());
        QCOMPARE(panel()->expression(), u"n_genes >= 1500"_s);
        QCOMPARE(view().rows(Axis::Obs).size(), 49);
        type(body->lowField(), u"many"_s);
        QVERIFY(body->lowField()->property("refused").toBool());
        QCOMPARE(view().rows(Axis::Obs).size(), 49);
        type(body->lowField(), u"> 1200"_s);
        type(body->highField(), u"1500"_s);
        QVERIFY(settled());
        QCOMPARE(panel()->expression(), u"n_genes > 1200 and n_genes <= 1500"_s);
        QCOMPARE(frame->stateText(), u"1,200 to 1,500"_s);
        const Index between = view().rows(Axis::Obs).size();

        // The lower handle to the left end: no limit there.
        RangeHistogram* histogram = body->histogram();
        const auto at = [&](double x) { return QPoint(int(std::lround(x)), 58); };
        QTest::mousePress(histogram, Qt::LeftButton, {}, at(histogram->handleX(false)));
        QTest::mouseMove(histogram, at(histogram->handleX(false) - 20));
        QTest::mouseMove(histogram, at(1));
        QTest::mouseRelease(histogram, Qt::LeftButton, {}, at(1));
        QTRY_COMPARE(panel()->expression(), u"n_genes <= 1500"_s);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 652);
        QVERIFY(between < 652);
        QCOMPARE(body->lowField()->text(), QString());
        // The upper one by keys, to where nothing is limited.
        histogram->setFocus();
        QTest::keyClick(histogram, Qt::Key_Down);
        QTest::keyClick(histogram, Qt::Key_Left);
        QTRY_VERIFY(histogram->high().value_or(0) < 1500);
        QTest::keyClick(histogram, Qt::Key_End);
        QTRY_VERIFY(view().steps(Axis::Obs).empty() && settled());
        QVERIFY(view().rows(Axis::Obs).isAll());
        QCOMPARE(panel()->list()->frames().size(), 1U); // stays open
    }

    void missingValuesAreKeptWhereTicked()
    {
        m_window = m_bench.open(test::dataPath(u"files/filter.h5ad"_s), {1440, 900});
        QVERIFY(m_window != nullptr);
        m_window->setFiltersShown(true);
        FilterCardFrame* frame = addColumn("score");
        auto* body = bodyOf<RangeBody>(frame);
        QTRY_VERIFY(!body->missingBox()->isHidden());
        QCOMPARE(body->missingBox()->text(), u"keep 2 without a value"_s);
        QVERIFY(body->missingBox()->isChecked());
        type(body->lowField(), u"4"_s);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).positions(), (std::vector<Index>{1, 4, 5, 6, 7, 8, 10, 11}));
        QCOMPARE(panel()->expression(), u"score >= 4 or score is missing"_s);
        QTest::mouseClick(body->missingBox(), Qt::LeftButton, {}, {8, body->missingBox()->height() / 2});
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).positions(), (std::vector<Index>{4, 6, 7, 8, 10, 11}));
        QCOMPARE(view().count(Axis::Obs).missing, 2);
    }

    void aGeneSaysItsMatrixAndUnit()
    {
        GeneAdder* adder = panel()->geneAdder();
        adder->open();
        QCOMPARE(adder->matrices()->count(), 2); // X, raw/X
        adder->matrices()->setCurrentIndex(1);
        Q_EMIT adder->matrices()->activated(1);
        QSignalSpy picked(adder, &GeneAdder::picked);
        QTest::keyClicks(adder->field(), u"cd3d"_s);
        QTest::keyClick(adder->field(), Qt::Key_Return);
        QVERIFY(!picked.isEmpty() || picked.wait(20'000));
        QVERIFY(settled());
        FilterCardFrame* frame = panel()->list()->frames().back();
        auto* body = bodyOf<RangeBody>(frame);
        QVERIFY(body != nullptr);
        QCOMPARE(frame->nameText(), u"CD3D"_s);
        QTRY_VERIFY(body->caption().startsWith(u"413 zeros · raw/X, "_s));
        QVERIFY(body->caption().contains("log1p"_L1));
        type(body->lowField(), u"> 2"_s);
        QVERIFY(settled());
        QCOMPARE(panel()->expression(), u"raw(\"CD3D\") > 2"_s);
        QCOMPARE(view().steps(Axis::Obs).front().text(), u"CD3D > 2 in raw"_s);
        QCOMPARE(view().rows(Axis::Obs).size(), kAbove2);
    }

    void aListNamesWhatIsLost()
    {
        panel()->addNames();
        FilterCardFrame* frame = panel()->list()->frames().back();
        auto* body = bodyOf<NamesBody>(frame);
        QVERIFY(body != nullptr);
        QVERIFY(!body->applyButton()->isEnabled());
        body->field()->setPlainText(u"AAATTCGATGCACA-1\nnobody\nAAAGCCTGGCTAAC-1\nAAATTCGATGCACA-1\n"_s);
        QTest::mouseClick(body->applyButton(), Qt::LeftButton);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).positions(), (std::vector<Index>{0, 1}));
        QCOMPARE(body->found(), u"2 of 3 found. Not in the file: nobody."_s);
        QCOMPARE(frame->stateText(), u"3 names"_s);
        QMenu menu;
        frame->fillMenu(menu);
        menu.actions().front()->trigger(); // take these out
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 698);
        // From a file.
        QFile file(m_bench.folder.filePath(u"names.txt"_s));
        QVERIFY(file.open(QFile::WriteOnly));
        file.write("\"AAACTTGAAACCAG-X\"\nAAATTCGATGCACA-1\textra\n");
        file.close();
        trigger(u"undo"_s);
        body->load(file.fileName());
        QTRY_COMPARE(body->found().left(4), u"1 of"_s);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 1);
        body->load(m_bench.folder.filePath(u"nowhere.txt"_s));
        QTRY_VERIFY(body->found().contains("nowhere.txt"_L1));
    }

    void keptViewsAreCards()
    {
        view().setStep(Axis::Obs, 0, u"bulk_labels == \"Dendritic\""_s);
        QVERIFY(settled());
        KeptViewList& kept = m_window->session().keptViews();
        QSignalSpy listed(&kept, &KeptViewList::changed);
        kept.keep(u"dendritic"_s);
        QVERIFY(listed.wait(20'000));
        view().reset();
        QMenu menu;
        panel()->fillSelectionMenu(menu);
        QCOMPARE(menu.actions().front()->text(), u"dendritic"_s);
        menu.actions().front()->trigger();
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 240);
        FilterCardFrame* frame = panel()->list()->frames().back();
        QCOMPARE(frame->nameText(), u"dendritic"_s);
        QCOMPARE(frame->stateText(), u"only these"_s);
        QVERIFY(bodyOf<PlainBody>(frame)->text().contains("240 of 700 cells stay"_L1));
        QMenu own;
        frame->fillMenu(own);
        own.actions().front()->trigger();
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 460);
        QCOMPARE(panel()->expression(), u"not selection(\"dendritic\")"_s);
        kept.remove(u"dendritic"_s);
        QTRY_VERIFY(kept.names().isEmpty());
    }

    void andOrOffAndTheExpressionBar()
    {
        auto* labels = bodyOf<CategoryBody>(addColumn("bulk_labels"));
        clickRow(labels->list(), u"Dendritic"_s);
        QVERIFY(settled());
        auto* genes = bodyOf<RangeBody>(addColumn("n_genes"));
        type(genes->lowField(), u"> 1500"_s);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 28);
        std::vector<FilterCardFrame*> frames = panel()->list()->frames();
        QToolButton* joint = panel()->list()->joint(frames.at(1)->card().key);
        QVERIFY(joint != nullptr && joint->isEnabled());
        QCOMPARE(joint->text(), u"and"_s);
        QVERIFY(panel()->list()->joint(frames.at(0)->card().key) == nullptr);
        QTest::mouseClick(joint, Qt::LeftButton);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 480); // 460 others, 20 dendritic with many genes
        const QString text = panel()->expression();
        QCOMPARE(text, u"bulk_labels != \"Dendritic\" or n_genes > 1500"_s);
        QCOMPARE(panel()->list()->frames(), frames);
        QCOMPARE(joint->text(), u"or"_s);

        // The whole expression into the bar of a fresh view: the same cards, the same cells.
        view().reset();
        QVERIFY(settled());
        for (FilterCardFrame* frame : panel()->list()->frames())
            QTest::mouseClick(frame->cross(), Qt::LeftButton);
        QVERIFY(panel()->list()->frames().empty());
        trigger(u"filter"_s);
        page()->filterBar()->field()->setText(text);
        QTest::keyClick(page()->filterBar()->field(), Qt::Key_Return);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 480);
        QCOMPARE(panel()->list()->frames().size(), 2U);
        QCOMPARE(panel()->expression(), text);
        auto* again = bodyOf<CategoryBody>(panel()->list()->frames().front());
        QVERIFY(again != nullptr);
        QCOMPARE(again->model()->tickedCount(), 9);

        // Off, and on again; the whole group, since one is enough.
        QTest::mouseClick(panel()->list()->frames().front()->eye(), Qt::LeftButton);
        QVERIFY(settled());
        QVERIFY(view().rows(Axis::Obs).isAll());
        QVERIFY(panel()->list()->frames().front()->stateText().endsWith(u"off"_s));
        QCOMPARE(panel()->expression(), QString());
        trigger(u"undo"_s);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Obs).size(), 480);
    }

    void pickedRowsAndOtherExpressions()
    {
        view().setPicked(Axis::Obs, 0, Selection::indices(700, {1, 5, 9, 12}), {u"4 picked cells"_s, {}});
        view().setStep(Axis::Obs, 0, u"log1p(n_genes) > 7"_s);
        QVERIFY(settled());
        QCOMPARE(panel()->list()->frames().size(), 2U);
        QCOMPARE(panel()->list()->frames()[0]->nameText(), u"4 picked cells"_s);
        QCOMPARE(panel()->list()->frames()[1]->nameText(), u"log1p(n_genes) > 7"_s);
        QVERIFY(panel()->note().contains("4 cells picked by hand"_L1));
        QMenu menu;
        panel()->list()->frames()[1]->fillMenu(menu);
        for (QAction* action : menu.actions())
            if (action->text().startsWith("Write it"_L1))
                action->trigger();
        QCOMPARE(page()->filterBar()->field()->text(), u"log1p(n_genes) > 7"_s);
    }

    void genesHaveCardsOfTheirOwn()
    {
        page()->showTab(FilePage::Tab::Genes);
        QVERIFY(settled());
        QVERIFY(panel()->list()->frames().empty());
        panel()->addColumn(*m_window->session().dataset()->var()->child("highly_variable"));
        QVERIFY(settled());
        auto* body = bodyOf<CategoryBody>(panel()->list()->frames().front());
        QVERIFY(body != nullptr);
        clickRow(body->list(), u"false"_s);
        QVERIFY(settled());
        QCOMPARE(view().rows(Axis::Var).size(), 309);
        QCOMPARE(panel()->expression(), u"highly_variable"_s);
        QCOMPARE(panel()->countText(), u"309 of 765 genes"_s);
        page()->showTab(FilePage::Tab::Cells);
        QVERIFY(settled());
        QVERIFY(panel()->list()->frames().empty());
        // Another file: nothing of it is left.
        m_window->open(test::dataPath(u"files/filter.h5ad"_s));
        QTRY_VERIFY(m_window->session().location().endsWith("filter.h5ad"_L1)
                    && m_window->session().state() == Session::State::Open);
        QVERIFY(settled());
        page()->showTab(FilePage::Tab::Genes);
        QVERIFY(panel()->list()->frames().empty());
    }

private:
    static constexpr Index kAbove2 = 172;
};

QTEST_MAIN(WindowFiltersTest)
#include "window_filters_test.moc"
