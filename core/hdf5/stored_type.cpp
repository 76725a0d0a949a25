// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/stored_type.h"

#include "core/hdf5/handle.h"

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>

namespace cellfolio::hdf5 {

static_assert(std::endian::native == std::endian::little, "byte order is handled for little-endian machines");

namespace {

// Sizes that the library gives are those in memory, where a text of variable length is a pointer
// and a list is a pointer with a length. In the file both are references of one size.
Index storedSize(const StoredType& type, Index inMemory, Index referenceSize)
{
    switch (type.cls) {
    case TypeClass::VarLen:
        return referenceSize;
    case TypeClass::String:
        return type.variable ? referenceSize : inMemory;
    case TypeClass::Array: {
        Index size = type.base->size;
        for (const Index d : type.arrayShape)
            size *= d;
        return size;
    }
    default:
        return inMemory;
    }
}

DType integerOf(Index size, bool isSigned)
{
    switch (size) {
    case 1: return isSigned ? DType::Int8 : DType::UInt8;
    case 2: return isSigned ? DType::Int16 : DType::UInt16;
    case 4: return isSigned ? DType::Int32 : DType::UInt32;
    case 8: return isSigned ? DType::Int64 : DType::UInt64;
    default: return isSigned ? DType::Int64 : DType::UInt64; // odd widths, through the library
    }
}

bool isPowerWidth(Index size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

void describeInteger(hid_t type, StoredType& result)
{
    const bool isSigned = H5Tget_sign(type) == H5T_SGN_2;
    const H5T_order_t order = H5Tget_order(type);
    result.bigEndian = order == H5T_ORDER_BE;
    result.value = integerOf(result.size, isSigned);
    result.direct = isPowerWidth(result.size) && (order == H5T_ORDER_LE || order == H5T_ORDER_BE)
                    && H5Tget_precision(type) == static_cast<std::size_t>(result.size) * 8;
    if (result.size > 8)
        result.value = DType::Other;
}

void describeFloat(hid_t type, StoredType& result)
{
    std::size_t sign = 0;
    std::size_t exponentAt = 0;
    std::size_t exponentSize = 0;
    std::size_t fractionAt = 0;
    std::size_t fractionSize = 0;
    H5Tget_fields(type, &sign, &exponentAt, &exponentSize, &fractionAt, &fractionSize);
    const H5T_order_t order = H5Tget_order(type);
    result.bigEndian = order == H5T_ORDER_BE;
    const bool ordered = order == H5T_ORDER_LE || order == H5T_ORDER_BE;
    const auto is = [&](Index size, std::size_t exponent, std::size_t fraction) {
        return result.size == size && exponentSize == exponent && fractionSize == fraction
               && fractionAt == 0 && exponentAt == fraction && ordered;
    };
    if (is(2, 5, 10)) {
        result.value = DType::Float16;
        result.direct = true;
    } else if (is(4, 8, 23)) {
        result.value = DType::Float32;
        result.direct = true;
    } else if (is(8, 11, 52)) {
        result.value = DType::Float64;
        result.direct = true;
    } else {
        result.value = result.size <= 4 ? DType::Float32 : DType::Float64; // through the library
    }
}

void describeEnum(hid_t type, StoredType& result, Index referenceSize)
{
    const Handle base(H5Tget_super(type), [](std::int64_t id) { return int(H5Tclose(id)); });
    auto described = std::make_shared<StoredType>(describeType(base.id(), referenceSize));
    result.bigEndian = described->bigEndian;
    result.direct = described->direct;
    result.value = described->value;
    const int members = H5Tget_nmembers(type);
    for (int i = 0; i < members; ++i) {
        const auto member = static_cast<unsigned>(i);
        char* name = H5Tget_member_name(type, member);
        std::array<std::byte, 16> raw{};
        std::array<std::byte, 16> native{};
        std::int64_t value = 0;
        if (described->direct && H5Tget_member_value(type, member, raw.data()) >= 0) {
            toNative(*described, raw.data(), static_cast<std::size_t>(described->size), 1, native.data());
            visitReal(described->value, [&]<typename T>(const T*) {
                if constexpr (std::is_integral_v<T>) {
                    T v{};
                    std::memcpy(&v, native.data(), sizeof v);
                    value = static_cast<std::int64_t>(v);
                }
            });
        }
        result.enumMembers.emplace_back(name ? name : "", value);
        H5free_memory(name);
    }
    const auto has = [&](const char* name, std::int64_t value) {
        return std::any_of(result.enumMembers.begin(), result.enumMembers.end(),
                           [&](const auto& m) { return m.first == name && m.second == value; });
    };
    if (result.enumMembers.size() == 2 && has("FALSE", 0) && has("TRUE", 1)) {
        result.value = DType::Bool;
        result.direct = result.direct && result.size == 1;
    }
    result.base = std::move(described);
}

void describeCompound(hid_t type, StoredType& result, Index referenceSize)
{
    const int members = H5Tget_nmembers(type);
    std::vector<Index> inMemory;
    for (int i = 0; i < members; ++i) {
        const auto index = static_cast<unsigned>(i);
        Member member;
        char* name = H5Tget_member_name(type, index);
        member.name = name ? name : "";
        H5free_memory(name);
        member.offset = static_cast<Index>(H5Tget_member_offset(type, index));
        const Handle memberType(H5Tget_member_type(type, index),
                                [](std::int64_t id) { return int(H5Tclose(id)); });
        member.type = describeType(memberType.id(), referenceSize);
        result.members.push_back(std::move(member));
        inMemory.push_back(static_cast<Index>(H5Tget_size(memberType.id())));
    }
    // The library moved each field by what those in front of it grew or shrank: moved back here.
    std::vector<std::size_t> order(result.members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return result.members[a].offset < result.members[b].offset;
    });
    Index grown = 0;
    for (const std::size_t m : order) {
        result.members[m].offset += grown;
        grown += result.members[m].type.size - inMemory[m];
    }
    result.size += grown;
    if (result.members.size() != 2)
        return;
    const Member& re = result.members[0];
    const Member& im = result.members[1];
    const bool isComplexNumber = re.name == "r" && im.name == "i" && re.type.direct && im.type.direct
                                 && re.type.value == im.type.value && re.offset == 0
                                 && im.offset == re.type.size && result.size == 2 * re.type.size
                                 && re.type.bigEndian == im.type.bigEndian;
    if (isComplexNumber && re.type.value == DType::Float32)
        result.value = DType::Complex64;
    else if (isComplexNumber && re.type.value == DType::Float64)
        result.value = DType::Complex128;
    result.direct = isComplex(result.value);
    result.bigEndian = result.direct && re.type.bigEndian;
}

std::string filterName(int id, const char* given)
{
    switch (id) {
    case H5Z_FILTER_DEFLATE: return "gzip";
    case H5Z_FILTER_SHUFFLE: return "shuffle";
    case H5Z_FILTER_FLETCHER32: return "fletcher32";
    case H5Z_FILTER_SZIP: return "szip";
    case H5Z_FILTER_NBIT: return "nbit";
    case H5Z_FILTER_SCALEOFFSET: return "scaleoffset";
    case 307: return "bzip2";
    case 32000: return "lzf";
    case 32001: return "blosc";
    case 32004: return "lz4";
    case 32008: return "bitshuffle";
    case 32013: return "zfp";
    case 32015: return "zstd";
    case 32026: return "blosc2";
    default: break;
    }
    const std::string text = given ? given : "";
    return text.empty() ? "filter " + std::to_string(id) : text;
}

bool decodedByUs(int id)
{
    static constexpr std::array<int, 8> kOurs{1, 2, 3, 32000, 32001, 32004, 32008, 32015};
    return std::find(kOurs.begin(), kOurs.end(), id) != kOurs.end();
}

} // namespace

bool holdsReferences(const StoredType& type)
{
    return type.variable || type.cls == TypeClass::VarLen
           || (type.base && type.cls == TypeClass::Array && holdsReferences(*type.base))
           || std::any_of(type.members.begin(), type.members.end(),
                          [](const Member& m) { return holdsReferences(m.type); });
}

StoredType describeType(std::int64_t type, Index referenceSize)
{
    StoredType result;
    result.size = static_cast<Index>(H5Tget_size(type));
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
        result.cls = TypeClass::Integer;
        describeInteger(type, result);
        break;
    case H5T_BITFIELD:
        result.cls = TypeClass::Bitfield;
        result.value = isPowerWidth(result.size) ? integerOf(result.size, false) : DType::Other;
        result.bigEndian = H5Tget_order(type) == H5T_ORDER_BE;
        result.direct = isPowerWidth(result.size);
        break;
    case H5T_FLOAT:
        result.cls = TypeClass::Float;
        describeFloat(type, result);
        break;
    case H5T_STRING:
        result.cls = TypeClass::String;
        result.value = DType::String;
        result.variable = H5Tis_variable_str(type) > 0;
        result.utf8 = H5Tget_cset(type) == H5T_CSET_UTF8;
        result.spacePadded = !result.variable && H5Tget_strpad(type) == H5T_STR_SPACEPAD;
        result.direct = !result.variable;
        break;
    case H5T_ENUM:
        result.cls = TypeClass::Enum;
        describeEnum(type, result, referenceSize);
        break;
    case H5T_COMPOUND:
        result.cls = TypeClass::Compound;
        describeCompound(type, result, referenceSize);
        break;
    case H5T_REFERENCE:
        result.cls = TypeClass::Reference;
        break;
    case H5T_ARRAY: {
        result.cls = TypeClass::Array;
        const int rank = H5Tget_array_ndims(type);
        std::vector<hsize_t> dims(static_cast<std::size_t>(std::max(rank, 0)));
        if (rank > 0)
            H5Tget_array_dims2(type, dims.data());
        for (const hsize_t d : dims)
            result.arrayShape.push_back(static_cast<Index>(d));
        const Handle base(H5Tget_super(type), [](std::int64_t id) { return int(H5Tclose(id)); });
        result.base = std::make_shared<StoredType>(describeType(base.id(), referenceSize));
        break;
    }
    case H5T_VLEN: {
        result.cls = TypeClass::VarLen;
        const Handle base(H5Tget_super(type), [](std::int64_t id) { return int(H5Tclose(id)); });
        result.base = std::make_shared<StoredType>(describeType(base.id(), referenceSize));
        break;
    }
    case H5T_OPAQUE:
        result.cls = TypeClass::Opaque;
        break;
    case H5T_TIME:
        result.cls = TypeClass::Time;
        break;
    default:
        break;
    }
    result.size = storedSize(result, result.size, referenceSize);
    return result;
}

