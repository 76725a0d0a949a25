// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/build_context.h"
#include "core/anndata/encoding.h"

#include <memory>
#include <optional>
#include <string>

namespace cellfolio {

// Makes elements of stored objects, whatever their encoding or generation, without reading values.
// What cannot be understood becomes an element too, with a finding that says why.
class ElementBuilder
{
public:
    explicit ElementBuilder(BuildContext& context) : m_context(context) {}

    // The element for an object and everything below it; null for what is no element (a committed
    // datatype). It is not yet among the parent's children.
    std::unique_ptr<Element> build(const hdf5::Object& object, Element& parent,
                                   const std::string& name);
    // The same, added to the parent's children. Null where there is none.
    Element* add(const hdf5::Object& object, Element& parent, const std::string& name);

    // A table: a group (dataframe) or a compound dataset. Anything else is refused with A006.
    std::unique_ptr<Element> buildTable(const hdf5::Object& object, Element& parent,
                                        const std::string& name);
    // A table of columns that lie in other objects (10x, loom).
    Element* addInventedTable(Element& parent, const std::string& name, Index rows);
    // One column of `table`, of an object or of one field of it.
    std::unique_ptr<Element> buildColumn(const hdf5::Object* object, Element& table,
                                         const std::string& name, int member = -1);
    // Settles the rows of a table (`rows`, or from its index or first column), its shape, and
    // which columns have that many (A010).
    void finishTable(Element& table, std::optional<Index> rows = {});
    // A sparse matrix of three arrays; `shape` may be empty where it is not said.
    void fillSparse(Element& element, const hdf5::Object& group, Storage storage);
    // A compound dataset of aligned arrays (obsm of old files) as a mapping of them.
    std::unique_ptr<Element> buildCompoundMapping(const hdf5::Object& object, Element& parent,
                                                  const std::string& name);
    // A plain array, a scalar or records, of a dataset or of one field of it.
    void fillArray(Element& element, const hdf5::Object& object, int member = -1);

    // Storage rules (A024, A045, A049, A053) of an array behind an element.
    void checkStorage(Element& element, const ArrayRef& array);

    // Scalars of very old files are arrays of one text.
    bool oneTextIsScalar = false;

private:
    std::unique_ptr<Element> start(const hdf5::Object& object, Element& parent,
                                   const std::string& name);
    bool fillLink(Element& element, const hdf5::Object& object);
    void fill(Element& element, const hdf5::Object& object);
    void fillMapping(Element& element, const hdf5::Object& group);
    void fillCategorical(Element& element, const hdf5::Object& group);
    void fillNullable(Element& element, const hdf5::Object& group, Encoding encoding);
    void fillAwkward(Element& element, const hdf5::Object& group);
    void fillUnknown(Element& element, const hdf5::Object& object);
    void fillFrame(Element& table, const hdf5::Object& group);
    void fillCompoundTable(Element& table, const hdf5::Object& object);
    void fillOldCategorical(Element& column, const hdf5::Object& codes, const hdf5::Object& group);
    void setCategories(Element& element, const hdf5::Object& categories);

    BuildContext& m_context;
};

// The kind a column of plain values of this type has.
ColumnKind plainColumnKind(DType type);

} // namespace cellfolio
