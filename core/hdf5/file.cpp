// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/file.h"

#include "core/base/text.h"
#include "core/hdf5/chunk_directory.h"
#include "core/hdf5/dataset_io.h"
#include "core/hdf5/file_handle.h"
#include "core/hdf5/global_heap.h"
#include "core/hdf5/handle.h"
#include "core/hdf5/raw_file.h"
#include "core/hdf5/signature.h"
#include "core/hdf5/stored_elements.h"
#include "core/hdf5/stored_type.h"
#include "core/hdf5/structure_check.h"
#include "core/hdf5/walker.h"

#include <hdf5.h>

#include <algorithm>
#include <atomic>
#include <list>
#include <optional>
#include <unordered_map>

#include <sys/stat.h>

namespace cellfolio::hdf5 {

namespace {

// Opening a dataset costs some 20 µs; a window over thousands of columns keeps those in use open.
constexpr std::size_t kOpenDatasets = 128;
// Texts are read in windows: each is an allocation of the library's until it is taken over.
constexpr Index kTextWindow = Index{1} << 16;

std::atomic<std::uint64_t> nextFileId{1};

FileIdentity identityOf(const std::filesystem::path& path)
{
    FileIdentity result;
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) {
        result.device = static_cast<std::uint64_t>(status.st_dev);
        result.inode = static_cast<std::uint64_t>(status.st_ino);
        result.size = static_cast<Index>(status.st_size);
        result.modified = Index{status.st_mtim.tv_sec} * 1'000'000'000 + Index{status.st_mtim.tv_nsec};
    }
    return result;
}

// The library reads the root group's header, and its tables when they are of the older kind, while
// it opens the file.
std::string damagedRoot(const RawFile& raw, const Signature& signature)
{
    if (signature.root == 0 || signature.version > 3)
        return {}; // the library will say what is wrong
    TreeWidths widths;
    if (signature.version <= 1)
        widths = {static_cast<std::uint64_t>(signature.groupNodes),
                  static_cast<std::uint64_t>(signature.groupLeaves),
                  static_cast<std::uint64_t>(signature.chunkNodes)};
    StructureCheck check(raw, widths);
    return check.object(signature.root);
}

// Whether a block lies in the array.
bool isInside(const ArrayInfo& info, const File::Slab& slab)
{
    if (slab.start.size() != info.shape.size() || slab.count.size() != info.shape.size())
        return false;
    for (std::size_t d = 0; d < slab.count.size(); ++d) {
        const Index step = slab.step.empty() ? 1 : slab.step[d];
        if (slab.start[d] < 0 || slab.count[d] < 0 || step < 1
            || (slab.count[d] > 0 && slab.start[d] + (slab.count[d] - 1) * step >= info.shape[d]))
            return false;
    }
    return true;
}

} // namespace

struct File::Handles {
    Handle file;
    std::optional<StructureCheck> check;
    // Open datasets, most recently used first.
    std::list<std::pair<std::uint64_t, Handle>> recent;
    std::unordered_map<std::uint64_t, std::list<std::pair<std::uint64_t, Handle>>::iterator> byAddress;

    Result<std::int64_t> dataset(const Object& object)
    {
        if (const auto known = byAddress.find(object.address); known != byAddress.end()) {
            recent.splice(recent.begin(), recent, known->second);
            return recent.front().second.id();
        }
        if (const std::string& failure = check->chunkIndex(object.address); !failure.empty())
            return Error(ErrorCode::Corrupt, "The array cannot be read: " + failure + ".")
                .rule("A056")
                .advise("Copy the file again from the source.");
        Handle handle(H5Oopen_by_addr(file.id(), object.address),
                      [](std::int64_t id) { return int(H5Oclose(id)); });
        if (!handle)
            return Error(ErrorCode::Corrupt, "The array cannot be opened: " + takeErrorStack() + ".")
                .rule("A056");
        recent.emplace_front(object.address, std::move(handle));
        byAddress[object.address] = recent.begin();
        if (recent.size() > kOpenDatasets) {
            byAddress.erase(recent.back().first);
            recent.pop_back();
        }
        return recent.front().second.id();
    }
};

