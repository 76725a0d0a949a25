// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/output_file.h"

#include "core/hdf5/file_handle.h"
#include "core/hdf5/hdf5_thread.h"
#include "core/hdf5/output_state.h"
#include "core/hdf5/stored_type.h"

#include <hdf5.h>

namespace cellfolio::hdf5 {

namespace {

constexpr Index kReferenceSize = 16; // of a text of variable length, in files of ours

int closeList(std::int64_t id)
{
    return H5Pclose(id);
}
int closeSpace(std::int64_t id)
{
    return H5Sclose(id);
}
int closeObject(std::int64_t id)
{
    return H5Oclose(id);
}

Handle newSpace(const NewArray& array)
{
    if (array.isScalar)
        return Handle(H5Screate(H5S_SCALAR), closeSpace);
    const std::vector<hsize_t> shape(array.shape.begin(), array.shape.end());
    std::vector<hsize_t> most = shape;
    if (array.extensible && !most.empty())
        most.front() = H5S_UNLIMITED;
    return Handle(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), most.data()), closeSpace);
}

Result<Handle> newCreationList(const NewArray& array, hid_t type)
{
    Handle list(H5Pcreate(H5P_DATASET_CREATE), closeList);
    bool fine = static_cast<bool>(list);
    if (!array.chunk.empty()) {
        const std::vector<hsize_t> chunk(array.chunk.begin(), array.chunk.end());
        fine = fine && H5Pset_chunk(list.id(), static_cast<int>(chunk.size()), chunk.data()) >= 0;
        // Every chunk is written. (References to texts must be cleared all the same.)
        if (array.type != DType::String)
            fine = fine && H5Pset_fill_time(list.id(), H5D_FILL_TIME_NEVER) >= 0;
    }
    if (!array.fill.empty())
        fine = fine && H5Pset_fill_value(list.id(), type, array.fill.data()) >= 0;
    Index bytes = static_cast<Index>(H5Tget_size(type));
    for (const Index c : array.chunk)
        bytes *= c;
    for (const Filter& filter : array.filters) {
        std::vector<unsigned> values = filter.parameters;
        if (filter.id == 32000) // h5py: version of its filter, of the library, bytes of a chunk
            values = {4, 0x0105, static_cast<unsigned>(bytes)};
        switch (filter.id) {
        case H5Z_FILTER_DEFLATE:
            fine = fine && H5Pset_deflate(list.id(), values.empty() ? 2 : values[0]) >= 0;
            break;
        case H5Z_FILTER_SHUFFLE:
            fine = fine && H5Pset_shuffle(list.id()) >= 0;
            break;
        case H5Z_FILTER_FLETCHER32:
            fine = fine && H5Pset_fletcher32(list.id()) >= 0;
            break;
        default:
            fine = fine
                && H5Pset_filter(list.id(), filter.id, H5Z_FLAG_OPTIONAL, values.size(), values.data()) >= 0;
        }
    }
    if (!fine)
        return outputError("setting up an array");
    return list;
}

} // namespace

Error outputError(const std::string& doing)
{
    const std::string reason = takeErrorStack();
    return Error(ErrorCode::Io, "The new file cannot be written: " + doing + " failed"
                                    + (reason.empty() ? "." : " (" + reason + ")."));
}

Handle newFileType(DType type)
{
    const auto closer = [](std::int64_t id) { return int(H5Tclose(id)); };
    const auto number = [&](hid_t id) { return Handle(H5Tcopy(id), closer); };
    const auto complex = [&](hid_t part, std::size_t size) {
        Handle made(H5Tcreate(H5T_COMPOUND, 2 * size), closer);
        H5Tinsert(made.id(), "r", 0, part);
        H5Tinsert(made.id(), "i", size, part);
        return made;
    };
    switch (type) {
    case DType::Bool: {
        Handle made(H5Tenum_create(H5T_STD_I8LE), closer);
        const std::int8_t no = 0;
        const std::int8_t yes = 1;
        H5Tenum_insert(made.id(), "FALSE", &no);
        H5Tenum_insert(made.id(), "TRUE", &yes);
        return made;
    }
    case DType::Int8: return number(H5T_STD_I8LE);
    case DType::Int16: return number(H5T_STD_I16LE);
    case DType::Int32: return number(H5T_STD_I32LE);
    case DType::Int64: return number(H5T_STD_I64LE);
    case DType::UInt8: return number(H5T_STD_U8LE);
    case DType::UInt16: return number(H5T_STD_U16LE);
    case DType::UInt32: return number(H5T_STD_U32LE);
    case DType::UInt64: return number(H5T_STD_U64LE);
    case DType::Float16: {
        Handle made(H5Tcopy(H5T_IEEE_F32LE), closer);
        H5Tset_fields(made.id(), 15, 10, 5, 0, 10);
        H5Tset_size(made.id(), 2);
        H5Tset_ebias(made.id(), 15);
        return made;
    }
    case DType::Float32: return number(H5T_IEEE_F32LE);
    case DType::Float64: return number(H5T_IEEE_F64LE);
    case DType::Complex64: return complex(H5T_IEEE_F32LE, 4);
    case DType::Complex128: return complex(H5T_IEEE_F64LE, 8);
    case DType::String: {
        Handle made(H5Tcopy(H5T_C_S1), closer);
        H5Tset_size(made.id(), H5T_VARIABLE);
        H5Tset_cset(made.id(), H5T_CSET_UTF8);
        return made;
    }
    case DType::Other: break;
    }
    return {};
}

