// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/gui/recent_files.h"
#include "widgets/bridge/model_context.h"
#include "widgets/style/theme.h"

#include <QtCore/QObject>

#include <memory>
#include <vector>

namespace cellfolio {

class DesktopServices;
class JobBridge;
class MainWindow;

// What all windows of the program share: budget and page cache, the threads for requests, recent
// files, the theme. Made by main(), outlives every window. UI thread only.
class Program : public QObject
{
    Q_OBJECT
public:
    struct Options {
        Index budget = MemoryBudget::windowDefault();
        bool remembersViews = true; // off for pictures: they show what opens first, and leave no trace
    };
    explicit Program(Options options, QObject* parent = nullptr);
    ~Program() override;

    const ModelContext& context() const { return m_context; }
    RecentFiles& recentFiles() { return m_recent; }
    bool remembersViews() const { return m_remembersViews; }

    // Long work of all windows, and what the desktop does for it.
    JobBridge& jobs() const { return *m_jobs; }
    DesktopServices& desktop() const { return *m_desktop; }
    // Asks where jobs run, and cancels them. False: somebody wants them to go on.
    bool mayQuit(MainWindow* window);

    MainWindow* newWindow();
    const std::vector<MainWindow*>& windows() const { return m_windows; }
    // In `from` when it has no file yet, in the window that has it open already, else in a new one.
    MainWindow* open(const QString& location, MainWindow* from = nullptr);
    // Forgets the recent files everywhere they are shown.
    void recentFilesChanged();

    // The settings of prepared genes were written, or what was prepared was removed: every window
    // takes what is there now.
    void geneSettingsChanged();

    ThemeChoice themeChoice() const { return m_themeChoice; }
    void setTheme(ThemeChoice choice);

    // The example that comes with the program; empty where it is not installed.
    QString examplePath() const;
    // Folder of the manual's Markdown pages; empty where it is not installed.
    QString manualPath() const;

Q_SIGNALS:
    void windowsChanged();

private:
    void connectJobs();
    void forget(MainWindow* window);
    QString installedPath(const QString& relative) const;

    ModelContext m_context;
    std::unique_ptr<RequestPool> m_quick;
    std::unique_ptr<RequestPool> m_patient;
    RecentFiles m_recent;
    bool m_remembersViews;
    std::vector<MainWindow*> m_windows;
    ThemeChoice m_themeChoice = ThemeChoice::System;
    std::unique_ptr<DesktopServices> m_desktop;
    std::unique_ptr<JobBridge> m_jobs; // dies before what it works with
};

// A path made absolute; what stands behind "::" is kept. Looks at the text alone: a disk that
// sleeps must not hold up the window.
QString absoluteLocation(const QString& location);

} // namespace cellfolio
