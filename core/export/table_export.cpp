// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/table_export.h"

#include "core/anndata/encoding.h"
#include "core/base/text.h"
#include "core/export/portal_columns.h"
#include "core/export/ragged_export.h"

#include <algorithm>

namespace cellfolio {

namespace {

// Attributes beyond this many names need room of another kind.
constexpr std::size_t kUsualColumns = 3700;

bool holdsMembersOfItsOwn(const Element& table)
{
    // A table as a group of columns; older ones are records, or invented from other files.
    return table.object != nullptr && table.object->isGroup() && table.storage != Storage::Compound;
}

// No anndata of today reads such a column, but it has rows like any other.
bool isRagged(const Element& column)
{
    return !column.awkwardForm.empty() && column.object != nullptr && column.object->isGroup();
}

} // namespace

bool TableExport::canCopy(const Element& table, const std::string& path) const
{
    const ExportOptions& options = m_run.options;
    if (!holdsMembersOfItsOwn(table) || table.object->soft || m_run.along(table, 0))
        return false;
    if (options.profile != Profile::Keep) {
        const StoredEncoding stored = storedEncoding(*table.object);
        if (stored.encoding != Encoding::DataFrame || stored.version != "0.2.0" || !table.index
            || !ColumnExport::isModern(*table.index, options.profile))
            return false;
        if (options.profile != Profile::AnnData)
            return false;
    }
    for (const auto& column : table.children) {
        if (!m_run.wants(path + "/" + column->name))
            return false;
        if (options.profile != Profile::Keep && !ColumnExport::isModern(*column, options.profile))
            return false;
        if (drops(path) && column->column == ColumnKind::Categorical)
            return false;
    }
    return true;
}

bool TableExport::drops(const std::string& path) const
{
    return m_run.options.dropUnusedCategories && (path == "obs" || path == "var");
}

bool TableExport::isLeftOut(const Element& column, const std::string& path)
{
    if (!m_run.wants(path))
        return true;
    if (m_run.options.profile == Profile::CellxGene && isPortalColumn(column.parent->name, column.name)) {
        m_run.drop(column, "the portal adds this column itself.", "C004");
        return true;
    }
    return false;
}

Result<void> TableExport::begin(const Element& table, const std::string& path, const std::vector<std::string>& columns,
                                const std::string& index)
{
    const hdf5::Attribute* order = holdsMembersOfItsOwn(table) ? table.object->attribute("column-order") : nullptr;
    const bool grows = columns.size() > kUsualColumns && (order == nullptr || order->texts.size() <= kUsualColumns);
    if (!holdsMembersOfItsOwn(table) || table.object->soft || grows)
        return m_run.writer.beginTable(path, columns, index);
    // A group like that of the source: its properties and other attributes stay.
    if (auto made = m_run.copier.copyGroup(*table.object, "/" + path); !made)
        return made;
    if (auto described = m_run.writer.describe(path, "dataframe", "0.2.0"); !described)
        return described;
    if (auto set = m_run.writer.file().setAttribute("/" + path, "_index", index); !set)
        return set;
    return m_run.writer.file().setAttribute("/" + path, "column-order", columns);
}

Result<void> TableExport::writeIndex(const Element& table, const std::string& path)
{
    if (!table.index)
        return m_columns.writeNames(table, path);
    const Element& index = *table.index;
    if (!table.firstAxis && index.readable && index.column != ColumnKind::Opaque)
        return m_columns.write(index, path); // of a table in uns: nobody looks rows up by it
    const bool plain = index.column == ColumnKind::String || index.column == ColumnKind::Numeric
                    || (index.column == ColumnKind::Categorical && m_run.options.profile == Profile::Keep)
                    || (index.column == ColumnKind::NullableString && m_run.options.profile == Profile::Keep);
    if (!plain || (index.column == ColumnKind::Numeric && m_run.options.profile != Profile::Keep))
        return m_columns.writeNames(table, path);
    return m_columns.write(index, path);
}

Result<bool> TableExport::writeColumn(const Element& column, const std::string& path, bool whole, bool dropsUnused)
{
    const bool modern = m_run.options.profile == Profile::Keep ? column.readable : ColumnExport::isModern(column, m_run.options.profile);
    const bool drops = dropsUnused && column.column == ColumnKind::Categorical;
    if (whole && modern && !drops && column.object != nullptr && column.values.member < 0
        && column.parent != nullptr && holdsMembersOfItsOwn(*column.parent)) {
        if (auto copied = m_run.copier.copy(*column.object, "/" + path); !copied)
            return std::move(copied).error();
        return true;
    }
    if (column.readable && column.column != ColumnKind::Opaque) {
        if (auto written = m_columns.write(column, path, drops ? ColumnExport::Unused::Dropped : ColumnExport::Unused::Kept); !written)
            return std::move(written).error().within("writing " + column.path);
        if (drops && static_cast<Index>(m_columns.left().size()) < column.categoryCount.value_or(0))
            m_left[column.name] = {column.categoryCount.value_or(0), m_columns.left()};
        return true;
    }
    if (!whole && isRagged(column))
        return RaggedExport(m_run).write(column, path);
    if (whole && column.object != nullptr && column.values.member < 0 && m_run.options.unreadable == Unreadable::Keep) {
        if (auto copied = m_run.copier.copy(*column.object, "/" + path); !copied)
            return std::move(copied).error();
        return true;
    }
    m_run.drop(column, column.whyNot ? column.whyNot->message() : std::string("it cannot be read as a column."));
    return false;
}

Result<void> TableExport::write(const Element& table, const std::string& path)
{
    const bool whole = !m_run.along(table, 0).has_value();
    std::vector<const Element*> columns;
    std::vector<std::string> names;
    for (const auto& column : table.children) {
        if (column->kind != ElementKind::Column || isLeftOut(*column, path + "/" + column->name))
            continue;
        // What cannot be read and not be copied is no column of the new table.
        const bool readable = column->readable && column->column != ColumnKind::Opaque;
        const bool copyable = whole && column->object != nullptr && column->values.member < 0
                           && m_run.options.unreadable == Unreadable::Keep && column->object->kind != hdf5::ObjectKind::Damaged;
        if (!whole && isRagged(*column) && m_run.options.unreadable == Unreadable::Keep) {
            auto follows = RaggedExport(m_run).canWrite(*column);
            if (!follows)
                return std::move(follows).error();
            if (!*follows)
                continue;
        } else if (!readable && !copyable) {
            m_run.drop(*column, column->whyNot ? column->whyNot->message() : std::string("it cannot be read as a column."));
            continue;
        }
        columns.push_back(column.get());
        names.push_back(column->name);
    }
    std::string index = table.indexName.empty() || !table.index ? "_index" : table.indexName;
    if (m_run.options.profile == Profile::R || m_run.options.profile == Profile::SeuratDisk)
        index = "_index";
    if (index == "/" || index.find('/') != std::string::npos)
        index = "_index";
    // A column of that name with other values would lie in its place.
    const bool taken = std::find(names.begin(), names.end(), index) != names.end();
    const bool sameAsIndex = taken && table.index && table.index->object != nullptr
                          && std::any_of(columns.begin(), columns.end(), [&](const Element* column) {
                                 return column->name == index && column->object == table.index->object
                                     && column->values.member == table.index->values.member;
                             });
    if (taken && !sameAsIndex) {
        for (int k = 0; std::find(names.begin(), names.end(), index) != names.end(); ++k)
            index = k == 0 ? "_index" : k == 1 ? "index" : "index_" + std::to_string(k);
    }
    if (auto begun = begin(table, path, names, index); !begun)
        return begun;
    if (auto written = writeIndex(table, path + "/" + index); !written)
        return std::move(written).error().within("writing the names of " + table.path);
    for (const Element* column : columns) {
        if (auto on = m_run.mayGoOn(); !on)
            return on;
        if (sameAsIndex && column->name == index)
            continue;
        auto written = writeColumn(*column, path + "/" + column->name, whole, drops(path));
        if (!written)
            return std::move(written).error();
    }
    return writeUnlisted(table, path, whole);
}

// What lies beside the columns and is none: it stays where all rows do.
Result<void> TableExport::writeUnlisted(const Element& table, const std::string& path, bool whole)
{
    if (!holdsMembersOfItsOwn(table) || table.object->soft)
        return {};
    for (const auto& child : table.object->children) {
        const std::string& name = child->name;
        const auto leadsTo = [&](const std::string& column) {
            return column == name || column.starts_with(name + "/");
        };
        const bool isColumn = leadsTo(table.indexName)
                           || std::any_of(table.children.begin(), table.children.end(),
                                          [&](const auto& column) { return leadsTo(column->name); });
        if (isColumn || name == "__categories" || name == "_index" || child->kind == hdf5::ObjectKind::NamedType)
            continue;
        if (whole && m_run.wants(path + "/" + name) && child->kind != hdf5::ObjectKind::Damaged) {
            if (auto copied = m_run.copier.copy(*child, "/" + path + "/" + name); !copied)
                return copied;
            continue;
        }
        Finding& finding = m_run.found("A009", joinPath(table.path, name),
                                       "\"" + joinPath(table.path, name)
                                           + "\" is no column of the table, so it cannot follow the view; it is left out.");
        finding.fix.clear();
        m_run.did(joinPath(table.path, name), Action::Dropped);
    }
    return {};
}

} // namespace cellfolio
