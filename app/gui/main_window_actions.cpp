// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done in the window: menus, tool bar, command palette.
#include "app/gui/about_box.h"
#include "app/gui/bar.h"
#include "app/gui/embedding_tab.h"
#include "app/gui/gene_field.h"
#include "app/gui/help_window.h"
#include "app/gui/main_window.h"
#include "app/gui/matrix_tab.h"
#include "app/gui/program.h"
#include "app/gui/search_popup.h"
#include "app/gui/session.h"
#include "app/gui/structure_panel.h"
#include "app/gui/table_tab.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/views/paged_table_view.h"

#include <QtGui/QAction>
#include <QtGui/QActionGroup>
#include <QtWidgets/QDockWidget>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMenuBar>
#include <QtWidgets/QToolBar>

#include <algorithm>

namespace cellfolio {

using namespace Qt::StringLiterals;

QAction* MainWindow::add(QMenu* menu, const QString& id, const QString& text, const QString& toolTip,
                         const QKeySequence& key, const QString& iconName, std::function<void()> call)
{
    auto* action = new QAction(text, this);
    action->setObjectName(id);
    action->setShortcut(key);
    if (!iconName.isEmpty())
        action->setIcon(icon(iconName));
    giveToolTip(action, toolTip);
    connect(action, &QAction::triggered, this, [call = std::move(call)] { call(); });
    menu->addAction(action);
    addAction(action); // keeps its key when the menu bar is hidden
    m_actions.push_back(action);
    return action;
}

void MainWindow::makeActions()
{
    menuBar()->setFont(fonts::body());
    makeFileMenu();
    makeEditMenu();
    makeViewMenu();
    makeWindowMenu();
    makeHelpMenu();
}

void MainWindow::makeFileMenu()
{
    QMenu* menu = menuBar()->addMenu(u"&File"_s);
    add(menu, u"open"_s, u"Open…"_s, u"Open a file"_s, QKeySequence::Open, u"folder-open"_s,
        [this] { chooseFile(); });
    m_recentMenu = menu->addMenu(icon("clock"), u"Recent files"_s);
    QAction* example = add(menu, u"example"_s, u"Open the example"_s,
                           u"Open 700 blood cells that come with the program"_s, {}, u"flask"_s,
                           [this] { m_program.open(m_program.examplePath(), this); });
    example->setEnabled(!m_program.examplePath().isEmpty());
    menu->addSeparator();
    m_fileActions.push_back(add(menu, u"export"_s, u"Export view…"_s, u"Write the cells and genes shown to a new file"_s,
                                QKeySequence(u"Ctrl+E"_s), u"file-export"_s, [this] { showExport(); }));
    m_fileActions.push_back(add(menu, u"reload"_s, u"Reload"_s, u"Read the file again"_s, QKeySequence::Refresh,
                                u"refresh"_s, [this] { m_session->reload(); }));
    add(menu, u"close"_s, u"Close window"_s, u"Close this window"_s, QKeySequence::Close, u"x"_s,
        [this] { close(); });
    menu->addSeparator();
    add(menu, u"quit"_s, u"Quit"_s, u"Close all windows"_s, QKeySequence::Quit, {}, [this] {
        if (!m_program.mayQuit(this))
            return;
        const std::vector<MainWindow*> windows = m_program.windows();
        for (MainWindow* window : windows)
            window->close();
    });
}

void MainWindow::makeEditMenu()
{
    QMenu* menu = menuBar()->addMenu(u"&Edit"_s);
    makeFilterActions(menu);
    const auto copy = [this](bool withNames) {
        if (m_file->currentTab() == FilePage::Tab::Matrix)
            m_file->matrix()->copy(withNames);
        else if (TableTab* table = m_file->currentTable())
            table->copy(withNames);
    };
    m_fileActions.push_back(add(menu, u"copy"_s, u"Copy"_s, u"Copy the selected rows or the picked value"_s,
                                QKeySequence::Copy, u"copy"_s, [copy] { copy(false); }));
    m_fileActions.push_back(add(menu, u"copyWithNames"_s, u"Copy with names"_s, u"Copy with column names"_s,
                                QKeySequence(u"Ctrl+Shift+C"_s), u"copy"_s, [copy] { copy(true); }));
    menu->addSeparator();
    m_fileActions.push_back(add(menu, u"selectAll"_s, u"Select all rows"_s, u"Select all rows of the table"_s,
                                QKeySequence(u"Ctrl+Shift+A"_s), {}, [this] {
                                    if (TableTab* table = m_file->currentTable())
                                        table->view()->selectAllRows();
                                }));
    m_fileActions.push_back(add(menu, u"find"_s, u"Find by name…"_s, u"Find a cell or gene by its name"_s,
                                QKeySequence::Find, u"search"_s, [this] {
                                    if (TableTab* table = m_file->currentTable())
                                        table->focusFind();
                                    else if (m_file->currentTab() == FilePage::Tab::Matrix)
                                        m_file->matrix()->focusFind();
                                    else
                                        m_genes->setFocus(Qt::ShortcutFocusReason);
                                }));
    m_fileActions.push_back(add(menu, u"goToRow"_s, u"Go to row…"_s, u"Go to a row by its number"_s,
                                QKeySequence(u"Ctrl+L"_s), {}, [this] {
                                    if (TableTab* table = m_file->currentTable())
                                        table->askForRow();
                                    else
                                        m_file->matrix()->askForRow();
                                }));
    m_fileActions.push_back(add(menu, u"gene"_s, u"Find a gene…"_s, u"Colour the map by a gene, or go to it"_s,
                                QKeySequence(u"Ctrl+G"_s), u"helix"_s, [this] {
                                    m_genes->setFocus(Qt::ShortcutFocusReason);
                                    m_genes->selectAll();
                                }));
    m_fileActions.push_back(add(menu, u"findElement"_s, u"Find an element…"_s, u"Search the structure of the file"_s,
                                QKeySequence(u"Ctrl+E"_s), u"list-details"_s, [this] {
                                    m_structureDock->show();
                                    m_structure->focusSearch();
                                }));
    m_fileActions.push_back(add(menu, u"columns"_s, u"Choose columns…"_s, u"Choose the columns to show"_s, {},
                                u"columns"_s, [this] {
                                    if (TableTab* table = m_file->currentTable())
                                        table->chooseColumns();
                                }));
    makeGeneActions(menu);
}

void MainWindow::makeViewMenu()
{
    QMenu* menu = menuBar()->addMenu(u"&View"_s);
    const auto tab = [&](const QString& id, const QString& name, const QString& key, const QString& iconName,
                         FilePage::Tab which) {
        m_fileActions.push_back(add(menu, id, name, u"Show "_s + name, QKeySequence(key), iconName,
                                    [this, which] { m_file->showTab(which); }));
    };
    tab(u"showCells"_s, u"Cells"_s, u"Ctrl+1"_s, u"table"_s, FilePage::Tab::Cells);
    tab(u"showGenes"_s, u"Genes"_s, u"Ctrl+2"_s, u"helix"_s, FilePage::Tab::Genes);
    tab(u"showMatrix"_s, u"Matrix"_s, u"Ctrl+3"_s, u"grid-dots"_s, FilePage::Tab::Matrix);
    tab(u"showEmbedding"_s, u"Embedding"_s, u"Ctrl+4"_s, u"chart-scatter"_s, FilePage::Tab::Embedding);
    tab(u"showFindings"_s, u"Findings"_s, u"Ctrl+5"_s, u"stethoscope"_s, FilePage::Tab::Findings);
    menu->addSeparator();
    m_fileActions.push_back(add(menu, u"toggleStructure"_s, u"Structure"_s, u"Show or hide the structure"_s,
                                QKeySequence(u"F9"_s), {},
                                [this] { m_structureDock->setVisible(m_structureDock->isHidden()); }));
    m_fileActions.push_back(add(menu, u"toggleFilters"_s, u"Filters"_s, u"Show or hide the filter cards"_s,
                                QKeySequence(u"F10"_s), u"adjustments-horizontal"_s,
                                [this] { setFiltersShown(!areFiltersShown()); }));
    add(menu, u"toggleJobs"_s, u"Jobs"_s, u"Show or hide the jobs"_s, QKeySequence(u"F11"_s), u"clock"_s,
        [this] { setJobsShown(!areJobsShown()); });
    m_fileActions.push_back(add(menu, u"toggleMapTable"_s, u"Cells below the map"_s,
                                u"Show or hide the table below the map"_s, QKeySequence(u"Ctrl+T"_s),
                                u"layout-columns"_s, [this] {
                                    EmbeddingTab* embedding = m_file->embedding();
                                    embedding->setTableShown(!embedding->isTableShown());
                                }));
    add(menu, u"resetLayout"_s, u"Reset layout"_s, u"Put everything back in its place"_s,
        QKeySequence(u"Ctrl+0"_s), {}, [this] { resetLayout(); });
    menu->addSeparator();
    QMenu* themes = menu->addMenu(icon("palette"), u"Theme"_s);
    auto* group = new QActionGroup(this);
    const auto theme = [&](const QString& id, const QString& name, ThemeChoice choice) {
        QAction* action = add(themes, id, name, u"Theme: "_s + name, {}, {},
                              [this, choice] { m_program.setTheme(choice); });
        action->setCheckable(true);
        action->setChecked(m_program.themeChoice() == choice);
        group->addAction(action);
    };
    theme(u"themeSystem"_s, u"As the system"_s, ThemeChoice::System);
    theme(u"themeLight"_s, u"Light"_s, ThemeChoice::Light);
    theme(u"themeDark"_s, u"Dark"_s, ThemeChoice::Dark);
}

void MainWindow::makeWindowMenu()
{
    m_windowMenu = menuBar()->addMenu(u"&Window"_s);
    updateWindowMenu();
}

void MainWindow::updateWindowMenu()
{
    if (m_windowMenu == nullptr)
        return;
    if (m_windowMenu->isEmpty())
        add(m_windowMenu, u"newWindow"_s, u"New window"_s, u"Open an empty window"_s,
            QKeySequence(u"Ctrl+Shift+N"_s), u"plus"_s, [this] { m_program.newWindow()->show(); });
    const QList<QAction*> old = m_windowMenu->actions();
    for (qsizetype i = 1; i < old.size(); ++i)
        old[i]->deleteLater();
    m_windowMenu->addSeparator();
    for (MainWindow* window : m_program.windows()) {
        QAction* action = m_windowMenu->addAction(window->windowTitle(), window, [window] {
            window->show();
            window->raise();
            window->activateWindow();
        });
        action->setCheckable(true);
        action->setChecked(window == this);
    }
}

void MainWindow::makeHelpMenu()
{
    QMenu* menu = menuBar()->addMenu(u"&Help"_s);
    add(menu, u"help"_s, u"Manual"_s, u"Read the manual"_s, QKeySequence::HelpContents, u"help"_s,
        [this] { showHelp(); });
    add(menu, u"palette"_s, u"All commands…"_s, u"Find and run any command"_s,
        QKeySequence(u"Ctrl+Shift+P"_s), u"command"_s, [this] { showPalette(); });
    menu->addSeparator();
    add(menu, u"about"_s, u"About Cellfolio"_s, u"Version, licence, what it is made of"_s, {},
        u"info-circle"_s, [this] {
            AboutBox about(m_program, this);
            about.exec();
        });
}

void MainWindow::makeToolBar()
{
    auto* bar = addToolBar(u"Tools"_s);
    bar->setObjectName(u"toolBar"_s);
    bar->setMovable(false);
    bar->setFloatable(false);
    bar->setIconSize({measures::kToolIcon, measures::kToolIcon});
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    bar->setFixedHeight(measures::kToolBar);
    auto* open = new QAction(icon("folder-open"), u" Open"_s, this);
    open->setToolTip(actionNamed(u"open"_s)->toolTip());
    connect(open, &QAction::triggered, actionNamed(u"open"_s), &QAction::trigger);
    bar->addAction(open);
    auto* exportTool = new QAction(icon("file-export"), u" Export"_s, this);
    exportTool->setObjectName(u"exportTool"_s);
    exportTool->setToolTip(actionNamed(u"export"_s)->toolTip());
    exportTool->setEnabled(false);
    connect(exportTool, &QAction::triggered, actionNamed(u"export"_s), &QAction::trigger);
    connect(actionNamed(u"export"_s), &QAction::enabledChanged, exportTool, &QAction::setEnabled);
    bar->addAction(exportTool);
    makeFilterTools(bar);
    auto* space = new QWidget(bar);
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    makeGeneBox(bar);
    auto* commands = new QAction(icon("command"), u" Commands"_s, this);
    commands->setToolTip(actionNamed(u"palette"_s)->toolTip());
    connect(commands, &QAction::triggered, this, &MainWindow::showPalette);
    auto* gap = new QWidget(bar);
    gap->setFixedWidth(16);
    bar->addWidget(gap);
    bar->addAction(commands);
}

QAction* MainWindow::actionNamed(const QString& objectName) const
{
    const auto found = std::find_if(m_actions.begin(), m_actions.end(),
                                    [&](const QAction* action) { return action->objectName() == objectName; });
    return found == m_actions.end() ? nullptr : *found;
}

void MainWindow::updateActions()
{
    const bool open = page() == Page::File && m_session->dataset() != nullptr;
    for (QAction* action : m_fileActions)
        action->setEnabled(open);
    actionNamed(u"reload"_s)->setEnabled(!m_session->location().isEmpty());
    updateHistory();
    if (!open) {
        if (m_genes != nullptr)
            m_genes->setPlace({});
        return;
    }
    const bool table = m_file->currentTable() != nullptr;
    actionNamed(u"selectAll"_s)->setEnabled(table);
    actionNamed(u"columns"_s)->setEnabled(table);
    const bool rows = table || m_file->currentTab() == FilePage::Tab::Matrix;
    for (const QString& id : {u"copy"_s, u"copyWithNames"_s, u"goToRow"_s})
        actionNamed(id)->setEnabled(rows);
}

void MainWindow::showPalette()
{
    auto* popup = new SearchPopup(u"Find a command"_s, this);
    popup->setAttribute(Qt::WA_DeleteOnClose);
    std::vector<SearchPopup::Entry> entries;
    for (std::size_t i = 0; i < m_actions.size(); ++i) {
        const QAction* action = m_actions[i];
        QString name = action->text().remove(u'&');
        if (action->actionGroup() != nullptr)
            name = u"Theme: "_s + name;
        entries.push_back({name, action->shortcut().toString(QKeySequence::NativeText), action->icon(),
                           static_cast<int>(i), action->isEnabled()});
    }
    popup->setEntries(std::move(entries));
    connect(popup, &SearchPopup::picked, this,
            [this](int place) { m_actions[static_cast<std::size_t>(place)]->trigger(); });
    popup->showOver(this);
}

void MainWindow::showHelp(const QString& pageName)
{
    auto* help = new HelpWindow(m_program.manualPath(), this);
    help->setAttribute(Qt::WA_DeleteOnClose);
    help->showPage(pageName.isEmpty() ? u"index.md"_s : pageName);
    help->show();
}

} // namespace cellfolio
