// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/file_handle.h"

#include "core/hdf5/dataset_io.h"

#include <hdf5.h>

namespace cellfolio::hdf5 {

namespace {

int closeFile(std::int64_t id)
{
    return H5Fclose(id);
}

} // namespace

Error openError(const Signature& signature, const std::string& reason)
{
    if (signature.markedOpen)
        return Error(ErrorCode::Corrupt,
                     "This file was not closed by the program that wrote it, or is being written "
                     "now: it is marked as open for writing.")
            .at("/")
            .rule("A002")
            .advise("Close the other program; if it crashed, make a copy and clear the mark there "
                    "with `h5clear -s COPY`.");
    return Error(ErrorCode::Corrupt, "This HDF5 file is damaged: " + reason + ".")
        .at("/")
        .rule("A001")
        .advise("Copy it again from the source.");
}

void keepCachesSmall(std::int64_t access)
{
    // Chunks are cached by us, decoded, or packed by us and written whole; the library keeps none.
    H5Pset_cache(access, 0, 0, 0, 0.75);
    // Its cache of metadata stays small however many chunks there are.
    H5AC_cache_config_t cache;
    cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
    if (H5Pget_mdc_config(access, &cache) >= 0) {
        cache.set_initial_size = true;
        cache.initial_size = std::size_t{1} << 20;
        cache.max_size = std::size_t{4} << 20;
        cache.min_size = std::size_t{512} << 10;
        H5Pset_mdc_config(access, &cache);
    }
}

Result<Handle> openFileHandle(const std::filesystem::path& path, const Signature& signature)
{
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), [](std::int64_t id) { return int(H5Pclose(id)); });
    // No lock: a reader's lock makes a program that overwrites the file leave it at 0 bytes.
    H5Pset_file_locking(access.id(), false, true);
    keepCachesSmall(access.id());
    Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), closeFile);
    if (!file)
        return openError(signature, takeErrorStack());
    return file;
}

TreeWidths widthsOf(std::int64_t file)
{
    TreeWidths widths;
    const Handle plist(H5Fget_create_plist(file), [](std::int64_t id) { return int(H5Pclose(id)); });
    unsigned nodes = 0;
    unsigned leaves = 0;
    unsigned chunks = 0;
    if (H5Pget_sym_k(plist.id(), &nodes, &leaves) >= 0 && H5Pget_istore_k(plist.id(), &chunks) >= 0)
        widths = {nodes, leaves, chunks};
    return widths;
}

} // namespace cellfolio::hdf5
