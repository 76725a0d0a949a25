// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the window that has to do with the view: which cells and genes are shown.
#include "app/gui/bar.h"
#include "app/gui/filter_bar.h"
#include "app/gui/filters_panel.h"
#include "app/gui/main_window.h"
#include "app/gui/program.h"
#include "app/gui/session.h"
#include "app/gui/status_line.h"
#include "app/gui/view_chooser.h"
#include "app/gui/view_status.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"

#include <QtCore/QSettings>
#include <QtGui/QAction>
#include <QtWidgets/QDockWidget>
#include <QtWidgets/QMenu>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QToolBar>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

const QString kFiltersKey = u"window/filters"_s;
constexpr int kWideEnough = 1440; // of a window, for the dock to be open at first

} // namespace

void MainWindow::makeFilterActions(QMenu* menu)
{
    ViewModel& view = m_session->view();
    add(menu, u"undo"_s, u"Undo"_s, u"Back to the view before"_s, QKeySequence::Undo, u"arrow-back-up"_s,
        [&view] { view.undo(); });
    // Qt's standard key for redo is Ctrl+Y on some systems only.
    QAction* redo = add(menu, u"redo"_s, u"Redo"_s, u"Forward again"_s, QKeySequence(u"Ctrl+Shift+Z"_s),
                        u"arrow-forward-up"_s, [&view] { view.redo(); });
    redo->setShortcuts({QKeySequence(u"Ctrl+Shift+Z"_s), QKeySequence(u"Ctrl+Y"_s)});
    menu->addSeparator();
    m_fileActions.push_back(add(menu, u"filter"_s, u"Filter…"_s, u"Write a filter for cells or genes"_s,
                                QKeySequence(u"Ctrl+Shift+F"_s), u"filter"_s,
                                [this] { m_file->filterBar()->focusField(); }));
    m_fileActions.push_back(add(menu, u"keepView"_s, u"Keep this view as…"_s,
                                u"Keep these cells and genes for later, outside the file"_s,
                                QKeySequence(u"Ctrl+Shift+K"_s), u"bookmark"_s, [this] { m_views->askAndKeep(); }));
    add(menu, u"showAll"_s, u"Show all cells and genes"_s, u"Take away all filters"_s, {}, u"eye"_s,
        [&view] { view.reset(); });
    menu->addSeparator();
}

void MainWindow::makeFiltersDock()
{
    m_filters = new FiltersPanel(*m_session, this);
    m_filtersDock = new QDockWidget(u"Filters"_s, this);
    m_filtersDock->setObjectName(u"filtersDock"_s);
    m_filtersDock->setFeatures(QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetClosable);
    m_filtersDock->setTitleBarWidget(m_filters->titleBar());
    m_filtersDock->setWidget(m_filters);
    addDockWidget(Qt::RightDockWidgetArea, m_filtersDock);
    resizeDocks({m_filtersDock}, {measures::kRightDock}, Qt::Horizontal);
}

void MainWindow::connectFilters()
{
    connect(m_filters, &FiltersPanel::closeRequested, this, [this] { setFiltersShown(false); });
    connect(m_filters, &FiltersPanel::keepViewRequested, this, [this] { m_views->askAndKeep(); });
    connect(m_filters, &FiltersPanel::editRequested, m_file->filterBar(), &FilterBar::editStep);
    connect(m_file->filterBar(), &FilterBar::cardsRequested, this, [this] { setFiltersShown(!areFiltersShown()); });
    connect(m_file, &FilePage::axisChanged, m_filters, &FiltersPanel::setAxis);
    connect(m_session.get(), &Session::factsFound, this, [this] {
        m_filters->setSymbols(m_session->facts().symbols, m_session->facts().rawSymbols);
    });
    // With the file, not on the start page; open at first where there is room for it.
    connect(m_pages, &QStackedWidget::currentChanged, this, [this] {
        const bool roomy = width() >= kWideEnough;
        const bool wanted = m_program.remembersViews() ? QSettings().value(kFiltersKey, roomy).toBool() : m_filtersWanted;
        m_filtersDock->setVisible(page() == Page::File && wanted);
    });
}

