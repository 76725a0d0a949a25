// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/anndata/containers.h"

#include <algorithm>

namespace cellfolio {

using hdf5::Attribute;
using hdf5::Object;

namespace {

bool hasGroup(const Object& group, std::string_view name)
{
    const Object* child = group.child(name);
    return child && child->isGroup();
}

bool hasDataset(const Object& group, std::string_view name)
{
    const Object* child = group.child(name);
    return child && child->isDataset();
}

bool hasAttribute(const Object& object, std::string_view name)
{
    return object.attribute(name) != nullptr;
}

std::string attributeText(const Object& object, std::string_view name)
{
    const Attribute* attribute = object.attribute(name);
    return attribute ? attribute->text().value_or("") : "";
}

} // namespace

bool looksLikeMuData(const Object& root)
{
    if (attributeText(root, "encoding-type") == "MuData")
        return true;
    // Writers that leave the description out: modalities, and no matrix of its own.
    return hasGroup(root, "mod") && !root.child("X") && !modalitiesOf(root).empty();
}

std::vector<const Object*> modalitiesOf(const Object& root)
{
    std::vector<const Object*> stored;
    const Object* group = root.child("mod");
    if (!group || !group->isGroup())
        return stored;
    for (const auto& child : group->children)
        if (child->isGroup())
            stored.push_back(child.get());
    // The order counts only if it names every modality.
    const Attribute* order = group->attribute("mod-order");
    if (!order || order->texts.size() != stored.size())
        return stored;
    std::vector<const Object*> ordered;
    for (const std::string& name : order->texts) {
        const Object* modality = group->child(name);
        if (!modality || !modality->isGroup() ||
            std::find(ordered.begin(), ordered.end(), modality) != ordered.end())
            return stored;
        ordered.push_back(modality);
    }
    return ordered;
}

// What people try to open besides, told by marks their formats are known for.
std::string whatElse(const Object& root)
{
    const std::string lead = "This is not an h5ad file: it has neither obs nor var; ";
    if (hasGroup(root, "assays") && (root.child("cell.names") || root.child("active.ident") ||
                                     hasAttribute(root, "active.assay")))
        return "This is an h5Seurat file, not an h5ad file; Cellfolio does not read it.";
    for (const auto& child : root.children)
        if (child->isGroup() && hasDataset(*child, "data") && hasDataset(*child, "indices") &&
            hasDataset(*child, "indptr"))
            return lead + "the group \"" + child->name +
                   "\" looks like a count matrix of another program.";
    if (hasDataset(root, "barcode_idx") || hasDataset(root, "umi"))
        return lead + "it looks like 10x molecule information, which holds no matrix.";
    if (attributeText(root, "format").find("Cooler") != std::string::npos)
        return lead + "it is a cooler file of contact matrices.";
    if (hasAttribute(root, "_NCProperties"))
        return lead + "it is a NetCDF file.";
    if (hasAttribute(root, "PYTABLES_FORMAT_VERSION"))
        return lead + "it is a table file of pandas or PyTables.";
    if (root.child("#refs#") || root.child("#subsystem#"))
        return lead + "it is a MATLAB file.";
    if (root.child("model_weights") || hasAttribute(root, "keras_version"))
        return lead + "it holds the weights of a neural network.";
    for (const char* old : {"_X", "_smp", "_obs", "smp", "obs_names"})
        if (root.child(old))
            return "This was written by anndata 0.4 or older, a layout Cellfolio does not read.";
    if (root.children.empty())
        return "This is an HDF5 file without any content, not an h5ad file.";
    std::string names;
    for (std::size_t i = 0; i < root.children.size() && i < 3; ++i)
        names += (i == 0 ? "\"" : ", \"") + root.children[i]->name + "\"";
    return lead + "it is another kind of HDF5 file (it holds " + names +
           (root.children.size() > 3 ? " …)." : ").");
}

} // namespace cellfolio
