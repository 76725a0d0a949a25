// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/column_export.h"

#include <map>

namespace cellfolio {

// Writes tables with the rows of the view: obs, var, raw/var, and those in obsm, varm and uns.
class TableExport
{
public:
    explicit TableExport(ExportRun& run) : m_run(run), m_columns(run) {}

    Result<void> write(const Element& table, const std::string& path);
    // Whether the table can be copied as it is stored.
    bool canCopy(const Element& table, const std::string& path) const;

    // Categories that were left of the categoricals of obs and var, by the name of the column; only
    // of those that lost some.
    struct Left {
        Index before = 0;
        std::vector<Index> categories;
    };
    const std::map<std::string, Left>& left() const noexcept { return m_left; }

private:
    Result<void> begin(const Element& table, const std::string& path, const std::vector<std::string>& columns,
                       const std::string& index);
    Result<void> writeIndex(const Element& table, const std::string& path);
    Result<bool> writeColumn(const Element& column, const std::string& path, bool whole, bool dropsUnused);
    // Whether the table at this path loses categories that no row has.
    bool drops(const std::string& path) const;
    Result<void> writeUnlisted(const Element& table, const std::string& path, bool whole);
    bool isLeftOut(const Element& column, const std::string& path);

    ExportRun& m_run;
    ColumnExport m_columns;
    std::map<std::string, Left> m_left;
};

} // namespace cellfolio
