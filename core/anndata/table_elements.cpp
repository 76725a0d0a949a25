// SPDX-License-Identifier: GPL-3.0-or-later
// Tables: dataframe groups of 0.7 and later, compound datasets before.
#include "core/anndata/element_builder.h"

#include "core/base/text.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace cellfolio {

using hdf5::Attribute;
using hdf5::Object;
using hdf5::ObjectKind;

namespace {

// Lists of names longer than this overflow an ordinary attribute (64 KiB of 16 bytes each).
constexpr std::size_t kLongColumnOrder = 4095;

} // namespace

std::unique_ptr<Element> ElementBuilder::buildTable(const Object& object, Element& parent,
                                                    const std::string& name)
{
    if (isCompound(object) && object.array->rank() == 1) {
        auto table = start(object, parent, name);
        fillCompoundTable(*table, object);
        return table;
    }
    auto element = build(object, parent, name);
    if (!element || element->kind == ElementKind::Table)
        return element;
    // An undescribed group with an index child is a table that lost its attributes.
    if (object.isGroup() && element->kind == ElementKind::Mapping && object.child("_index")) {
        auto table = start(object, parent, name);
        fillFrame(*table, object);
        return table;
    }
    if (element->readable) {
        const std::string what(nameOf(element->kind));
        m_context.refuse("A006", *element, ErrorCode::UnsupportedEncoding,
                         inQuotes(element->path) + " is stored as " + what + ", not as a table.");
    }
    return element;
}

void ElementBuilder::fillFrame(Element& table, const Object& group)
{
    table.kind = ElementKind::Table;
    const Attribute* indexAttribute = group.attribute("_index");
    const Attribute* order = group.attribute("column-order");
    const bool orderSaid = order && order->readable;

    // The row names.
    const std::optional<std::string> indexSaid =
        indexAttribute ? indexAttribute->text() : std::nullopt;
    const Object* index = nullptr;
    if (indexSaid) {
        table.indexName = *indexSaid;
        index = group.find(*indexSaid);
        // Nothing but slashes leads back to the table: it is no column of its own.
        if (index == &group)
            index = nullptr;
        if (!index)
            m_context.report("A007", table.path,
                             "The table " + inQuotes(table.path) + " says its row names are in " +
                                 inQuotes(*indexSaid) +
                                 ", which is not there; its rows are numbered.");
    } else {
        for (const char* usual : {"_index", "index"})
            if (!index && group.child(usual)) {
                index = group.child(usual);
                table.indexName = usual;
            }
        m_context.report(
            "A007", table.path,
            "The table " + inQuotes(table.path) + " does not say where its row names are; " +
                (index ? inQuotes(table.indexName) + " is taken." : "its rows are numbered."));
    }
    if (index) {
        auto names = buildColumn(index, table, table.indexName);
        if (names->readable)
            table.index = std::move(names);
        else
            m_context
                .report("A007", table.path,
                        "The row names of " + inQuotes(table.path) +
                            " cannot be read; its rows are numbered.")
                .fixable = false;
    }

    // Its columns, in their order, each once.
    std::vector<std::string> listed;
    if (orderSaid) {
        listed = order->texts;
    } else {
        for (const auto& child : group.children)
            if (child.get() != index && child->name != "__categories" &&
                child->kind != ObjectKind::NamedType)
                listed.push_back(child->name);
        if (!listed.empty())
            m_context
                .report("A008", table.path,
                        "The list of the columns of " + inQuotes(table.path) +
                            " is missing; they are shown in the order of the file.")
                .fix = "Write the list.";
    }
    if (orderSaid && listed.size() >= kLongColumnOrder)
        m_context.report("A048", table.path,
                         "The list of the " + grouped(Index(listed.size())) + " columns of " +
                             inQuotes(table.path) +
                             " is larger than 64 KiB; some writers cannot store it.");

    // Tables have thousands of columns: each name is looked up once.
    std::unordered_map<std::string_view, const Object*> stored;
    for (const auto& child : group.children)
        stored.emplace(child->name, child.get());
    const auto find = [&](const std::string& name) -> const Object* {
        if (name.find('/') != std::string::npos) {
            const Object* found = group.find(name);
            return found == &group ? nullptr : found;
        }
        const auto found = stored.find(name);
        return found == stored.end() ? nullptr : found->second;
    };
    std::unordered_set<std::string> seen;
    std::unordered_set<std::string> between; // groups that a slash in a name made
    std::unordered_set<const Object*> used;
    for (const std::string& name : listed) {
        if (!seen.insert(name).second) {
            m_context.report("A011", table.path,
                             "Column " + inQuotes(name) +
                                 " is listed twice (a duplicate in column-order " + "of " +
                                 inQuotes(table.path) + "); it is shown once.");
            continue;
        }
        const Object* object = find(name);
        if (!object) {
            m_context.report("A008", table.path,
                             "Column " + inQuotes(name) + " of " + inQuotes(table.path) +
                                 " is listed but not stored.");
            continue;
        }
        used.insert(object);
        if (name == "__categories" || (name == "_index" && table.indexName != "_index"))
            m_context.report("A013", table.path,
                             "Column " + inQuotes(name) + " of " + inQuotes(table.path) +
                                 " has a reserved name.");
        const std::size_t slash = name.find('/');
        if (slash != std::string::npos) {
            between.insert(name.substr(0, slash));
            m_context.report("A014", joinPath(table.path, name),
                             "The column name " + inQuotes(name) +
                                 " contains a slash; anndata 0.13 refuses to write it.");
        }
        table.children.push_back(buildColumn(object, table, name));
    }

    if (orderSaid) {
        for (const auto& child : group.children) {
            if (child.get() == index || used.count(child.get()) != 0 ||
                between.count(child->name) != 0 || child->name == "__categories" ||
                child->kind == ObjectKind::NamedType)
                continue;
            m_context.report("A009", joinPath(table.path, child->name),
                             inQuotes(child->name) + " is stored beside the columns of " +
                                 inQuotes(table.path) +
                                 " but not listed; other programs ignore it.");
        }
    }
    finishTable(table);
}

