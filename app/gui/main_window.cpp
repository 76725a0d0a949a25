// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/main_window.h"

#include "app/gui/details_panel.h"
#include "app/gui/embedding_tab.h"
#include "app/gui/farewell.h"
#include "app/gui/filters_panel.h"
#include "app/gui/findings_tab.h"
#include "app/gui/modality_page.h"
#include "app/gui/program.h"
#include "app/gui/session.h"
#include "app/gui/status_line.h"
#include "app/gui/structure_panel.h"
#include "app/gui/table_tab.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/dataset_summary.h"
#include "widgets/models/element_text.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/views/empty_view.h"
#include "widgets/views/start_page.h"

#include <QtCore/QFileInfo>
#include <QtCore/QMimeData>
#include <QtCore/QSettings>
#include <QtCore/QTimer>
#include <QtCore/QLocale>
#include <QtCore/QUrl>
#include <QtGui/QAction>
#include <QtGui/QClipboard>
#include <QtGui/QCloseEvent>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QDockWidget>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QSplitter>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr int kLayoutVersion = 1;
// A little more than the pictures have: "1,000,000 × 20,000" beside a chip must not be cut.
constexpr int kDockWidth = measures::kLeftDock + 16;
constexpr int kSlowAfter = 300; // ms until it is said what is awaited

} // namespace

MainWindow::MainWindow(Program& program)
    : m_program(program), m_session(std::make_unique<Session>(program.context())),
      m_pages(new QStackedWidget(this)), m_start(new StartPage(this)), m_waiting(new EmptyView(this)),
      m_problem(new EmptyView(this)), m_modalities(new ModalityPage(this)),
      m_file(new FilePage(*m_session, this)), m_structure(new StructurePanel(this)),
      m_details(new DetailsPanel(*m_session, this)), m_status(new StatusLine(program.context(), this)),
      m_slow(new QTimer(this))
{
    setWindowIcon(windowIcon());
    setAcceptDrops(true);
    setStatusBar(m_status);
    for (QWidget* page : std::initializer_list<QWidget*>{m_start, m_waiting, m_modalities, m_file, m_problem})
        m_pages->addWidget(page);
    setCentralWidget(m_pages);
    makeDocks();
    makeActions();
    makeToolBar();
    connectSession();
    connectView();
    connectGenes();
    connectJobs();

    m_start->setMemoryBudget(program.context().reading->budget().limit());
    m_start->setExampleAvailable(!program.examplePath().isEmpty());
    connect(m_start, &StartPage::openRequested, this, &MainWindow::chooseFile);
    connect(m_start, &StartPage::exampleRequested, this,
            [this] { m_program.open(m_program.examplePath(), this); });
    connect(m_start, &StartPage::fileRequested, this, [this](const QString& path) { m_program.open(path, this); });
    connect(m_start, &StartPage::filesDropped, this, [this](const QStringList& paths) {
        for (const QString& path : paths)
            m_program.open(path, this);
    });
    connect(m_start, &StartPage::clearRequested, this, [this] {
        m_program.recentFiles().clear();
        m_program.recentFilesChanged();
    });
    connect(m_start, &StartPage::forgetRequested, this, [this](const QString& path) {
        m_program.recentFiles().forget(path);
        m_program.recentFilesChanged();
    });
    connect(m_modalities, &ModalityPage::chosen, this, [this](const QString& modality) {
        open(QString::fromStdString(m_session->dataset()->file().path().string()) + u"::"_s + modality);
    });
    connect(m_waiting, &EmptyView::buttonClicked, this, [this] {
        m_session->abandon();
        m_slow->stop();
        m_pages->setCurrentWidget(m_session->dataset() ? static_cast<QWidget*>(m_file) : m_start);
        updateActions();
    });
    connect(m_problem, &EmptyView::buttonClicked, this, &MainWindow::afterProblem);
    connect(m_problem, &EmptyView::secondButtonClicked, this, [this] {
        if (m_session->problem())
            QGuiApplication::clipboard()->setText(m_session->location() + u'\n'
                                                  + toQString(m_session->problem()->describe()));
    });
    m_slow->setSingleShot(true);
    m_slow->setInterval(kSlowAfter);
    connect(m_slow, &QTimer::timeout, this, [this] {
        if (m_session->state() != Session::State::Opening)
            return;
        m_waiting->setContent({u"clock"_s, u"Opening %1"_s.arg(QFileInfo(m_session->location()).fileName()),
                               u"Its structure is being read. On a slow disk or network this may take a while."_s,
                               u"Give up"_s, {}, false});
        m_pages->setCurrentWidget(m_waiting);
    });
    updateRecentFiles();
    updateTitle();
    updateActions();
    restoreLayout();
    m_structureDock->hide();
    m_filtersDock->hide();
    m_jobsDock->hide();
}

