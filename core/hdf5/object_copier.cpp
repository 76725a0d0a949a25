// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/object_copier.h"

#include "core/hdf5/output_state.h"
#include "core/hdf5/stored_elements.h"
#include "core/hdf5/stored_type.h"

#include <hdf5.h>

#include <algorithm>

namespace cellfolio::hdf5 {

namespace {

constexpr Index kReferenceSize = 16;
constexpr Index kAtOnce = Index{2} << 20;    // bytes moved in one call
constexpr Index kTextsAtOnce = Index{1} << 14;
constexpr Index kChunksAtOnce = 256;

int closeList(std::int64_t id)
{
    return H5Pclose(id);
}
int closeObject(std::int64_t id)
{
    return H5Oclose(id);
}
int closeType(std::int64_t id)
{
    return H5Tclose(id);
}
int closeSpace(std::int64_t id)
{
    return H5Sclose(id);
}
int closeAttribute(std::int64_t id)
{
    return H5Aclose(id);
}

bool isText(const StoredType& type)
{
    return type.cls == TypeClass::String && type.variable;
}

bool holdsObjectReferences(const StoredType& type)
{
    return type.cls == TypeClass::Reference || (type.base && holdsObjectReferences(*type.base))
        || std::any_of(type.members.begin(), type.members.end(),
                       [](const Member& m) { return holdsObjectReferences(m.type); });
}

// Names of the attributes, by creation where that is tracked.
std::vector<std::string> attributeNames(hid_t object)
{
    H5O_info_t info;
    std::vector<std::string> names;
    if (H5Oget_info2(object, &info, H5O_INFO_NUM_ATTRS) < 0)
        return names;
    for (hsize_t k = 0; k < info.num_attrs; ++k) {
        for (const H5_index_t index : {H5_INDEX_CRT_ORDER, H5_INDEX_NAME}) {
            const ssize_t length =
                H5Aget_name_by_idx(object, ".", index, H5_ITER_INC, k, nullptr, 0, H5P_DEFAULT);
            if (length < 0)
                continue;
            std::string name(static_cast<std::size_t>(length), '\0');
            H5Aget_name_by_idx(object, ".", index, H5_ITER_INC, k, name.data(), name.size() + 1, H5P_DEFAULT);
            names.push_back(std::move(name));
            break;
        }
    }
    takeErrorStack();
    return names;
}

// One attribute with its own type and space; its texts are those that were read past the library.
Result<void> copyAttribute(hid_t from, hid_t to, const Attribute& attribute)
{
    const Handle source(H5Aopen(from, attribute.name.c_str(), H5P_DEFAULT), closeAttribute);
    const Handle type(source ? H5Aget_type(source.id()) : -1, closeType);
    const Handle space(source ? H5Aget_space(source.id()) : -1, closeSpace);
    if (!type || !space)
        return outputError("reading attribute " + attribute.name);
    const Handle list(H5Aget_create_plist(source.id()), closeList);
    const Handle made(H5Acreate2(to, attribute.name.c_str(), type.id(), space.id(), list.id(), H5P_DEFAULT),
                      closeAttribute);
    if (!made)
        return outputError("making attribute " + attribute.name);
    if (attribute.isNull)
        return {};
    const hssize_t count = H5Sget_simple_extent_npoints(space.id());
    if (count <= 0)
        return {};
    if (isText(attribute.type)) {
        std::vector<const char*> pointers;
        for (const std::string& text : attribute.texts)
            pointers.push_back(text.c_str());
        pointers.resize(static_cast<std::size_t>(count), "");
        if (H5Awrite(made.id(), type.id(), pointers.data()) < 0)
            return outputError("writing attribute " + attribute.name);
        return {};
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(count) * H5Tget_size(type.id()));
    const bool fine = H5Aread(source.id(), type.id(), bytes.data()) >= 0
                   && H5Awrite(made.id(), type.id(), bytes.data()) >= 0;
    if (holdsReferences(attribute.type))
        H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, bytes.data());
    if (!fine)
        return outputError("writing attribute " + attribute.name);
    return {};
}

// Whether an attribute is too large for the header of an object, where 64 KiB are the most.
bool hasLargeAttribute(const Object& object)
{
    constexpr Index kMost = 60'000;
    return std::any_of(object.attributes.begin(), object.attributes.end(), [](const Attribute& attribute) {
        Index count = 1;
        for (const Index d : attribute.shape)
            count *= d;
        return count * attribute.type.size > kMost;
    });
}

// The properties of a group for another one. Taken one by one: in the list as it is, the library also
// keeps where the links of the first group lie.
Handle groupList(hid_t stored)
{
    Handle list(H5Pcreate(H5P_GROUP_CREATE), closeList);
    unsigned first = 0;
    unsigned second = 0;
    std::size_t hint = 0;
    if (H5Pget_link_creation_order(stored, &first) >= 0)
        H5Pset_link_creation_order(list.id(), first);
    if (H5Pget_attr_creation_order(stored, &first) >= 0)
        H5Pset_attr_creation_order(list.id(), first);
    if (H5Pget_link_phase_change(stored, &first, &second) >= 0)
        H5Pset_link_phase_change(list.id(), first, second);
    if (H5Pget_attr_phase_change(stored, &first, &second) >= 0)
        H5Pset_attr_phase_change(list.id(), first, second);
    if (H5Pget_est_link_info(stored, &first, &second) >= 0)
        H5Pset_est_link_info(list.id(), first, second);
    if (H5Pget_local_heap_size_hint(stored, &hint) >= 0)
        H5Pset_local_heap_size_hint(list.id(), hint);
    hbool_t times = true;
    if (H5Pget_obj_track_times(stored, &times) >= 0)
        H5Pset_obj_track_times(list.id(), times);
    takeErrorStack();
    return list;
}

} // namespace

