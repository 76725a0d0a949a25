// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hdf5/file.h"
#include "core/hdf5/output_file.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio::hdf5 {

// Options for a file that is like the source as a whole: superblock, user block (its bytes are the
// caller's to copy), order of the root.
OutputOptions optionsLike(const File& source);

// Copies objects of a file into a new one as they are stored: types, spaces, chunks, filters, fill
// values, attributes, links, order. Chunks are moved without unpacking them; texts are read past the
// library, so that damage in them ends in an error. What was copied once and is met again through
// another link becomes a link here too. One thread at a time.
class ObjectCopier
{
public:
    struct Options {
        std::stop_token stop = {};
        std::function<void(Index bytes)> progress = {}; // stored bytes, about
        // What a soft link of the source becomes: its target in the new file, or none where what it
        // leads to shall be copied instead. Default: the same target.
        std::function<std::optional<std::string>(const Object& link)> linkTarget = {};
    };
    ObjectCopier(std::shared_ptr<const File> source, std::shared_ptr<OutputFile> target, Options options);

    // The object and everything below it. `path` must not be there yet.
    Result<void> copy(const Object& object, const std::string& path);
    // A group with the properties and attributes of another, without its members.
    Result<void> copyGroup(const Object& group, const std::string& path);
    // The attributes of an object onto one that is there, but for those named.
    Result<void> copyAttributes(const Object& from, const std::string& to,
                                const std::vector<std::string>& without = {});
    // From now on this object of the source lies at `path`, however it came there.
    void place(const Object& object, const std::string& path);
    // Where it lies by now, if it does.
    std::optional<std::string> placeOf(const Object& object) const;
    // Writes the references among the copied attributes, which need everything in its place. What they
    // referred to and was not copied is named in `lost`.
    Result<void> finish(std::vector<std::string>* lost = nullptr);

private:
    Result<void> copyLink(const Object& object, const std::string& path);
    Result<void> copyDataset(const Object& object, const std::string& path);
    Result<void> copyTexts(const Object& object, const OutputArray& target);
    Result<void> copyChunks(const Object& object, const OutputArray& target);
    Result<void> copySlabs(const Object& object, const OutputArray& target);
    Result<void> copyWhole(const Object& object, const std::string& path);
    void passed(Index bytes) const;

    struct Reference {
        std::string path;
        std::string attribute;
        std::vector<std::uint64_t> addresses;
        bool isScalar = true;
        std::vector<Index> shape;
    };

    std::shared_ptr<const File> m_source;
    std::shared_ptr<OutputFile> m_target;
    Options m_options;
    std::map<std::uint64_t, std::string> m_places;
    std::vector<Reference> m_references;
};

} // namespace cellfolio::hdf5
