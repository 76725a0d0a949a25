// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/element_builder.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cellfolio {

// Fills the root element of one data set (the root of an h5ad, a modality of an h5mu) from the
// group that holds it: every generation, spelled as the current layout has it.
class DataSetBuilder
{
public:
    // Names besides obs, var, X … that belong at this root ("mod" of an h5mu).
    DataSetBuilder(BuildContext& context, std::vector<std::string> alsoKnown = {})
        : m_context(context), m_builder(context), m_alsoKnown(std::move(alsoKnown))
    {
    }

    void build(const hdf5::Object& group, Element& root);

    std::optional<std::string> generation; // "0.8", "0.7", "0.5"
    std::optional<Index> nObs;
    std::optional<Index> nVars;
    std::vector<std::unique_ptr<Element>> hidden; // found by path, not listed

private:
    void addChild(const hdf5::Object& child, Element& root);
    void addRaw(const hdf5::Object& group, Element& root);
    void addOldRaw(const hdf5::Object& group, Element& root);
    void detectGeneration(const hdf5::Object& group);
    void applyOldCategories(Element& root);
    void addNeighbourGraphs(Element& root);

    BuildContext& m_context;
    ElementBuilder m_builder;
    std::vector<std::string> m_alsoKnown;
};

// Sets the axes of every aligned element of a data set and checks its shape (A029, A038 to A041,
// sparse rules). Needs obs, var and X as children of `root` where there are such. Answers nObs and
// nVars.
struct Axes {
    std::optional<Index> nObs;
    std::optional<Index> nVars;
};
Axes alignElements(BuildContext& context, Element& root);

// Rows of a table as stored, without building it.
std::optional<Index> rowsOfTable(const hdf5::Object* table);

} // namespace cellfolio
