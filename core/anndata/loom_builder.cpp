// SPDX-License-Identifier: GPL-3.0-or-later
// A loom stores genes × cells: its matrix and layers are read transposed.
#include "core/anndata/containers.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace cellfolio {

using hdf5::Object;

namespace {

const Object* groupIn(const Object& group, std::string_view name)
{
    const Object* child = group.child(name);
    return child && child->isGroup() ? child : nullptr;
}

const Object* matrixOf(const Object& file)
{
    const Object* matrix = file.child("matrix");
    return matrix && matrix->isDataset() && matrix->array && matrix->array->rank() == 2 ? matrix
                                                                                        : nullptr;
}

// Fills an element with a stored genes × cells array.
void fillTransposed(ElementBuilder& builder, Element& element, const Object& object)
{
    builder.fillArray(element, object);
    if (!element.shape || element.shape->size() != 2)
        return;
    std::swap((*element.shape)[0], (*element.shape)[1]);
    element.transposed = true;
}

std::unique_ptr<Element> emptyElement(Element& parent, const std::string& name,
                                      const Object* object, ElementKind kind)
{
    auto element = std::make_unique<Element>();
    element->name = name;
    element->path = joinPath(parent.path, name);
    element->parent = &parent;
    element->object = object;
    element->kind = kind;
    return element;
}

// The list that names the rows: one of the usual ones, else the first of text.
const Object* namesIn(const Object& attributes, std::initializer_list<std::string_view> usual,
                      Index rows)
{
    const auto fits = [rows](const Object& object) {
        return object.isDataset() && object.array && object.array->rank() == 1 &&
               object.array->shape.front() == rows;
    };
    for (const std::string_view name : usual)
        if (const Object* found = attributes.child(name); found && fits(*found))
            return found;
    for (const auto& child : attributes.children)
        if (fits(*child) && child->array->type.value == DType::String)
            return child.get();
    return nullptr;
}

// One-dimensional attributes are columns, others rows of an aligned array.
void addAttributes(ElementBuilder& builder, const Object& attributes, const Object* names,
                   Element& table, Element& aligned)
{
    if (names) {
        table.indexName = names->name;
        auto index = builder.buildColumn(names, table, names->name);
        if (index->readable)
            table.index = std::move(index);
    }
    for (const auto& child : attributes.children) {
        if (child.get() == names)
            continue;
        if (child->isDataset() && child->array && child->array->rank() > 1)
            builder.add(*child, aligned, child->name);
        else
            table.children.push_back(builder.buildColumn(child.get(), table, child->name));
    }
    builder.finishTable(table, table.rows);
}

} // namespace

bool looksLikeLoom(const Object& root)
{
    return matrixOf(root) && groupIn(root, "row_attrs") && groupIn(root, "col_attrs");
}

std::optional<std::string> loomVersion(BuildContext& context, const Object& root)
{
    if (const hdf5::Attribute* attribute = root.attribute("LOOM_SPEC_VERSION"))
        return attribute->text();
    const Object* attributes = groupIn(root, "attrs");
    const Object* version = attributes ? attributes->child("LOOM_SPEC_VERSION") : nullptr;
    if (!version || !version->isDataset() || !version->array || !context.file() ||
        version->array->count() != 1 || version->array->type.value != DType::String)
        return std::nullopt;
    hdf5::File::Slab slab;
    slab.start.assign(version->array->shape.size(), 0);
    slab.count.assign(version->array->shape.size(), 1);
    auto text = context.file()->read(*version, slab, hdf5::Lane::Interactive);
    return text && text->size() == 1 ? std::optional(text->text(0)) : std::nullopt;
}

Axes buildLoom(BuildContext& context, const Object& file, Element& root)
{
    ElementBuilder builder(context);
    root.isDataSet = true;
    root.kind = ElementKind::Mapping;
    root.object = &file;
    const Object* matrix = matrixOf(file);
    const Index nVars = matrix->array->shape[0];
    const Index nObs = matrix->array->shape[1];

    auto x = emptyElement(root, "X", matrix, ElementKind::Unknown);
    fillTransposed(builder, *x, *matrix);
    root.children.push_back(std::move(x));

    if (const Object* layers = groupIn(file, "layers"); layers && !layers->children.empty()) {
        auto mapping = emptyElement(root, "layers", layers, ElementKind::Mapping);
        for (const auto& child : layers->children) {
            auto layer = builder.build(*child, *mapping, child->name);
            if (!layer)
                continue;
            if (layer->shape && layer->shape->size() == 2 && layer->kind == ElementKind::Array &&
                !layer->isSparse()) {
                std::swap((*layer->shape)[0], (*layer->shape)[1]);
                layer->transposed = true;
            }
            mapping->children.push_back(std::move(layer));
        }
        root.children.push_back(std::move(mapping));
    }

    const Object& cells = *groupIn(file, "col_attrs");
    const Object& genes = *groupIn(file, "row_attrs");
    Element* obs = builder.addInventedTable(root, "obs", nObs);
    Element* var = builder.addInventedTable(root, "var", nVars);
    obs->object = &cells;
    var->object = &genes;
    auto obsm = emptyElement(root, "obsm", nullptr, ElementKind::Mapping);
    auto varm = emptyElement(root, "varm", nullptr, ElementKind::Mapping);
    addAttributes(builder, cells,
                  namesIn(cells, {"CellID", "cell_id", "obs_names", "Cell", "barcode"}, nObs), *obs,
                  *obsm);
    addAttributes(builder, genes,
                  namesIn(genes, {"Gene", "gene", "var_names", "GeneName", "Accession"}, nVars),
                  *var, *varm);
    for (auto* mapping : {&obsm, &varm})
        if (!(*mapping)->children.empty())
            root.children.push_back(std::move(*mapping));

    // Graphs are stored as triples a, b, w: they are listed as they are.
    auto uns = emptyElement(root, "uns", nullptr, ElementKind::Mapping);
    if (const Object* attributes = groupIn(file, "attrs"))
        for (const auto& child : attributes->children)
            builder.add(*child, *uns, child->name);
    for (const char* graphs : {"col_graphs", "row_graphs"})
        if (const Object* group = groupIn(file, graphs); group && !group->children.empty())
            builder.add(*group, *uns, graphs);
    if (!uns->children.empty())
        root.children.push_back(std::move(uns));
    return alignElements(context, root);
}

} // namespace cellfolio