OutputOptions optionsLike(const File& source)
{
    OutputOptions options;
    options.superblock = source.superblockVersion();
    options.userBlock = source.userBlock();
    return Hdf5Thread::instance().call(Lane::Bulk, [&] {
        const Handle root(H5Gopen2(source.handle(), "/", H5P_DEFAULT), closeObject);
        const Handle list(root ? H5Gget_create_plist(root.id()) : -1, closeList);
        if (!list || H5Pget_link_creation_order(list.id(), &options.linkOrder) < 0
            || H5Pget_attr_creation_order(list.id(), &options.attributeOrder) < 0)
            takeErrorStack();
        return options;
    });
}

ObjectCopier::ObjectCopier(std::shared_ptr<const File> source, std::shared_ptr<OutputFile> target,
                           Options options)
    : m_source(std::move(source)), m_target(std::move(target)), m_options(std::move(options))
{
}

void ObjectCopier::place(const Object& object, const std::string& path)
{
    if (object.address != 0)
        m_places.emplace(object.address, path);
}

std::optional<std::string> ObjectCopier::placeOf(const Object& object) const
{
    const auto found = m_places.find(object.address);
    return object.address != 0 && found != m_places.end() ? std::optional(found->second) : std::nullopt;
}

void ObjectCopier::passed(Index bytes) const
{
    if (m_options.progress)
        m_options.progress(bytes);
}

Result<void> ObjectCopier::copy(const Object& object, const std::string& path)
{
    if (m_options.stop.stop_requested())
        return Error::cancelled();
    switch (object.kind) {
    case ObjectKind::External:
    case ObjectKind::Dangling:
        return copyLink(object, path);
    case ObjectKind::Damaged:
        return Error(ErrorCode::Corrupt, "This part of the file is damaged and cannot be copied: "
                                             + object.failure + ".")
            .at(object.path)
            .rule("A056");
    case ObjectKind::Cycle:
        return object.soft ? copyLink(object, path) : Result<void>();
    default:
        break;
    }
    if (object.soft) {
        const auto target =
            m_options.linkTarget ? m_options.linkTarget(object) : std::optional(object.linkTarget);
        if (target)
            return m_target->createSoftLink(path, *target);
    } else if (const auto known = placeOf(object)) {
        return m_target->createHardLink(path, *known);
    }
    if (object.isGroup()) {
        if (auto made = copyGroup(object, path); !made)
            return made;
        for (const auto& child : object.children)
            if (auto copied = copy(*child, path == "/" ? "/" + child->name : path + "/" + child->name); !copied)
                return copied;
        return {};
    }
    if (auto copied = object.isDataset() ? copyDataset(object, path) : copyWhole(object, path); !copied)
        return std::move(copied).error().at(object.path.substr(1));
    place(object, path);
    return {};
}

