// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/program.h"

#include "app/gui/main_window.h"
#include "app/gui/session.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QSettings>
#include <QtWidgets/QApplication>

#include <algorithm>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr int kQuickThreads = 4;
constexpr int kPatientThreads = 2;

} // namespace

Program::Program(Options options, QObject* parent)
    : QObject(parent), m_quick(std::make_unique<RequestPool>(kQuickThreads)),
      m_patient(std::make_unique<RequestPool>(kPatientThreads)),
      m_remembersViews(options.remembersViews)
{
    Reading::Options reading;
    reading.budget = options.budget;
    m_context = {std::make_shared<Reading>(reading), m_quick.get(), m_patient.get()};
    const QString theme = QSettings().value(u"theme"_s).toString();
    m_themeChoice = theme == "light"_L1 ? ThemeChoice::Light
        : theme == "dark"_L1            ? ThemeChoice::Dark
                                        : ThemeChoice::System;
}

Program::~Program()
{
    const std::vector<MainWindow*> windows = std::exchange(m_windows, {});
    for (MainWindow* window : windows) {
        disconnect(window, nullptr, this, nullptr);
        delete window;
    }
}

MainWindow* Program::newWindow()
{
    auto* window = new MainWindow(*this);
    m_windows.push_back(window);
    window->setAttribute(Qt::WA_DeleteOnClose);
    connect(window, &QObject::destroyed, this, [this, window] { forget(window); });
    connect(window, &MainWindow::fileChanged, this, &Program::windowsChanged);
    Q_EMIT windowsChanged();
    return window;
}

void Program::forget(MainWindow* window)
{
    std::erase(m_windows, window);
    Q_EMIT windowsChanged();
}

MainWindow* Program::open(const QString& location, MainWindow* from)
{
    const QString path = absoluteLocation(location);
    for (MainWindow* window : m_windows)
        if (window->session().location() == path && window->session().state() == Session::State::Open) {
            window->show();
            window->raise();
            window->activateWindow();
            return window;
        }
    MainWindow* window = from;
    if (window == nullptr || window->session().state() == Session::State::Open
        || window->session().state() == Session::State::Opening)
        window = newWindow();
    window->open(path);
    window->show();
    return window;
}

void Program::recentFilesChanged()
{
    for (MainWindow* window : m_windows)
        window->updateRecentFiles();
}

void Program::geneSettingsChanged()
{
    for (MainWindow* window : m_windows)
        window->session().readGeneSettings();
}

void Program::setTheme(ThemeChoice choice)
{
    m_themeChoice = choice;
    QSettings().setValue(u"theme"_s, choice == ThemeChoice::Light  ? u"light"_s
                             : choice == ThemeChoice::Dark         ? u"dark"_s
                                                                   : u"system"_s);
    applyTheme(*qApp, choice);
    Q_EMIT windowsChanged();
}

// Beside the program in a build folder, below share/cellfolio once installed.
QString Program::installedPath(const QString& relative) const
{
    const QDir here(QCoreApplication::applicationDirPath());
    QStringList places{here.filePath(u"../share/cellfolio/"_s + relative)};
    for (const QString& up : {u"../../.."_s, u"../../../.."_s, u"../.."_s, u".."_s})
        places.append(here.filePath(up + u"/resources/"_s + relative));
    for (const QString& place : places)
        if (QFileInfo::exists(place))
            return QDir::cleanPath(place);
    return {};
}

QString Program::examplePath() const
{
    return installedPath(u"examples/pbmc68k_reduced.h5ad"_s);
}

QString Program::manualPath() const
{
    return installedPath(u"manual"_s);
}

QString absoluteLocation(const QString& location)
{
    return QDir::cleanPath(QDir::current().absoluteFilePath(location));
}

} // namespace cellfolio
