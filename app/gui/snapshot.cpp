// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/snapshot.h"

#include "app/gui/embedding_tab.h"
#include "app/gui/export_dialog.h"
#include "app/gui/filters_panel.h"
#include "app/gui/main_window.h"
#include "app/gui/program.h"
#include "app/gui/session.h"
#include "core/base/text.h"
#include "core/query/gene_lookup.h"
#include "core/run/memory_budget.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/bridge/job_bridge.h"
#include "widgets/models/gene_color.h"

#include <QtCore/QElapsedTimer>
#include <QtCore/QEventLoop>
#include <QtCore/QRegularExpression>
#include <QtCore/QTimer>
#include <QtGui/QPainter>
#include <QtGui/QPixmap>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>

#include <cstdio>
#include <functional>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 kSettle = 20; // ms

void complain(const QString& sentence)
{
    std::fprintf(stderr, "cellfolio: %s\n", sentence.toUtf8().constData());
}

// The window is drawn as it fills; asking now and then costs less than to miss the last signal.
bool waitUntil(const std::function<bool()>& ready, int seconds)
{
    QElapsedTimer clock;
    clock.start();
    while (!ready()) {
        if (clock.elapsed() > qint64(seconds) * 1000)
            return false;
        QEventLoop loop;
        QTimer::singleShot(5, &loop, &QEventLoop::quit);
        loop.exec();
    }
    return true;
}

// A window system lays a dialog over its window and dims that; here it is done by hand.
void paintDialog(QPixmap& picture, QWidget& dialog)
{
    const QPixmap above = dialog.grab();
    const QRect place((picture.width() - above.width()) / 2, (picture.height() - above.height()) / 2, above.width(),
                      above.height());
    QPainter painter(&picture);
    painter.fillRect(picture.rect(), QColor(0, 0, 0, 70));
    painter.drawPixmap(place, above);
    painter.setPen(Theme::current().line);
    painter.drawRect(place.adjusted(-1, -1, 0, 0));
}

// A picture may wait for the answer, which the window may not.
Result<GeneRef> findGene(const MainWindow& window, const SnapshotOptions& options)
{
    const auto& dataset = window.session().dataset();
    const std::string path = options.geneMatrix.isEmpty() ? "X" : toStdString(options.geneMatrix);
    const auto matrix = dataset->find(path);
    if (!matrix)
        return matrix.error();
    const Element* var = genesOf(*dataset, **matrix);
    if (var == nullptr)
        return Error(ErrorCode::NotFound, path + " is no matrix of cells and genes.").at(path);
    auto found = findGenes(dataset, *var, {toStdString(options.gene)}, window.program().context().reading);
    if (!found)
        return std::move(found).error();
    const GeneAnswer& answer = found->front();
    if (answer.count != 1)
        return Error(answer.count == 0 ? ErrorCode::NotFound : ErrorCode::Ambiguous,
                     "\"" + toStdString(options.gene) + "\" is the name of "
                         + counted(answer.count, "gene", "genes") + " of " + var->path + ".")
            .at(var->path);
    return GeneRef{*matrix, answer.rows.front(), options.gene};
}

} // namespace

std::optional<QSize> parseSize(const QString& text)
{
    static const QRegularExpression form(u"^(\\d{3,4})x(\\d{3,4})$"_s);
    const QRegularExpressionMatch match = form.match(text);
    const QSize size(match.captured(1).toInt(), match.captured(2).toInt());
    if (!match.hasMatch() || size.width() < 320 || size.height() < 320 || size.width() > 8000 || size.height() > 8000)
        return std::nullopt;
    return size;
}

