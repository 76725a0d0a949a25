// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/dataset_io.h"

#include "core/hdf5/handle.h"
#include "core/hdf5/stored_type.h"

#include <hdf5.h>

#include <atomic>
#include <cstring>

namespace cellfolio::hdf5 {

namespace {

std::atomic<Index> bytesRead{0};

int closeType(std::int64_t id)
{
    return H5Tclose(id);
}

int closeSpace(std::int64_t id)
{
    return H5Sclose(id);
}

struct Spaces {
    Handle file;
    Handle memory;
    Index count = 1;
};

Result<Spaces> selectSlab(hid_t dataset, const File::Slab& slab)
{
    Spaces result;
    result.file = Handle(H5Dget_space(dataset), closeSpace);
    if (slab.count.empty()) {
        result.memory = Handle(H5Screate(H5S_SCALAR), closeSpace);
        return result;
    }
    std::vector<hsize_t> start;
    std::vector<hsize_t> count;
    std::vector<hsize_t> step;
    for (std::size_t i = 0; i < slab.count.size(); ++i) {
        start.push_back(static_cast<hsize_t>(slab.start[i]));
        count.push_back(static_cast<hsize_t>(slab.count[i]));
        step.push_back(slab.step.empty() ? 1 : static_cast<hsize_t>(slab.step[i]));
        result.count *= slab.count[i];
    }
    if (result.count > 0
        && H5Sselect_hyperslab(result.file.id(), H5S_SELECT_SET, start.data(), step.data(),
                               count.data(), nullptr) < 0)
        return Error(ErrorCode::Internal, "A block outside of the array was asked for.");
    const auto total = static_cast<hsize_t>(result.count);
    result.memory = Handle(H5Screate_simple(1, &total, nullptr), closeSpace);
    return result;
}

// The type to read with: the file's own, or one field of its records.
Handle memoryType(hid_t fileType, const ArrayInfo& info, int member)
{
    if (member < 0)
        return Handle(H5Tcopy(fileType), closeType);
    const auto index = static_cast<unsigned>(member);
    const Handle field(H5Tget_member_type(fileType, index), closeType);
    Handle record(H5Tcreate(H5T_COMPOUND, H5Tget_size(field.id())), closeType);
    H5Tinsert(record.id(), info.type.members[index].name.c_str(), 0, field.id());
    return record;
}

hid_t nativeType(DType type)
{
    switch (type) {
    case DType::Int8: return H5T_NATIVE_INT8;
    case DType::Int16: return H5T_NATIVE_INT16;
    case DType::Int32: return H5T_NATIVE_INT32;
    case DType::Int64: return H5T_NATIVE_INT64;
    case DType::UInt8: return H5T_NATIVE_UINT8;
    case DType::UInt16: return H5T_NATIVE_UINT16;
    case DType::UInt32: return H5T_NATIVE_UINT32;
    case DType::UInt64: return H5T_NATIVE_UINT64;
    case DType::Float32: return H5T_NATIVE_FLOAT;
    case DType::Float64: return H5T_NATIVE_DOUBLE;
    default: return -1;
    }
}

Result<Values> readTexts(hid_t dataset, const ArrayInfo& info, const StoredType& type,
                         const Spaces& spaces, hid_t memory, Index perRecord)
{
    const auto n = static_cast<std::size_t>(spaces.count * perRecord);
    Values values(DType::String, static_cast<Index>(n));
    if (n == 0)
        return values;
    if (type.variable) {
        std::vector<char*> pointers(n, nullptr);
        if (H5Dread(dataset, memory, spaces.memory.id(), spaces.file.id(), H5P_DEFAULT, pointers.data()) < 0) {
            H5Dvlen_reclaim(memory, spaces.memory.id(), H5P_DEFAULT, pointers.data());
            return readError(info);
        }
        Index bytes = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (pointers[i])
                values.texts()[i] = pointers[i];
            bytes += static_cast<Index>(values.texts()[i].size()) + 16;
        }
        countBytesRead(bytes);
        H5Dvlen_reclaim(memory, spaces.memory.id(), H5P_DEFAULT, pointers.data());
        return values;
    }
    const auto width = static_cast<std::size_t>(type.size);
    std::vector<std::byte> raw(n * width);
    if (H5Dread(dataset, memory, spaces.memory.id(), spaces.file.id(), H5P_DEFAULT, raw.data()) < 0)
        return readError(info);
    countBytesRead(static_cast<Index>(raw.size()));
    for (std::size_t i = 0; i < n; ++i)
        values.texts()[i] = fixedText(type, raw.data() + i * width);
    return values;
}

} // namespace

