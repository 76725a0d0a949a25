// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/write/file_rebuild.h"

#include <system_error>

namespace cellfolio {

void FileRebuild::replace(const hdf5::Object& object, Write write)
{
    m_replaced[object.address] = std::move(write);
}

void FileRebuild::add(std::string path, Write write)
{
    m_added.emplace_back(std::move(path), std::move(write));
}

bool FileRebuild::holdsReplaced(const hdf5::Object& object) const
{
    if (object.soft)
        return false;
    if (object.address != 0 && m_replaced.count(object.address) > 0)
        return true;
    for (const auto& child : object.children)
        if (holdsReplaced(*child))
            return true;
    return false;
}

Result<void> FileRebuild::walk(const hdf5::Object& object, const std::string& path, H5adWriter& writer,
                               hdf5::ObjectCopier& copier)
{
    const auto replaced = object.soft ? m_replaced.end() : m_replaced.find(object.address);
    if (replaced != m_replaced.end() && !copier.placeOf(object)) {
        if (auto written = replaced->second(writer, copier, path); !written)
            return written;
        copier.place(object, path);
        return {};
    }
    if (!object.isGroup() || copier.placeOf(object) || !holdsReplaced(object))
        return copier.copy(object, path);
    if (auto made = copier.copyGroup(object, path); !made)
        return made;
    for (const auto& child : object.children)
        if (auto walked = walk(*child, path + "/" + child->name, writer, copier); !walked)
            return walked;
    copier.place(object, path);
    return {};
}

Result<Index> FileRebuild::run(const std::filesystem::path& target, const Options& options, bool inPlace)
{
    StagedFile::Options staging = options.staging;
    if (!inPlace)
        staging.inputs.push_back(m_source->path());
    auto writer = H5adWriter::create(target, staging, options.storing, hdf5::optionsLike(*m_source));
    if (!writer)
        return std::move(writer).error();
    if (auto copied = (*writer)->copyUserBlock(*m_source); !copied)
        return std::move(copied).error();
    hdf5::ObjectCopier::Options copying;
    copying.stop = options.stop;
    copying.progress = options.copied;
    hdf5::ObjectCopier copier(m_source, (*writer)->filePointer(), copying);
    const hdf5::Object& root = m_source->root();
    if (auto copied = copier.copyAttributes(root, "/"); !copied)
        return std::move(copied).error();
    copier.place(root, "/");
    for (const auto& child : root.children)
        if (auto walked = walk(*child, "/" + child->name, **writer, copier); !walked)
            return std::move(walked).error();
    for (const auto& [path, write] : m_added) {
        const std::string mapping = path.substr(0, path.rfind('/'));
        if (root.find(mapping) == nullptr)
            if (auto made = (*writer)->mapping(mapping); !made)
                return std::move(made).error();
        if (auto written = write(**writer, copier, "/" + path); !written)
            return std::move(written).error();
    }
    if (auto finished = copier.finish(); !finished)
        return std::move(finished).error();
    if (m_source->changedOnDisk())
        return Error(ErrorCode::FileChanged, "The file was changed by another program while it was read.")
            .at("/")
            .advise("Run this again when the other program is done.");
    if (options.stop.stop_requested())
        return Error::cancelled();
    Index bytes = 0;
    auto committed = (*writer)->commit([&](const std::filesystem::path& part) -> Result<void> {
        std::error_code ignored;
        bytes = static_cast<Index>(std::filesystem::file_size(part, ignored));
        return options.verify ? options.verify(part) : Result<void>();
    });
    if (!committed)
        return std::move(committed).error();
    return bytes;
}

} // namespace cellfolio