MainWindow::~MainWindow()
{
    partFromChildren(*this);
    disconnect(&m_program, nullptr, this, nullptr);
    disconnect(m_session.get(), nullptr, this, nullptr);
    // Children speak to the session until the end; they go before it.
    delete m_structureDock;
    delete m_filtersDock;
    delete m_jobsDock;
    delete m_pages;
}

void MainWindow::makeDocks()
{
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    m_structureDock = new QDockWidget(u"Structure"_s, this);
    m_structureDock->setObjectName(u"structureDock"_s);
    m_structureDock->setFeatures(QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetClosable);
    auto* title = new QLabel(u"Structure"_s, m_structureDock);
    title->setFont(fonts::tableSemibold());
    title->setFixedHeight(measures::kDockTitle);
    title->setContentsMargins(12, 0, 12, 0);
    m_structureDock->setTitleBarWidget(title);
    auto* splitter = new QSplitter(Qt::Vertical, m_structureDock);
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(m_structure);
    splitter->addWidget(m_details);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({420, 240});
    m_structureDock->setWidget(splitter);
    addDockWidget(Qt::LeftDockWidgetArea, m_structureDock);
    resizeDocks({m_structureDock}, {kDockWidth}, Qt::Horizontal);
    makeFiltersDock();
    makeJobsDock();
}

void MainWindow::connectSession()
{
    connect(m_session.get(), &Session::opening, this, &MainWindow::opening);
    connect(m_session.get(), &Session::opened, this, &MainWindow::opened);
    connect(m_session.get(), &Session::failed, this, &MainWindow::failed);
    connect(m_session.get(), &Session::holdsFound, this, [this](const Element* matrix) {
        if (matrix == nullptr) {
            updateGeneBox();
            return;
        }
        if (const HoldsResult* holds = m_session->holdsOf(*matrix))
            m_structure->model()->setHolds(matrix->path, *holds);
        if (m_details->element() == matrix)
            m_details->refresh();
    });
    connect(m_session.get(), &Session::factsFound, this, &MainWindow::updateGeneBox);
    connect(m_session.get(), &Session::changedOnDisk, this, [this](const QDateTime& when) {
        m_file->sayChangedOnDisk(
            u"%1 was changed by another program at %2. You still see what was read before."_s.arg(
                fileNameOf(*m_session->dataset()), QLocale().toString(when.time(), u"HH:mm"_s)));
    });
    connect(m_session.get(), &Session::writerFound, this, [this] {
        m_file->sayBeingWritten(
            u"Another program has %1 open for writing; what you see may be half written."_s.arg(
                fileNameOf(*m_session->dataset())));
    });
    connect(m_session.get(), &Session::sizeFound, this, [this](const Element* element, qint64 bytes) {
        m_structure->model()->setStoredBytes(element->path, bytes);
    });
    connect(m_structure, &StructurePanel::picked, this, [this](const Element* element) {
        m_details->showElement(element);
    });
    connect(m_structure, &StructurePanel::activated, this, [this](const Element* element) {
        m_details->showElement(element);
        m_file->showElement(*element);
        updateActions();
    });
    connect(m_details, &DetailsPanel::bytesFound, this, [this](const Element* element, qint64 bytes) {
        m_structure->model()->setStoredBytes(element->path, bytes);
    });
    connect(m_file, &FilePage::elementPicked, this, &MainWindow::elementPicked);
    connect(m_file, &FilePage::valuePicked, m_details, &DetailsPanel::showValue);
    connect(m_file, &FilePage::reloadRequested, m_session.get(), &Session::reload);
    connect(m_file, &FilePage::statusMessage, this, &MainWindow::say);
    connect(m_file, &FilePage::selectionChanged, this, [this] {
        m_status->setSelection(m_file->selectionText());
        updateActions();
    });
    connect(m_file, &FilePage::filled, this, [this] {
        if (!isFirstScreenFilled())
            return;
        m_status->measure();
        Q_EMIT firstScreenFilled();
    });
    connect(m_status, &StatusLine::findingsClicked, this, [this] { m_file->showTab(FilePage::Tab::Findings); });
    connect(&m_program, &Program::windowsChanged, this, &MainWindow::updateWindowMenu);
}