int takeSnapshot(Program& program, const SnapshotOptions& options)
{
    MainWindow* window = program.newWindow();
    window->resize(options.size);
    window->show();
    window->resize(options.size);
    int code = 0;
    if (!options.file.isEmpty()) {
        window->open(absoluteLocation(options.file));
        if (!waitUntil([&] { return window->session().state() != Session::State::Opening; }, options.waitSeconds)) {
            complain(u"%1 did not open within %2 seconds."_s.arg(options.file).arg(options.waitSeconds));
            return exitCode(ErrorCode::Io);
        }
        if (window->session().state() == Session::State::Failed) {
            const Error& error = *window->session().problem();
            complain(errorText(error));
            code = exitCode(error.code());
        } else {
            if (const auto tab = FilePage::tabNamed(options.tab))
                window->filePage()->showTab(*tab);
            if (!options.colorBy.isEmpty() && !window->filePage()->embedding()->colorBy(options.colorBy)) {
                complain(u"There is no column \"%1\" in obs that can colour."_s.arg(options.colorBy));
                return exitCode(ErrorCode::NotFound);
            }
            if (!options.gene.isEmpty()) {
                const auto gene = findGene(*window, options);
                if (!gene) {
                    complain(errorText(gene.error()));
                    return exitCode(gene.error().code());
                }
                if (!window->filePage()->embedding()->colorByGene(*gene)) {
                    complain(u"%1 cannot colour the map."_s.arg(options.gene));
                    return exitCode(ErrorCode::Refused);
                }
            }
            if (!options.element.isEmpty()) {
                const auto element = window->session().dataset()->find(toStdString(options.element));
                if (!element) {
                    complain(errorText(element.error()));
                    return exitCode(element.error().code());
                }
                window->filePage()->showElement(**element);
            }
            if (options.filters || !options.cards.isEmpty())
                window->setFiltersShown(true);
            ViewModel& view = window->session().view();
            for (const QString& expression : options.where)
                view.setStep(Axis::Obs, 0, expression);
            for (const QString& expression : options.whereVar)
                view.setStep(Axis::Var, 0, expression);
            if (!waitUntil([&] { return !view.isEvaluating(); }, options.waitSeconds)) {
                complain(u"Filtering did not end within %1 seconds."_s.arg(options.waitSeconds));
                return exitCode(ErrorCode::Io);
            }
            if (view.problem()) {
                complain(errorText(view.problem()->error));
                return exitCode(view.problem()->error.code());
            }
            for (const QString& name : options.cards) {
                const Element* table = window->filters()->list()->cards().table();
                const Element* column = table == nullptr ? nullptr : table->child(toStdString(name));
                if (column == nullptr) {
                    complain(u"There is no column \"%1\" for a card."_s.arg(name));
                    return exitCode(ErrorCode::NotFound);
                }
                window->filters()->addColumn(*column);
            }
            if (!waitUntil([&] { return window->isFirstScreenFilled(); }, options.waitSeconds)) {
                complain(u"The window was not filled within %1 seconds."_s.arg(options.waitSeconds));
                return exitCode(ErrorCode::Io);
            }
        }
    }
    if (options.jobs)
        window->setJobsShown(true);
    ExportDialog* dialog = nullptr;
    if (!options.exportFor.isEmpty() && code == 0) {
        const std::optional<Audience> audience = audienceNamed(options.exportFor);
        dialog = audience ? window->showExport() : nullptr;
        if (dialog == nullptr) {
            complain(u"There is nothing to export for \"%1\"."_s.arg(options.exportFor));
            return exitCode(ErrorCode::NotFound);
        }
        dialog->setAudience(*audience);
        if (!options.exportTo.isEmpty())
            dialog->setTarget(absoluteLocation(options.exportTo));
        if (!waitUntil([&] { return dialog->isSettled() && window->session().holdsKnown(); }, options.waitSeconds)) {
            complain(u"What the export takes was not known within %1 seconds."_s.arg(options.waitSeconds));
            return exitCode(ErrorCode::Io);
        }
        if (options.runExport) {
            if (!dialog->problemText().isEmpty()) {
                complain(dialog->problemText());
                return exitCode(dialog->preview()->problem->code());
            }
            if (!dialog->preview()->existing.isEmpty()) { // nobody is there to be asked
                complain(u"%1 is there already."_s.arg(dialog->preview()->existing.front()));
                return exitCode(ErrorCode::TargetExists);
            }
            dialog->exportButton()->click();
            dialog = nullptr;
            if (!waitUntil([&] { return program.jobs().activeCount() == 0; }, options.waitSeconds)) {
                complain(u"The export did not end within %1 seconds."_s.arg(options.waitSeconds));
                return exitCode(ErrorCode::Io);
            }
        }
    }
    // What has come last may still wait to be laid out.
    QElapsedTimer settled;
    settled.start();
    waitUntil([&] { return settled.elapsed() > kSettle; }, 1);
    QPixmap picture = window->grab();
    if (dialog != nullptr)
        paintDialog(picture, *dialog);
    if (!picture.save(options.output)) {
        complain(u"%1 cannot be written."_s.arg(options.output));
        return exitCode(ErrorCode::Io);
    }
    return code;
}

} // namespace cellfolio