void ElementBuilder::fillCompoundTable(Element& table, const Object& object)
{
    table.kind = ElementKind::Table;
    table.storage = Storage::Compound;
    const StoredEncoding stored = storedEncoding(object);
    table.encoding = stored.type;
    table.version = stored.version;
    table.values = m_context.ref(object);
    const auto& members = object.array->type.members;
    for (std::size_t i = 0; i < members.size(); ++i) {
        auto column = buildColumn(&object, table, members[i].name, static_cast<int>(i));
        if (i > 0) {
            table.children.push_back(std::move(column));
            continue;
        }
        table.indexName = members[i].name;
        if (column->readable)
            table.index = std::move(column);
    }
    finishTable(table, object.array->shape.front());
    checkStorage(table, table.values);
}

// Rows of the table, and which columns have that many.
void ElementBuilder::finishTable(Element& table, std::optional<Index> rows)
{
    const auto lengthOf = [](const Element& column) {
        return column.shape && column.shape->size() == 1 ? column.shape->front() : Index{-1};
    };
    if (rows) {
        table.rows = *rows;
    } else if (table.index) {
        table.rows = lengthOf(*table.index);
    } else {
        for (const auto& column : table.children)
            if (column->readable && lengthOf(*column) >= 0) {
                table.rows = lengthOf(*column);
                break;
            }
    }
    for (const auto& column : table.children)
        if (column->readable && lengthOf(*column) != table.rows)
            m_context.refuse("A010", *column, ErrorCode::Corrupt,
                             "Column " + inQuotes(column->name) + " has " +
                                 grouped(lengthOf(*column)) + " values, the table " +
                                 inQuotes(table.path) + " has " + grouped(table.rows) + " rows.");
    table.shape = std::vector<Index>{table.rows, static_cast<Index>(table.children.size())};

    // Where an ordinary column is called _index, that path is the column's.
    if (table.index && !table.child("_index"))
        table.index->path = joinPath(table.path, "_index");
}

Element* ElementBuilder::addInventedTable(Element& parent, const std::string& name, Index rows)
{
    auto table = std::make_unique<Element>();
    table->name = name;
    table->path = joinPath(parent.path, name);
    table->parent = &parent;
    table->kind = ElementKind::Table;
    table->rows = rows;
    table->shape = std::vector<Index>{rows, 0};
    parent.children.push_back(std::move(table));
    return parent.children.back().get();
}

std::unique_ptr<Element> ElementBuilder::buildCompoundMapping(const Object& object, Element& parent,
                                                              const std::string& name)
{
    auto mapping = start(object, parent, name);
    mapping->kind = ElementKind::Mapping;
    const auto& members = object.array->type.members;
    for (std::size_t i = 0; i < members.size(); ++i) {
        auto element = std::make_unique<Element>();
        element->name = members[i].name;
        element->path = joinPath(mapping->path, element->name);
        element->parent = mapping.get();
        element->object = &object;
        fillArray(*element, object, static_cast<int>(i));
        mapping->children.push_back(std::move(element));
    }
    return mapping;
}

} // namespace cellfolio
