// SPDX-License-Identifier: GPL-3.0-or-later
// Plain arrays, scalars, records, sparse matrices, and what every stored array is checked for.
#include "core/anndata/element_builder.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace cellfolio {

using hdf5::Attribute;
using hdf5::Object;
using hdf5::StoredType;
using hdf5::TypeClass;

namespace {

bool isFixedText(const StoredType& type)
{
    return type.cls == TypeClass::String && !type.variable;
}

bool isLabelledNumber(const StoredType& type)
{
    return type.cls == TypeClass::Enum && type.value != DType::Bool;
}

// Chunks this large or small make every read slow; arrays below a MiB are quick whatever they do.
constexpr Index kSmallArray = Index{1} << 20;
constexpr Index kSmallestChunk = 8 << 10;
constexpr Index kSmallestSparseChunk = 4 << 10;
constexpr Index kLargestChunk = Index{64} << 20;

Index bytesOf(const std::vector<Index>& extents, Index valueSize)
{
    Index bytes = std::max<Index>(valueSize, 1);
    for (const Index extent : extents) {
        if (extent == 0)
            return 0;
        if (bytes > (Index{1} << 62) / extent)
            return Index{1} << 62;
        bytes *= extent;
    }
    return bytes;
}

// The two numbers of the attribute "shape", or of its old name, if they are usable.
std::optional<std::pair<Index, Index>> storedShape(const Object& group)
{
    for (const std::string_view name : {"shape", "h5sparse_shape"}) {
        const Attribute* shape = group.attribute(name);
        if (!shape)
            continue;
        if (shape->integers.size() == 2 && shape->integers[0] >= 0 && shape->integers[1] >= 0)
            return std::pair{shape->integers[0], shape->integers[1]};
        const auto whole = [](double v) { return v >= 0 && v < 9e15 && v == double(Index(v)); };
        if (shape->reals.size() == 2 && whole(shape->reals[0]) && whole(shape->reals[1]))
            return std::pair{Index(shape->reals[0]), Index(shape->reals[1])};
    }
    return std::nullopt;
}

} // namespace

void ElementBuilder::checkStorage(Element& element, const ArrayRef& array)
{
    const StoredType& type = array.type();
    if (isFixedText(type))
        BuildContext::count(m_context.fixedText, element.path);
    if (isLabelledNumber(type))
        BuildContext::count(m_context.labelledNumber, element.path);

    const hdf5::ArrayInfo& info = array.info();
    for (const hdf5::Filter& filter : info.filters) {
        if (filter.decodable || !element.readable)
            continue;
        std::string name = std::to_string(filter.id);
        if (!filter.name.empty() && filter.name.find(name) == std::string::npos)
            name += " (" + filter.name + ")";
        m_context.refuse("A045", element, ErrorCode::UnsupportedFilter,
                         "\"" + element.path + "\" is compressed with HDF5 filter " + name +
                             ", which is not installed.");
    }
    if (info.layout != hdf5::Layout::Chunked || bytesOf(info.shape, info.type.size) <= kSmallArray)
        return;
    const Index chunk = bytesOf(info.chunk, info.type.size);
    const Index smallest = element.isSparse() ? kSmallestSparseChunk : kSmallestChunk;
    if (chunk < smallest)
        m_context.report("A053", element.path,
                         "\"" + element.path + "\" is stored in chunks of " + byteText(chunk) +
                             ": reading will be slow.");
    else if (chunk > kLargestChunk)
        m_context.report("A053", element.path,
                         "\"" + element.path + "\" is stored in chunks of " + byteText(chunk) +
                             ": each look at it needs that much memory.");
}

void ElementBuilder::fillArray(Element& element, const Object& object, int member)
{
    if (!object.array) {
        element.kind = ElementKind::Unknown;
        m_context.refuse("A015", element, ErrorCode::UnsupportedEncoding,
                         "\"" + element.path + "\" is stored in a way this program does not know.");
        return;
    }
    const hdf5::ArrayInfo& info = *object.array;
    if (info.isNull) {
        element.kind = ElementKind::Null;
        m_context.needsReader(12, element.path, "an entry without a value");
        return;
    }
    if (member < 0 && isCompound(object)) {
        element.kind = ElementKind::Records;
        element.storage = Storage::Compound;
        element.shape = info.shape;
        element.values = m_context.ref(object);
        for (std::size_t i = 0; i < info.type.members.size(); ++i) {
            const hdf5::Member& field = info.type.members[i];
            element.parts.push_back({field.name, m_context.ref(object, static_cast<int>(i))});
        }
        checkStorage(element, element.values);
        return;
    }
    element.values = m_context.ref(object, member);
    const std::vector<Index> shape = element.values.shape();
    element.bigEndian = element.values.bigEndian();
    const DType type = element.values.dtype();
    const bool oneText = oneTextIsScalar && type == DType::String && shape == std::vector<Index>{1};
    element.shape = oneText ? std::vector<Index>{} : shape;
    element.kind = element.shape->empty() ? ElementKind::Scalar : ElementKind::Array;
    element.storage = element.kind == ElementKind::Scalar ? Storage::None : Storage::Dense;
    if (element.shape->size() == 1)
        element.column = plainColumnKind(type);
    if (type == DType::Other) {
        element.kind = ElementKind::Unknown;
        element.storage = Storage::None;
        m_context.refuse("A015", element, ErrorCode::UnsupportedEncoding,
                         "\"" + element.path + "\" is stored as " +
                             element.values.type().describe() + ", which cannot be shown.");
        return;
    }
    element.dtype = type;
    checkStorage(element, element.values);
}

void ElementBuilder::fillSparse(Element& element, const Object& group, Storage storage)
{
    element.kind = ElementKind::Array;
    element.storage = storage;
    const std::string quoted = "\"" + element.path + "\"";

    const std::array<std::pair<const char*, ArrayRef*>, 3> members{
        {{"data", &element.values}, {"indices", &element.indices}, {"indptr", &element.indptr}}};
    for (const auto& [name, target] : members) {
        const Object* member = group.child(name);
        if (!member || !member->isDataset() || !member->array) {
            m_context.refuse("A028", element, ErrorCode::Corrupt,
                             "The sparse matrix " + quoted + " has no array \"" + name + "\".");
            continue;
        }
        *target = m_context.ref(*member);
        if (member->array->rank() != 1)
            m_context.refuse("A028", element, ErrorCode::Corrupt,
                             "The array \"" + std::string(name) + "\" of the sparse matrix " +
                                 quoted + " has " + std::to_string(member->array->rank()) +
                                 " dimensions, not one.");
        checkStorage(element, *target);
    }
    if (element.indices)
        element.parts.push_back({"indices", element.indices});
    if (element.indptr)
        element.parts.push_back({"indptr", element.indptr});
    if (element.values) {
        element.dtype = element.values.dtype();
        element.bigEndian = element.values.bigEndian();
        element.stored = element.values.length();
    }
    if (const auto shape = storedShape(group))
        element.shape = std::vector<Index>{shape->first, shape->second};
    if (const Attribute* shape = group.attribute("shape"); shape && !shape->reals.empty())
        m_context.report("A029", element.path,
                         "The shape of " + quoted + " is stored as fractions; anndata refuses it.");
    // Lengths and pointers are judged once the axes are known: sparse_rules.cpp.
}

} // namespace cellfolio