Result<std::shared_ptr<const File>> File::open(const std::filesystem::path& path)
{
    auto signature = readSignature(path);
    if (!signature)
        return std::move(signature).error();
    std::shared_ptr<File> file(new File);
    file->m_path = path;
    file->m_identity = identityOf(path);
    file->m_superblock = signature->version;
    file->m_userBlock = signature->userBlock;
    file->m_id = nextFileId.fetch_add(1);
    file->m_handles = std::make_unique<Handles>();
    auto raw = RawFile::open(path, *signature);
    if (!raw)
        return std::move(raw).error();
    file->m_raw = *std::move(raw);
    file->m_chunks = std::make_unique<ChunkDirectory>(*file->m_raw);
    if (const std::string failure = damagedRoot(*file->m_raw, *signature); !failure.empty())
        return openError(*signature, failure);
    auto opened = Hdf5Thread::instance().call(Lane::Interactive, [&]() -> Result<void> {
        auto handle = openFileHandle(path, *signature);
        if (!handle)
            return std::move(handle).error();
        file->m_handles->file = std::move(*handle);
        file->m_handles->check.emplace(*file->m_raw, widthsOf(file->m_handles->file.id()));
        file->m_root = walk(file->m_handles->file.id(), *file->m_raw, *file->m_handles->check);
        if (file->m_root.kind == ObjectKind::Damaged)
            return openError(*signature, file->m_root.failure);
        return {};
    });
    if (!opened)
        return std::move(opened).error();

    std::vector<const Object*> pending{&file->m_root};
    while (!pending.empty()) {
        const Object* object = pending.back();
        pending.pop_back();
        if (object->address != 0)
            file->m_byAddress.emplace_back(object->address, object);
        for (auto child = object->children.rbegin(); child != object->children.rend(); ++child)
            pending.push_back(child->get());
    }
    std::stable_sort(file->m_byAddress.begin(), file->m_byAddress.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    return std::shared_ptr<const File>(std::move(file));
}

File::~File()
{
    // Handles close where they were opened.
    Hdf5Thread::instance().post(Lane::Interactive,
                                [handles = std::shared_ptr<Handles>(std::move(m_handles))] {});
}

const Object* File::objectAt(std::uint64_t address) const noexcept
{
    const auto found = std::lower_bound(m_byAddress.begin(), m_byAddress.end(), address,
                                        [](const auto& entry, std::uint64_t a) { return entry.first < a; });
    return found != m_byAddress.end() && found->first == address ? found->second : nullptr;
}

bool File::changedOnDisk() const
{
    return identityOf(m_path) != m_identity;
}

Result<Values> File::read(const Object& dataset, const Slab& slab, Lane lane, std::stop_token stop) const
{
    const ArrayInfo& info = *dataset.array;
    const StoredType& field = slab.member >= 0 ? info.type.members[at(slab.member)].type : info.type;
    const StoredType& type = field.cls == TypeClass::Array ? *field.base : field;
    if (type.cls == TypeClass::String && type.variable && StoredElements::canRead(info))
        return readTexts(dataset, slab, lane, stop);
    return Hdf5Thread::instance().call(
        lane, stop, [self = shared_from_this(), &dataset, slab]() -> Result<Values> {
            auto handle = self->m_handles->dataset(dataset);
            if (!handle)
                return std::move(handle).error();
            return readValues(*handle, *dataset.array, slab);
        });
}

Result<Values> File::readTexts(const Object& dataset, const Slab& slab, Lane lane,
                               const std::stop_token& stop) const
{
    const ArrayInfo& info = *dataset.array;
    if (!isInside(info, slab))
        return Error(ErrorCode::Internal, "A block outside of the array was asked for.");
    std::size_t offset = 0;
    Index perRecord = 1;
    if (slab.member >= 0) {
        const Member& member = info.type.members[at(slab.member)];
        offset = at(member.offset);
        for (const Index d : member.type.arrayShape)
            perRecord *= d;
    } else {
        for (const Index d : info.type.arrayShape)
            perRecord *= d;
    }
    Index total = 1;
    for (const Index c : slab.count)
        total *= c;
    // Along the first axis, so many rows at a time that a window holds about kTextWindow texts.
    const Index rowsWanted = slab.count.empty() ? 1 : slab.count[0];
    const Index rowRecords = total / std::max<Index>(1, rowsWanted);
    const Index rows = std::max<Index>(1, kTextWindow / std::max<Index>(1, rowRecords * perRecord));
    const Index step = slab.step.empty() ? 1 : slab.step[0];
    const std::size_t record = at(info.type.size);
    const std::size_t width = m_raw->heapReferenceSize();
    std::vector<std::string> texts;
    texts.reserve(at(total * perRecord));
    StoredElements elements(shared_from_this(), dataset, *m_raw);
    GlobalHeap heap(*m_raw);
    Buffer stored;
    for (Index first = 0; first < rowsWanted && total > 0; first += rows) {
        Slab window = slab;
        window.member = -1;
        if (!window.count.empty()) {
            window.start[0] = slab.start[0] + first * step;
            window.count[0] = std::min(rows, rowsWanted - first);
        }
        if (auto read = elements.read(window, stored, lane, stop); !read)
            return std::move(read).error();
        const Index records = static_cast<Index>(stored.size() / record);
        for (Index r = 0; r < records; ++r) {
            for (Index k = 0; k < perRecord; ++k) {
                const std::size_t place = at(r) * record + offset + at(k) * width;
                auto text = heap.text(std::as_const(stored).span().subspan(place, width));
                if (!text) {
                    if (text.error().code() != ErrorCode::Corrupt)
                        return std::move(text).error();
                    const std::string where =
                        slab.count.empty()
                            ? std::string("The text")
                            : "The text of row " + std::to_string(window.start[0] + r / rowRecords * step);
                    return Error(ErrorCode::Corrupt,
                                 where + " is damaged on disk: " + text.error().message() + ".")
                        .rule("A056")
                        .advise("Copy the file again from the source.");
                }
                texts.push_back(*std::move(text));
            }
        }
    }
    return Values(std::move(texts));
}

Result<void> File::readBytes(const Object& dataset, const Slab& slab, std::shared_ptr<Buffer> into,
                             Lane lane, std::stop_token stop) const
{
    // The library would resolve the references, and they would never be given back. What lies in one
    // piece needs no library at all: several threads read it side by side.
    const ArrayInfo& info = *dataset.array;
    if ((holdsReferences(info.type) || info.layout == Layout::Contiguous)
        && StoredElements::canRead(info))
        return StoredElements(shared_from_this(), dataset, *m_raw).read(slab, *into, lane, stop);
    return Hdf5Thread::instance().call(
        lane, stop, [self = shared_from_this(), &dataset, slab, into]() -> Result<void> {
            auto handle = self->m_handles->dataset(dataset);
            if (!handle)
                return std::move(handle).error();
            return readStored(*handle, *dataset.array, slab, *into);
        });
}

Result<void> File::readChunks(const Object& dataset, std::vector<Index> offsets,
                              std::shared_ptr<RawChunks> into, Lane lane, std::stop_token stop) const
{
    const auto places = m_chunks->of(dataset, offsets.size() / std::max<std::size_t>(1, dataset.array->shape.size()), lane);
    if (places)
        return places->read(*m_raw, *dataset.array, offsets, *into, stop);
    return Hdf5Thread::instance().call(
        lane, stop,
        [self = shared_from_this(), &dataset, offsets = std::move(offsets), into]() -> Result<void> {
            auto handle = self->m_handles->dataset(dataset);
            if (!handle)
                return std::move(handle).error();
            return readStoredChunks(*handle, *dataset.array, offsets, self->m_raw->size(), *into);
        });
}

Result<Index> File::storedBytes(const Object& dataset, std::stop_token stop) const
{
    return Hdf5Thread::instance().call(Lane::Bulk, stop,
                                       [self = shared_from_this(), &dataset]() -> Result<Index> {
                                           auto handle = self->m_handles->dataset(dataset);
                                           if (!handle)
                                               return std::move(handle).error();
                                           return static_cast<Index>(H5Dget_storage_size(*handle));
                                       });
}

std::int64_t File::handle() const
{
    return m_handles->file.id();
}

Result<std::int64_t> File::handleOf(const Object& dataset) const
{
    return m_handles->dataset(dataset);
}

} // namespace cellfolio::hdf5
