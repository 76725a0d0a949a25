// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/attributes.h"

#include "core/hdf5/global_heap.h"
#include "core/hdf5/handle.h"
#include "core/hdf5/header_messages.h"
#include "core/hdf5/stored_type.h"

#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace cellfolio::hdf5 {

namespace {

constexpr std::size_t kLargestAttribute = std::size_t{256} << 20;

int closeAttribute(std::int64_t id)
{
    return H5Aclose(id);
}

int closeSpace(std::int64_t id)
{
    return H5Sclose(id);
}

int closeType(std::int64_t id)
{
    return H5Tclose(id);
}

void decodeNumbers(Attribute& attribute, std::span<const std::byte> raw, std::size_t count)
{
    std::vector<std::byte> native(raw.size());
    toNative(attribute.type, raw.data(), static_cast<std::size_t>(attribute.type.size),
             static_cast<Index>(count), native.data());
    DType held = attribute.type.value;
    if (held == DType::Bool)
        held = DType::UInt8;
    visitReal(held, [&]<typename T>(const T*) {
        for (std::size_t i = 0; i < count; ++i) {
            T value{};
            std::memcpy(&value, native.data() + i * sizeof(T), sizeof(T));
            if constexpr (std::is_integral_v<T>)
                attribute.integers.push_back(static_cast<std::int64_t>(value));
            else
                attribute.reals.push_back(toDouble(value));
        }
    });
}

bool isReference(const StoredType& type)
{
    return type.cls == TypeClass::Reference && type.size == sizeof(hobj_ref_t);
}

bool isVariableText(const StoredType& type)
{
    return type.cls == TypeClass::String && type.variable;
}

// Values from their stored bytes, `count` of them.
void decodeValues(Attribute& attribute, std::span<const std::byte> raw, std::size_t count, GlobalHeap& heap)
{
    const StoredType& stored = attribute.type;
    const auto width = static_cast<std::size_t>(stored.size);
    if (isVariableText(stored)) {
        for (std::size_t i = 0; i < count; ++i) {
            auto text = heap.text(raw.subspan(i * width, width));
            if (!text) {
                attribute.texts.clear();
                attribute.readable = false;
                return;
            }
            attribute.texts.push_back(*std::move(text));
        }
    } else if (isReference(stored)) {
        for (std::size_t i = 0; i < count; ++i) {
            hobj_ref_t reference = 0;
            std::memcpy(&reference, raw.data() + i * sizeof reference, sizeof reference);
            attribute.references.push_back(reference == HADDR_UNDEF ? 0 : reference);
        }
    } else if (stored.cls == TypeClass::String) {
        for (std::size_t i = 0; i < count; ++i)
            attribute.texts.push_back(fixedText(stored, raw.data() + i * width));
    } else if (stored.direct && isReal(stored.value)) {
        decodeNumbers(attribute, raw, count);
    } else {
        attribute.readable = false;
    }
}

// Values of an attribute that is stored in a place of its own, through the library.
void readThroughLibrary(hid_t id, hid_t type, Attribute& attribute, std::size_t count, GlobalHeap& heap)
{
    const StoredType& stored = attribute.type;
    if (isVariableText(stored)) {
        std::vector<char*> pointers(count, nullptr);
        const bool read = H5Aread(id, type, pointers.data()) >= 0;
        attribute.readable = read;
        for (const char* p : pointers) {
            if (read)
                attribute.texts.emplace_back(p ? p : "");
        }
        const Handle space(H5Aget_space(id), closeSpace);
        H5Dvlen_reclaim(type, space.id(), H5P_DEFAULT, pointers.data());
        return;
    }
    if (!stored.direct && !isReference(stored)) {
        attribute.readable = false;
        return;
    }
    std::vector<std::byte> raw(count * static_cast<std::size_t>(stored.size));
    if (H5Aread(id, type, raw.data()) < 0) {
        attribute.readable = false;
        return;
    }
    decodeValues(attribute, raw, count, heap);
}

std::optional<std::size_t> countOf(const Attribute& attribute)
{
    if (attribute.isNull)
        return 0;
    std::size_t count = 1;
    std::size_t bytes = std::max<std::size_t>(static_cast<std::size_t>(attribute.type.size), 16);
    for (const Index length : attribute.shape) {
        if (__builtin_mul_overflow(count, static_cast<std::size_t>(length), &count))
            return std::nullopt;
    }
    if (__builtin_mul_overflow(bytes, count, &bytes) || bytes > kLargestAttribute)
        return std::nullopt;
    return count;
}

Attribute describeOpen(hid_t id, const Handle& type, const RawFile& file)
{
    Attribute attribute;
    const ssize_t length = H5Aget_name(id, 0, nullptr);
    if (length > 0) {
        attribute.name.resize(static_cast<std::size_t>(length));
        H5Aget_name(id, static_cast<std::size_t>(length) + 1, attribute.name.data());
    }
    attribute.type = describeType(type.id(), static_cast<Index>(file.heapReferenceSize()));
    const Handle space(H5Aget_space(id), closeSpace);
    const H5S_class_t kind = H5Sget_simple_extent_type(space.id());
    attribute.isNull = kind == H5S_NULL;
    attribute.isScalar = kind == H5S_SCALAR;
    if (kind == H5S_SIMPLE) {
        const int rank = H5Sget_simple_extent_ndims(space.id());
        std::vector<hsize_t> dims(static_cast<std::size_t>(std::max(rank, 0)));
        if (rank > 0)
            H5Sget_simple_extent_dims(space.id(), dims.data(), nullptr);
        for (const hsize_t d : dims)
            attribute.shape.push_back(static_cast<Index>(d));
    }
    return attribute;
}

void readOpen(hid_t id, const RawFile& file, GlobalHeap& heap, std::vector<Attribute>& result)
{
    const Handle type(H5Aget_type(id), closeType);
    Attribute attribute = describeOpen(id, type, file);
    const auto count = countOf(attribute);
    if (!count)
        attribute.readable = false;
    else if (*count > 0)
        readThroughLibrary(id, type.id(), attribute, *count, heap);
    result.push_back(std::move(attribute));
}

// A type from its message, which has been checked.
Handle decodeType(std::span<const std::byte> message)
{
    std::vector<std::byte> bytes{std::byte{kDatatypeMessage}, std::byte{0}};
    bytes.insert(bytes.end(), message.begin(), message.end());
    return Handle(H5Tdecode(bytes.data()), closeType);
}

enum class Stored { Read, Damaged, ForTheLibrary };

Stored readStoredAttribute(const StoredAttribute& stored, const RawFile& file, GlobalHeap& heap,
                           std::vector<Attribute>& result)
{
    if (stored.sharedSpace)
        return Stored::Damaged; // no library writes it
    const auto space = spaceOf(stored.space, file);
    if (!space)
        return Stored::Damaged;
    if (stored.sharedType)
        return Stored::ForTheLibrary;
    std::size_t behind = 0;
    const auto size = checkType(stored.type, behind, file);
    if (!size)
        return Stored::Damaged;
    const Handle type = decodeType(stored.type);
    if (!type)
        return Stored::Damaged;
    Attribute attribute;
    attribute.name.assign(reinterpret_cast<const char*>(stored.name.data()), stored.name.size());
    attribute.type = describeType(type.id(), static_cast<Index>(file.heapReferenceSize()));
    attribute.isNull = space->null;
    attribute.isScalar = !space->null && space->extents.empty();
    for (const std::uint64_t extent : space->extents)
        attribute.shape.push_back(static_cast<Index>(extent));
    const auto count = countOf(attribute);
    if (!count || *count * static_cast<std::size_t>(*size) > stored.values.size()
        || static_cast<std::uint64_t>(attribute.type.size) != *size)
        attribute.readable = false;
    else if (*count > 0)
        decodeValues(attribute, stored.values, *count, heap);
    result.push_back(std::move(attribute));
    return Stored::Read;
}

// Whether attributes lie in a heap of their own beside the header.
bool isDense(const ObjectHeader& header, const RawFile& file)
{
    const HeaderMessage* info = header.find(kAttributeInfoMessage);
    if (!info)
        return false;
    Cursor at(info->data);
    at.skip(1);
    const std::uint64_t flags = at.number(1);
    at.skip((flags & 1u) != 0 ? 2 : 0);
    const std::uint64_t heap = at.number(file.addressSize());
    return at.ok() && heap != file.undefined();
}

herr_t collectName(hid_t, const char* name, const H5A_info_t*, void* data)
{
    static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
}

} // namespace

