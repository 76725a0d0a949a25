// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/choice_box.h"
#include "app/gui/export_dialog.h"
#include "app/gui/export_effects.h"
#include "app/gui/job_row.h"
#include "app/gui/jobs_panel.h"
#include "app/gui/jobs_status.h"
#include "app/gui/session.h"
#include "core/anndata/column_reader.h"
#include "core/matrix/matrix_reader.h"
#include "tests/widgets/window_bench.h"
#include "widgets/bridge/desktop_services.h"
#include "widgets/bridge/job_bridge.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTimer>
#include <QToolButton>
#include <QtTest>

#include <atomic>
#include <thread>

using namespace cellfolio;
using namespace Qt::StringLiterals;

namespace {

// A job that goes on until it is cancelled.
class EndlessJob : public Job
{
public:
    std::string verb() const override { return "Test"; }
    std::string subject() const override { return "of a very long name that cannot be shown in a narrow window as a whole.h5ad"; }
    Index wantedMemory() const override { return MemoryBudget::kSmallest; }
    Result<JobOutcome> run(JobContext& context) override
    {
        context.progress.setPhases({{"turning", 1}});
        Progress& progress = context.progress.enter(0);
        progress.begin(1'000'000);
        while (!context.stop().stop_requested()) {
            progress.advance(100);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return Error::cancelled();
    }
};

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

// Exports the example by the dialog, and follows the jobs in their dock. Right values were taken with
// anndata and pandas from the example itself.
class WindowExportTest : public QObject
{
    Q_OBJECT

private:
    test::WindowBench m_bench;
    MainWindow* m_window = nullptr;
    std::unique_ptr<QTemporaryDir> m_folder;

