// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/table_copy.h"

#include "widgets/views/paged_table_view.h"

#include <algorithm>

namespace cellfolio
{

namespace
{

constexpr qint64 kBlock = 256; // rows asked for at once; few enough for any page cache

} // namespace

QString clipboardCell(QString text)
{
    text.truncate(PagedTableView::kTextLimit);
    text.replace(u'\t', u' ').replace(u'\n', u' ').replace(u'\r', u' ');
    return text;
}

TableCopy::TableCopy(TableSource* source, RangeSet rows, bool headers, QObject* parent)
    : QObject(parent), m_source(source), m_rest(std::move(rows)), m_rows(m_rest.count())
{
    if (headers) {
        for (int column = 0; column < source->columnCount(); ++column) {
            if (column > 0)
                m_text += u'\t';
            m_text += clipboardCell(source->profile(column).name);
        }
        m_text += u'\n';
    }
    connect(source, &TableSource::changed, this, &TableCopy::proceed);
    const auto stop = [this] {
        m_done = true;
        Q_EMIT failed(tr("Not copied: the table has changed meanwhile. Copy again."));
    };
    connect(source, &TableSource::reset, this, stop);
    connect(source, &QObject::destroyed, this, stop);
}

void TableCopy::proceed()
{
    if (m_busy || m_done)
        return; // want() may answer at once through changed()
    m_busy = true;
    while (!m_rest.empty()) {
        const RangeSet::Range range = m_rest.ranges().front();
        const qint64 last = std::min(range.last, range.first + kBlock - 1);
        const int columns = m_source->columnCount();
        m_source->want(range.first, last, 0, columns - 1);
        if (!takeBlock(range.first, last)) {
            m_busy = false;
            return;
        }
        m_rest.remove(range.first, last);
    }
    m_done = true;
    Q_EMIT finished(m_text, m_rows);
}

bool TableCopy::takeBlock(qint64 first, qint64 last)
{
    QString block;
    for (qint64 row = first; row <= last; ++row) {
        bool pending = false;
        block += lineOf(*m_source, row, pending) + u'\n';
        if (pending)
            return false;
    }
    m_text += block;
    return true;
}

QString TableCopy::lineOf(const TableSource& source, qint64 row, bool& pending)
{
    QString line;
    for (int column = 0; column < source.columnCount(); ++column) {
        if (column > 0)
            line += u'\t';
        if (source.cell(row, column).pending) {
            pending = true;
            return {};
        }
        line += clipboardCell(source.fullText(row, column));
    }
    return line;
}

} // namespace cellfolio
