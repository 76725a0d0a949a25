// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/space_use.h"

#include "core/hdf5/file_handle.h"
#include "core/hdf5/hdf5_thread.h"
#include "core/hdf5/header_messages.h"
#include "core/hdf5/stored_elements.h"
#include "core/hdf5/stored_type.h"

#include <hdf5.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace cellfolio::hdf5 {

namespace {

constexpr Index kWindow = Index{1} << 20; // bytes of references read at once
constexpr unsigned char kVariableClass = 9; // in a stored datatype

// Where in one value references into the heap of texts stand.
void findReferences(const StoredType& type, std::size_t offset, std::size_t width,
                    std::vector<std::size_t>& places)
{
    if (type.cls == TypeClass::Array && type.base) {
        Index count = 1;
        for (const Index n : type.arrayShape)
            count *= n;
        for (Index k = 0; k < count && holdsReferences(*type.base); ++k)
            findReferences(*type.base, offset + at(k * type.base->size), width, places);
        return;
    }
    for (const Member& member : type.members)
        findReferences(member.type, offset + at(member.offset), width, places);
    if (type.members.empty() && holdsReferences(type) && at(type.size) == width)
        places.push_back(offset);
}

class Counting
{
public:
    Counting(std::shared_ptr<const File> file, std::shared_ptr<const RawFile> raw, std::stop_token stop)
        : m_file(std::move(file)), m_raw(std::move(raw)), m_stop(std::move(stop))
    {
    }

    Result<Index> run(const Signature& signature)
    {
        std::vector<const Object*> pending{&m_file->root()};
        while (!pending.empty()) {
            const Object* object = pending.back();
            pending.pop_back();
            for (const auto& child : object->children)
                pending.push_back(child.get());
            if (object->kind == ObjectKind::Damaged)
                return Error(ErrorCode::Corrupt, "\"" + object->path + "\" is damaged");
            const bool stored = object->isGroup() || object->isDataset()
                                || object->kind == ObjectKind::NamedType;
            if (stored && m_seen.insert(object->address).second)
                m_objects.push_back(object);
        }
        // Structures are asked of the library, a bundle of objects at a time; texts are read here.
        constexpr std::size_t kBundle = 64;
        for (std::size_t k = 0; k < m_objects.size(); k += kBundle) {
            const std::size_t last = std::min(m_objects.size(), k + kBundle);
            if (m_stop.stop_requested())
                return Error::cancelled();
            // Waited for to its end: it works on what is here.
            auto added = Hdf5Thread::instance().call(
                Lane::Bulk, [this, k, last, &signature]() { return addStructures(k, last, signature); });
            if (!added)
                return std::move(added).error();
        }
        for (const Object* object : m_objects) {
            if (Result<void> read = addHeaps(*object); !read)
                return std::move(read).error();
        }
        return m_used;
    }

private:
    Result<void> addStructures(std::size_t first, std::size_t last, const Signature& signature)
    {
        auto opened = openFileHandle(m_file->path(), signature);
        if (!opened)
            return std::move(opened).error();
        StructureCheck check(*m_raw, widthsOf(opened->id()));
        for (std::size_t k = first; k < last; ++k) {
            const Object& object = *m_objects[k];
            const std::string failure = check.chunkIndex(object.address);
            if (!failure.empty())
                return Error(ErrorCode::Corrupt, "\"" + object.path + "\": " + failure);
            const Handle handle(H5Oopen_by_addr(opened->id(), object.address),
                                [](std::int64_t id) { return int(H5Oclose(id)); });
            H5O_info_t info;
            if (!handle || H5Oget_info2(handle.id(), &info, H5O_INFO_HDR | H5O_INFO_META_SIZE) < 0)
                return Error(ErrorCode::Corrupt, "\"" + object.path + "\": " + takeErrorStack());
            m_used += static_cast<Index>(info.hdr.space.total + info.meta_size.obj.index_size
                                         + info.meta_size.obj.heap_size + info.meta_size.attr.index_size
                                         + info.meta_size.attr.heap_size);
            if (object.isDataset() && object.array && !object.array->external)
                m_used += static_cast<Index>(H5Dget_storage_size(handle.id()));
        }
        H5Eclear2(H5E_DEFAULT);
        return {};
    }

