// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/paged_table_view.h"

#include "widgets/style/fonts.h"
#include "widgets/style/numbers.h"
#include "widgets/views/number_text.h"
#include "widgets/views/header_boxes.h"
#include "widgets/views/profile_header.h"
#include "widgets/views/table_copy.h"

#include <QtCore/QLocale>
#include <QtGui/QClipboard>
#include <QtGui/QFontMetrics>
#include <QtGui/QGuiApplication>

#include <algorithm>
#include <cmath>

namespace cellfolio
{

namespace
{

constexpr int kGuessedWidth = 112;
constexpr int kNarrowest = 40;
constexpr int kWidestFitted = 280;
constexpr int kWidest = 2'000;
constexpr int kLabelMargin = 10;

} // namespace

PagedTableView::PagedTableView(QWidget* parent)
    : LongScrollArea(parent), m_header(new ProfileHeader(this))
{
    setViewportMargins(0, measures::scaled(measures::kProfileHeader), 0, 0);
}

void PagedTableView::setHeaderBoxes(std::function<HeaderBox(int column)> describe)
{
    delete m_boxes;
    m_boxes = describe ? new HeaderBoxes(this, std::move(describe)) : nullptr;
    const int boxes = m_boxes ? m_boxes->height() : 0;
    setViewportMargins(0, measures::scaled(measures::kProfileHeader) + boxes, 0, 0);
    placeHeader();
    if (m_boxes) {
        m_boxes->show();
        m_boxes->place();
    }
}

void PagedTableView::placeHeader()
{
    const QRect room = viewport()->geometry();
    const int boxes = m_boxes ? m_boxes->height() : 0;
    m_header->setGeometry(room.left(), room.top() - boxes - m_header->height(), room.width(),
                          m_header->height());
    if (m_boxes)
        m_boxes->setGeometry(room.left(), room.top() - boxes, room.width(), boxes);
}

void PagedTableView::updateHeader()
{
    m_header->update();
    if (m_boxes)
        m_boxes->place();
}

// A source that is our child dies after our members.
PagedTableView::~PagedTableView()
{
    if (m_source)
        m_source->disconnect(this);
}

void PagedTableView::setSource(TableSource* source)
{
    if (m_source)
        m_source->disconnect(this);
    delete m_copy;
    m_source = source;
    if (source) {
        connect(source, &TableSource::changed, this, &PagedTableView::sourceChanged);
        connect(source, &TableSource::profilesChanged, this, &PagedTableView::profilesChanged);
        connect(source, &TableSource::reset, this, &PagedTableView::sourceReset);
        connect(source, &QObject::destroyed, this, [this] {
            m_source = nullptr;
            sourceReset();
        });
    }
    m_sortColumn = -1;
    m_sortMark = SortMark::None;
    m_widths.clear();
    m_widthKinds.clear();
    m_rowsBefore = -1;
    sourceReset();
}

void PagedTableView::sourceReset()
{
    const qint64 rows = m_source ? m_source->rowCount() : 0;
    const int columns = m_source ? m_source->columnCount() : 0;
    const bool sameColumns = columns == int(m_widths.size());
    if (!sameColumns) {
        m_widths.assign(std::size_t(columns), kGuessedWidth);
        m_widthKinds.assign(std::size_t(columns), Width::Guessed);
        m_horizontal.setPosition(0);
    }
    const bool sameRows = rows == m_rowsBefore && rows > 0;
    m_rowsBefore = rows;
    const bool letGo = !sameRows && !m_selected.empty();
    if (!sameRows) {
        m_selected.clear();
        m_selectedBefore.clear();
        m_anchor = -1;
        m_vertical.setPosition(0);
        m_current.row = 0;
    }
    m_hoverRow = -1;
    m_dragging = false;
    m_window = {};
    m_current = rows > 0 && columns > 0
                    ? Cell{std::clamp<qint64>(m_current.row, 0, rows - 1),
                           sameColumns ? std::clamp(m_current.column, 0, columns - 1) : 0}
                    : Cell{};
    updateLabelWidth();
    layoutColumns(0);
    updateScrollBars();
    viewport()->update();
    updateHeader();
    if (m_boxes)
        m_boxes->refresh(); // other columns may stand there now
    if (letGo)
        Q_EMIT selectionChanged();
}

void PagedTableView::sourceChanged(qint64 first, qint64 last)
{
    if (m_window.firstRow < 0 || last < m_window.firstRow || first > m_window.lastRow)
        return;
    fitSeenColumns();
    viewport()->update();
}

// Captions come after the cells; a column whose width nobody has chosen grows once for them.
void PagedTableView::profilesChanged(int first, int last)
{
    int firstMoved = -1;
    for (int column = std::max(first, 0); column <= std::min(last, int(m_widths.size()) - 1);
         ++column) {
        const auto i = std::size_t(column);
        if (m_widthKinds[i] != Width::Fitted)
            continue;
        const int wanted = std::min(profileWidth(m_source->profile(column)), kWidestFitted);
        if (wanted <= m_widths[i])
            continue;
        m_widths[i] = wanted;
        if (firstMoved < 0)
            firstMoved = column;
    }
    if (firstMoved >= 0) {
        layoutColumns(firstMoved);
        updateScrollBars();
        viewport()->update();
    }
    updateHeader();
}

void PagedTableView::updateLabelWidth()
{
    m_labelWidth = 0;
    if (!m_rowLabels || !m_source || m_source->rowCount() <= 0)
        return;
    // The last row's own label need not be the widest where rows are sorted, but numbers of a file
    // do not grow beyond its length by more than a digit.
    const QString widest = QString(m_source->rowLabel(m_source->rowCount() - 1).size(), u'8');
    m_labelWidth =
        std::max(48, int(std::ceil(numberWidth(fonts::caption(), widest))) + 2 * kLabelMargin);
}

void PagedTableView::layoutColumns(int from)
{
    m_lefts.resize(m_widths.size() + 1);
    m_lefts[0] = 0;
    for (std::size_t i = std::size_t(std::max(from, 0)); i < m_widths.size(); ++i)
        m_lefts[i + 1] = m_lefts[i] + m_widths[i];
}

void PagedTableView::updateScrollBars()
{
    const QSize room = viewport()->size();
    const qint64 rows = m_source ? m_source->rowCount() : 0;
    setExtent({room.width() - m_labelWidth, room.height()}, m_lefts.back(), rows * rowHeight());
}

void PagedTableView::moved()
{
    m_hoverRow = -1; // another row is under the pointer now; the next move says which
    viewport()->update();
    updateHeader();
}

int PagedTableView::rowHeight() const
{
    return measures::rowHeight(fonts::table(), measures::kTableRow);
}

bool PagedTableView::hasCells() const
{
    return m_source && !m_widths.empty() && m_source->rowCount() > 0;
}

qint64 PagedTableView::firstVisibleRow() const
{
    return m_vertical.position() / rowHeight();
}

qint64 PagedTableView::lastVisibleRow() const
{
    if (!m_source || m_source->rowCount() <= 0)
        return -1;
    const qint64 bottom = m_vertical.position() + std::max(1, viewport()->height()) - 1;
    return std::min(bottom / rowHeight(), m_source->rowCount() - 1);
}

qint64 PagedTableView::pageRows() const
{
    return std::max<qint64>(1, viewport()->height() / rowHeight() - 1);
}

int PagedTableView::columnAtX(int viewportX) const
{
    if (m_widths.empty() || viewportX < m_labelWidth)
        return -1;
    const qint64 x = m_horizontal.position() + viewportX - m_labelWidth;
    if (x >= m_lefts.back())
        return -1;
    return int(std::upper_bound(m_lefts.begin(), m_lefts.end(), x) - m_lefts.begin()) - 1;
}

QRect PagedTableView::cellRect(Cell cell) const
{
    if (cell.column < 0 || cell.column >= int(m_widths.size()) || cell.row < 0)
        return {};
    const qint64 x = m_labelWidth + m_lefts[std::size_t(cell.column)] - m_horizontal.position();
    const qint64 y = cell.row * rowHeight() - m_vertical.position();
    constexpr qint64 kFar = 1 << 28; // beyond any screen, inside QRect
    return {int(std::clamp(x, -kFar, kFar)), int(std::clamp(y, -kFar, kFar)),
            m_widths[std::size_t(cell.column)], rowHeight()};
}

PagedTableView::Cell PagedTableView::cellAt(QPoint pos) const
{
    const int column = columnAtX(pos.x());
    if (!m_source || column < 0 || pos.y() < 0)
        return {};
    const qint64 row = (m_vertical.position() + pos.y()) / rowHeight();
    return row < m_source->rowCount() ? Cell{row, column} : Cell{};
}

void PagedTableView::announceWindow()
{
    if (!hasCells()) {
        m_window = {};
        return;
    }
    Window now;
    now.firstRow = firstVisibleRow();
    now.lastRow = lastVisibleRow();
    now.firstColumn = std::max(0, columnAtX(m_labelWidth));
    const int last = columnAtX(std::max(viewport()->width() - 1, m_labelWidth));
    now.lastColumn = last >= 0 ? last : int(m_widths.size()) - 1;
    if (now == m_window)
        return;
    m_window = now;
    m_source->want(now.firstRow, now.lastRow, now.firstColumn, now.lastColumn);
    fitSeenColumns();
}

int PagedTableView::fittedWidth(int column, bool& pending) const
{
    const QFont font = fonts::table();
    const QFontMetrics metrics(font);
    int width = std::max(56, profileWidth(m_source->profile(column)));
    if (m_window.firstRow < 0)
        return std::min(width, kWidestFitted);
    for (qint64 row = m_window.firstRow; row <= m_window.lastRow; ++row) {
        const TableCell cell = m_source->cell(row, column);
        if (cell.pending) {
            pending = true;
            continue;
        }
        const QString text = cell.text.left(200);
        const int wide =
            cell.number ? int(std::ceil(numberWidth(font, text))) : metrics.horizontalAdvance(text);
        width = std::max(width, wide + 20 + (cell.dot.isValid() ? 16 : 0));
    }
    return std::min(width, kWidestFitted);
}

// Columns get their width when they are first seen and their cells are there; later texts do not
// move them, nor a width that the user has chosen.
void PagedTableView::fitSeenColumns()
{
    if (m_window.firstColumn < 0)
        return;
    int firstMoved = -1;
    for (int column = m_window.firstColumn; column <= m_window.lastColumn; ++column) {
        const auto i = std::size_t(column);
        if (m_widthKinds[i] != Width::Guessed)
            continue;
        bool pending = false;
        const int width = fittedWidth(column, pending);
        if (!pending)
            m_widthKinds[i] = Width::Fitted;
        if (width != m_widths[i]) {
            m_widths[i] = width;
            if (firstMoved < 0)
                firstMoved = column;
        }
    }
    if (firstMoved < 0)
        return;
    layoutColumns(firstMoved);
    updateScrollBars();
    viewport()->update();
    updateHeader();
}

void PagedTableView::fitColumn(int column)
{
    if (!m_source || column < 0 || column >= int(m_widths.size()))
        return;
    bool pending = false;
    setColumnWidth(column, fittedWidth(column, pending));
    m_widthKinds[std::size_t(column)] = pending ? Width::Guessed : Width::Fitted;
}

void PagedTableView::fitColumns()
{
    std::fill(m_widthKinds.begin(), m_widthKinds.end(), Width::Guessed);
    announceWindow();
    fitSeenColumns();
}

int PagedTableView::columnWidth(int column) const
{
    return m_widths.at(std::size_t(column));
}

void PagedTableView::setColumnWidth(int column, int width)
{
    if (column < 0 || column >= int(m_widths.size()))
        return;
    m_widths[std::size_t(column)] = std::clamp(width, kNarrowest, kWidest);
    m_widthKinds[std::size_t(column)] = Width::ByUser;
    layoutColumns(column);
    updateScrollBars();
    viewport()->update();
    updateHeader();
}

std::vector<std::pair<int, int>> PagedTableView::chosenWidths() const
{
    std::vector<std::pair<int, int>> chosen;
    for (std::size_t i = 0; i < m_widths.size(); ++i)
        if (m_widthKinds[i] == Width::ByUser)
            chosen.emplace_back(int(i), m_widths[i]);
    return chosen;
}

void PagedTableView::setSort(int column, SortMark mark)
{
    m_sortColumn = column;
    m_sortMark = mark;
    updateHeader();
}

void PagedTableView::setRowLabelsShown(bool shown)
{
    m_rowLabels = shown;
    updateLabelWidth();
    updateScrollBars();
    viewport()->update();
    updateHeader();
}

void PagedTableView::setCurrentCell(Cell cell)
{
    if (!hasCells())
        return;
    cell.row = std::clamp<qint64>(cell.row, 0, m_source->rowCount() - 1);
    cell.column = std::clamp(cell.column, 0, int(m_widths.size()) - 1);
    if (cell == m_current)
        return;
    m_current = cell;
    viewport()->update();
    Q_EMIT currentCellChanged(cell.row, cell.column);
}

void PagedTableView::scrollToCell(Cell cell)
{
    if (!hasCells() || cell.row < 0)
        return;
    const qint64 y = std::min(cell.row, m_source->rowCount() - 1) * rowHeight();
    bool moved = m_vertical.show(y, y + rowHeight() - 1);
    if (cell.column >= 0 && cell.column < int(m_widths.size())) {
        const qint64 x = m_lefts[std::size_t(cell.column)];
        moved |= m_horizontal.show(x, x + m_widths[std::size_t(cell.column)] - 1);
    }
    if (moved)
        scrolled();
}

void PagedTableView::goToRow(qint64 row)
{
    if (!hasCells())
        return;
    row = std::clamp<qint64>(row, 0, m_source->rowCount() - 1);
    m_vertical.setPosition(row * rowHeight() - (viewport()->height() - rowHeight()) / 2);
    scrolled();
    setCurrentCell({row, std::max(0, m_current.column)});
    RangeSet one;
    one.add(row, row);
    m_anchor = row;
    setSelectedRows(std::move(one));
}

void PagedTableView::setSelectedRows(RangeSet rows)
{
    if (m_source)
        rows.limit(m_source->rowCount());
    if (rows == m_selected)
        return;
    m_selected = std::move(rows);
    viewport()->update();
    Q_EMIT selectionChanged();
}

void PagedTableView::selectAllRows()
{
    if (!hasCells())
        return;
    RangeSet all;
    all.add(0, m_source->rowCount() - 1);
    setSelectedRows(std::move(all));
}

void PagedTableView::clearSelection()
{
    m_anchor = -1;
    setSelectedRows({});
}

void PagedTableView::copy(CopyHeaders headers)
{
    if (!hasCells())
        return;
    if (m_selected.empty() && headers == CopyHeaders::Without) {
        if (m_current.row >= 0) {
            QString text = m_source->fullText(m_current.row, m_current.column);
            text.truncate(kTextLimit);
            QGuiApplication::clipboard()->setText(text);
            Q_EMIT copied(1, 1);
        }
        return;
    }
    RangeSet rows = m_selected;
    if (rows.empty() && m_current.row >= 0)
        rows.add(m_current.row, m_current.row);
    if (rows.empty())
        return;
    const int columns = m_source->columnCount();
    if (rows.count() > kCopyLimit / columns) {
        Q_EMIT copyRefused(
            tr("Not copied: %1 rows of %2 columns are more than the %3 values that "
               "fit a clipboard. Select fewer rows, or export them.")
                .arg(countText(rows.count()), countText(columns), countText(kCopyLimit)));
        return;
    }
    delete m_copy;
    m_copy = new TableCopy(m_source, std::move(rows), headers == CopyHeaders::With, this);
    connect(m_copy, &TableCopy::finished, this, [this, columns](const QString& text, qint64 n) {
        QGuiApplication::clipboard()->setText(text);
        m_copy->deleteLater();
        m_copy = nullptr;
        m_window = {}; // the copy has asked for other rows; ask for the visible ones again
        announceWindow();
        Q_EMIT copied(n, columns);
    });
    connect(m_copy, &TableCopy::failed, this, [this](const QString& sentence) {
        m_copy->deleteLater();
        m_copy = nullptr;
        Q_EMIT copyRefused(sentence);
    });
    m_copy->proceed();
}

QSize PagedTableView::sizeHint() const
{
    return {900, measures::scaled(measures::kProfileHeader) + 20 * rowHeight()};
}

} // namespace cellfolio
