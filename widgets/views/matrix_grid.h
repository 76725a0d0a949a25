// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/views/long_scroll_area.h"

#include <QtCore/QObject>
#include <QtGui/QColor>

#include <cmath>
#include <limits>

namespace cellfolio
{

// One value of a matrix as the grid shows it.
struct GridCell {
    QString text;
    double shade = std::numeric_limits<double>::quiet_NaN(); // 0..1; NaN: no shade
    bool zero = false;    // drawn as 0 in the disabled colour, never shaded
    bool pending = false; // on its way
    bool missing = false; // NaN in the file: "NaN" in text3
    bool damaged = false; // cannot be read: a question mark; GridSource::whyNot says why
};

struct GridRowHead {
    QString name;
    bool pending = false;
    QColor strip;             // the group's colour; invalid: none
    QString group;            // written on the first row of a group
    bool startsGroup = false; // a line above
    QString toolTip;          // more about the row; empty: the name and its group
};

struct GridColumnHead {
    QString name;
    bool pending = false;
    double share = std::numeric_limits<double>::quiet_NaN(); // 0..1 of rows above 0; NaN: unknown
    QString shareText;                                       // "12 %"
    QString toolTip; // more about the column (id beside a symbol, say); empty: the name
};

// What a MatrixGrid shows: rows × columns, both 64 bits wide. UI thread; answers from memory.
class GridSource : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;
    ~GridSource() override;

    virtual qint64 rowCount() const = 0;
    virtual qint64 columnCount() const = 0;

    // Requires the indices to lie inside.
    virtual GridCell value(qint64 row, qint64 column) const = 0;
    virtual GridRowHead rowHead(qint64 row) const = 0;
    virtual GridColumnHead columnHead(qint64 column) const = 0;

    // Every digit, for clipboard and tooltip; the default is the cell's text.
    virtual QString exactText(qint64 row, qint64 column) const;

    // Why a damaged value cannot be read, and what to do.
    virtual QString whyNot(qint64 row, qint64 column) const;

    // Two short lines in the corner: what the rows are, what the figures under the names are.
    virtual QString cornerTop() const;
    virtual QString cornerBottom() const;

    struct Window {
        qint64 firstRow = 0, lastRow = -1;
        qint64 firstColumn = 0, lastColumn = -1;
        bool operator==(const Window&) const = default;
    };
    // What is visible now, before its values are asked for; again whenever it changes.
    virtual void want(const Window& window);

Q_SIGNALS:
    void changed(); // some values or names have come: repaint what is visible
    void reset();   // counts differ: everything is asked anew
};

// A matrix as figures and shades: names on both sides, zeros pale, values shaded by the theme's
// ramp. Scrolls both ways over any extent and asks only for what is visible.
//
// Keys: arrows, Page Up/Down, Home/End, Ctrl+Home/End, Ctrl+C (the picked value), Ctrl+Shift+C
// (the window with names).
class MatrixGrid : public LongScrollArea
{
    Q_OBJECT
public:
    explicit MatrixGrid(QWidget* parent = nullptr);
    ~MatrixGrid() override;

    // Not owned; must live until another is set or the view is gone. May be null.
    void setSource(GridSource* source);
    GridSource* source() const { return m_source; }

    qint64 currentRow() const { return m_row; }
    qint64 currentColumn() const { return m_column; }
    // Clamped; -1 picks nothing.
    void setCurrent(qint64 row, qint64 column);

    // Brings it to the middle and picks it; the other index stays.
    void goToRow(qint64 row);
    void goToColumn(qint64 column);

    // What is shown: figures, shades or both.
    void setNumbersShown(bool shown);
    void setShadesShown(bool shown);
    bool numbersShown() const { return m_numbers; }
    bool shadesShown() const { return m_shades; }

    // Logical pixels, 16 to 240. Until it is set, the width fits the first names that come, from
    // the usual one up to kWidestFitted.
    void setCellWidth(int width);
    static constexpr int kWidestFitted = 112;
    int cellWidth() const { return m_cellWidth; }
    int cellHeight() const;

    GridSource::Window window() const;
    QRect cellRect(qint64 row, qint64 column) const; // in viewport coordinates
    // The picked value, every digit of it; with names: what is visible. Refused while some of it is
    // still on its way. What cannot be read is a question mark there too.
    void copy(CopyHeaders headers) override;

    QSize sizeHint() const override;

Q_SIGNALS:
    void currentChanged(qint64 row, qint64 column);
    void windowChanged(const cellfolio::GridSource::Window& window);
    void contextMenuRequested(qint64 row, qint64 column, const QPoint& globalPos);
    void columnHeadClicked(qint64 column);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;
    int rowStep() const override { return cellHeight(); }
    int columnStep() const override { return m_cellWidth; }
    QString toolTipAt(QPoint pos) const override;

private:
    void sourceReset();
    void updateScrollBars();
    void announceWindow();
    void fitCells();
    void applyCellWidth(int width);
    QRect gridRect() const; // the viewport without heads
    int headHeight() const;
    int namesWidth() const;
    struct Place {
        qint64 row = -1;
        qint64 column = -1;
    };
    Place placeAt(QPoint pos) const; // -1 on a head or beyond the end, each for itself
    bool hasCells() const;
    void paintCells(QPainter& painter);
    void paintRowHeads(QPainter& painter);
    void paintColumnHeads(QPainter& painter);
    void paintCorner(QPainter& painter);
    QString copyText(qint64 row, qint64 column) const;
    void copyPicked();
    void copyWindow();

    GridSource* m_source = nullptr;
    qint64 m_row = -1;
    qint64 m_column = -1;
    int m_cellWidth = 62;
    enum class Width { Usual, Fitted, ByUser } m_widthKind = Width::Usual;
    bool m_numbers = true;
    bool m_shades = true;
    GridSource::Window m_window{0, -2, 0, -2};
};

} // namespace cellfolio