std::vector<Filter> NewArray::filtersFor(const Compression& compression, DType type)
{
    std::vector<Filter> filters;
    const auto add = [&](int id, std::vector<unsigned> parameters) {
        Filter filter;
        filter.id = id;
        filter.parameters = std::move(parameters);
        filters.push_back(std::move(filter));
    };
    if (compression.packing == Packing::None)
        return filters;
    if (sizeOf(type) > 1)
        add(H5Z_FILTER_SHUFFLE, {});
    const auto level = static_cast<unsigned>(compression.level);
    switch (compression.packing) {
    case Packing::None: break;
    case Packing::Gzip: add(H5Z_FILTER_DEFLATE, {level}); break;
    case Packing::Lzf: add(32000, {}); break;
    case Packing::Zstd: add(32015, {level}); break;
    }
    return filters;
}

Result<std::shared_ptr<OutputFile>> OutputFile::create(int descriptor, FileSystem& system,
                                                       const OutputOptions& options)
{
    std::shared_ptr<OutputFile> output(new OutputFile);
    output->m_state = std::make_unique<State>();
    State& state = *output->m_state;
    state.sink.descriptor = descriptor;
    state.sink.system = &system;
    auto done = Hdf5Thread::instance().call(Lane::Bulk, [&]() -> Result<void> {
        const Handle access(H5Pcreate(H5P_FILE_ACCESS), closeList);
        const H5F_libver_t low = options.superblock >= 3   ? H5F_LIBVER_V110
                               : options.superblock == 2 ? H5F_LIBVER_V18
                                                         : H5F_LIBVER_EARLIEST;
        bool fine = useSink(access.id(), state.sink)
                 && H5Pset_libver_bounds(access.id(), low, H5F_LIBVER_LATEST) >= 0
                 && H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG) >= 0;
        keepCachesSmall(access.id());
        const Handle creation(H5Pcreate(H5P_FILE_CREATE), closeList);
        if (options.userBlock > 0)
            fine = fine && H5Pset_userblock(creation.id(), static_cast<hsize_t>(options.userBlock)) >= 0;
        if (options.linkOrder != 0)
            fine = fine && H5Pset_link_creation_order(creation.id(), options.linkOrder) >= 0;
        if (options.attributeOrder != 0)
            fine = fine && H5Pset_attr_creation_order(creation.id(), options.attributeOrder) >= 0;
        state.linkList = Handle(H5Pcreate(H5P_LINK_CREATE), closeList);
        fine = fine && H5Pset_create_intermediate_group(state.linkList.id(), 1) >= 0
            && H5Pset_char_encoding(state.linkList.id(), H5T_CSET_UTF8) >= 0;
        if (fine)
            state.file = Handle(H5Fcreate("new file", H5F_ACC_TRUNC, creation.id(), access.id()),
                                [](std::int64_t id) { return int(H5Fclose(id)); });
        if (auto sound = state.sink.check(); !sound)
            return sound;
        if (!state.file)
            return outputError("creating it");
        return {};
    });
    if (!done)
        return std::move(done).error();
    return output;
}

OutputFile::~OutputFile()
{
    if (m_state)
        Hdf5Thread::instance().call(Lane::Bulk, [this] {
            m_state.reset();
            return 0;
        });
}

Result<void> OutputFile::check() const
{
    return m_state->sink.check();
}