bool MainWindow::areFiltersShown() const
{
    return !m_filtersDock->isHidden();
}

void MainWindow::setFiltersShown(bool shown)
{
    m_filtersWanted = shown;
    if (m_program.remembersViews())
        QSettings().setValue(kFiltersKey, shown);
    m_filtersDock->setVisible(shown && page() == Page::File);
}

void MainWindow::makeFilterTools(QToolBar* bar)
{
    bar->addSeparator();
    for (const QString& id : {u"undo"_s, u"redo"_s}) {
        auto* tool = new QAction(actionNamed(id)->icon(), QString(), this);
        tool->setObjectName(id + u"Tool"_s);
        connect(tool, &QAction::triggered, actionNamed(id), &QAction::trigger);
        bar->addAction(tool);
        m_historyTools.push_back(tool);
    }
    bar->addSeparator();
    m_views = new ViewChooser(m_session->view(), m_session->keptViews(), bar);
    m_viewsPlace = bar->addWidget(m_views);
}

void MainWindow::connectView()
{
    ViewModel& view = m_session->view();
    m_viewStatus = new ViewStatus(view, m_status);
    m_status->insertWidget(1, m_viewStatus);
    connect(&view, &ViewModel::viewChanged, this, &MainWindow::updateView);
    connect(&view, &ViewModel::historyChanged, this, &MainWindow::updateHistory);
    connect(&view, &ViewModel::picksDropped, this, [this](int steps) {
        say(u"%1 by hand cannot be told by their number in the changed file and were let go."_s.arg(
            countedText(steps, u"set of rows picked"_s, u"sets of rows picked"_s)));
    });
    connect(&view, &ViewModel::picksFound, this, &MainWindow::say);
    const KeptViewList& kept = m_session->keptViews();
    connect(&kept, &KeptViewList::said, this, &MainWindow::say);
    connect(&kept, &KeptViewList::failed, this, [this](const Error& error) { say(errorText(error)); });
    connect(m_file, &FilePage::axisChanged, m_viewStatus, &ViewStatus::setAxis);
    connect(m_file, &FilePage::helpRequested, this, &MainWindow::showHelp);
    connectFilters();
    updateHistory();
}

void MainWindow::updateView()
{
    const ViewModel& view = m_session->view();
    const bool shown = page() == Page::File && view.view().dataset() && view.view().dataset() == m_session->dataset();
    if (shown)
        m_status->setExtent(ViewStatus::extentOf(view));
    m_viewStatus->refresh();
    m_viewStatus->setVisible(shown && !m_viewStatus->isHidden());
    updateHistory();
}

void MainWindow::updateHistory()
{
    const ViewModel& view = m_session->view();
    const bool open = page() == Page::File;
    const auto set = [&](const QString& id, const QString& word, bool can, const QString& what) {
        QAction* action = actionNamed(id);
        action->setEnabled(open && can);
        action->setText(can ? word + u": "_s + what.left(60).replace(u'&', u"&&"_s) : word);
        giveToolTip(action, action->text().replace(u"&&"_s, u"&"_s));
        for (QAction* tool : m_historyTools)
            if (tool->objectName() == id + u"Tool"_s) {
                tool->setEnabled(action->isEnabled());
                tool->setToolTip(action->toolTip());
            }
    };
    set(u"undo"_s, u"Undo"_s, view.canUndo(), view.undoText());
    set(u"redo"_s, u"Redo"_s, view.canRedo(), view.redoText());
    m_viewsPlace->setVisible(open);
    actionNamed(u"showAll"_s)->setEnabled(open && view.isNarrowed());
}

} // namespace cellfolio