std::vector<Attribute> readAttributes(std::int64_t object, std::uint64_t address, const RawFile& file)
{
    std::vector<Attribute> result;
    auto header = ObjectHeader::read(file, address);
    if (!header)
        return result;
    GlobalHeap heap(file);
    const auto& messages = header->messages();
    const bool elsewhere = isDense(*header, file)
                           || std::any_of(messages.begin(), messages.end(), [](const HeaderMessage& m) {
                                  return m.type == kAttributeMessage && m.isShared();
                              });
    bool sound = true;
    std::vector<std::string> named; // to be read through the library
    for (const HeaderMessage& message : messages) {
        if (message.type != kAttributeMessage || message.isShared())
            continue;
        const auto stored = attributeOf(message.data);
        if (!stored) {
            sound = false;
            continue;
        }
        const Stored read = readStoredAttribute(*stored, file, heap, result);
        sound = sound && read != Stored::Damaged;
        if (read == Stored::ForTheLibrary)
            named.emplace_back(reinterpret_cast<const char*>(stored->name.data()), stored->name.size());
    }
    if (elsewhere && sound) {
        result.clear();
        named.clear();
        hsize_t position = 0;
        H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, &position, collectName, &named);
    }
    for (const std::string& name : named) {
        // The library goes through all attributes to find one.
        const Handle id = sound ? Handle(H5Aopen(object, name.c_str(), H5P_DEFAULT), closeAttribute) : Handle();
        if (id) {
            readOpen(id.id(), file, heap, result);
            continue;
        }
        Attribute lost;
        lost.name = name;
        lost.readable = false;
        result.push_back(std::move(lost));
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const Attribute& a, const Attribute& b) { return a.name < b.name; });
    takeErrorStack();
    return result;
}

} // namespace cellfolio::hdf5
