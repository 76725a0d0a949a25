// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/embedding_tab.h"
#include "app/gui/gene_field.h"
#include "app/gui/gene_settings_dialog.h"
#include "app/gui/gene_status.h"
#include "app/gui/matrix_tab.h"
#include "app/gui/session.h"
#include "app/gui/status_line.h"
#include "app/gui/table_tab.h"
#include "tests/widgets/long_file.h"
#include "tests/widgets/window_bench.h"
#include "widgets/views/color_bar.h"
#include "widgets/views/gene_threshold.h"
#include "widgets/views/matrix_grid.h"
#include "widgets/views/offer_bar.h"
#include "widgets/views/scatter_view.h"
#include "widgets/views/work_strip.h"

#include <QAction>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <QtTest>

#include <filesystem>
#include <fstream>

using namespace cellfolio;
using namespace Qt::StringLiterals;
namespace fs = std::filesystem;

// Types into the gene box, colours the map, filters by a gene, prepares genes and takes that back.
// Counts of the example were taken with anndata and NumPy, those of filter.h5ad follow from
// tests/data/query_files.py.
class WindowGenesTest : public QObject
{
    Q_OBJECT

private:
    test::WindowBench m_bench;
    MainWindow* m_window = nullptr;

    FilePage* page() const { return m_window->filePage(); }
    EmbeddingTab* map() const { return page()->embedding(); }
    GeneField* box() const { return m_window->geneBox(); }
    GenePreparation& preparation() const { return m_window->session().preparation(); }
    GeneIndexStore store() const { return GeneIndexSettings().store(); }
    bool open(const QString& path)
    {
        m_window = m_bench.open(path);
        if (m_window == nullptr)
            return false;
        m_window->activateWindow();
        return QTest::qWaitForWindowActive(m_window);
    }
    // Into the box, as one types; until it has been looked up.
    bool type(const QString& text) const
    {
        m_window->actionNamed(u"gene"_s)->trigger();
        QSignalSpy answered(box(), &SearchListField::answered);
        QTest::keyClicks(box(), text);
        return (!answered.isEmpty() || answered.wait(10'000)) && box()->text() == text;
    }
    bool enter(const QString& text) const
    {
        if (!type(text))
            return false;
        QTest::keyClick(box(), Qt::Key_Return);
        return true;
    }
    // The map shows all of this gene.
    bool shows(const QString& gene, const char* matrix) const
    {
        return QTest::qWaitFor(
            [&] {
                return map()->gene() && map()->gene()->name == gene && map()->gene()->matrix->path == matrix
                    && map()->isFilled() && map()->colors() && map()->colors()->zeros;
            },
            30'000);
    }
    QStringList listed() const
    {
        QStringList all;
        for (const SearchListField::Entry& entry : box()->entries())
            all.append(entry.heading ? u"# "_s + entry.text
                                     : entry.detail.isEmpty() ? entry.text : entry.text + u" | "_s + entry.detail);
        return all;
    }

private Q_SLOTS:
    void initTestCase() { m_bench.prepare(u"window_genes_test"_s); }
    void init()
    {
        fs::remove_all(GeneIndexStore::defaultFolder());
        fs::remove_all(GeneIndexSettings::defaultFile());
        m_bench.start();
    }
    void cleanup() { m_bench.stop(); }

    void aGeneColoursTheMap()
    {
        QVERIFY(open(test::examplePath()));
        page()->showTab(FilePage::Tab::Embedding);
        QVERIFY(enter(u"cd79a"_s));
        QVERIFY(shows(u"CD79A"_s, "X"));
        QCOMPARE(page()->currentTab(), FilePage::Tab::Embedding);
        QVERIFY(map()->colorColumn().isEmpty());
        QVERIFY(map()->labelColumn() == nullptr);
        // X of the example is scaled: no zeros apart, the range from the 1st to the 99th percentile.
        ColorBarContent legend = map()->colorBar()->content();
        QCOMPARE(legend.title, u"CD79A"_s);
        QVERIFY2(legend.subtitle.startsWith(u"X · "_s), qPrintable(legend.subtitle));
        QVERIFY(!legend.zeros);
        QCOMPARE(legend.low, u"−0.369"_s);
        QCOMPARE(legend.high, u"3.72"_s);
        QVERIFY(!legend.clippedLow && legend.clippedHigh);

        // The same gene of raw, from the list beside it.
        auto* matrices = map()->findChild<QComboBox*>();
        for (QComboBox* each : map()->findChildren<QComboBox*>())
            if (each->accessibleName() == u"Matrix of the gene"_s)
                matrices = each;
        QCOMPARE(matrices->count(), 2);
        QVERIFY(matrices->isVisible());
        QVERIFY2(matrices->itemText(1).startsWith(u"raw/X · "_s), qPrintable(matrices->itemText(1)));
        matrices->setCurrentIndex(1);
        Q_EMIT matrices->activated(1);
        QVERIFY(shows(u"CD79A"_s, "raw/X"));
        legend = map()->colorBar()->content();
        QVERIFY2(legend.subtitle.startsWith(u"raw/X · log1p"_s), qPrintable(legend.subtitle));
        QCOMPARE(legend.zeros.value_or(-1), 570);
        QCOMPARE(legend.low, u"0.857"_s);
        QCOMPARE(legend.high, u"4.29"_s);
        QCOMPARE(legend.fullRange, u"0.857 to 4.51"_s);
        QVERIFY(!legend.missing && !legend.unread && !legend.outside);

        // The next gene comes from the matrix that is looked at.
        QVERIFY(enter(u"CD3D"_s));
        QVERIFY(shows(u"CD3D"_s, "raw/X"));
        QCOMPARE(map()->colorBar()->content().zeros.value_or(-1), 413);
        // Those shown lately are in the list of colours, newest first.
        QComboBox* colors = nullptr;
        for (QComboBox* each : map()->findChildren<QComboBox*>())
            if (each->accessibleName() == u"Colour by"_s)
                colors = each;
        QCOMPARE(colors->itemText(0), u"nothing"_s);
        QCOMPARE(colors->itemText(1), u"CD3D · raw/X"_s);
        QCOMPARE(colors->itemText(2), u"CD79A · raw/X"_s);
        QCOMPARE(colors->itemText(3), u"CD79A · X"_s);
        QCOMPARE(colors->currentIndex(), 1);
        Q_EMIT colors->activated(2);
        QVERIFY(shows(u"CD79A"_s, "raw/X"));
        // And back to a column.
        QVERIFY(map()->colorBy(u"bulk_labels"_s));
        QVERIFY(test::waitFilled(*m_window));
        QVERIFY(!map()->gene());
        QVERIFY(!matrices->isVisible());
        QVERIFY(map()->labelColumn() != nullptr);
    }

    void theThresholdFilters()
    {
        QVERIFY(open(test::examplePath()));
        page()->showTab(FilePage::Tab::Embedding);
        QVERIFY(enter(u"CD79A"_s));
        QVERIFY(shows(u"CD79A"_s, "X"));
        const auto raw = m_window->session().dataset()->find("raw/X");
        map()->showGeneOf(**raw);
        QVERIFY(shows(u"CD79A"_s, "raw/X"));
        GeneThreshold* threshold = map()->threshold();
        QVERIFY(threshold->isVisible());
        QTRY_COMPARE(threshold->countText(), u"130 of 700 cells shown"_s);
        threshold->field()->setFocus();
        threshold->field()->selectAll();
        QTest::keyClicks(threshold->field(), u"2.5"_s);
        QTRY_COMPARE(threshold->countText(), u"89 of 700 cells shown"_s);
        QCOMPARE(threshold->sentence(), u"CD79A > 2.5, in raw/X (%1)"_s.arg(map()->colorBar()->content().subtitle.mid(8)));
        QTest::keyClick(threshold->field(), Qt::Key_Return);
        ViewModel& view = m_window->session().view();
        QTRY_COMPARE(view.rows(Axis::Obs).size(), 89);
        QVERIFY(test::waitFilled(*m_window));
        QCOMPARE(view.steps(Axis::Obs).size(), std::size_t{1});
        QCOMPARE(view.steps(Axis::Obs).front().expression, u"raw(\"CD79A\") > 2.5"_s);
        QCOMPARE(view.steps(Axis::Obs).front().text(), threshold->sentence());
        QTRY_COMPARE(map()->colorBar()->content().outside.value_or(-1), 611);
        QTRY_COMPARE(map()->colorBar()->content().zeros.value_or(-1), 0);
        // Again with another value: the same step, not one more.
        threshold->field()->selectAll();
        QTest::keyClicks(threshold->field(), u"1"_s);
        QTest::mouseClick(threshold->button(), Qt::LeftButton);
        QTRY_COMPARE(view.rows(Axis::Obs).size(), 129);
        QCOMPARE(view.steps(Axis::Obs).size(), std::size_t{1});
        // What is no number is refused.
        threshold->field()->selectAll();
        QTest::keyClicks(threshold->field(), u"much"_s);
        QVERIFY(!threshold->button()->isEnabled());
        QVERIFY(!threshold->value());
        QVERIFY(!threshold->field()->toolTip().isEmpty());
    }

    void theBoxCompletes()
    {
        QVERIFY(open(test::dataPath(u"files/filter.h5ad"_s)));
        QVERIFY(type(u"cd"_s));
        QVERIFY(box()->isListShown());
        QVERIFY2(listed().contains(u"CD3E | ENSG00000000001.3"_s), qPrintable(listed().join(u'\n')));
        // By an id without its version, and with another.
        QVERIFY(type(u"ensg00000000001"_s));
        QCOMPARE(listed().size(), 1);
        QVERIFY2(listed().first().startsWith(u"CD3E"_s), qPrintable(listed().join(u'\n')));
        QVERIFY(enter(u"ENSG00000000003.9"_s));
        QVERIFY(shows(u"XIST"_s, "X"));
        QVERIFY(!box()->isListShown());
    }

    void aSharedNameAsksWhich()
    {
        QVERIFY(open(test::dataPath(u"files/filter.h5ad"_s)));
        page()->showTab(FilePage::Tab::Embedding);
        QSignalSpy picked(box(), &GeneField::picked);
        QVERIFY(enter(u"TBCE"_s));
        QVERIFY(picked.isEmpty());
        QVERIFY(box()->isListShown());
        QCOMPARE(listed(), QStringList({u"# 2 genes are called “TBCE”. Which one?"_s, u"TBCE | ENSG00000000004"_s,
                                        u"TBCE | ENSG00000000005"_s}));
        // The list has the keyboard: down to the second, Enter.
        QTRY_VERIFY(box()->list()->hasFocus());
        QTest::keyClick(box()->list(), Qt::Key_Down);
        QTest::keyClick(box()->list(), Qt::Key_Return);
        QTRY_COMPARE(picked.size(), 1);
        QCOMPARE(picked.first().first().value<GeneField::Match>().gene.row, 4);
        QVERIFY(shows(u"TBCE"_s, "X"));
        QCOMPARE(map()->gene()->gene, 4);
        // As a filter it goes by the id that is its own.
        GeneThreshold* threshold = map()->threshold();
        QTRY_VERIFY(threshold->button()->isEnabled());
        QTest::mouseClick(threshold->button(), Qt::LeftButton);
        ViewModel& view = m_window->session().view();
        QTRY_COMPARE(view.steps(Axis::Obs).size(), std::size_t{1});
        QCOMPARE(view.steps(Axis::Obs).front().expression, u"gene(\"ENSG00000000005\") > 0"_s);
        QVERIFY(!view.problem());
    }

    void aGeneOnlyRawHasIsOffered()
    {
        QVERIFY(open(test::dataPath(u"files/filter.h5ad"_s)));
        page()->showTab(FilePage::Tab::Embedding);
        QSignalSpy picked(box(), &GeneField::picked);
        QVERIFY(enter(u"malat1"_s));
        QVERIFY(picked.isEmpty());
        QCOMPARE(listed().size(), 2);
        QVERIFY2(listed().first().startsWith(u"# malat1 is not among the 5 genes of X; raw has it"_s), qPrintable(listed().first()));
        QVERIFY2(listed().last().startsWith(u"MALAT1 | "_s) && listed().last().endsWith(u"from raw"_s), qPrintable(listed().last()));
        QTest::keyClick(box()->list(), Qt::Key_Return);
        QVERIFY(shows(u"MALAT1"_s, "raw/X"));
        QVERIFY2(m_window->statusLine()->sentence().contains(u"MALAT1 is shown from raw"_s),
                 qPrintable(m_window->statusLine()->sentence()));
        // X does not have it: said, and the map stays.
        map()->showGeneOf(*m_window->session().dataset()->x());
        QTRY_VERIFY(m_window->statusLine()->sentence().contains(u"MALAT1 is not among the 5 genes of X."_s));
        QCOMPARE(map()->gene()->matrix->path, std::string("raw/X"));
        // No such gene anywhere: the nearest ones, none of them taken by itself.
        picked.clear();
        QVERIFY(enter(u"GAPDX"_s));
        QVERIFY(picked.isEmpty());
        QVERIFY2(listed().first() == u"# No gene “GAPDX”. Did you mean:"_s, qPrintable(listed().join(u'\n')));
        QVERIFY2(listed().at(1) == u"GAPDH | ENSG00000000002"_s, qPrintable(listed().join(u'\n')));
        QTest::keyClick(box()->list(), Qt::Key_Escape);
        QVERIFY(!box()->isListShown());
        QVERIFY(box()->hasFocus());
    }

    void goesToTheGeneWhereGenesAreListed()
    {
        QVERIFY(open(test::examplePath()));
        page()->showTab(FilePage::Tab::Genes);
        QVERIFY(enter(u"CD79A"_s));
        QTRY_COMPARE(page()->currentTab(), FilePage::Tab::Genes);
        QVERIFY(!map()->gene());
        page()->showTab(FilePage::Tab::Matrix);
        QVERIFY(test::waitFilled(*m_window));
        QVERIFY(enter(u"CD3D"_s));
        QTRY_COMPARE(page()->matrix()->grid()->currentColumn(), 457);
        page()->showTab(FilePage::Tab::Cells);
        QVERIFY(enter(u"NKG7"_s));
        QTRY_COMPARE(page()->currentTab(), FilePage::Tab::Embedding);
        QVERIFY(shows(u"NKG7"_s, "X"));
        // After a reload it is there again.
        m_window->session().reload();
        QVERIFY(QTest::qWaitFor([&] { return m_window->session().state() == Session::State::Open; }, 30'000));
        QVERIFY(shows(u"NKG7"_s, "X"));
    }

    void preparesOnRequestAndDropsAgain()
    {
        QVERIFY(open(test::examplePath()));
        page()->showTab(FilePage::Tab::Embedding);
        preparation().setUnasked(0);
        preparation().setWorth(0);
        QVERIFY(enter(u"CD79A"_s));
        QVERIFY(shows(u"CD79A"_s, "X"));
        QVERIFY(!page()->offerBar()->isVisible()); // dense
        const Element& raw = **m_window->session().dataset()->find("raw/X");
        map()->showGeneOf(raw);
        QVERIFY(shows(u"CD79A"_s, "raw/X"));
        QTRY_VERIFY(page()->offerBar()->isVisible());
        QVERIFY(page()->offerBar()->sentence().contains(u"Preparing it once takes"_s));
        QTest::mouseClick(page()->offerBar()->declineButton(), Qt::LeftButton);
        QVERIFY(!page()->offerBar()->isVisible());
        QCOMPARE(store().total().indexes, Index{0});
        // Later, from the menu.
        QSignalSpy prepared(&preparation(), &GenePreparation::prepared);
        m_window->actionNamed(u"prepareGenes"_s)->trigger();
        QVERIFY(!prepared.isEmpty() || prepared.wait(30'000));
        QCOMPARE(store().total().indexes, Index{1});
        QVERIFY2(m_window->statusLine()->sentence().startsWith(u"The genes of raw/X are prepared"_s),
                 qPrintable(m_window->statusLine()->sentence()));
        const auto source = m_window->session().genes().sources()->known(raw);
        QVERIFY(source && source->index());
        // Colours and filters take it.
        QVERIFY(enter(u"NKG7"_s));
        QVERIFY(shows(u"NKG7"_s, "raw/X"));
        QCOMPARE(map()->colorBar()->content().zeros.value_or(-1), 492);
        ViewModel& view = m_window->session().view();
        view.setStep(Axis::Obs, 0, u"raw(\"NKG7\") >= 2.5"_s);
        QTRY_COMPARE(view.rows(Axis::Obs).size(), 104);
        QSignalSpy dropped(&preparation(), &GenePreparation::dropped);
        m_window->actionNamed(u"dropGenes"_s)->trigger();
        QVERIFY(!dropped.isEmpty() || dropped.wait(30'000));
        QCOMPARE(store().total().indexes, Index{0});
        QVERIFY(!source->index());
    }

    void oneOfAnotherStateOfTheFileGoes()
    {
        const QString file = m_bench.folder.filePath(u"changing.h5ad"_s);
        QFile::remove(file);
        QVERIFY(QFile::copy(test::examplePath(), file));
        QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner);
        QVERIFY(open(file));
        QSignalSpy prepared(&preparation(), &GenePreparation::prepared);
        preparation().prepare(**m_window->session().dataset()->find("raw/X"));
        QVERIFY(!prepared.isEmpty() || prepared.wait(30'000));
        std::ofstream(file.toStdString(), std::ios::binary | std::ios::app) << "more";
        m_window->session().reload();
        QVERIFY(QTest::qWaitFor([&] { return m_window->session().state() == Session::State::Open; }, 30'000));
        QVERIFY(test::waitFilled(*m_window));
        page()->showTab(FilePage::Tab::Embedding);
        map()->colorByGene({&**m_window->session().dataset()->find("raw/X"), 709, u"CD79A"_s});
        QVERIFY(shows(u"CD79A"_s, "raw/X"));
        QTRY_VERIFY2(m_window->statusLine()->sentence().contains(u"The file has changed since it was made. It was dropped."_s),
                     qPrintable(m_window->statusLine()->sentence()));
        QCOMPARE(store().total().indexes, Index{0});
    }

    void settingsSayPlaceAndSize()
    {
        QVERIFY(open(test::examplePath()));
        const Element& raw = **m_window->session().dataset()->find("raw/X");
        QSignalSpy prepared(&preparation(), &GenePreparation::prepared);
        preparation().prepare(raw);
        QVERIFY(!prepared.isEmpty() || prepared.wait(30'000));
        const Index bytes = store().total().bytes;
        const fs::path old = GeneIndexStore::defaultFolder();
        const auto dialog = [&] {
            m_window->actionNamed(u"geneSettings"_s)->trigger();
            auto* shown = m_window->findChild<GeneSettingsDialog*>();
            return shown;
        };
        GeneSettingsDialog* settings = dialog();
        QVERIFY(settings != nullptr);
        QTRY_VERIFY2(settings->usage().startsWith(u"1 matrix, "_s), qPrintable(settings->usage()));
        QCOMPARE(settings->limit()->value(), 20.0);
        QVERIFY(settings->consequence().isEmpty());
        settings->place()->setText(u"genes"_s);
        QVERIFY(!settings->saveButton()->isEnabled());
        const QString place = m_bench.folder.filePath(u"elsewhere"_s);
        settings->place()->setText(place);
        QVERIFY(settings->consequence().contains(u"will be removed"_s));
        settings->limit()->setValue(3);
        QTest::mouseClick(settings->saveButton(), Qt::LeftButton);
        QTRY_VERIFY(m_window->findChild<GeneSettingsDialog*>() == nullptr);
        auto kept = GeneIndexSettings::read();
        QVERIFY(kept.ok());
        QCOMPARE(kept->limit, Index{3} << 30);
        QVERIFY(kept->folder == fs::path(place.toStdString()));
        QCOMPARE(GeneIndexStore(old).total().indexes, Index{0});
        // The open file has let go of it, and prepares it in the new place.
        const auto source = m_window->session().genes().sources()->known(raw);
        QTRY_VERIFY(!source->index());
        prepared.clear();
        preparation().prepare(raw);
        QVERIFY(!prepared.isEmpty() || prepared.wait(30'000));
        QCOMPARE(kept->store().total().bytes, bytes);
        // Remove all.
        settings = dialog();
        QTRY_VERIFY(settings->clearButton()->isEnabled());
        QTest::mouseClick(settings->clearButton(), Qt::LeftButton);
        QTRY_COMPARE(settings->usage(), u"nothing"_s);
        QCOMPARE(kept->store().total().indexes, Index{0});
        QTRY_VERIFY(!source->index());
        settings->reject();
    }

    void longReadingsShowAndStop()
    {
        const QString file = test::makeLongFile(m_bench.folder.filePath(u"long.h5ad"_s), 300'000);
        if (file.isEmpty())
            QSKIP("Python with h5py is not here");
        QVERIFY(open(file));
        preparation().setUnasked(0);
        preparation().setWorth(0);
        GeneQueue& genes = m_window->session().genes();
        genes.setEvery(1);
        QVERIFY(test::waitFilled(*m_window));
        page()->showTab(FilePage::Tab::Embedding);
        QVERIFY(map()->colorBy(u"kind"_s));
        QVERIFY(test::waitFilled(*m_window));
        // It is painted while it is read: the legend says what has not come.
        std::vector<std::int64_t> unread;
        connect(&genes, &GeneQueue::activityChanged, map(), [&] {
            const auto& content = map()->colorBar()->content();
            if (content.title == u"gene100"_s && content.unread)
                unread.push_back(*content.unread);
        });
        QVERIFY(enter(u"gene100"_s));
        QVERIFY(shows(u"gene100"_s, "X"));
        QVERIFY2(!unread.empty(), "it came all at once");
        QVERIFY(std::is_sorted(unread.rbegin(), unread.rend()));
        QVERIFY(!map()->colorBar()->content().unread);
        QCOMPARE(map()->colorBar()->content().zeros.value_or(-1), 0);
        QCOMPARE(map()->colorBar()->content().high, u"16"_s);
        // The one offer.
        QTRY_VERIFY(page()->offerBar()->isVisible());
        QVERIFY(page()->offerBar()->sentence().startsWith(u"This file is stored cell by cell, so a gene takes "_s));

        // Given up, it leaves what was there.
        QVERIFY(enter(u"gene200"_s));
        QTRY_VERIFY(genes.isReading());
        QVERIFY(map()->gene()->name == u"gene200"_s);
        genes.abandon();
        QVERIFY(shows(u"gene100"_s, "X"));
        QVERIFY(test::waitFilled(*m_window));

        // Prepared with progress in the status line; stopped, nothing is left.
        QTest::mouseClick(page()->offerBar()->acceptButton(), Qt::LeftButton);
        WorkStrip* strip = m_window->geneStatus()->preparing();
        QTRY_VERIFY(strip->isVisible());
        QVERIFY2(strip->text().startsWith(u"Preparing genes of X"_s), qPrintable(strip->text()));
        QTest::mouseClick(strip->stopButton(), Qt::LeftButton);
        QVERIFY(!strip->isVisible());
        QVERIFY(!preparation().isBuilding());
        QTest::qWait(300);
        QCOMPARE(store().total().indexes, Index{0});
    }
};

QTEST_MAIN(WindowGenesTest)
#include "window_genes_test.moc"