    JobBridge& jobs() const { return m_bench.program->jobs(); }
    QString place(const QString& name) const { return m_folder->filePath(name); }
    bool filter(const QString& expression) const
    {
        ViewModel& view = m_window->session().view();
        view.setStep(Axis::Obs, 0, expression);
        return QTest::qWaitFor([&] { return !view.isEvaluating(); }, 30'000);
    }
    static bool settled(ExportDialog* dialog)
    {
        return QTest::qWaitFor([dialog] { return dialog->isSettled(); }, 30'000);
    }
    // Null where it does not succeed.
    const JobSnapshot* run(ExportDialog* dialog) const
    {
        JobId id = 0;
        connect(dialog, &ExportDialog::started, this, [&id](qint64 job) { id = job; });
        QTest::mouseClick(dialog->exportButton(), Qt::LeftButton);
        if (id == 0 || !QTest::qWaitFor([&] { return jobs().job(id) != nullptr && isOver(jobs().job(id)->state); }, 60'000))
            return nullptr;
        return jobs().job(id);
    }
    // Answers the question that is about to come.
    static void answerWith(const QString& button)
    {
        QTimer::singleShot(100, qApp, [button] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            QVERIFY(box != nullptr);
            const auto buttons = box->buttons();
            for (QAbstractButton* one : buttons)
                if (one->text().remove(u'&') == button) {
                    one->click();
                    return;
                }
            box->reject();
            QFAIL("no such button");
        });
    }

private Q_SLOTS:
    void initTestCase() { m_bench.prepare(u"window_export_test"_s); }
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_bench.start();
        m_window = m_bench.open(test::examplePath());
        QVERIFY(m_window != nullptr);
    }
    void cleanup()
    {
        m_bench.stop();
        m_folder.reset();
    }

    void exportsTheViewAsH5ad()
    {
        QVERIFY(filter(u"n_genes > 1200"_s));
        m_window->actionNamed(u"export"_s)->trigger();
        auto* dialog = m_window->findChild<ExportDialog*>();
        QVERIFY(dialog != nullptr);
        QVERIFY(dialog->targetField()->text().endsWith(u"pbmc68k_reduced-229-cells.h5ad"_s));
        QVERIFY(!dialog->exportButton()->isEnabled()); // not before it is known what it takes
        dialog->setTarget(place(u"out.h5ad"_s));
        QVERIFY(dialog->setWanted(u"obsm/X_pca"_s, false));
        QVERIFY(dialog->setWanted(u"uns"_s, false));
        QVERIFY(!dialog->setWanted(u"obsm/nothing"_s, false));
        QVERIFY(settled(dialog));
        QCOMPARE(dialog->problemText(), QString());
        QVERIFY(dialog->exportButton()->isEnabled());
        QCOMPARE(dialog->effects()->effects().front().sentence, u"229 of 700 cells"_s);
        QCOMPARE(dialog->effects()->effects()[1].note, u"obsm/X_pca, uns"_s);
        QVERIFY(dialog->effects()->diskText().startsWith(u"about "_s));
        QVERIFY(dialog->preview()->estimate.output > 100'000);
        QCOMPARE(dialog->command(),
                 u"cellfolio-cli export %1 --where 'n_genes > 1200' --without obsm/X_pca,uns --memory 32M -o %2"_s.arg(
                     quotedForShell(m_window->session().location()), quotedForShell(place(u"out.h5ad"_s))));
        QVERIFY(!m_window->areJobsShown());
        const JobSnapshot* job = run(dialog);
        QVERIFY(job != nullptr);
        QVERIFY2(job->state == JobState::Succeeded, job->error ? job->error->describe().c_str() : "");
        QVERIFY(m_window->areJobsShown());
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot), QStringList{u"out.h5ad"_s});

        const auto dataset = Dataset::open(place(u"out.h5ad"_s).toStdString());
        QVERIFY(dataset.ok());
        QCOMPARE((*dataset)->nObs(), 229);
        QCOMPARE((*dataset)->nVars(), 765);
        QVERIFY((*dataset)->find("obsm/X_umap").ok());
        QVERIFY(!(*dataset)->find("obsm/X_pca").ok());
        const auto reading = std::make_shared<Reading>();
        const auto names = readNames(*dataset, *(*dataset)->obs(), Selection::all(229), reading);
        QVERIFY(names.ok());
        QCOMPARE(names->front(), std::string("AACACGTGGTCTTT-1"));
        QCOMPARE(names->back(), std::string("TTGAGGTGGAGAGC-8"));
        const auto x = MatrixReader::open(*dataset, *(*dataset)->x(), reading);
        QVERIFY(x.ok());
        const auto values = (*x)->block(Selection::all(229), Selection::all(765), {});
        QVERIFY(values.ok());
        double sum = 0;
        for (const float value : values->as<float>())
            sum += static_cast<double>(value);
        QVERIFY2(std::abs(sum - 2110.843997959746) < 1e-6, qPrintable(QString::number(sum, 'g', 12)));

        // The dock tells what came of it, and the log what was expected.
        JobRow* row = m_window->jobsPanel()->rowOf(job->id);
        QVERIFY(row != nullptr);
        QVERIFY(row->headText().startsWith(u"Export 229 cells of pbmc68k_reduced.h5ad to "_s));
        QVERIFY(!row->openButton()->isHidden() && !row->folderButton()->isHidden() && row->cancelButton()->isHidden());
        const QString log = JobsPanel::logText(jobs().log(job->id));
        for (const QString& part : {u"The same as: cellfolio-cli export"_s, u"Expected: "_s, u"Used: "_s, u"Written: "_s})
            QVERIFY2(log.contains(part), qPrintable(log));
        QTest::mouseClick(row->logButton(), Qt::LeftButton);
        auto* shown = m_window->findChild<QDialog*>(u"jobLog"_s);
        QVERIFY(shown != nullptr);
        QCOMPARE(shown->findChild<QPlainTextEdit*>()->toPlainText(), log);
        shown->close();

        // And opens it.
        QTest::mouseClick(row->openButton(), Qt::LeftButton);
        QTRY_COMPARE(m_bench.program->windows().size(), 2U);
        QVERIFY(test::waitFilled(*m_bench.program->windows().back()));
        QCOMPARE(m_bench.program->windows().back()->session().dataset()->nObs(), 229);
        // History is the program's: the other window shows it as well, until it is cleared.
        QVERIFY(m_bench.program->windows().back()->jobsPanel()->rowOf(job->id) != nullptr);
        QTest::mouseClick(row->forgetButton(), Qt::LeftButton);
        QVERIFY(m_window->jobsPanel()->rows().empty());
        QVERIFY(m_window->jobsPanel()->isEmptyShown());
    }

    void exportsATable()
    {
        QVERIFY(filter(u"n_genes > 1200"_s));
        ExportDialog* dialog = m_window->showExport();
        QTest::mouseClick(dialog->audienceButton(Audience::Table), Qt::LeftButton);
        QCOMPARE(dialog->choice().element, u"obs"_s);
        dialog->setTarget(place(u"cells.csv"_s));
        QVERIFY(settled(dialog));
        const JobSnapshot* job = run(dialog);
        QVERIFY(job != nullptr && job->state == JobState::Succeeded);
        const QList<QByteArray> lines = contentOf(place(u"cells.csv"_s)).trimmed().split('\n');
        QCOMPARE(lines.size(), 230);
        const QList<QByteArray> head = lines.front().trimmed().split(',');
        qint64 genes = 0;
        for (qsizetype k = 1; k < lines.size(); ++k)
            genes += lines[k].split(',')[head.indexOf("n_genes")].toLongLong();
        QCOMPARE(genes, 319'991);
        QVERIFY(lines[1].startsWith("AACACGTGGTCTTT-1,"));
    }

    void splitsByAColumn()
    {
        ExportDialog* dialog = m_window->showExport();
        dialog->setAudience(Audience::Table);
        dialog->setSplit(u"phase"_s);
        QVERIFY(dialog->targetField()->text().contains(u"{}"_s));
        dialog->setTarget(place(u"part.csv"_s));
        QVERIFY(settled(dialog));
        QVERIFY(dialog->problemText().contains(u"{}"_s));
        dialog->setTarget(place(u"part-{}.csv"_s));
        QVERIFY(settled(dialog));
        QCOMPARE(dialog->preview()->files, 3);
        QVERIFY(dialog->command().contains(u"--split phase"_s));
        const JobSnapshot* job = run(dialog);
        QVERIFY(job != nullptr && job->state == JobState::Succeeded);
        for (const auto& [name, cells] : {std::pair{u"G1"_s, 501}, std::pair{u"S"_s, 182}, std::pair{u"G2M"_s, 17}})
            QCOMPARE(contentOf(place(u"part-%1.csv"_s.arg(name))).count('\n'), cells + 1);
    }

    void refusesInWords()
    {
        const QByteArray before = contentOf(test::examplePath());
        ExportDialog* dialog = m_window->showExport();
        dialog->setTarget(test::examplePath()); // the other cells would be gone
        QVERIFY(settled(dialog));
        QVERIFY(!dialog->problemText().isEmpty());
        QVERIFY(!dialog->exportButton()->isEnabled());
        QCOMPARE(dialog->effects()->effects().front().tone, ExportEffects::Tone::Refusal);
        dialog->setTarget(place(u"no/such/folder/out.h5ad"_s));
        QVERIFY(settled(dialog));
        QVERIFY(!dialog->exportButton()->isEnabled());
        dialog->setTarget(u"out.h5ad"_s);
        QVERIFY(settled(dialog));
        QVERIFY(dialog->problemText().contains(u"whole path"_s));
        dialog->setTarget(place(u"out.csv"_s));
        QVERIFY(settled(dialog));
        QVERIFY(!dialog->exportButton()->isEnabled());
        QCOMPARE(contentOf(test::examplePath()), before);
    }

    void asksBeforeItReplaces()
    {
        QFile there(place(u"there.csv"_s));
        QVERIFY(there.open(QIODevice::WriteOnly) && there.write("kept") == 4);
        there.close();
        ExportDialog* dialog = m_window->showExport();
        dialog->setAudience(Audience::Table);
        dialog->setTarget(there.fileName());
        QVERIFY(settled(dialog));
        QCOMPARE(dialog->preview()->existing, QStringList{there.fileName()});
        answerWith(u"Cancel"_s);
        QTest::mouseClick(dialog->exportButton(), Qt::LeftButton);
        QCOMPARE(contentOf(there.fileName()), QByteArray("kept"));
        QVERIFY(jobs().jobs().empty());
        answerWith(u"Replace"_s);
        const JobSnapshot* job = run(dialog);
        QVERIFY(job != nullptr && job->state == JobState::Succeeded);
        QCOMPARE(contentOf(there.fileName()).count('\n'), 701);
    }

    void aFailureIsToldInTheDock()
    {
        // A target that comes into being after the dialog has looked.
        ExportDialog* dialog = m_window->showExport();
        dialog->setAudience(Audience::Table);
        dialog->setTarget(place(u"late.csv"_s));
        QVERIFY(settled(dialog));
        QFile late(place(u"late.csv"_s));
        QVERIFY(late.open(QIODevice::WriteOnly) && late.write("other") == 5);
        late.close();
        const JobSnapshot* job = run(dialog);
        QVERIFY(job != nullptr);
        QCOMPARE(job->state, JobState::Failed);
        QCOMPARE(job->error->code(), ErrorCode::TargetExists);
        JobRow* row = m_window->jobsPanel()->rowOf(job->id);
        QVERIFY(!row->detailText().isEmpty());
        QVERIFY(row->openButton()->isHidden());
        QCOMPARE(contentOf(late.fileName()), QByteArray("other"));
        QCOMPARE(m_window->jobsStatus()->text(), u"Jobs: one failed"_s);
    }

    void cancelIsSeenAtOnceAndStays()
    {
        m_window->setJobsShown(true);
        const JobId id = jobs().start(std::make_unique<EndlessJob>());
        QTRY_VERIFY(jobs().job(id)->state == JobState::Running);
        JobRow* row = m_window->jobsPanel()->rowOf(id);
        QVERIFY(row != nullptr && !row->cancelButton()->isHidden());
        QTRY_VERIFY(row->headText().contains(u"turning"_s));
        QVERIFY(m_window->jobsStatus()->text().startsWith(u"Test"_s));
        QElapsedTimer clock;
        clock.start();
        QTest::mouseClick(row->cancelButton(), Qt::LeftButton);
        QVERIFY(QTest::qWaitFor([&] { return jobs().job(id)->state == JobState::Cancelled; }, 5000));
        QVERIFY2(clock.elapsed() < 250, qPrintable(QString::number(clock.elapsed())));
        QTest::qWait(200);
        QCOMPARE(jobs().job(id)->state, JobState::Cancelled);
        QVERIFY(row->figuresText().startsWith(u"cancelled"_s));
        QCOMPARE(jobs().activeCount(), 0);
    }

    void quittingAsks()
    {
        const JobId id = jobs().start(std::make_unique<EndlessJob>());
        answerWith(u"Let it go on"_s);
        QVERIFY(!m_window->close());
        QVERIFY(m_window->isVisible());
        QVERIFY(!isOver(jobs().job(id)->state));
        // With another window open nothing is lost by closing one.
        MainWindow* second = m_bench.program->newWindow();
        second->show();
        QVERIFY(second->close());
        QTRY_COMPARE(m_bench.program->windows().size(), 1U);
        answerWith(u"Stop and quit"_s);
        QVERIFY(m_window->close());
        QTRY_VERIFY(isOver(jobs().job(id)->state));
        QCOMPARE(jobs().job(id)->state, JobState::Cancelled);
    }

    void theDockIsReachedFromMenuAndStatusLine()
    {
        QVERIFY(!m_window->areJobsShown());
        QVERIFY(m_window->jobsStatus()->isHidden());
        m_window->actionNamed(u"toggleJobs"_s)->trigger();
        QVERIFY(m_window->areJobsShown());
        QVERIFY(m_window->jobsPanel()->isEmptyShown());
        m_window->actionNamed(u"toggleJobs"_s)->trigger();
        QVERIFY(!m_window->areJobsShown());
        const JobId id = jobs().start(std::make_unique<EndlessJob>());
        QVERIFY(!m_window->jobsStatus()->isHidden());
        QTest::mouseClick(m_window->jobsStatus(), Qt::LeftButton);
        QVERIFY(m_window->areJobsShown());
        jobs().cancel(id);
    }

    void everyAudienceCanBeAsked()
    {
        ExportDialog* dialog = m_window->showExport();
        for (const AudienceText& text : audiences()) {
            dialog->setAudience(text.audience);
            dialog->setTarget(proposedTarget(dialog->choice(), place(u"x.h5ad"_s), u"a view"_s));
            QVERIFY(settled(dialog));
            QVERIFY2(dialog->problemText().isEmpty(), qPrintable(text.name + u": "_s + dialog->problemText()));
            QVERIFY(dialog->command().startsWith(u"cellfolio-cli export "_s));
        }
        QVERIFY(QDir(m_folder->path()).isEmpty());
    }

    void tellsMainsFromBattery()
    {
        const auto supply = [&](const QString& name, const QByteArray& type, const QByteArray& online) {
            QVERIFY(QDir(m_folder->path()).mkpath(name));
            for (const auto& [file, text] : {std::pair{u"type"_s, type}, std::pair{u"online"_s, online}}) {
                QFile out(place(name + u'/' + file));
                QVERIFY(out.open(QIODevice::WriteOnly) && out.write(text) >= 0);
            }
        };
        QVERIFY(DesktopServices::isOnMains(m_folder->path())); // a desktop computer
        supply(u"BAT0"_s, "Battery\n", "");
        QVERIFY(!DesktopServices::isOnMains(m_folder->path()));
        supply(u"AC"_s, "Mains\n", "0\n");
        QVERIFY(!DesktopServices::isOnMains(m_folder->path()));
        supply(u"AC"_s, "Mains\n", "1\n");
        QVERIFY(DesktopServices::isOnMains(m_folder->path()));
    }
};

QTEST_MAIN(WindowExportTest)
#include "window_export_test.moc"