Result<Values> readValues(std::int64_t dataset, const ArrayInfo& info, const File::Slab& slab)
{
    const StoredType& field = slab.member >= 0
                                  ? info.type.members[static_cast<std::size_t>(slab.member)].type
                                  : info.type;
    const StoredType& type = field.cls == TypeClass::Array ? *field.base : field;
    Index perRecord = 1;
    for (const Index d : field.arrayShape)
        perRecord *= d;
    if (type.value == DType::Other)
        return Error(ErrorCode::UnsupportedEncoding,
                     "The values are " + type.describe() + ", which cannot be shown.");
    if (info.isNull)
        return Values(type.value, 0);
    auto spaces = selectSlab(dataset, slab);
    if (!spaces)
        return std::move(spaces).error();
    const Handle fileType(H5Dget_type(dataset), closeType);
    const Handle memory = memoryType(fileType.id(), info, slab.member);
    if (type.value == DType::String)
        return readTexts(dataset, info, type, *spaces, memory.id(), perRecord);

    const Index n = spaces->count * perRecord;
    Values values(type.value, n);
    if (n == 0)
        return values;
    const bool wideBool = type.value == DType::Bool && !type.direct && type.base && type.base->direct;
    if (type.direct || wideBool) {
        const auto width = static_cast<std::size_t>(type.size);
        std::vector<std::byte> raw(static_cast<std::size_t>(n) * width);
        if (H5Dread(dataset, memory.id(), spaces->memory.id(), spaces->file.id(), H5P_DEFAULT, raw.data()) < 0)
            return readError(info);
        countBytesRead(static_cast<Index>(raw.size()));
        if (wideBool) {
            for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
                bool any = false;
                for (std::size_t b = 0; b < width; ++b)
                    any = any || raw[i * width + b] != std::byte{0};
                values.as<Flag>()[i].byte = any ? 1 : 0;
            }
        } else {
            toNative(type, raw.data(), width, n, values.data());
        }
        return values;
    }
    // An odd width or format: the library converts, into a type that holds every value.
    const hid_t native = nativeType(type.value);
    if (native < 0 || slab.member >= 0)
        return Error(ErrorCode::UnsupportedEncoding,
                     "The values are stored in an unusual number format, which cannot be shown.");
    if (H5Dread(dataset, native, spaces->memory.id(), spaces->file.id(), H5P_DEFAULT, values.data()) < 0)
        return readError(info);
    countBytesRead(values.bytes());
    return values;
}

Result<void> readStored(std::int64_t dataset, const ArrayInfo& info, const File::Slab& slab,
                        Buffer& into)
{
    auto spaces = selectSlab(dataset, slab);
    if (!spaces)
        return std::move(spaces).error();
    into.resize(static_cast<std::size_t>(spaces->count * info.type.size));
    if (into.size() == 0)
        return {};
    const Handle type(H5Dget_type(dataset), closeType);
    if (H5Dread(dataset, type.id(), spaces->memory.id(), spaces->file.id(), H5P_DEFAULT, into.data()) < 0)
        return readError(info);
    countBytesRead(static_cast<Index>(into.size()));
    return {};
}

Result<void> readStoredChunks(std::int64_t dataset, const ArrayInfo& info,
                              const std::vector<Index>& offsets, std::uint64_t fileSize, RawChunks& into)
{
    const std::size_t rank = info.shape.size();
    const std::size_t n = offsets.size() / rank;
    into.items.assign(n, {});
    std::vector<hsize_t> place(rank);
    std::size_t total = 0;
    const auto placeOf = [&](std::size_t i) {
        for (std::size_t d = 0; d < rank; ++d)
            place[d] = static_cast<hsize_t>(offsets[i * rank + d]);
        return place.data();
    };
    for (std::size_t i = 0; i < n; ++i) {
        hsize_t size = 0;
        // A chunk that was never written is an error or a size of 0, by the kind of index.
        if (H5Dget_chunk_storage_size(dataset, placeOf(i), &size) < 0)
            size = 0;
        if (size > fileSize)
            return Error(ErrorCode::Corrupt, "A part is damaged on disk and cannot be read: a chunk is "
                                             "said to be longer than the file.")
                .rule("A056")
                .advise("Copy the file again from the source.");
        into.items[i].offset = total;
        into.items[i].size = static_cast<std::size_t>(size);
        total += static_cast<std::size_t>(size);
    }
    into.bytes.resize(total);
    for (std::size_t i = 0; i < n; ++i) {
        RawChunks::Item& item = into.items[i];
        if (item.size == 0)
            continue;
        std::uint32_t mask = 0;
        if (H5Dread_chunk(dataset, H5P_DEFAULT, placeOf(i), &mask, into.bytes.data() + item.offset) < 0)
            return readError(info);
        item.filterMask = mask;
    }
    H5Eclear2(H5E_DEFAULT);
    countBytesRead(static_cast<Index>(total));
    return {};
}

Error readError(const ArrayInfo& info)
{
    const std::string reason = takeErrorStack();
    for (const Filter& filter : info.filters) {
        if (!filter.decodable)
            return Error(ErrorCode::UnsupportedFilter,
                         "It is compressed with " + filter.name + " (HDF5 filter "
                             + std::to_string(filter.id) + "), which is not available here.")
                .rule("A045")
                .advise("Install that filter, or write the file again with gzip.");
    }
    return Error(ErrorCode::Corrupt, "A part is damaged on disk and cannot be read: " + reason + ".")
        .rule("A056")
        .advise("Copy the file again from the source.");
}

void countBytesRead(Index bytes)
{
    bytesRead.fetch_add(bytes, std::memory_order_relaxed);
}

Index bytesReadSoFar()
{
    return bytesRead.load(std::memory_order_relaxed);
}

} // namespace cellfolio::hdf5
