// SPDX-License-Identifier: GPL-3.0-or-later
// 10x matrices are CSC of features × barcodes, which is CSR of cells × features as it stands.
#include "core/anndata/containers.h"
#include "core/anndata/sparse_rules.h"

#include "core/base/text.h"

#include <algorithm>

namespace cellfolio {

using hdf5::Object;

namespace {

const Object* vectorIn(const Object& group, std::string_view name)
{
    const Object* child = group.child(name);
    return child && child->isDataset() && child->array && child->array->rank() == 1 ? child
                                                                                    : nullptr;
}

bool isTenXMatrix(const Object& group)
{
    if (!group.isGroup() || !vectorIn(group, "data") || !vectorIn(group, "indices") ||
        !vectorIn(group, "indptr") || !vectorIn(group, "barcodes"))
        return false;
    // Version 3 says of each feature what type it is; without that it is a look-alike.
    const Object* features = group.child("features");
    if (features)
        return features->isGroup() && vectorIn(*features, "id") &&
               vectorIn(*features, "feature_type");
    return vectorIn(group, "genes") || vectorIn(group, "gene_names");
}

// The column of the coming h5ad for a stored list.
std::string columnName(const std::string& stored)
{
    if (stored == "id" || stored == "genes")
        return "gene_ids";
    if (stored == "feature_type")
        return "feature_types";
    return stored;
}

} // namespace

std::vector<const Object*> tenXMatricesOf(const Object& root)
{
    std::vector<const Object*> found;
    if (root.child("obs") || root.child("var"))
        return found;
    for (const auto& child : root.children)
        if (isTenXMatrix(*child))
            found.push_back(child.get());
    return found;
}

std::optional<std::string> tenXVersion(const Object& matrix)
{
    return matrix.child("features") ? "3" : "2";
}

Axes buildTenX(BuildContext& context, const Object& matrix, Element& root)
{
    ElementBuilder builder(context);
    root.isDataSet = true;
    root.kind = ElementKind::Mapping;
    root.object = &matrix;

    const Object* features = matrix.child("features");
    const bool grouped = features && features->isGroup();
    const Object& lists = grouped ? *features : matrix;
    const Object* barcodes = vectorIn(matrix, "barcodes");
    const Object* ids = vectorIn(lists, grouped ? "id" : "genes");
    const Object* symbols = vectorIn(lists, grouped ? "name" : "gene_names");
    const Object* names = symbols ? symbols : ids;
    const Index nObs = barcodes->array->shape.front();
    const Index nVars = names->array->shape.front(); // isTenXMatrix() saw to it

    auto x = std::make_unique<Element>();
    x->name = "X";
    x->path = joinPath(root.path, "X");
    x->parent = &root;
    x->object = &matrix;
    builder.fillSparse(*x, matrix, Storage::Csr);
    x->shape = std::vector<Index>{nObs, nVars};
    root.children.push_back(std::move(x));

    Element* obs = builder.addInventedTable(root, "obs", nObs);
    obs->indexName = "barcodes";
    auto cells = builder.buildColumn(barcodes, *obs, "barcodes");
    if (cells->readable)
        obs->index = std::move(cells);

    Element* var = builder.addInventedTable(root, "var", nVars);
    var->indexName = names->name;
    auto genes = builder.buildColumn(names, *var, names->name);
    if (genes->readable)
        var->index = std::move(genes);

    // Probe files name the probe in `id` and the gene in `gene_id`.
    const Object* geneIds = grouped ? vectorIn(lists, "gene_id") : nullptr;
    std::vector<const Object*> loose;
    for (const auto& child : lists.children) {
        const bool column = vectorIn(lists, child->name) && child.get() != names &&
                            (grouped || child.get() == ids) &&
                            child->array->shape.front() == nVars && child->name.front() != '_';
        if (!column) {
            const bool known = child.get() == names || child.get() == barcodes ||
                               child->name == "features" || child->name == "data" ||
                               child->name == "indices" || child->name == "indptr" ||
                               child->name == "shape";
            if (!known)
                loose.push_back(child.get());
            continue;
        }
        std::string name = columnName(child->name);
        if (geneIds && child->name == "gene_id")
            name = "gene_ids";
        else if (geneIds && child->name == "id")
            name = "probe_ids";
        var->children.push_back(builder.buildColumn(child.get(), *var, name));
    }
    if (grouped)
        for (const auto& child : matrix.children)
            if (child->name == "filtered_barcodes")
                loose.push_back(child.get());

    // The columns an import would make come first, the others as stored.
    std::stable_sort(var->children.begin(), var->children.end(), [](const auto& a, const auto& b) {
        const auto place = [](const std::string& name) {
            return name == "gene_ids" ? 0 : name == "feature_types" ? 1 : name == "genome" ? 2 : 3;
        };
        return place(a->name) < place(b->name);
    });
    builder.finishTable(*obs, obs->rows);
    builder.finishTable(*var, var->rows);

    if (!loose.empty()) {
        auto uns = std::make_unique<Element>();
        uns->name = "uns";
        uns->path = joinPath(root.path, "uns");
        uns->parent = &root;
        uns->kind = ElementKind::Mapping;
        for (const Object* object : loose)
            builder.add(*object, *uns, object->name);
        root.children.push_back(std::move(uns));
    }

    if (const Object* shape = vectorIn(matrix, "shape")) {
        const auto said = context.head(context.ref(*shape), 2, "X");
        if (said && said->size() == 2 && ((*said)[0] != nVars || (*said)[1] != nObs))
            context.report("A029", joinPath(root.path, "X"),
                           "The matrix says " + shapeText({(*said)[0], (*said)[1]}) +
                               " features and barcodes, the lists have " +
                               shapeText({nVars, nObs}) + "; the lists are taken.");
    }
    return alignElements(context, root);
}

} // namespace cellfolio