Result<void> ObjectCopier::copyLink(const Object& object, const std::string& path)
{
    if (object.kind != ObjectKind::External)
        return m_target->createSoftLink(path, object.linkTarget);
    return Hdf5Thread::instance().call(Lane::Bulk, [&]() -> Result<void> {
        OutputFile::State& state = m_target->state();
        if (H5Lcreate_external(object.linkFile.c_str(), object.linkTarget.c_str(), state.file.id(), path.c_str(),
                               state.linkList.id(), H5P_DEFAULT) < 0)
            return outputError("linking " + path);
        return m_target->check();
    });
}

Result<void> ObjectCopier::copyGroup(const Object& group, const std::string& path)
{
    auto made = Hdf5Thread::instance().call(Lane::Bulk, [&]() -> Result<void> {
        OutputFile::State& state = m_target->state();
        const Handle from(H5Oopen_by_addr(m_source->handle(), group.address), closeObject);
        const Handle stored(from ? H5Gget_create_plist(from.id()) : -1, closeList);
        if (!stored)
            return outputError("opening group " + group.path);
        const Handle list = groupList(stored.id());
        // Groups of files with newer layouts have room for large attributes, those of older ones only so.
        if (hasLargeAttribute(group))
            H5Pset_attr_creation_order(list.id(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
        const Handle to(H5Gcreate2(state.file.id(), path.c_str(), state.linkList.id(), list.id(), H5P_DEFAULT),
                        closeObject);
        if (auto sound = m_target->check(); !sound)
            return sound;
        return to ? Result<void>() : outputError("making group " + path);
    });
    if (!made)
        return made;
    place(group, path);
    return copyAttributes(group, path);
}

Result<void> ObjectCopier::copyAttributes(const Object& from, const std::string& to,
                                          const std::vector<std::string>& without)
{
    return Hdf5Thread::instance().call(Lane::Bulk, [&]() -> Result<void> {
        const Handle source(H5Oopen_by_addr(m_source->handle(), from.address), closeObject);
        const Handle target(H5Oopen(m_target->state().file.id(), to.c_str(), H5P_DEFAULT), closeObject);
        if (!source || !target)
            return outputError("opening " + to);
        for (const std::string& name : attributeNames(source.id())) {
            const Attribute* attribute = from.attribute(name);
            if (attribute == nullptr || std::find(without.begin(), without.end(), name) != without.end())
                continue;
            if (attribute->type.cls == TypeClass::Reference) {
                if (attribute->readable && !attribute->isNull)
                    m_references.push_back({to, name, attribute->references, attribute->isScalar, attribute->shape});
                continue;
            }
            if (auto copied = copyAttribute(source.id(), target.id(), *attribute); !copied)
                return std::move(copied).error().at(from.path.substr(1));
        }
        char comment[1024];
        if (H5Oget_comment(source.id(), comment, sizeof comment) > 0)
            H5Oset_comment(target.id(), comment);
        return m_target->check();
    });
}

Result<void> ObjectCopier::copyDataset(const Object& object, const std::string& path)
{
    const ArrayInfo& info = *object.array;
    const bool ofTexts = isText(info.type) && (StoredElements::canRead(info) || info.isNull);
    const bool plain = !holdsReferences(info.type) && !holdsObjectReferences(info.type);
    if (!(ofTexts || plain) || info.layout == Layout::Virtual || info.external)
        return copyWhole(object, path);
    OutputArray target;
    // A filter that is not here cannot be set up; then the library moves the chunks by itself.
    auto made = Hdf5Thread::instance().call(Lane::Bulk, [&]() -> Result<bool> {
        OutputFile::State& state = m_target->state();
        auto from = m_source->handleOf(object);
        if (!from)
            return std::move(from).error();
        const Handle type(H5Dget_type(*from), closeType);
        const Handle space(H5Dget_space(*from), closeSpace);
        const Handle list(H5Dget_create_plist(*from), closeList);
        Handle to(H5Dcreate2(state.file.id(), path.c_str(), type.id(), space.id(), state.linkList.id(), list.id(),
                             H5P_DEFAULT),
                  closeObject);
        takeErrorStack();
        if (auto sound = m_target->check(); !sound)
            return std::move(sound).error();
        if (!to)
            return false;
        target.m_file = m_target;
        target.m_state = std::shared_ptr<OutputArray::State>(
            new OutputArray::State, [](OutputArray::State* dying) {
                Hdf5Thread::instance().call(Lane::Bulk, [dying] {
                    delete dying;
                    return 0;
                });
            });
        target.m_state->path = path;
        target.m_state->dataset = std::move(to);
        target.m_state->info = describeDataset(target.m_state->dataset.id(), kReferenceSize);
        return true;
    });
    if (!made)
        return std::move(made).error();
    if (!*made)
        return copyWhole(object, path);
    if (!info.isNull && info.count() > 0) {
        auto values = ofTexts                                ? copyTexts(object, target)
                    : info.layout == Layout::Chunked ? copyChunks(object, target)
                                                             : copySlabs(object, target);
        if (!values)
            return values;
    }
    return copyAttributes(object, path);
}

Result<void> ObjectCopier::copyTexts(const Object& object, const OutputArray& target)
{
    const ArrayInfo& info = *object.array;
    Index rowLength = 1;
    for (std::size_t d = 1; d < info.shape.size(); ++d)
        rowLength *= info.shape[d];
    const Index rows = info.shape.empty() ? 1 : info.shape[0];
    // Whole chunks, so that each is packed once.
    const Index chunk = info.layout == Layout::Chunked ? info.chunk[0] : 1;
    const Index window = std::max<Index>(1, kTextsAtOnce / std::max<Index>(1, rowLength) / chunk) * chunk;
    for (Index first = 0; first < rows; first += window) {
        File::Slab slab;
        slab.start.assign(info.shape.size(), 0);
        slab.count = info.shape;
        if (!info.shape.empty()) {
            slab.start[0] = first;
            slab.count[0] = std::min(window, rows - first);
        }
        auto texts = m_source->read(object, slab, Lane::Bulk, m_options.stop);
        if (!texts)
            return std::move(texts).error();
        if (auto written = target.writeTexts(first * rowLength, texts->texts()); !written)
            return written;
        passed(texts->bytes());
    }
    return {};
}

Result<void> ObjectCopier::copyChunks(const Object& object, const OutputArray& target)
{
    const ArrayInfo& info = *object.array;
    const std::size_t rank = info.shape.size();
    auto raw = std::make_shared<RawChunks>();
    std::vector<Index> place(rank, 0);
    Index chunkBytes = info.type.size;
    for (const Index c : info.chunk)
        chunkBytes *= c;
    const Index most = std::clamp<Index>(kAtOnce / std::max<Index>(1, chunkBytes), 1, kChunksAtOnce);
    bool done = false;
    while (!done) {
        std::vector<Index> offsets;
        for (Index k = 0; k < most && !done; ++k) {
            offsets.insert(offsets.end(), place.begin(), place.end());
            std::size_t d = rank;
            for (;;) {
                if (d == 0) {
                    done = true;
                    break;
                }
                --d;
                place[d] += info.chunk[d];
                if (place[d] < info.shape[d])
                    break;
                place[d] = 0;
            }
        }
        if (auto read = m_source->readChunks(object, offsets, raw, Lane::Bulk, m_options.stop); !read)
            return read;
        for (std::size_t k = 0; k < raw->items.size(); ++k) {
            if (raw->items[k].size == 0)
                continue; // never written there, nor here
            const std::vector<Index> offset(offsets.begin() + static_cast<std::ptrdiff_t>(k * rank),
                                            offsets.begin() + static_cast<std::ptrdiff_t>((k + 1) * rank));
            if (auto written = target.writeChunk(offset, raw->chunk(k), raw->items[k].filterMask); !written)
                return written;
        }
        passed(static_cast<Index>(raw->bytes.size()));
    }
    return {};
}

Result<void> ObjectCopier::copySlabs(const Object& object, const OutputArray& target)
{
    const ArrayInfo& info = *object.array;
    Index rowBytes = info.type.size;
    for (std::size_t d = 1; d < info.shape.size(); ++d)
        rowBytes *= info.shape[d];
    const Index rows = info.shape.empty() ? 1 : info.shape[0];
    const Index window = std::max<Index>(1, kAtOnce / std::max<Index>(1, rowBytes));
    auto bytes = std::make_shared<Buffer>();
    for (Index first = 0; first < rows; first += window) {
        File::Slab slab;
        slab.start.assign(info.shape.size(), 0);
        slab.count = info.shape;
        if (!info.shape.empty()) {
            slab.start[0] = first;
            slab.count[0] = std::min(window, rows - first);
        }
        if (auto read = m_source->readBytes(object, slab, bytes, Lane::Bulk, m_options.stop); !read)
            return read;
        if (auto written = target.write(slab.start, slab.count, std::as_const(*bytes).span()); !written)
            return written;
        passed(static_cast<Index>(bytes->size()));
    }
    return {};
}

Result<void> ObjectCopier::copyWhole(const Object& object, const std::string& path)
{
    auto copied = Hdf5Thread::instance().call(Lane::Bulk, [&]() -> Result<void> {
        if (object.isDataset()) // looks at the index of its chunks first
            if (auto sound = m_source->handleOf(object); !sound)
                return std::move(sound).error();
        OutputFile::State& state = m_target->state();
        const Handle list(H5Pcreate(H5P_OBJECT_COPY), closeList);
        H5Pset_copy_object(list.id(), H5O_COPY_WITHOUT_ATTR_FLAG);
        const Handle from(H5Oopen_by_addr(m_source->handle(), object.address), closeObject);
        const bool fine = from && H5Ocopy(from.id(), ".", state.file.id(), path.c_str(), list.id(), state.linkList.id()) >= 0;
        if (auto sound = m_target->check(); !sound)
            return sound;
        return fine ? Result<void>() : outputError("copying " + object.path);
    });
    if (!copied)
        return copied;
    return copyAttributes(object, path);
}

Result<void> ObjectCopier::finish(std::vector<std::string>* lost)
{
    return Hdf5Thread::instance().call(Lane::Bulk, [&]() -> Result<void> {
        const hid_t file = m_target->state().file.id();
        for (const Reference& reference : m_references) {
            std::vector<hobj_ref_t> values(reference.addresses.size(), 0);
            for (std::size_t k = 0; k < values.size(); ++k) {
                const auto found = m_places.find(reference.addresses[k]);
                if (found != m_places.end())
                    H5Rcreate(&values[k], file, found->second.c_str(), H5R_OBJECT, -1);
                else if (lost != nullptr && reference.addresses[k] != 0)
                    lost->push_back(reference.path);
            }
            const std::vector<hsize_t> shape(reference.shape.begin(), reference.shape.end());
            const Handle space(reference.isScalar
                                   ? H5Screate(H5S_SCALAR)
                                   : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                               closeSpace);
            const Handle object(H5Oopen(file, reference.path.c_str(), H5P_DEFAULT), closeObject);
            const Handle attribute(H5Acreate2(object.id(), reference.attribute.c_str(), H5T_STD_REF_OBJ,
                                              space.id(), H5P_DEFAULT, H5P_DEFAULT),
                                   closeAttribute);
            if (!attribute || H5Awrite(attribute.id(), H5T_STD_REF_OBJ, values.data()) < 0)
                return outputError("writing reference " + reference.attribute);
        }
        m_references.clear();
        return m_target->check();
    });
}

} // namespace cellfolio::hdf5