MainWindow::Page MainWindow::page() const
{
    const QWidget* page = m_pages->currentWidget();
    return page == m_start      ? Page::Start
        : page == m_waiting     ? Page::Waiting
        : page == m_modalities  ? Page::Modalities
        : page == m_file        ? Page::File
                                : Page::Problem;
}

void MainWindow::open(const QString& location)
{
    m_session->open(location);
}

void MainWindow::opening()
{
    m_slow->start();
    updateTitle();
    Q_EMIT fileChanged();
}

void MainWindow::opened()
{
    m_slow->stop();
    const Dataset& dataset = *m_session->dataset();
    const bool again = m_shownLocation == m_session->location();
    m_shownLocation = m_session->location();
    m_details->showElement(nullptr);
    m_structure->setDataset(m_session->dataset());
    m_structureDock->show();
    m_status->setFileOpen(true);
    if (dataset.isWhole() && dataset.modalities().size() > 1) {
        m_modalities->setDataset(dataset);
        m_pages->setCurrentWidget(m_modalities);
        m_status->setExtent(countedText(static_cast<Index>(dataset.modalities().size()), u"data set"_s, u"data sets"_s));
    } else {
        m_file->showDataset(again ? FilePage::Shown::Again : FilePage::Shown::First);
        m_filters->showDataset(again ? FiltersPanel::Shown::Again : FiltersPanel::Shown::First);
        m_pages->setCurrentWidget(m_file);
        m_status->setExtent(extentText(dataset).replace(u" × "_s, u" · "_s));
        updateView();
        if (QWidget* tab = m_file->currentWidget())
            tab->setFocus();
        m_status->setFindings(m_file->findings()->model()->quietSentence());
    }
    if (m_details->element() == nullptr)
        m_details->showElement(&dataset.root());
    updateTitle();
    RecentFiles::Entry entry = m_program.recentFiles().of(m_session->location());
    if (m_program.remembersViews() && page() == Page::File && !again) {
        if (const auto tab = FilePage::tabNamed(entry.tab))
            m_file->showTab(*tab);
        if (!entry.colorBy.isEmpty())
            m_file->embedding()->colorBy(entry.colorBy);
    }
    entry.path = m_session->location();
    if (dataset.nObs() && dataset.nVars())
        entry.shape = shapeText({*dataset.nObs(), *dataset.nVars()});
    entry.size = sizeText(dataset.file().size());
    entry.when = QDateTime::currentDateTime();
    if (m_program.remembersViews())
        m_program.recentFiles().add(entry);
    m_program.recentFilesChanged();
    updateTitle();
    updateActions();
    Q_EMIT fileChanged();
    if (isFirstScreenFilled())
        Q_EMIT firstScreenFilled();
}

void MainWindow::failed()
{
    m_slow->stop();
    const Error& error = *m_session->problem();
    const QString name = QFileInfo(m_session->location()).fileName();
    const bool gone = error.code() == ErrorCode::NotFound;
    QString sentence = errorSentence(error);
    if (!error.fix().empty())
        sentence += u"\n\n"_s + toQString(error.fix());
    m_problem->setContent({u"alert-circle"_s, u"%1 cannot be opened"_s.arg(name), sentence,
                           gone ? u"Choose a file…"_s : u"Try again"_s, u"Copy details"_s, true});
    m_pages->setCurrentWidget(m_problem);
    m_structureDock->hide();
    m_filtersDock->hide();
    m_status->setFileOpen(false);
    m_status->setFindings({});
    updateTitle();
    updateActions();
    Q_EMIT fileChanged();
    Q_EMIT firstScreenFilled();
}

void MainWindow::afterProblem()
{
    if (m_session->problem() && m_session->problem()->code() == ErrorCode::NotFound)
        chooseFile();
    else
        m_session->reload();
}

void MainWindow::elementPicked(const Element* element)
{
    if (page() != Page::File && element == nullptr)
        return;
    m_structure->showElement(element);
    m_details->showElement(element);
}

bool MainWindow::isFirstScreenFilled() const
{
    if (m_session->state() == Session::State::Opening)
        return false;
    switch (page()) {
    case Page::Start: return m_session->state() == Session::State::Empty;
    case Page::Waiting: return false;
    case Page::Modalities:
    case Page::Problem: return true;
    case Page::File:
        return m_session->state() == Session::State::Open && m_file->isFilled()
            && (!areFiltersShown() || m_filters->isSettled());
    }
    return true;
}