Result<void> OutputFile::createGroup(const std::string& path, GroupSize size)
{
    return Hdf5Thread::instance().call(Lane::Bulk, [&]() -> Result<void> {
        const Handle list(H5Pcreate(H5P_GROUP_CREATE), closeList);
        if (size == GroupSize::ManyAttributes)
            H5Pset_attr_creation_order(list.id(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
        const Handle group(H5Gcreate2(m_state->file.id(), path.c_str(), m_state->linkList.id(), list.id(),
                                      H5P_DEFAULT),
                           closeObject);
        if (auto sound = check(); !sound)
            return sound;
        if (!group)
            return outputError("making group " + path);
        return {};
    });
}

Result<OutputArray> OutputFile::createArray(const std::string& path, const NewArray& array)
{
    return Hdf5Thread::instance().call(Lane::Bulk, [&]() -> Result<OutputArray> {
        const Handle type = array.textLength > 0 && array.type == DType::String
                              ? Handle(H5Tcopy(H5T_C_S1), [](std::int64_t id) { return int(H5Tclose(id)); })
                              : newFileType(array.type);
        if (array.textLength > 0 && (H5Tset_size(type.id(), at(array.textLength)) < 0 || H5Tset_strpad(type.id(), H5T_STR_NULLPAD) < 0))
            return outputError("setting up texts");
        if (!type)
            return Error(ErrorCode::Internal, "An array of records cannot be made anew.").at(path);
        auto list = newCreationList(array, type.id());
        if (!list)
            return std::move(list).error();
        const Handle space = newSpace(array);
        OutputArray output;
        output.m_file = shared_from_this();
        output.m_state = std::shared_ptr<OutputArray::State>(
            new OutputArray::State, [](OutputArray::State* state) {
                Hdf5Thread::instance().post(
                    Lane::Bulk, [dying = std::shared_ptr<OutputArray::State>(state)]() mutable { dying.reset(); });
            });
        OutputArray::State& state = *output.m_state;
        state.path = path;
        state.dataset = Handle(H5Dcreate2(m_state->file.id(), path.c_str(), type.id(), space.id(),
                                          m_state->linkList.id(), list->id(), H5P_DEFAULT),
                               closeObject);
        if (auto sound = check(); !sound)
            return std::move(sound).error();
        if (!state.dataset)
            return outputError("making array " + path);
        state.info = describeDataset(state.dataset.id(), kReferenceSize);
        return output;
    });
}

Result<void> OutputFile::createNull(const std::string& path)
{
    return Hdf5Thread::instance().call(Lane::Bulk, [&]() -> Result<void> {
        const Handle space(H5Screate(H5S_NULL), closeSpace);
        const Handle made(H5Dcreate2(m_state->file.id(), path.c_str(), H5T_IEEE_F32LE, space.id(),
                                     m_state->linkList.id(), H5P_DEFAULT, H5P_DEFAULT),
                          closeObject);
        if (auto sound = check(); !sound)
            return sound;
        return made ? Result<void>() : outputError("making " + path);
    });
}

Result<void> OutputFile::setAttribute(const std::string& path, const std::string& name,
                                      const AttributeValue& value)
{
    return Hdf5Thread::instance().call(Lane::Bulk, [&]() -> Result<void> {
        const Handle object(H5Oopen(m_state->file.id(), path.c_str(), H5P_DEFAULT), closeObject);
        if (!object)
            return outputError("opening " + path);
        if (auto written = writeAttribute(object.id(), name, value); !written)
            return written;
        return check();
    });
}

Result<void> OutputFile::createSoftLink(const std::string& path, const std::string& target)
{
    return Hdf5Thread::instance().call(Lane::Bulk, [&]() -> Result<void> {
        if (H5Lcreate_soft(target.c_str(), m_state->file.id(), path.c_str(), m_state->linkList.id(), H5P_DEFAULT) < 0)
            return outputError("linking " + path);
        return check();
    });
}

Result<void> OutputFile::createHardLink(const std::string& path, const std::string& existing)
{
    return Hdf5Thread::instance().call(Lane::Bulk, [&]() -> Result<void> {
        const hid_t file = m_state->file.id();
        if (H5Lcreate_hard(file, existing.c_str(), file, path.c_str(), m_state->linkList.id(), H5P_DEFAULT) < 0)
            return outputError("linking " + path);
        return check();
    });
}

Result<void> OutputFile::close()
{
    return Hdf5Thread::instance().call(Lane::Bulk, [this]() -> Result<void> {
        if (!m_state->file)
            return check();
        const bool flushed = H5Fflush(m_state->file.id(), H5F_SCOPE_GLOBAL) >= 0;
        Error refused = flushed ? Error(ErrorCode::Io, "") : outputError("flushing it");
        m_state->file = Handle();
        takeErrorStack();
        if (auto sound = check(); !sound)
            return sound;
        if (!flushed)
            return refused;
        return {};
    });
}

} // namespace cellfolio::hdf5
