// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hdf5/object_copier.h"
#include "core/write/h5ad_writer.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cellfolio {

// A new file that is its source but for some objects (FORMAT.md §3.6): everything else is copied as it
// is stored, its links, order, attributes and user block too. What is rewritten is handed to whoever
// asked for it, at its place. Used once.
class FileRebuild
{
public:
    // Writes what takes the object's place at `path` (absolute). The object itself is not there.
    using Write = std::function<Result<void>(H5adWriter& writer, hdf5::ObjectCopier& copier,
                                             const std::string& path)>;

    explicit FileRebuild(std::shared_ptr<const hdf5::File> source) : m_source(std::move(source)) {}

    // For the object, under whatever names it is linked: written once, linked from then on.
    void replace(const hdf5::Object& object, Write write);
    // What the source does not have, at `path` ("layers/new"), whose mapping is made where there is none.
    void add(std::string path, Write write);

    struct Options {
        StagedFile::Options staging; // inputs are added
        Storing storing;
        std::stop_token stop = {};
        std::function<void(Index bytes)> copied = {};
        std::function<Result<void>(const std::filesystem::path& part)> verify = {};
    };
    // Bytes of the new file. The source may be the target where `inPlace`: it is replaced in the end, and
    // only when it did not change meanwhile.
    Result<Index> run(const std::filesystem::path& target, const Options& options, bool inPlace = false);

private:
    bool holdsReplaced(const hdf5::Object& object) const;
    Result<void> walk(const hdf5::Object& object, const std::string& path, H5adWriter& writer,
                      hdf5::ObjectCopier& copier);

    std::shared_ptr<const hdf5::File> m_source;
    std::map<std::uint64_t, Write> m_replaced; // by address
    std::vector<std::pair<std::string, Write>> m_added;
};

} // namespace cellfolio
