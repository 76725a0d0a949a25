// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/containers.h"
#include "core/anndata/dataset.h"

#include <memory>
#include <string>

namespace cellfolio {

// Makes a Dataset of the structure of a file: tells the format, builds the elements, collects the
// findings. Pure interpretation of plain data, but for a handful of values (BuildContext).
class DatasetBuilder
{
public:
    struct Input {
        std::shared_ptr<const hdf5::File> file; // null: a tree made by hand, which must outlive it
        const hdf5::Object* root = nullptr;
        std::string location;
        std::string inside; // behind "::"
    };
    static Result<std::shared_ptr<const Dataset>> build(Input input);

private:
    explicit DatasetBuilder(Input input);

    Result<std::shared_ptr<const Dataset>> run();
    Result<void> buildH5ad();
    Result<void> buildMuData();
    Result<void> buildTenX();
    Result<void> buildLoom();
    void sayContainer(std::string what);
    void fileFindings();
    void tallyFindings();
    void limitFindings();
    void takeDataSet(DataSetBuilder& builder);
    // Splits "rna/X" into the part `name` names and the rest; false where it names another.
    bool insideStartsWith(const std::string& name);
    Result<void> chooseByInside(const std::vector<const hdf5::Object*>& choices, const char* what,
                                const hdf5::Object*& chosen);
    void indexPaths();
    void indexElement(Element& element);
    void addPart(Element& owner, const std::string& name, const ArrayRef& array);

    Input m_input;
    BuildContext m_context;
    std::shared_ptr<Dataset> m_dataset;
    std::vector<Element*> m_indexed; // every element that has a path
};

} // namespace cellfolio
