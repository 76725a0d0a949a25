// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/anndata/data_set_builder.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace cellfolio {

using hdf5::Object;
using hdf5::ObjectKind;

namespace {

// Codes looked at to tell whether a list in uns belongs to a column of a very old file.
constexpr Index kCodesLookedAt = 65536;

bool isTable(const Element* element)
{
    return element && element->kind == ElementKind::Table;
}

// A second element over the same arrays, under another name.
std::unique_ptr<Element> aliasOf(const Element& original, Element& parent)
{
    auto alias = std::make_unique<Element>();
    alias->name = original.name;
    alias->path = joinPath(parent.path, original.name);
    alias->parent = &parent;
    alias->kind = original.kind;
    alias->encoding = original.encoding;
    alias->version = original.version;
    alias->shape = original.shape;
    alias->dtype = original.dtype;
    alias->bigEndian = original.bigEndian;
    alias->storage = original.storage;
    alias->readable = original.readable;
    alias->whyNot = original.whyNot;
    alias->values = original.values;
    alias->indices = original.indices;
    alias->indptr = original.indptr;
    alias->stored = original.stored;
    alias->parts = original.parts;
    alias->aliasOf = original.path;
    alias->object = original.object;
    return alias;
}

} // namespace

void DataSetBuilder::build(const Object& group, Element& root)
{
    root.isDataSet = true;
    root.kind = ElementKind::Mapping;
    root.object = &group;
    const StoredEncoding stored = storedEncoding(group);
    root.encoding = stored.type;
    root.version = stored.version;
    detectGeneration(group);
    m_builder.oneTextIsScalar = generation == "0.5";

    for (const auto& child : group.children)
        addChild(*child, root);
    addOldRaw(group, root);
    for (const char* name : {"obs", "var"})
        if (!root.child(name))
            m_context.report("A005", joinPath(root.path, name),
                             std::string("The table of ") +
                                 (name[0] == 'o' ? "observations (obs)" : "variables (var)") +
                                 " is missing.");
    applyOldCategories(root);
    const Axes axes = alignElements(m_context, root);
    nObs = axes.nObs;
    nVars = axes.nVars;
    addNeighbourGraphs(root);
}

void DataSetBuilder::detectGeneration(const Object& group)
{
    const StoredEncoding stored = storedEncoding(group);
    std::optional<std::string> byTables;
    bool compound = false;
    for (const char* name : {"obs", "var"}) {
        const Object* table = group.child(name);
        if (!table)
            continue;
        if (isCompound(*table)) {
            compound = true;
            continue;
        }
        const StoredEncoding frame = storedEncoding(*table);
        if (frame.encoding != Encoding::DataFrame)
            continue;
        const bool old = frame.version == "0.1.0" || table->child("__categories");
        if (!byTables || old)
            byTables = old ? "0.7" : "0.8";
    }
    if (stored.encoding == Encoding::AnnData)
        generation = "0.8";
    else
        generation = compound ? std::optional<std::string>("0.5") : byTables;
}

