// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/matrix_grid.h"

#include "widgets/style/fonts.h"
#include "widgets/views/table_copy.h"

#include <QtGui/QClipboard>
#include <QtGui/QFontMetrics>
#include <QtGui/QGuiApplication>
#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>

#include <algorithm>

namespace cellfolio
{

GridSource::~GridSource() = default;

QString GridSource::exactText(qint64 row, qint64 column) const
{
    return value(row, column).text;
}

QString GridSource::whyNot(qint64, qint64) const
{
    return {};
}

QString GridSource::cornerTop() const
{
    return {};
}

QString GridSource::cornerBottom() const
{
    return {};
}

void GridSource::want(const Window&) {}

MatrixGrid::MatrixGrid(QWidget* parent)
    : LongScrollArea(parent), m_cellWidth(measures::scaled(measures::kGridCell))
{
}

// A source that is our child dies after our members.
MatrixGrid::~MatrixGrid()
{
    if (m_source)
        m_source->disconnect(this);
}

void MatrixGrid::setSource(GridSource* source)
{
    if (m_source)
        m_source->disconnect(this);
    m_source = source;
    if (m_widthKind == Width::Fitted) {
        m_widthKind = Width::Usual;
        m_cellWidth = measures::scaled(measures::kGridCell);
    }
    if (source) {
        connect(source, &GridSource::changed, this, [this] {
            fitCells();
            viewport()->update();
        });
        connect(source, &GridSource::reset, this, &MatrixGrid::sourceReset);
        connect(source, &QObject::destroyed, this, [this] {
            m_source = nullptr;
            sourceReset();
        });
    }
    sourceReset();
}

void MatrixGrid::sourceReset()
{
    m_row = -1;
    m_column = -1;
    m_window = {0, -2, 0, -2};
    m_vertical.setPosition(0);
    m_horizontal.setPosition(0);
    updateScrollBars();
    viewport()->update();
    Q_EMIT currentChanged(-1, -1);
}

bool MatrixGrid::hasCells() const
{
    return m_source && m_source->rowCount() > 0 && m_source->columnCount() > 0;
}

int MatrixGrid::cellHeight() const
{
    return measures::rowHeight(fonts::table(), measures::kTableRow);
}

int MatrixGrid::headHeight() const
{
    return measures::scaled(measures::kGridHead);
}

int MatrixGrid::namesWidth() const
{
    return std::min(measures::scaled(measures::kGridNames), std::max(80, viewport()->width() / 3));
}

QRect MatrixGrid::gridRect() const
{
    return viewport()->rect().adjusted(namesWidth(), headHeight(), 0, 0);
}

void MatrixGrid::updateScrollBars()
{
    const QRect grid = gridRect();
    const qint64 rows = m_source ? m_source->rowCount() : 0;
    const qint64 columns = m_source ? m_source->columnCount() : 0;
    setExtent(grid.size(), columns * m_cellWidth, rows * cellHeight());
}

GridSource::Window MatrixGrid::window() const
{
    GridSource::Window now;
    if (!hasCells())
        return now;
    const QRect grid = gridRect();
    now.firstRow = m_vertical.position() / cellHeight();
    now.lastRow = std::min(m_source->rowCount() - 1,
                           (m_vertical.position() + std::max(1, grid.height()) - 1) / cellHeight());
    now.firstColumn = m_horizontal.position() / m_cellWidth;
    now.lastColumn =
        std::min(m_source->columnCount() - 1,
                 (m_horizontal.position() + std::max(1, grid.width()) - 1) / m_cellWidth);
    return now;
}

void MatrixGrid::announceWindow()
{
    const GridSource::Window now = window();
    if (now == m_window || !hasCells())
        return;
    m_window = now;
    m_source->want(now);
    Q_EMIT windowChanged(now);
}

QRect MatrixGrid::cellRect(qint64 row, qint64 column) const
{
    constexpr qint64 kFar = 1 << 28; // beyond any screen, inside QRect
    const QRect grid = gridRect();
    const qint64 x = grid.left() + column * m_cellWidth - m_horizontal.position();
    const qint64 y = grid.top() + row * cellHeight() - m_vertical.position();
    return {int(std::clamp(x, -kFar, kFar)), int(std::clamp(y, -kFar, kFar)), m_cellWidth,
            cellHeight()};
}

MatrixGrid::Place MatrixGrid::placeAt(QPoint pos) const
{
    Place place;
    if (!hasCells())
        return place;
    const QRect grid = gridRect();
    if (pos.y() >= grid.top()) {
        const qint64 row = (m_vertical.position() + pos.y() - grid.top()) / cellHeight();
        if (row < m_source->rowCount())
            place.row = row;
    }
    if (pos.x() >= grid.left()) {
        const qint64 column = (m_horizontal.position() + pos.x() - grid.left()) / m_cellWidth;
        if (column < m_source->columnCount())
            place.column = column;
    }
    return place;
}

void MatrixGrid::setCurrent(qint64 row, qint64 column)
{
    if (!hasCells())
        return;
    row = std::clamp<qint64>(row, -1, m_source->rowCount() - 1);
    column = std::clamp<qint64>(column, -1, m_source->columnCount() - 1);
    if (row == m_row && column == m_column)
        return;
    m_row = row;
    m_column = column;
    viewport()->update();
    Q_EMIT currentChanged(row, column);
}

void MatrixGrid::goToRow(qint64 row)
{
    if (!hasCells())
        return;
    row = std::clamp<qint64>(row, 0, m_source->rowCount() - 1);
    m_vertical.setPosition(row * cellHeight() - (m_vertical.page() - cellHeight()) / 2);
    scrolled();
    setCurrent(row, std::max<qint64>(0, m_column));
}

void MatrixGrid::goToColumn(qint64 column)
{
    if (!hasCells())
        return;
    column = std::clamp<qint64>(column, 0, m_source->columnCount() - 1);
    m_horizontal.setPosition(column * m_cellWidth - (m_horizontal.page() - m_cellWidth) / 2);
    scrolled();
    setCurrent(std::max<qint64>(0, m_row), column);
}

void MatrixGrid::setNumbersShown(bool shown)
{
    m_numbers = shown;
    viewport()->update();
}

void MatrixGrid::setShadesShown(bool shown)
{
    m_shades = shown;
    viewport()->update();
}

void MatrixGrid::setCellWidth(int width)
{
    m_widthKind = Width::ByUser;
    applyCellWidth(width);
}

void MatrixGrid::applyCellWidth(int width)
{
    // The column at the left edge stays there.
    const qint64 first = m_horizontal.position() / m_cellWidth;
    m_cellWidth = std::clamp(width, 16, 240);
    updateScrollBars();
    m_horizontal.setPosition(first * m_cellWidth);
    scrolled();
}

// Once a source, when the first names are there: later ones do not move what somebody looks at.
void MatrixGrid::fitCells()
{
    if (m_widthKind != Width::Usual || m_window.lastColumn < m_window.firstColumn || !hasCells())
        return;
    const QFontMetrics metrics(fonts::tableSemibold());
    int wanted = measures::scaled(measures::kGridCell);
    for (qint64 column = m_window.firstColumn; column <= m_window.lastColumn; ++column) {
        const GridColumnHead head = m_source->columnHead(column);
        if (head.pending)
            return;
        wanted = std::max(wanted, metrics.horizontalAdvance(head.name.left(40)) + 10);
    }
    m_widthKind = Width::Fitted;
    applyCellWidth(std::min(wanted, measures::scaled(kWidestFitted)));
}

void MatrixGrid::copy(CopyHeaders headers)
{
    if (!hasCells())
        return;
    if (headers == CopyHeaders::With)
        copyWindow();
    else if (m_row >= 0 && m_column >= 0)
        copyPicked();
}

QString MatrixGrid::copyText(qint64 row, qint64 column) const
{
    return m_source->value(row, column).damaged ? QStringLiteral("?")
                                                : clipboardCell(m_source->exactText(row, column));
}

void MatrixGrid::copyPicked()
{
    if (m_source->value(m_row, m_column).pending) {
        Q_EMIT copyRefused(tr("Not copied: this value is still being read. Copy again."));
        return;
    }
    QGuiApplication::clipboard()->setText(copyText(m_row, m_column));
    Q_EMIT copied(1, 1);
}

void MatrixGrid::copyWindow()
{
    const GridSource::Window now = window();
    bool pending = false;
    QString text;
    for (qint64 column = now.firstColumn; column <= now.lastColumn; ++column) {
        const GridColumnHead head = m_source->columnHead(column);
        pending = pending || head.pending;
        text += u'\t' + clipboardCell(head.name);
    }
    text += u'\n';
    for (qint64 row = now.firstRow; row <= now.lastRow; ++row) {
        const GridRowHead head = m_source->rowHead(row);
        pending = pending || head.pending;
        text += clipboardCell(head.name);
        for (qint64 column = now.firstColumn; column <= now.lastColumn; ++column) {
            pending = pending || m_source->value(row, column).pending;
            text += u'\t' + copyText(row, column);
        }
        text += u'\n';
    }
    if (pending) {
        Q_EMIT copyRefused(tr("Not copied: some values are still being read. Copy again."));
        return;
    }
    QGuiApplication::clipboard()->setText(text);
    Q_EMIT copied(now.lastRow - now.firstRow + 1, now.lastColumn - now.firstColumn + 1);
}

void MatrixGrid::keyPressEvent(QKeyEvent* event)
{
    if (copyByKey(*event))
        return;
    if (!hasCells()) {
        LongScrollArea::keyPressEvent(event);
        return;
    }
    const bool control = event->modifiers() & Qt::ControlModifier;
    const qint64 lastRow = m_source->rowCount() - 1;
    const qint64 lastColumn = m_source->columnCount() - 1;
    const qint64 pageRows = std::max<qint64>(1, m_vertical.page() / cellHeight() - 1);
    const qint64 pageColumns = std::max<qint64>(1, m_horizontal.page() / m_cellWidth - 1);
    // With nothing picked the first key picks what stands in the corner.
    const GridSource::Window now = window();
    qint64 row = m_row < 0 ? now.firstRow : m_row;
    qint64 column = m_column < 0 ? now.firstColumn : m_column;
    switch (event->key()) {
    case Qt::Key_Up:
        row = control ? 0 : row - 1;
        break;
    case Qt::Key_Down:
        row = control ? lastRow : row + 1;
        break;
    case Qt::Key_Left:
        column = control ? 0 : column - 1;
        break;
    case Qt::Key_Right:
        column = control ? lastColumn : column + 1;
        break;
    case Qt::Key_PageUp:
        if (event->modifiers() & Qt::AltModifier)
            column -= pageColumns;
        else
            row -= pageRows;
        break;
    case Qt::Key_PageDown:
        if (event->modifiers() & Qt::AltModifier)
            column += pageColumns;
        else
            row += pageRows;
        break;
    case Qt::Key_Home:
        column = 0;
        row = control ? 0 : row;
        break;
    case Qt::Key_End:
        column = lastColumn;
        row = control ? lastRow : row;
        break;
    case Qt::Key_Menu:
        Q_EMIT contextMenuRequested(m_row, m_column,
                                    viewport()->mapToGlobal(cellRect(row, column).bottomLeft()));
        return;
    default:
        LongScrollArea::keyPressEvent(event);
        return;
    }
    row = std::clamp<qint64>(row, 0, lastRow);
    column = std::clamp<qint64>(column, 0, lastColumn);
    setCurrent(row, column);
    const bool down = m_vertical.show(row * cellHeight(), (row + 1) * cellHeight() - 1);
    const bool across = m_horizontal.show(column * m_cellWidth, (column + 1) * m_cellWidth - 1);
    if (down || across)
        scrolled();
}

void MatrixGrid::mousePressEvent(QMouseEvent* event)
{
    const Place place = placeAt(event->pos());
    if (place.row >= 0 && place.column >= 0)
        setCurrent(place.row, place.column);
    else if (place.row >= 0)
        setCurrent(place.row, m_column);
    else if (place.column >= 0)
        setCurrent(m_row, place.column);
    if (event->button() == Qt::RightButton)
        Q_EMIT contextMenuRequested(place.row, place.column, event->globalPosition().toPoint());
    else if (event->button() == Qt::LeftButton && place.row < 0 && place.column >= 0)
        Q_EMIT columnHeadClicked(place.column);
}

void MatrixGrid::mouseMoveEvent(QMouseEvent* event)
{
    if (!(event->buttons() & Qt::LeftButton))
        return;
    const Place place = placeAt(event->pos());
    if (place.row >= 0 && place.column >= 0)
        setCurrent(place.row, place.column);
}

void MatrixGrid::resizeEvent(QResizeEvent*)
{
    updateScrollBars();
    viewport()->update();
}

void MatrixGrid::changeEvent(QEvent* event)
{
    LongScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) {
        updateScrollBars();
        viewport()->update();
    }
}

QString MatrixGrid::toolTipAt(QPoint pos) const
{
    const Place place = placeAt(pos);
    if (place.row >= 0 && place.column >= 0) {
        const GridCell cell = m_source->value(place.row, place.column);
        if (cell.pending)
            return {};
        return tr("%1\n%2\n%3")
            .arg(m_source->rowHead(place.row).name, m_source->columnHead(place.column).name,
                 cell.damaged ? m_source->whyNot(place.row, place.column)
                              : m_source->exactText(place.row, place.column));
    }
    if (place.row >= 0) {
        const GridRowHead head = m_source->rowHead(place.row);
        if (!head.toolTip.isEmpty())
            return head.toolTip;
        return head.group.isEmpty() ? head.name : head.name + u'\n' + head.group;
    }
    if (place.column >= 0) {
        const GridColumnHead head = m_source->columnHead(place.column);
        return head.toolTip.isEmpty() ? head.name : head.toolTip;
    }
    return {};
}

QSize MatrixGrid::sizeHint() const
{
    return {900, headHeight() + 22 * cellHeight()};
}

} // namespace cellfolio
