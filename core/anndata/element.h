// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/finding.h"
#include "core/base/dtype.h"
#include "core/paging/array_reader.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cellfolio {

enum class ElementKind {
    Matrix,  // X, layers/*, raw/X; dense or sparse
    Array,   // any other dense or sparse array
    Table,
    Scalar,  // one number, boolean or text
    Mapping,
    Records, // a compound dataset outside obs/var
    Awkward,
    Null,
    Link,    // external, dangling or circular: listed, not followed
    Unknown, // an encoding we do not know, or an object we cannot read
    Column,  // of a table
};
std::string_view nameOf(ElementKind kind); // "matrix", "array" …

enum class Storage { None, Dense, Csr, Csc, Compound };
std::string_view nameOf(Storage storage); // "dense", "csr" …; empty for None

enum class ColumnKind {
    Numeric,
    Boolean,
    String,
    Categorical,
    NullableInteger,
    NullableBoolean,
    NullableString,
    Opaque, // listed, cannot be shown
};
std::string_view nameOf(ColumnKind kind); // "numeric", "nullable-integer" …

// What the numbers of a matrix are, judged from the numbers, never from a name.
enum class Holds { Unknown, Counts, Log1p, Scaled, Other };
std::string_view nameOf(Holds holds); // "counts", "log1p" …; empty for Unknown

enum class Axis { Obs, Var };

// A stored array behind an element, for `info` and the inspector: "data", "indices", "codes" …
struct ElementPart {
    std::string name;
    ArrayRef array;
};

// One element of a data set, as the current layout (anndata 0.8 and later) would spell it,
// whatever the file's own form is. Plain data, immutable once the dataset is open.
struct Element {
    std::string path;  // "obs/cell_type"; the root is ""
    std::string name;  // last part of it, as the user knows it (may hold a slash)
    ElementKind kind = ElementKind::Unknown;
    Element* parent = nullptr;
    std::vector<std::unique_ptr<Element>> children; // order of the file; columns in column-order

    std::optional<std::string> encoding; // as stored
    std::optional<std::string> version;
    std::optional<std::vector<Index>> shape; // as the 0.8 layout has it: obs first; mappings: none
    std::optional<DType> dtype;          // of the values (categorical: of the categories)
    bool bigEndian = false;
    Storage storage = Storage::None;

    // Whether its values can be read, and if not, why, in one sentence with a code.
    bool readable = true;
    std::optional<Error> whyNot;

    // The arrays behind it. values: dense values, sparse data, codes of a categorical, values of a
    // nullable, a scalar. Others as the names say; unset where there is none.
    ArrayRef values;
    ArrayRef indices;
    ArrayRef indptr;
    ArrayRef mask;
    ArrayRef categories;
    std::vector<std::string> fixedCategories; // of very old files, whose lists lie in uns
    bool transposed = false; // dense values are stored var × obs (loom)
    std::optional<Index> stored;   // entries of a sparse matrix
    std::vector<ElementPart> parts; // stored arrays but `values`

    // Tables. Columns are the children of kind Column; `index` holds the row names.
    std::string indexName;
    std::unique_ptr<Element> index;     // kind Column; null: rows are numbered
    Index rows = 0;

    // Columns; and one-dimensional arrays elsewhere, which are read like one.
    ColumnKind column = ColumnKind::Opaque;
    std::optional<Index> categoryCount;
    bool ordered = false;

    // Awkward arrays.
    std::string awkwardForm;
    Index awkwardLength = 0;

    // Links and old names.
    std::string linkType;   // "soft", "external" or empty
    std::string linkTarget; // path; external: file and path
    std::string aliasOf;    // where it really lies, for elements that answer to their new name

    // Which axes of the data set its first and second dimension follow.
    std::optional<Axis> firstAxis;
    std::optional<Axis> secondAxis;
    bool ofRaw = false; // its var axis is the one of raw
    bool isDataSet = false; // holds obs, var, X … of its own: the root, a modality, a genome

    const hdf5::Object* object = nullptr; // the object it was made from; null for invented ones

    const Element* child(std::string_view childName) const noexcept;
    bool isSparse() const noexcept { return storage == Storage::Csr || storage == Storage::Csc; }
};

} // namespace cellfolio