void DataSetBuilder::addChild(const Object& child, Element& root)
{
    const std::string& name = child.name;
    if (child.kind == ObjectKind::NamedType || name == "__DATA_TYPES__") {
        if (name != "__DATA_TYPES__")
            m_context
                .report("A055", joinPath(root.path, name),
                        "The data type \"" + name +
                            "\" at the top level: anndata cannot open this file.")
                .fix = "Remove it.";
        return;
    }
    if (name == "X" && child.isDataset() && child.array && child.array->isNull) {
        m_context.report("A043", joinPath(root.path, name), "X is present but empty.");
        m_context.needsReader(12, joinPath(root.path, name), "an X without a value");
        hidden.push_back(m_builder.build(child, root, name));
        return;
    }
    if (name == "obs" || name == "var") {
        if (auto table = m_builder.buildTable(child, root, name))
            root.children.push_back(std::move(table));
        return;
    }
    if ((name == "obsm" || name == "varm") && isCompound(child)) {
        root.children.push_back(m_builder.buildCompoundMapping(child, root, name));
        return;
    }
    if (name == "raw" && child.isGroup()) {
        addRaw(child, root);
        return;
    }
    if (name == "raw.X" || name == "raw.var" || name == "raw.varm" || name == "raw.cat")
        return; // together, by addOldRaw()
    if (name == "mod" && !m_alsoKnown.empty())
        return; // data sets of their own

    static constexpr std::array<std::string_view, 9> kKnown{
        "X", "layers", "obsm", "varm", "obsp", "varp", "uns", "raw", "obs"};
    const bool known = std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end() ||
                       std::find(m_alsoKnown.begin(), m_alsoKnown.end(), name) != m_alsoKnown.end();
    if (!known)
        m_context.report("A055", joinPath(root.path, name),
                         "\"" + name + "\" at the top level: anndata cannot open this file.");
    m_builder.add(child, root, name);
}

void DataSetBuilder::addRaw(const Object& group, Element& root)
{
    auto raw = std::make_unique<Element>();
    raw->name = "raw";
    raw->path = joinPath(root.path, "raw");
    raw->parent = &root;
    raw->kind = ElementKind::Mapping;
    raw->object = &group;
    const StoredEncoding stored = storedEncoding(group);
    raw->encoding = stored.type;
    raw->version = stored.version;
    if (stored.encoding == Encoding::None && m_context.tagged)
        BuildContext::count(m_context.undescribed, raw->path);
    for (const auto& child : group.children) {
        if (child->name == "var") {
            if (auto table = m_builder.buildTable(*child, *raw, "var"))
                raw->children.push_back(std::move(table));
        } else if (child->name == "varm" && isCompound(*child)) {
            raw->children.push_back(m_builder.buildCompoundMapping(*child, *raw, "varm"));
        } else {
            m_builder.add(*child, *raw, child->name);
        }
    }
    root.children.push_back(std::move(raw));
}

void DataSetBuilder::addOldRaw(const Object& group, Element& root)
{
    const Object* x = group.child("raw.X");
    const Object* var = group.child("raw.var");
    const Object* varm = group.child("raw.varm");
    if (!x && !var && !varm)
        return;
    if (root.child("raw")) {
        m_context.report("A042", joinPath(root.path, "raw"),
                         "Two generations of raw lie in one file (\"raw\" and \"raw.X\"); Python "
                         "refuses it. \"raw\" is shown.");
        return;
    }
    auto raw = std::make_unique<Element>();
    raw->name = "raw";
    raw->path = joinPath(root.path, "raw");
    raw->parent = &root;
    raw->kind = ElementKind::Mapping;
    const auto place = [&](std::unique_ptr<Element> element, const Object& object) {
        if (!element)
            return;
        element->aliasOf = joinPath(root.path, object.name);
        raw->children.push_back(std::move(element));
    };
    if (x)
        place(m_builder.build(*x, *raw, "X"), *x);
    if (var)
        place(m_builder.buildTable(*var, *raw, "var"), *var);
    if (varm)
        place(isCompound(*varm) ? m_builder.buildCompoundMapping(*varm, *raw, "varm")
                                : m_builder.build(*varm, *raw, "varm"),
              *varm);
    root.children.push_back(std::move(raw));
}

