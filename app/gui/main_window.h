// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/gui/file_page.h"

#include <QtWidgets/QMainWindow>

#include <functional>
#include <memory>
#include <vector>

class QAction;
class QDockWidget;
class QMenu;
class QStackedWidget;
class QTimer;
class QToolBar;

namespace cellfolio {

class DetailsPanel;
class EmptyView;
class ExportDialog;
class FiltersPanel;
class GeneField;
class GeneStatus;
class JobsPanel;
class JobsStatus;
class ModalityPage;
class Program;
class Session;
class StartPage;
class StatusLine;
class StructurePanel;
class ViewChooser;
class ViewStatus;

// One window with one file: start page, then tree, tabs and status line. UI thread only.
class MainWindow : public QMainWindow
{
    Q_OBJECT
public:
    explicit MainWindow(Program& program);
    ~MainWindow() override;

    enum class Page { Start, Waiting, Modalities, File, Problem };
    Page page() const;
    void open(const QString& location);
    Session& session() const { return *m_session; }
    Program& program() const { return m_program; }
    FilePage* filePage() const { return m_file; }
    StructurePanel* structure() const { return m_structure; }
    DetailsPanel* details() const { return m_details; }
    StatusLine* statusLine() const { return m_status; }
    ViewStatus* viewStatus() const { return m_viewStatus; }
    GeneStatus* geneStatus() const { return m_geneStatus; }
    ViewChooser* viewChooser() const { return m_views; }
    FiltersPanel* filters() const { return m_filters; }
    bool areFiltersShown() const;
    void setFiltersShown(bool shown); // kept in the settings
    JobsPanel* jobsPanel() const { return m_jobs; }
    JobsStatus* jobsStatus() const { return m_jobsStatus; }
    bool areJobsShown() const;
    void setJobsShown(bool shown);
    // Asks how, and exports what is shown. Null: no file is open.
    ExportDialog* showExport();
    GeneField* geneBox() const { return m_genes; }
    EmptyView* problemView() const { return m_problem; }
    StartPage* startPage() const { return m_start; }

    // Everything that can be done, for the palette and tests.
    const std::vector<QAction*>& allActions() const { return m_actions; }
    QAction* actionNamed(const QString& objectName) const;
    void updateRecentFiles();
    // Whether the first screen has come: what `--snapshot` waits for.
    bool isFirstScreenFilled() const;
    void showPalette();
    void showHelp(const QString& pageName = {});

Q_SIGNALS:
    void fileChanged();
    void firstScreenFilled();

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QAction* add(QMenu* menu, const QString& id, const QString& text, const QString& toolTip,
                 const QKeySequence& key, const QString& iconName, std::function<void()> call);
    void makeActions();
    void makeFileMenu();
    void makeEditMenu();
    void makeViewMenu();
    void makeWindowMenu();
    void makeHelpMenu();
    void makeToolBar();
    void makeFilterActions(QMenu* menu);
    void makeFilterTools(QToolBar* bar);
    void connectView();
    void connectGenes();
    void makeGeneBox(QToolBar* bar);
    void updateGeneBox();
    void makeGeneActions(QMenu* menu);
    const Element* matrixToPrepare() const;
    void showGeneSettings();
    void updateView();
    void updateHistory();
    void makeDocks();
    void makeFiltersDock();
    void connectFilters();
    void makeJobsDock();
    void connectJobs();
    void connectSession();
    void restoreLayout();
    void resetLayout();

    void chooseFile();
    void opening();
    void opened();
    void failed();
    void elementPicked(const Element* element);
    void updateActions();
    void updateTitle();
    void updateWindowMenu();
    void findMissing();
    void afterProblem();
    void say(const QString& sentence);

    Program& m_program;
    std::unique_ptr<Session> m_session;
    QStackedWidget* m_pages = nullptr;
    StartPage* m_start = nullptr;
    EmptyView* m_waiting = nullptr;
    EmptyView* m_problem = nullptr;
    ModalityPage* m_modalities = nullptr;
    FilePage* m_file = nullptr;
    QDockWidget* m_structureDock = nullptr;
    StructurePanel* m_structure = nullptr;
    DetailsPanel* m_details = nullptr;
    QDockWidget* m_filtersDock = nullptr;
    FiltersPanel* m_filters = nullptr;
    QDockWidget* m_jobsDock = nullptr;
    JobsPanel* m_jobs = nullptr;
    JobsStatus* m_jobsStatus = nullptr;
    bool m_filtersWanted = false; // where settings are not kept: in pictures
    StatusLine* m_status = nullptr;
    ViewStatus* m_viewStatus = nullptr;
    GeneStatus* m_geneStatus = nullptr;
    ViewChooser* m_views = nullptr;
    QAction* m_viewsPlace = nullptr; // in the tool bar
    GeneField* m_genes = nullptr;
    QMenu* m_recentMenu = nullptr;
    QMenu* m_windowMenu = nullptr;
    std::vector<QAction*> m_actions;
    std::vector<QAction*> m_fileActions; // only while a file is open
    std::vector<QAction*> m_historyTools;
    QTimer* m_slow = nullptr;            // says what is awaited once it takes long
    QString m_shownLocation; // what the page shows, or showed before an error
    QStringList m_missing;
};

} // namespace cellfolio
