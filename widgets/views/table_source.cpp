// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/table_source.h"

namespace cellfolio
{

TableSource::~TableSource() = default;

QString TableSource::fullText(qint64 row, int column) const
{
    const TableCell found = cell(row, column);
    return found.missing ? QString() : found.text;
}

QString TableSource::rowLabel(qint64 row) const
{
    return QString::number(row);
}

void TableSource::want(qint64, qint64, int, int) {}

} // namespace cellfolio