// 0.5 and 0.6 keep the categories of obs/x and var/x in uns/x_categories. The list belongs to a
// column when all its codes are below its length; the first codes of a long column stand for all,
// so that opening reads no column whole.
void DataSetBuilder::applyOldCategories(Element& root)
{
    constexpr std::string_view kSuffix = "_categories";
    auto uns = std::find_if(root.children.begin(), root.children.end(),
                            [](const auto& child) { return child->name == "uns"; });
    if (generation != "0.5" || uns == root.children.end())
        return;
    auto& entries = (*uns)->children;
    for (auto entry = entries.begin(); entry != entries.end();) {
        Element& list = **entry;
        const bool named =
            list.name.size() > kSuffix.size() &&
            list.name.compare(list.name.size() - kSuffix.size(), kSuffix.size(), kSuffix) == 0;
        if (!named || !list.readable || !list.values || !list.dtype ||
            (list.kind != ElementKind::Array && list.kind != ElementKind::Scalar) ||
            list.values.info().rank() > 1) {
            ++entry;
            continue;
        }
        const std::string column = list.name.substr(0, list.name.size() - kSuffix.size());
        const Index count = list.values.length();
        int used = 0;
        for (const char* name : {"obs", "var"}) {
            const Element* table = root.child(name);
            if (!isTable(table) || table->storage != Storage::Compound)
                continue;
            for (const auto& candidate : table->children) {
                if (candidate->name != column || !candidate->readable || !candidate->dtype ||
                    !isInteger(*candidate->dtype))
                    continue;
                const auto codes =
                    m_context.head(candidate->values, kCodesLookedAt, candidate->path);
                if (codes && std::any_of(codes->begin(), codes->end(),
                                         [count](std::int64_t code) { return code >= count; }))
                    continue;
                candidate->column = ColumnKind::Categorical;
                candidate->categories = list.values;
                candidate->categoryCount = count;
                candidate->dtype = list.dtype;
                ++used;
            }
        }
        if (used == 2)
            m_context
                .report("A047", list.path,
                        "obs and var both have a column \"" + column +
                            "\", but the file kept only one list of categories; it is used for "
                            "both.")
                .severity = Severity::Warning;
        if (used == 0) {
            ++entry;
            continue;
        }
        hidden.push_back(std::move(*entry));
        entry = entries.erase(entry);
    }
}

// Before 0.7 graphs lay in uns/neighbors; they answer to obsp/NAME as well.
void DataSetBuilder::addNeighbourGraphs(Element& root)
{
    const Element* uns = root.child("uns");
    const Element* neighbors = uns ? uns->child("neighbors") : nullptr;
    if (!neighbors || !nObs)
        return;
    const std::vector<Index> square{*nObs, *nObs};
    for (const auto& graph : neighbors->children) {
        if (!graph->isSparse() || graph->shape != square)
            continue;
        auto obsp = std::find_if(root.children.begin(), root.children.end(),
                                 [](const auto& child) { return child->name == "obsp"; });
        if (obsp != root.children.end() &&
            ((*obsp)->kind != ElementKind::Mapping || (*obsp)->child(graph->name)))
            continue;
        if (obsp == root.children.end()) {
            auto mapping = std::make_unique<Element>();
            mapping->name = "obsp";
            mapping->path = joinPath(root.path, "obsp");
            mapping->parent = &root;
            mapping->kind = ElementKind::Mapping;
            root.children.push_back(std::move(mapping));
            obsp = std::prev(root.children.end());
        }
        auto alias = aliasOf(*graph, **obsp);
        alias->firstAxis = Axis::Obs;
        alias->secondAxis = Axis::Obs;
        (*obsp)->children.push_back(std::move(alias));
    }
}

std::optional<Index> rowsOfTable(const Object* table)
{
    if (!table)
        return std::nullopt;
    if (table->isDataset())
        return isCompound(*table) && table->array->rank() == 1
                   ? std::optional(table->array->shape.front())
                   : std::nullopt;
    const hdf5::Attribute* name = table->attribute("_index");
    const Object* index = table->find(name ? name->text().value_or("_index") : "_index");
    if (index && index->isGroup()) {
        const Object* values = index->child("values");
        index = values ? values : index->child("codes");
    }
    if (!index || !index->isDataset() || !index->array || index->array->rank() != 1)
        return std::nullopt;
    return index->array->shape.front();
}

} // namespace cellfolio
