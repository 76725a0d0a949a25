// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/views/range_set.h"
#include "widgets/views/table_source.h"

#include <QtCore/QObject>

namespace cellfolio
{

// Gathers rows of a source as tab-separated text, block by block, waiting for what is not in memory
// yet. The window stays usable meanwhile. UI thread; one use each.
class TableCopy : public QObject
{
    Q_OBJECT
public:
    TableCopy(TableSource* source, RangeSet rows, bool headers, QObject* parent);

    // Goes on as far as memory allows; finished() may come before this returns.
    void proceed();

    static QString lineOf(const TableSource& source, qint64 row, bool& pending);

Q_SIGNALS:
    void finished(const QString& text, qint64 rows);
    void failed(const QString& sentence);

private:
    bool takeBlock(qint64 first, qint64 last); // false: some of it is pending

    TableSource* m_source = nullptr;
    RangeSet m_rest;
    qint64 m_rows = 0;
    QString m_text;
    bool m_busy = false;
    bool m_done = false;
};

// One cell for the clipboard: tabs and line ends would shift the columns of a spreadsheet.
QString clipboardCell(QString text);

} // namespace cellfolio
