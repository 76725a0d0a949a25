// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/views/column_profile.h"

#include <QtCore/QObject>
#include <QtGui/QColor>

namespace cellfolio
{

// One cell as the table shows it.
struct TableCell {
    QString text;         // ready for the screen; long text is cut by the view
    bool pending = false; // on its way; drawn as a pale bar
    bool missing = false; // no value; drawn as NULL in text3 whatever `text` says
    bool number = false;  // right-aligned tabular figures
    QColor dot;           // a category's colour before the text; invalid: no dot
};

// What a PagedTableView shows: up to 2^40 rows. All calls come from the UI thread and must answer
// from memory at once; what is not there is `pending`, and changed() follows when it has come.
class TableSource : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;
    ~TableSource() override;

    virtual qint64 rowCount() const = 0;
    virtual int columnCount() const = 0;

    // Requires 0 <= row < rowCount(), 0 <= column < columnCount().
    virtual TableCell cell(qint64 row, int column) const = 0;

    // The whole value for tooltip and clipboard; the default is the cell's text.
    virtual QString fullText(qint64 row, int column) const;

    // What the vertical header shows: the row's number in the file, counted from 0 unless the
    // source says otherwise.
    virtual QString rowLabel(qint64 row) const;

    virtual ColumnProfile profile(int column) const = 0;

    // The window that is visible now (closed ranges), before its cells are asked for. Called again
    // whenever it changes, so the source may fetch ahead and drop requests that nobody sees.
    virtual void want(qint64 firstRow, qint64 lastRow, int firstColumn, int lastColumn);

Q_SIGNALS:
    void changed(qint64 firstRow, qint64 lastRow);
    void profilesChanged(int firstColumn, int lastColumn);
    void reset(); // counts or columns differ: everything is asked anew
};

} // namespace cellfolio
