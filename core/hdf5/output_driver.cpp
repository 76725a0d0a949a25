// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/output_driver.h"

#include <hdf5.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

namespace cellfolio::hdf5 {

namespace {

struct Info {
    OutputSink* sink;
};

// The library's part comes first: it knows the file by its address.
struct OutputDriverFile {
    H5FD_t common;
    OutputSink* sink;
    haddr_t endOfAllocation;
    haddr_t endOfFile;
};

OutputDriverFile* own(H5FD_t* file)
{
    return reinterpret_cast<OutputDriverFile*>(file);
}

const OutputDriverFile* own(const H5FD_t* file)
{
    return reinterpret_cast<const OutputDriverFile*>(file);
}

H5FD_t* openFile(const char*, unsigned, hid_t list, haddr_t)
{
    const auto* info = static_cast<const Info*>(H5Pget_driver_info(list));
    if (info == nullptr || info->sink == nullptr)
        return nullptr;
    auto* file = new OutputDriverFile{};
    file->sink = info->sink;
    struct stat state {};
    if (::fstat(info->sink->descriptor, &state) == 0)
        file->endOfFile = static_cast<haddr_t>(state.st_size);
    return &file->common;
}

herr_t closeFile(H5FD_t* file)
{
    delete own(file);
    return 0;
}

herr_t query(const H5FD_t*, unsigned long* flags)
{
    if (flags != nullptr)
        *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE
               | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

haddr_t endOfAllocation(const H5FD_t* file, H5FD_mem_t)
{
    return own(file)->endOfAllocation;
}

herr_t setEndOfAllocation(H5FD_t* file, H5FD_mem_t, haddr_t address)
{
    own(file)->endOfAllocation = address;
    return 0;
}

haddr_t endOfFile(const H5FD_t* file, H5FD_mem_t)
{
    return own(file)->endOfFile;
}

herr_t readBytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* buffer)
{
    auto* into = static_cast<std::byte*>(buffer);
    auto place = static_cast<off_t>(address);
    while (size > 0) {
        const ssize_t got = ::pread(own(file)->sink->descriptor, into, size, place);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0) { // behind the end: zeros, as the library expects
            std::memset(into, 0, size);
            return 0;
        }
        into += got;
        place += got;
        size -= static_cast<size_t>(got);
    }
    return 0;
}

herr_t writeBytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, const void* buffer)
{
    OutputSink& sink = *own(file)->sink;
    own(file)->endOfFile = std::max<haddr_t>(own(file)->endOfFile, address + size);
    if (sink.failure == 0)
        sink.failure = sink.system->write(sink.descriptor, static_cast<Index>(address),
                                          {static_cast<const std::byte*>(buffer), size});
    return 0;
}

herr_t truncateFile(H5FD_t* file, hid_t, hbool_t)
{
    OutputSink& sink = *own(file)->sink;
    if (own(file)->endOfAllocation != own(file)->endOfFile && sink.failure == 0)
        sink.failure = sink.system->truncate(sink.descriptor,
                                             static_cast<Index>(own(file)->endOfAllocation));
    own(file)->endOfFile = own(file)->endOfAllocation;
    return 0;
}

hid_t driver()
{
    static const hid_t id = [] {
        // Set member by member: their order differs between versions of the library.
        static H5FD_class_t c{};
#if H5_VERSION_GE(1, 13, 0)
        c.version = H5FD_CLASS_VERSION;
        c.value = static_cast<H5FD_class_value_t>(609);
#endif
        c.name = "cellfolio";
        c.maxaddr = static_cast<haddr_t>(std::numeric_limits<off_t>::max());
        c.fc_degree = H5F_CLOSE_STRONG;
        c.fapl_size = sizeof(Info);
        c.open = openFile;
        c.close = closeFile;
        c.query = query;
        c.get_eoa = endOfAllocation;
        c.set_eoa = setEndOfAllocation;
        c.get_eof = endOfFile;
        c.read = readBytes;
        c.write = writeBytes;
        c.truncate = truncateFile;
        const H5FD_mem_t map[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
        std::copy(std::begin(map), std::end(map), std::begin(c.fl_map));
        return H5FDregister(&c);
    }();
    return id;
}

} // namespace

Error writeFailure(int number)
{
    const std::string sentence =
        std::string("The new file cannot be written: ") + std::strerror(number) + ".";
    switch (number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return Error(ErrorCode::OutOfDisk, sentence)
            .advise("Make room there, or choose another disk.");
    case EACCES:
    case EPERM:
    case EROFS:
        return Error(ErrorCode::PermissionDenied, sentence);
    default:
        return Error(ErrorCode::Io, sentence);
    }
}

Result<void> OutputSink::check() const
{
    if (failure != 0)
        return writeFailure(failure);
    return {};
}

bool useSink(std::int64_t list, OutputSink& sink)
{
    const Info info{&sink};
    return H5Pset_driver(list, driver(), &info) >= 0;
}

} // namespace cellfolio::hdf5
