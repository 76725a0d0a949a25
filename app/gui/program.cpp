// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/program.h"

#include "app/gui/job_row.h"
#include "app/gui/main_window.h"
#include "app/gui/session.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/bridge/desktop_services.h"
#include "widgets/bridge/job_bridge.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QSettings>
#include <QtWidgets/QApplication>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QPushButton>

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
    connectJobs();
}

void Program::connectJobs()
{
    m_desktop = std::make_unique<DesktopServices>();
    m_jobs = std::make_unique<JobBridge>(m_context.reading->budget());
    connect(m_jobs.get(), &JobBridge::activeChanged, this, [this](bool active) {
        if (active)
            m_desktop->holdSleep(u"A job is running"_s);
        else
            m_desktop->letSleep();
    });
    connect(m_jobs.get(), &JobBridge::ended, this, [this](const JobSnapshot& job) {
        // Who looks at a window sees it there.
        if (QApplication::activeWindow() == nullptr && job.state != JobState::Cancelled)
            m_desktop->notify(job.state == JobState::Succeeded ? u"%1 is done"_s.arg(toQString(job.verb))
                                                               : u"%1 failed"_s.arg(toQString(job.verb)),
                              jobEndText(job));
    });
}

bool Program::mayQuit(MainWindow* window)
{
    const int running = m_jobs->activeCount();
    if (running == 0)
        return true;
    QMessageBox box(QMessageBox::Question, u"Jobs are running"_s,
                    u"%1 not done. Nothing is left of a file that is not whole."_s.arg(
                        running == 1 ? u"A job is"_s : u"%1 jobs are"_s.arg(running)),
                    QMessageBox::NoButton, window);
    box.setObjectName(u"quitQuestion"_s);
    QPushButton* stay = box.addButton(u"Let it go on"_s, QMessageBox::RejectRole);
    QPushButton* quit = box.addButton(u"Stop and quit"_s, QMessageBox::DestructiveRole);
    box.setDefaultButton(stay);
    box.setEscapeButton(stay);
    box.exec();
    if (box.clickedButton() != quit)
        return false;
    m_jobs->cancelAll();
    return true;
}

Program::~Program()
{
    const std::vector<MainWindow*> windows = std::exchange(m_windows, {});
    for (MainWindow* window : windows) {
        disconnect(window, nullptr, this, nullptr);
        delete window;
    }
    disconnect(m_jobs.get(), nullptr, this, nullptr);
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
