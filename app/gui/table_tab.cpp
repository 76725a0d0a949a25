// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/table_tab.h"

#include "app/gui/bar.h"
#include "app/gui/farewell.h"
#include "app/gui/column_chooser.h"
#include "app/gui/go_to_row.h"
#include "app/gui/name_field.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/name_search.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/views/banner.h"
#include "widgets/views/paged_table_view.h"

#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

namespace cellfolio {

using namespace Qt::StringLiterals;

TableTab::TableTab(ModelContext context, Form form, QWidget* parent)
    : QWidget(parent), m_context(context), m_form(form), m_count(new QLabel(this)),
      m_noun(new QLabel(this)), m_sorting(new QLabel(this)),
      m_find(new NameField(context, u"Find a name"_s, this)), m_banner(new Banner(this)),
      m_view(new PagedTableView(this)), m_rowRequest(context.quick)
{
    auto* bar = m_bar = new Bar(this);
    m_count->setFont(fonts::bodySemibold());
    m_noun->setProperty("role", u"quiet"_s);
    m_sorting->setProperty("role", u"quiet"_s);
    bar->addControl(m_count);
    bar->addControl(m_noun);
    bar->addControl(m_sorting);
    m_stopSorting = bar->addTool(u"x"_s, {}, u"Stop sorting"_s);
    bar->addStretch();
    m_find->setFixedWidth(form == Form::Whole ? 220 : 180);
    m_find->setKeyHint(form == Form::Whole ? u"Ctrl+F"_s : QString());
    bar->addControl(m_find);
    m_columns = bar->addTool(u"columns"_s, u"Columns"_s, u"Choose the columns to show"_s);
    QToolButton* copyButton
        = bar->addTool(u"copy"_s, {}, u"Copy the selected rows with column names · Ctrl+Shift+C"_s);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(m_banner);
    layout->addWidget(m_view, 1);
    m_banner->hide();
    showSortState();
    setFocusProxy(m_view);

    connect(m_columns, &QToolButton::clicked, this, &TableTab::chooseColumns);
    connect(copyButton, &QToolButton::clicked, this, [this] { copy(true); });
    connect(m_stopSorting, &QToolButton::clicked, this, [this] {
        if (m_source)
            m_source->cancelSort();
        showSortState();
    });
    connect(m_find, &NameField::picked, this, [this](qint64 row) { goToFileRow(row); });
    connect(m_view, &PagedTableView::sortRequested, this, &TableTab::sortBy);
    connect(m_view, &PagedTableView::headerMenuRequested, this, &TableTab::headerMenu);
    connect(m_view, &PagedTableView::contextMenuRequested, this, &TableTab::rowMenu);
    connect(m_view, &PagedTableView::selectionChanged, this, &TableTab::selectionChanged);
    connect(m_view, &PagedTableView::copyRefused, this, &TableTab::statusMessage);
    connect(m_view, &PagedTableView::copied, this, [this](qint64 rows, qint64 columns) {
        Q_EMIT statusMessage(u"Copied %1 × %2."_s.arg(countedText(rows, u"row"_s, u"rows"_s),
                                                      countedText(columns, u"column"_s, u"columns"_s)));
    });
    connect(m_view, &PagedTableView::currentCellChanged, this, [this](qint64 row, int column) {
        if (!m_source || row < 0 || column < 0 || row >= m_source->rowCount())
            return;
        Q_EMIT rowPicked(m_source->fileRow(row));
        if (m_form == Form::Whole)
            Q_EMIT columnPicked(m_source->elementOfColumn(m_source->shownColumns()[static_cast<std::size_t>(column)]));
    });
}

QToolButton* TableTab::addTool(const QString& iconName, const QString& toolTip)
{
    return m_bar->addTool(iconName, {}, toolTip, true);
}

TableTab::~TableTab()
{
    partFromChildren(*this);
    m_view->setSource(nullptr);
}

void TableTab::setTable(std::shared_ptr<const Dataset> dataset, const Element& table, const QString& one,
                        const QString& many)
{
    clear();
    m_dataset = std::move(dataset);
    m_one = one;
    m_many = many;
    m_source = std::make_unique<FrameSource>(m_context, m_dataset, table);
    connect(m_source.get(), &FrameSource::filled, this, &TableTab::filled);
    connect(m_source.get(), &FrameSource::sortStarted, this, &TableTab::showSortState);
    connect(m_source.get(), &FrameSource::orderAboutToChange, this, &TableTab::keepSelection);
    connect(m_source.get(), &FrameSource::sorted, this, &TableTab::ordered);
    connect(m_source.get(), &FrameSource::sortFailed, this, [this](const Error& error) {
        m_restoring.reset();
        showSortState();
        sayTrouble(error);
    });
    connect(m_source.get(), &FrameSource::readFailed, this, &TableTab::sayTrouble);
    m_view->setSource(m_source.get());
    m_view->setAccessibleName(u"Table of "_s + many);
    updateFind();
    m_find->setPlaceholderText(u"Find a "_s + one);
    updateCount();
    showSortState();
}

void TableTab::clear()
{
    m_rowRequest.cancel();
    m_view->setSource(nullptr);
    m_source.reset();
    m_symbols = nullptr;
    m_find->setPlace({});
    m_banner->hide();
    m_dataset.reset();
    m_kept.reset();
    m_restoring.reset();
    m_columnsChosen = false;
    m_count->clear();
    m_noun->clear();
}

void TableTab::setSymbols(const Element* column)
{
    if (!m_source || column == nullptr)
        return;
    if (!m_columnsChosen)
        m_source->setLeadColumn(column);
    m_symbols = column;
    updateFind();
}

void TableTab::setRows(const Selection& rows)
{
    if (!m_source || rows.extent() != m_source->rows().extent())
        return;
    m_source->setRows(rows);
    updateFind();
}

// Names are looked for among the rows that are shown.
void TableTab::updateFind()
{
    NameQuery place{m_dataset, &m_source->table(), m_symbols, {}, 12};
    if (!m_source->rows().isAll())
        place.rows = m_source->rows();
    m_find->setPlace(std::move(place));
}

void TableTab::updateCount()
{
    if (!m_source)
        return;
    m_count->setText(countText(m_source->rowCount()));
    const Index all = m_source->table().rows;
    const bool narrowed = m_source->rowCount() < all;
    m_noun->setText((narrowed ? u"of "_s + countedText(all, m_one, m_many)
                              : (m_source->rowCount() == 1 ? m_one : m_many))
                    + u" · "_s
                    + (m_source->columnCount() == m_source->allColumnCount()
                           ? countedText(m_source->columnCount() - 1, u"column"_s, u"columns"_s)
                           : u"%1 of %2 columns"_s.arg(countText(m_source->columnCount()),
                                                       countText(m_source->allColumnCount()))));
}

void TableTab::goToFileRow(Index row)
{
    if (!m_source)
        return;
    const qint64 place = m_source->placeOf(row);
    if (place >= 0)
        m_view->goToRow(place);
    else
        Q_EMIT statusMessage(u"This %1 is not among those shown: the filters leave it out."_s.arg(m_one));
}

void TableTab::goToColumn(const Element& column)
{
    if (!m_source)
        return;
    const int any = m_source->columnOf(&column);
    if (any < 0)
        return;
    if (m_source->shownPlaceOf(any) < 0) {
        std::vector<int> shown = m_source->shownColumns();
        shown.push_back(any);
        m_source->setShownColumns(std::move(shown));
        updateCount();
    }
    m_view->scrollToCell({std::max<qint64>(m_view->firstVisibleRow(), 0), m_source->shownPlaceOf(any)});
}

void TableTab::askForRow()
{
    if (!m_source || m_source->rowCount() == 0)
        return;
    const Index rows = m_source->table().rows;
    const auto text = askForRowNumber(this, u"Number of the row in the file"_s, rows);
    if (!text)
        return;
    if (const auto row = parseRow(*text, rows))
        goToFileRow(*row);
    else
        Q_EMIT statusMessage(noSuchRow(*text, rows));
}

void TableTab::focusFind()
{
    m_find->setFocus(Qt::ShortcutFocusReason);
    m_find->selectAll();
}

void TableTab::chooseColumns()
{
    if (!m_source)
        return;
    ColumnChooser chooser(*m_source, this);
    if (chooser.exec() != QDialog::Accepted)
        return;
    m_source->setShownColumns(chooser.chosen());
    updateCount();
    showSortState();
}

void TableTab::copy(bool withHeaders)
{
    m_view->copy(withHeaders ? PagedTableView::CopyHeaders::With : PagedTableView::CopyHeaders::Without);
}

// A click on a column goes ascending, descending, file order.
void TableTab::sortBy(int column)
{
    if (!m_source)
        return;
    SortMark mark = SortMark::Ascending;
    if (m_source->sortColumn() == column)
        mark = m_source->sortMark() == SortMark::Ascending ? SortMark::Descending : SortMark::None;
    m_source->sortBy(column, mark);
}

void TableTab::showSortState()
{
    const bool busy = m_source && m_source->isSorting();
    m_sorting->setVisible(busy);
    m_sorting->setText(busy ? u"Sorting…"_s : QString());
    m_stopSorting->setVisible(busy);
    if (m_source)
        m_view->setSort(m_source->sortColumn(), m_source->sortMark());
}

void TableTab::sayTrouble(const Error& error)
{
    m_banner->showMessage(Banner::Tone::Error, errorText(error));
}

void TableTab::headerMenu(int column, const QPoint& where)
{
    if (!m_source || column < 0)
        return;
    const std::vector<int> shown = m_source->shownColumns();
    QMenu menu(this);
    menu.addAction(icon("chevron-up"), u"Sort ascending"_s, this,
                   [this, column] { m_source->sortBy(column, SortMark::Ascending); });
    menu.addAction(icon("chevron-down"), u"Sort descending"_s, this,
                   [this, column] { m_source->sortBy(column, SortMark::Descending); });
    QAction* fileOrder = menu.addAction(u"Order of the file"_s, this,
                                        [this] { m_source->sortBy(-1, SortMark::None); });
    fileOrder->setEnabled(m_source->sortColumn() >= 0);
    menu.addSeparator();
    QAction* hide = menu.addAction(icon("eye-off"), u"Hide this column"_s, this, [this, column, shown] {
        std::vector<int> rest = shown;
        rest.erase(rest.begin() + column);
        m_source->setShownColumns(std::move(rest));
        updateCount();
        showSortState();
    });
    hide->setEnabled(shown.size() > 1);
    menu.addAction(icon("columns"), u"Choose columns…"_s, this, &TableTab::chooseColumns);
    menu.addSeparator();
    menu.addAction(icon("copy"), u"Copy the name"_s, this, [this, column, shown] {
        QGuiApplication::clipboard()->setText(
            m_source->nameOfColumn(shown[static_cast<std::size_t>(column)]));
    });
    menu.exec(where);
}

void TableTab::rowMenu(qint64 row, int column, const QPoint& where)
{
    if (!m_source || row < 0 || column < 0)
        return;
    QMenu menu(this);
    menu.addAction(icon("copy"), u"Copy"_s, QKeySequence(QKeySequence::Copy), this,
                   [this] { copy(false); });
    menu.addAction(u"Copy with column names"_s, QKeySequence(u"Ctrl+Shift+C"_s), this,
                   [this] { copy(true); });
    menu.addAction(u"Copy this value"_s, this, [this, row, column] {
        QGuiApplication::clipboard()->setText(m_source->fullText(row, column));
    });
    menu.addSeparator();
    const bool any = !m_view->selectedRows().empty();
    menu.addAction(icon("filter"), u"Show only the selected rows"_s, this, [this] { chooseSelected(true); })
        ->setEnabled(any);
    menu.addAction(icon("eraser"), u"Take the selected rows out"_s, this, [this] { chooseSelected(false); })
        ->setEnabled(any);
    menu.exec(where);
}

void TableTab::chooseSelected(bool only)
{
    const auto rows = m_source->fileRowsOf(m_view->selectedRows());
    if (!rows) {
        Q_EMIT statusMessage(u"These are too many rows, and too scattered, to be picked in this order. Go back to the file's order first."_s);
        return;
    }
    IndexSetBuilder builder(m_source->table().rows);
    for (const RangeSet::Range& range : rows->ranges())
        builder.addRun(range.first, range.last - range.first + 1);
    const Selection chosen = Selection::of(std::move(builder).take());
    const QString count = countedText(chosen.size(), u"picked "_s + m_one, u"picked "_s + m_many);
    Q_EMIT onlyRowsRequested(only ? chosen : ~chosen, only ? count : u"without "_s + count);
}

// What is selected are cells, not places: they stay selected when the order changes.
void TableTab::keepSelection()
{
    m_kept = m_source->fileRowsOf(m_view->selectedRows());
    if (!m_kept)
        Q_EMIT statusMessage(u"The selection of %1 was let go: too many, and scattered, to follow into another order."_s
                                 .arg(countedText(m_view->selectedRows().count(), u"row"_s, u"rows"_s)));
}

void TableTab::ordered()
{
    const std::optional<RangeSet> kept = std::exchange(m_kept, std::nullopt);
    m_view->setSelectedRows(kept ? m_source->placesOf(*kept) : RangeSet());
    updateCount();
    showSortState();
    if (const auto state = std::exchange(m_restoring, std::nullopt)) {
        showPlaceAgain(*state);
        return;
    }
    // Who sorts wants to see the first of them.
    m_view->setOffset({m_view->offset().x, 0});
    m_view->setCurrentCell({0, m_view->currentCell().column});
}

TableState TableTab::state() const
{
    TableState state;
    if (!m_source || m_source->rowCount() == 0)
        return state;
    const auto nameOf = [&](int any) {
        const Element* column = m_source->elementOfColumn(any);
        return column == nullptr ? QString() : toQString(column->name);
    };
    const std::vector<int>& shown = m_source->shownColumns();
    if (static_cast<int>(shown.size()) < m_source->allColumnCount() || m_columnsChosen) {
        state.columns.emplace();
        for (const int any : shown)
            state.columns->append(nameOf(any));
    }
    for (const auto& [column, width] : m_view->chosenWidths())
        state.widths.emplace_back(nameOf(shown[static_cast<std::size_t>(column)]), width);
    if (m_source->sortColumn() >= 0) {
        state.sortMark = m_source->sortMark();
        state.sortColumn = nameOf(shown[static_cast<std::size_t>(m_source->sortColumn())]);
    }
    state.hadSelection = !m_view->selectedRows().empty();
    state.selected = m_source->fileRowsOf(m_view->selectedRows());
    state.offset = m_view->offset();
    const auto named = [&](qint64 place) {
        return NamedRow{m_source->fileRow(place), toStdString(m_source->nameAt(place))};
    };
    const PagedTableView::Cell cell = m_view->currentCell();
    if (cell.row >= 0 && cell.row < m_source->rowCount()) {
        state.current = named(cell.row);
        state.currentColumn = cell.column;
    }
    const qint64 first = std::clamp<qint64>(m_view->firstVisibleRow(), 0, m_source->rowCount() - 1);
    const bool focusInView = cell.row >= first && cell.row <= m_view->lastVisibleRow();
    state.seen = focusInView ? state.current : named(first);
    return state;
}

void TableTab::restore(const TableState& state)
{
    if (!m_source || state.seen.row < 0)
        return;
    const auto columnNamed = [&](const QString& name) {
        const Element* column = name.isEmpty() ? nullptr : m_source->table().child(toStdString(name));
        return name.isEmpty() ? 0 : m_source->columnOf(column);
    };
    if (state.columns) {
        std::vector<int> shown;
        for (const QString& name : *state.columns)
            if (const int any = columnNamed(name); any >= 0)
                shown.push_back(any);
        if (!shown.empty()) {
            m_columnsChosen = true;
            m_source->setShownColumns(std::move(shown));
            updateCount();
        }
    }
    for (const auto& [name, width] : state.widths)
        m_view->setColumnWidth(m_source->shownPlaceOf(columnNamed(name)), width);
    const int sorted = state.sortMark == SortMark::None ? -1 : m_source->shownPlaceOf(columnNamed(state.sortColumn));
    if (sorted >= 0) {
        m_restoring = state;
        m_source->sortBy(sorted, state.sortMark);
    } else {
        showPlaceAgain(state);
    }
}

// By number at once; whether that is still the same row is asked in the background.
void TableTab::showPlaceAgain(const TableState& state)
{
    m_view->setCurrentCell({m_source->placeOf(state.current.row), state.currentColumn});
    m_view->setSelectedRows(state.selected ? m_source->placesOf(*state.selected) : RangeSet());
    m_view->setOffset(state.offset);
    if (state.seen.name.empty())
        return;
    m_rowRequest.request<std::optional<Index>>(
        [dataset = m_dataset, table = &m_source->table(), seen = state.seen,
         reading = m_context.reading](std::stop_token stop) {
            return findRowAgain(dataset, *table, seen.name, seen.row, reading, stop);
        },
        [this, state](Result<std::optional<Index>> now) {
            if (now && m_source)
                goToMovedRow(state, *now);
            else if (!now)
                sayTrouble(now.error());
        });
}

void TableTab::goToMovedRow(const TableState& state, std::optional<Index> now)
{
    if (now == state.seen.row)
        return;
    const QString name = toQString(state.seen.name);
    m_view->clearSelection();
    if (!now) {
        Q_EMIT statusMessage(u"%1 is no longer in the file."_s.arg(name));
        return;
    }
    const qint64 place = m_source->placeOf(*now);
    if (place < 0)
        return;
    const bool alone = state.selected && state.selected->count() == 1 && state.selected->contains(state.seen.row);
    if (alone)
        m_view->goToRow(place);
    else
        m_view->setOffset({m_view->offset().x, place * m_view->rowHeight()});
    if (state.hadSelection && !alone)
        Q_EMIT statusMessage(u"The rows have moved in the file: %1 was found again by name, the selection was let go."_s
                                 .arg(name));
    else
        Q_EMIT statusMessage(u"The rows have moved in the file: %1 was found again by name."_s.arg(name));
}

QString TableTab::selectionText() const
{
    const qint64 rows = m_view->selectedRows().count();
    return rows == 0 ? QString() : countedText(rows, u"row"_s, u"rows"_s) + u" selected"_s;
}

} // namespace cellfolio