ArrayInfo describeDataset(std::int64_t dataset, Index referenceSize)
{
    ArrayInfo info;
    const Handle type(H5Dget_type(dataset), [](std::int64_t id) { return int(H5Tclose(id)); });
    if (type)
        info.type = describeType(type.id(), referenceSize);
    const Handle space(H5Dget_space(dataset), [](std::int64_t id) { return int(H5Sclose(id)); });
    switch (H5Sget_simple_extent_type(space.id())) {
    case H5S_NULL: info.isNull = true; break;
    case H5S_SCALAR: info.isScalar = true; break;
    default: {
        const int rank = H5Sget_simple_extent_ndims(space.id());
        std::vector<hsize_t> dims(static_cast<std::size_t>(std::max(rank, 0)));
        std::vector<hsize_t> most(dims.size());
        if (rank > 0)
            H5Sget_simple_extent_dims(space.id(), dims.data(), most.data());
        for (const hsize_t d : dims)
            info.shape.push_back(static_cast<Index>(d));
        for (const hsize_t d : most)
            info.maxShape.push_back(d == H5S_UNLIMITED ? -1 : static_cast<Index>(d));
        break;
    }
    }
    const Handle plist(H5Dget_create_plist(dataset), [](std::int64_t id) { return int(H5Pclose(id)); });
    switch (H5Pget_layout(plist.id())) {
    case H5D_COMPACT: info.layout = Layout::Compact; break;
    case H5D_CHUNKED: info.layout = Layout::Chunked; break;
    case H5D_VIRTUAL: info.layout = Layout::Virtual; break;
    default: info.layout = Layout::Contiguous; break;
    }
    info.external = info.layout == Layout::Contiguous && H5Pget_external_count(plist.id()) > 0;
    if (info.layout == Layout::Chunked) {
        std::vector<hsize_t> dims(info.shape.size());
        H5Pget_chunk(plist.id(), static_cast<int>(dims.size()), dims.data());
        for (const hsize_t d : dims)
            info.chunk.push_back(static_cast<Index>(d));
        const int filters = H5Pget_nfilters(plist.id());
        for (int i = 0; i < filters; ++i) {
            std::array<unsigned, 32> values{};
            std::size_t valueCount = values.size();
            std::array<char, 128> name{};
            unsigned flags = 0;
            const int id = H5Pget_filter2(plist.id(), static_cast<unsigned>(i), &flags, &valueCount,
                                          values.data(), name.size(), name.data(), nullptr);
            name.back() = '\0';
            Filter filter;
            filter.id = id;
            filter.name = filterName(id, name.data());
            filter.parameters.assign(values.begin(),
                                     values.begin() + static_cast<std::ptrdiff_t>(std::min(valueCount, values.size())));
            filter.decodable = decodedByUs(id) || H5Zfilter_avail(id) > 0;
            info.filters.push_back(std::move(filter));
        }
    }
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    if (H5Pfill_value_defined(plist.id(), &defined) >= 0 && defined == H5D_FILL_VALUE_USER_DEFINED
        && info.type.direct && info.type.cls != TypeClass::String) {
        info.fill.resize(static_cast<std::size_t>(info.type.size));
        if (H5Pget_fill_value(plist.id(), type.id(), info.fill.data()) < 0)
            info.fill.clear();
    }
    takeErrorStack();
    return info;
}

void toNative(const StoredType& type, const std::byte* source, std::size_t stride, Index count,
              std::byte* target)
{
    const auto size = static_cast<std::size_t>(type.size);
    const auto n = static_cast<std::size_t>(count);
    if (stride == size) {
        std::memcpy(target, source, size * n);
    } else {
        for (std::size_t i = 0; i < n; ++i)
            std::memcpy(target + i * size, source + i * stride, size);
    }
    if (!type.bigEndian)
        return;
    const std::size_t word = isComplex(type.value) ? size / 2 : size;
    const std::size_t words = size * n / std::max<std::size_t>(word, 1);
    if (word < 2)
        return;
    for (std::size_t i = 0; i < words; ++i)
        std::reverse(target + i * word, target + (i + 1) * word);
}

std::string fixedText(const StoredType& type, const std::byte* bytes)
{
    const char* text = reinterpret_cast<const char*>(bytes);
    std::size_t length = 0;
    while (length < static_cast<std::size_t>(type.size) && text[length] != '\0')
        ++length;
    while (type.spacePadded && length > 0 && text[length - 1] == ' ')
        --length;
    return std::string(text, length);
}

} // namespace cellfolio::hdf5
