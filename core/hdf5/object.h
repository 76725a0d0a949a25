// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/dtype.h"
#include "core/base/index.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What a file's structure is, as plain data: groups, datasets, attributes and links as they were
// found on opening. No HDF5 call is needed to look at it, and no value is in it but attributes.
namespace cellfolio::hdf5 {

enum class TypeClass {
    Integer,
    Float,
    String,
    Enum,
    Compound,
    Reference, // object reference
    Array,
    VarLen,
    Opaque,
    Bitfield,
    Time,
    Unknown,
};

struct Member; // of a compound type

// A datatype as stored. `value` is how its values look to the program: Bool for an enum FALSE/TRUE,
// the base integer for another enum, Complex for a compound {r, i} of floats, String for text,
// else Other where values cannot be read as one number or text each.
struct StoredType {
    TypeClass cls = TypeClass::Unknown;
    DType value = DType::Other;
    Index size = 0;          // bytes of one value on disk
    bool bigEndian = false;
    bool direct = false;     // its bytes, swapped if big-endian, are the native values
    bool variable = false;   // text of variable length
    bool utf8 = false;       // text declared as UTF-8
    bool spacePadded = false; // text of fixed length filled up with spaces
    std::vector<std::pair<std::string, std::int64_t>> enumMembers;
    std::vector<Member> members;      // compound
    std::vector<Index> arrayShape;    // array
    std::shared_ptr<const StoredType> base; // array, enum, varlen

    std::string describe() const; // "float32", "text of fixed length 20", "records of 3 fields" …
};

struct Member {
    std::string name;
    Index offset = 0;
    StoredType type;
};

// An attribute with its values, decoded by what they are; the other vectors stay empty.
struct Attribute {
    std::string name;
    StoredType type;
    bool isNull = false;         // null dataspace
    bool isScalar = false;       // scalar dataspace; else `shape`
    std::vector<Index> shape;
    std::vector<std::string> texts;
    std::vector<std::int64_t> integers; // integers and enums (uint64 wraps)
    std::vector<double> reals;          // floats
    std::vector<std::uint64_t> references; // addresses of the objects referred to; 0: null
    bool readable = true;        // false: a type we do not decode

    std::optional<std::string> text() const;   // of one value, scalar or 1-element array
    std::optional<std::int64_t> integer() const; // likewise
};

struct Filter {
    int id = 0;
    std::string name;            // "gzip", "shuffle", "lzf", "filter 305" …
    std::vector<unsigned> parameters;
    bool decodable = true;       // by us or by the library at hand
    std::string text() const;    // "gzip:4"
};

enum class Layout { Contiguous, Chunked, Compact, Virtual };

// What is known of a dataset without reading a value.
struct ArrayInfo {
    StoredType type;
    bool isNull = false;         // null dataspace: no value at all
    bool isScalar = false;       // 0-D
    std::vector<Index> shape;
    std::vector<Index> maxShape; // how far each axis may grow; -1: as far as one likes
    Layout layout = Layout::Contiguous;
    std::vector<Index> chunk;    // chunked only
    std::vector<Filter> filters;
    std::vector<std::byte> fill; // fill value in the file's type; empty: zeros
    bool external = false;       // its bytes lie in other files

    Index rank() const noexcept { return static_cast<Index>(shape.size()); }
    Index count() const noexcept; // number of values (1 for a scalar, 0 for null)
};

enum class ObjectKind {
    Group,
    Dataset,
    NamedType,
    Dangling, // a soft link to nothing
    External, // an external link: listed, never followed
    Cycle,    // a link back to a group that holds it: not followed
    Damaged,  // could not be opened; `failure` says why
};

// One link of a group and what it leads to.
struct Object {
    std::string name;   // of the link
    std::string path;   // from the root, "/obs/n_genes"; the root is "/"
    ObjectKind kind = ObjectKind::Group;
    std::uint64_t address = 0;   // identity of the object in its file
    bool soft = false;           // reached by a soft link
    std::string linkTarget;      // soft: the path; external: the path there
    std::string linkFile;        // external: the file
    std::string failure;
    std::vector<Attribute> attributes;
    std::vector<std::unique_ptr<Object>> children; // by creation where tracked, else by name
    std::shared_ptr<const ArrayInfo> array;        // datasets

    const Attribute* attribute(std::string_view attributeName) const noexcept;
    const Object* child(std::string_view childName) const noexcept;
    // Follows names between slashes; null where one is missing.
    const Object* find(std::string_view relativePath) const noexcept;
    bool isGroup() const noexcept { return kind == ObjectKind::Group; }
    bool isDataset() const noexcept { return kind == ObjectKind::Dataset; }
};

} // namespace cellfolio::hdf5