    Result<void> addHeaps(const Object& object)
    {
        const auto header = ObjectHeader::read(*m_raw, object.address);
        if (!header)
            return header.error();
        for (const HeaderMessage& message : header->messages()) {
            if (message.type != kAttributeMessage || message.isShared())
                continue;
            const auto attribute = attributeOf(message.data);
            if (!attribute || attribute->sharedType || attribute->type.empty()
                || (static_cast<unsigned char>(attribute->type[0]) & 0x0F) != kVariableClass)
                continue;
            if (Result<void> added = addReferences(attribute->values, m_raw->heapReferenceSize(), {0}); !added)
                return added;
        }
        if (!object.isDataset() || !object.array || object.array->isNull
            || !holdsReferences(object.array->type) || !StoredElements::canRead(*object.array))
            return {};
        const ArrayInfo& info = *object.array;
        std::vector<std::size_t> places;
        findReferences(info.type, 0, m_raw->heapReferenceSize(), places);
        if (places.empty() || info.count() == 0)
            return {};
        // Along the first axis, a window of references at a time.
        const Index rows = info.shape.empty() ? 1 : info.shape[0];
        const Index rowBytes = std::max<Index>(1, info.count() / rows * info.type.size);
        const Index step = std::max<Index>(1, kWindow / rowBytes);
        Buffer values;
        StoredElements elements(m_file, object, *m_raw);
        for (Index row = 0; row < rows; row += step) {
            File::Slab slab;
            slab.start.assign(info.shape.size(), 0);
            slab.count = info.shape;
            if (!info.shape.empty()) {
                slab.start[0] = row;
                slab.count[0] = std::min(step, rows - row);
            }
            if (Result<void> read = elements.read(slab, values, Lane::Bulk, m_stop); !read)
                return read;
            if (Result<void> added = addReferences(values.span(), at(info.type.size), places); !added)
                return added;
        }
        return {};
    }

    // Adds the collections that these references lead to, each once.
    Result<void> addReferences(std::span<const std::byte> values, std::size_t size,
                               const std::vector<std::size_t>& places)
    {
        const std::size_t head = 8 + m_raw->lengthSize();
        std::vector<std::byte> bytes(head);
        for (std::size_t value = 0; value + size <= values.size(); value += size) {
            for (const std::size_t place : places) {
                Cursor reference(values.subspan(value + place, m_raw->heapReferenceSize()));
                const std::uint64_t length = reference.number(4);
                const std::uint64_t address = reference.number(m_raw->addressSize());
                if (length == 0 || address == 0 || address == m_raw->undefined()
                    || address == m_lastCollection || !m_collections.insert(address).second)
                    continue;
                m_lastCollection = address;
                if (Result<void> read = m_raw->read(address, bytes); !read)
                    return read;
                Cursor at0(bytes);
                if (!at0.startsWith("GCOL"))
                    return Error(ErrorCode::Corrupt, "texts are not where they should be");
                at0.skip(4);
                m_used += static_cast<Index>(at0.number(m_raw->lengthSize()));
            }
        }
        return {};
    }

    std::shared_ptr<const File> m_file;
    std::shared_ptr<const RawFile> m_raw;
    std::stop_token m_stop;
    std::vector<const Object*> m_objects;
    std::unordered_set<std::uint64_t> m_seen;
    std::unordered_set<std::uint64_t> m_collections;
    std::uint64_t m_lastCollection = 0;
    Index m_used = 0;
};

} // namespace

Result<SpaceUse> spaceUse(const std::shared_ptr<const File>& file, std::stop_token stop)
{
    const auto signature = readSignature(file->path());
    if (!signature)
        return signature.error();
    auto raw = RawFile::open(file->path(), *signature);
    if (!raw)
        return std::move(raw).error();
    auto used = Counting(file, *std::move(raw), stop).run(*signature);
    if (!used)
        return std::move(used).error();
    SpaceUse result;
    result.fileBytes = file->size();
    // The superblock, with what may extend it.
    result.usedBytes = file->userBlock() + 96 + *used;
    return result;
}

} // namespace cellfolio::hdf5
