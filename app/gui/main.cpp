// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/main_window.h"
#include "app/gui/program.h"
#include "app/gui/snapshot.h"
#include "widgets/style/icons.h"

#include <CLI/CLI.hpp>

#include <QtCore/QLocale>
#include <QtWidgets/QApplication>

#include <cstdio>
#include <string>
#include <vector>

using namespace cellfolio;
using namespace Qt::StringLiterals;

namespace {

struct CommandLine {
    std::vector<std::string> files;
    std::string snapshot;
    std::string tab;
    std::string colorBy;
    std::string gene;
    std::string matrix;
    std::string element;
    std::vector<std::string> where;
    std::vector<std::string> whereVar;
    bool filters = false;
    std::vector<std::string> cards;
    bool jobs = false;
    std::string exportFor;
    std::string exportTo;
    bool runExport = false;
    std::string size = "1280x800";
    std::string theme;
};

void describe(CLI::App& app, CommandLine& line)
{
    app.set_version_flag("--version", std::string("cellfolio ") + CELLFOLIO_VERSION);
    app.add_option("FILE", line.files, "Files to open, each in a window of its own");
    auto* snapshot = app.add_option("--snapshot", line.snapshot,
                                    "Draw the window into this picture, without a screen, and end");
    app.add_option("--tab", line.tab, "What the picture shows")
        ->check(CLI::IsMember({"cells", "genes", "matrix", "embedding", "findings"}))
        ->needs(snapshot);
    app.add_option("--color-by", line.colorBy, "Column of obs that colours the embedding")->needs(snapshot);
    auto* gene = app.add_option("--gene", line.gene, "Gene that colours the embedding")->needs(snapshot);
    app.add_option("--matrix", line.matrix, "Matrix of the gene, as X (otherwise), raw/X or layers/counts")->needs(gene);
    app.add_option("--element", line.element, "Element to show, as in `cellfolio-cli info`")->needs(snapshot);
    app.add_option("--where", line.where, "Show only the cells this expression keeps; may be given again")
        ->allow_extra_args(false)
        ->needs(snapshot);
    app.add_option("--where-var", line.whereVar, "Show only the genes this expression keeps")
        ->allow_extra_args(false)
        ->needs(snapshot);
    app.add_flag("--filters", line.filters, "Show the dock with the filter cards")->needs(snapshot);
    app.add_option("--card", line.cards, "Open a filter card for this column; may be given again")
        ->allow_extra_args(false)
        ->needs(snapshot);
    app.add_flag("--jobs", line.jobs, "Show the dock with the jobs")->needs(snapshot);
    auto* exportFor = app.add_option("--export-for", line.exportFor, "Show the export dialog")
                          ->check(CLI::IsMember({"python", "seurat", "r", "cellxgene", "table", "10x", "numpy", "loom"}))
                          ->needs(snapshot);
    auto* exportTo = app.add_option("--export-to", line.exportTo, "The new file in the export dialog")->needs(exportFor);
    app.add_flag("--run-export", line.runExport, "Export, and show what came of it")->needs(exportTo);
    app.add_option("--size", line.size, "Width and height of the picture in pixels")
        ->capture_default_str()
        ->needs(snapshot);
    app.add_option("--theme", line.theme, "light or dark; otherwise as the system or as chosen before")
        ->check(CLI::IsMember({"light", "dark"}));
}

// Qt can only start where there is a place to draw; a picture needs none.
void choosePlatform(const CommandLine& line)
{
    if (!line.snapshot.empty() && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
}

} // namespace

int main(int argc, char* argv[])
{
    CLI::App parser("Opens and browses very large single-cell files.", "cellfolio");
    CommandLine line;
    describe(parser, line);
    try {
        parser.parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
        return parser.exit(problem) == 0 ? 0 : 2;
    }
    const std::optional<QSize> size = parseSize(QString::fromStdString(line.size));
    if (!size || (!line.snapshot.empty() && line.files.size() > 1)) {
        std::fputs(size ? "cellfolio: --snapshot draws one FILE.\n"
                        : "cellfolio: --size wants WIDTHxHEIGHT between 320 and 8000, as 1280x800.\n",
                   stderr);
        return 2;
    }
    choosePlatform(line);

    QApplication app(argc, argv);
    QApplication::setApplicationName(u"cellfolio"_s);
    QApplication::setOrganizationName(u"cellfolio"_s);
    QApplication::setApplicationDisplayName(u"Cellfolio"_s);
    QApplication::setApplicationVersion(QLatin1String(CELLFOLIO_VERSION));
    if (QLocale().language() == QLocale::C) // no thousands mark otherwise
        QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));

    Program::Options programOptions;
    programOptions.remembersViews = line.snapshot.empty();
    Program program(programOptions);
    if (line.theme == "light")
        applyTheme(app, ThemeChoice::Light);
    else if (line.theme == "dark")
        applyTheme(app, ThemeChoice::Dark);
    else
        applyTheme(app, program.themeChoice());
    QApplication::setWindowIcon(windowIcon());

    if (!line.snapshot.empty()) {
        SnapshotOptions options;
        options.output = QString::fromStdString(line.snapshot);
        options.file = line.files.empty() ? QString() : QString::fromStdString(line.files.front());
        options.tab = QString::fromStdString(line.tab);
        options.colorBy = QString::fromStdString(line.colorBy);
        options.gene = QString::fromStdString(line.gene);
        options.geneMatrix = QString::fromStdString(line.matrix);
        options.element = QString::fromStdString(line.element);
        for (const std::string& expression : line.where)
            options.where.append(QString::fromStdString(expression));
        for (const std::string& expression : line.whereVar)
            options.whereVar.append(QString::fromStdString(expression));
        options.filters = line.filters;
        for (const std::string& column : line.cards)
            options.cards.append(QString::fromStdString(column));
        options.jobs = line.jobs;
        options.exportFor = QString::fromStdString(line.exportFor);
        options.exportTo = QString::fromStdString(line.exportTo);
        options.runExport = line.runExport;
        options.size = *size;
        return takeSnapshot(program, options);
    }
    MainWindow* first = program.newWindow();
    first->show();
    for (const std::string& file : line.files)
        program.open(QString::fromStdString(file), first);
    return QApplication::exec();
}
