// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/export_run.h"

#include <vector>

namespace cellfolio {

// Writes columns of tables, and what is stored like one: numbers, texts, categoricals, values that
// may be missing. In windows of rows, whatever their number.
class ColumnExport
{
public:
    explicit ColumnExport(ExportRun& run) : m_run(run) {}

    // What becomes of categories that no row has; Dropped is for obs and var.
    enum class Unused { Kept, Dropped };
    // The column at `path`, with the rows of the view.
    Result<void> write(const Element& column, const std::string& path, Unused unused = Unused::Kept);
    // The names of a table as texts at `path`.
    Result<void> writeNames(const Element& table, const std::string& path);
    // For a categorical that lost unused categories: which of the old ones are left. Empty: all.
    const std::vector<Index>& left() const noexcept { return m_left; }

    // Whether the column can stay as it is stored.
    static bool isModern(const Element& column, Profile profile);

private:
    Result<void> writePlain(const Element& column, const std::string& path);
    Result<void> writeCategorical(const Element& column, const std::string& path);
    Result<void> writeNullable(const Element& column, const std::string& path);
    Result<void> writeNullableText(const Element& column, const std::string& path);
    Result<void> writeCategories(const Element& column, const std::string& path);
    Result<void> copyOtherAttributes(const Element& column, const std::string& path);
    // Calls visit with the values of each window of rows.
    Result<void> forEachWindow(const ArrayRef& array, const Element& column,
                               const std::function<Result<void>(Values&, Index first)>& visit);
    Index rowsOf(const Element& column) const;
    // Makes texts valid UTF-8 and counts those that were not.
    void mend(Values& values);
    void reportMended(const Element& column);

    ExportRun& m_run;
    std::vector<Index> m_left;
    bool m_drops = false;
    Index m_mended = 0;
};

} // namespace cellfolio