void MainWindow::updateTitle()
{
    const QString path = m_session->location();
    if (path.isEmpty()) {
        setWindowTitle(u"Cellfolio"_s);
        return;
    }
    QString name = QFileInfo(path).fileName();
    if (m_session->state() == Session::State::Open && m_session->dataset())
        name = fileNameOf(*m_session->dataset()) + (path.contains("::"_L1) ? path.mid(path.indexOf("::"_L1)) : QString());
    setWindowTitle(name + u" – Cellfolio"_s);
}

void MainWindow::updateRecentFiles()
{
    m_start->setRecentFiles(m_program.recentFiles().forStartPage(m_missing));
    if (m_recentMenu == nullptr)
        return;
    m_recentMenu->clear();
    for (const RecentFiles::Entry& entry : m_program.recentFiles().entries())
        m_recentMenu->addAction(QFileInfo(entry.path).fileName() + u"    "_s + folderText(entry.path), this,
                                [this, path = entry.path] { m_program.open(path, this); });
    m_recentMenu->setEnabled(!m_recentMenu->isEmpty());
    findMissing();
}

// Whether the files are still there is asked in the background: a disk that sleeps must not hold
// up the first screen.
void MainWindow::findMissing()
{
    QStringList paths;
    for (const RecentFiles::Entry& entry : m_program.recentFiles().entries())
        paths.append(entry.path);
    m_program.context().patient->run<QStringList>(
        this,
        [paths](std::stop_token stop) -> Result<QStringList> {
            QStringList missing;
            for (const QString& path : paths) {
                if (stop.stop_requested())
                    return Error::cancelled();
                if (!QFileInfo::exists(path.left(path.indexOf("::"_L1))))
                    missing.append(path);
            }
            return missing;
        },
        [this](Result<QStringList> missing) {
            if (!missing || *missing == m_missing)
                return;
            m_missing = *missing;
            m_start->setRecentFiles(m_program.recentFiles().forStartPage(m_missing));
        });
}

void MainWindow::chooseFile()
{
    QSettings settings;
    const QStringList paths = QFileDialog::getOpenFileNames(
        this, u"Open"_s, settings.value(u"folder"_s).toString(),
        u"Single-cell files (*.h5ad *.h5mu *.h5 *.hdf5 *.loom);;All files (*)"_s);
    for (const QString& path : paths) {
        settings.setValue(u"folder"_s, QFileInfo(path).absolutePath());
        m_program.open(path, this);
    }
}

void MainWindow::say(const QString& sentence)
{
    m_status->say(sentence);
}

void MainWindow::restoreLayout()
{
    QSettings settings;
    resize(1280, 800);
    if (!m_program.remembersViews())
        return;
    restoreGeometry(settings.value(u"window/geometry"_s).toByteArray());
    restoreState(settings.value(u"window/state"_s).toByteArray(), kLayoutVersion);
    m_file->embedding()->setTableShown(settings.value(u"window/tableBelowMap"_s, true).toBool());
}

void MainWindow::resetLayout()
{
    QSettings().remove(u"window"_s);
    m_structureDock->setVisible(page() == Page::File || page() == Page::Modalities);
    addDockWidget(Qt::LeftDockWidgetArea, m_structureDock);
    resizeDocks({m_structureDock}, {kDockWidth}, Qt::Horizontal);
    addDockWidget(Qt::RightDockWidgetArea, m_filtersDock);
    resizeDocks({m_filtersDock}, {measures::kRightDock}, Qt::Horizontal);
    m_file->embedding()->setTableShown(true);
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    // Jobs are the program's: they go on while another window is open.
    if (m_program.windows().size() <= 1 && !m_program.mayQuit(this)) {
        event->ignore();
        return;
    }
    QSettings settings;
    settings.setValue(u"window/geometry"_s, saveGeometry());
    settings.setValue(u"window/state"_s, saveState(kLayoutVersion));
    settings.setValue(u"window/tableBelowMap"_s, m_file->embedding()->isTableShown());
    if (page() == Page::File) {
        RecentFiles::Entry entry = m_program.recentFiles().of(m_session->location());
        entry.path = m_session->location();
        entry.tab = FilePage::nameOf(m_file->currentTab());
        entry.colorBy = m_file->embedding()->colorColumn();
        m_program.recentFiles().add(entry);
    }
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    bool any = false;
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile()) {
            m_program.open(url.toLocalFile(), this);
            any = true;
        }
    if (any)
        event->acceptProposedAction();
    else
        say(u"Only files of this computer can be opened."_s);
}

void MainWindow::changeEvent(QEvent* event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_status != nullptr)
        setWindowIcon(windowIcon());
}

} // namespace cellfolio
