// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hdf5/header_messages.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace cellfolio::hdf5 {

// Half the most entries of nodes, which the superblock holds: the library makes room for that many
// and believes the file about how many there are.
struct TreeWidths {
    std::uint64_t groupNodes = 16;
    std::uint64_t groupLeaves = 4;
    std::uint64_t chunkNodes = 32;
};

// One link of a group of the older kind, as found in the file.
struct FoundLink {
    std::string name;
    std::uint64_t address = 0;
    std::string softTarget; // not empty: a soft link
};

// Looks at the structures that the library would trust, before it is asked: headers of version 1,
// symbol tables, and the trees that list chunks. Damage there makes it crash, fill the memory or
// run forever. What has checksums (the newer layouts) it checks itself, and so does this class not.
// Everything is looked at once. Not thread-safe.
class StructureCheck
{
public:
    StructureCheck(const RawFile& file, TreeWidths widths) : m_file(file), m_widths(widths) {}

    // Why the object at that address must not be opened; empty when it may.
    const std::string& object(std::uint64_t address);

    // Links of a group of the older kind. `failure` empty: its tables are sound and the library may
    // list them; else what can still be found of them. None for a group of the newer kind.
    struct Group {
        std::string failure;
        std::vector<FoundLink> links;
    };
    std::optional<Group> group(std::uint64_t address);

    // Why the chunks of a dataset must not be looked up; empty when they may.
    const std::string& chunkIndex(std::uint64_t address);

private:
    std::string checkObject(std::uint64_t address);
    std::string checkMessage(const HeaderMessage& message);
    std::string checkArray(const ObjectHeader& header);
    std::string checkChunkTree(const StoredLayout& layout, bool filtered);
    void listLeaf(std::uint64_t address, std::span<const std::byte> names, Group& group);

    const RawFile& m_file;
    TreeWidths m_widths;
    std::unordered_map<std::uint64_t, std::string> m_objects;
    std::unordered_map<std::uint64_t, std::string> m_chunkIndexes;
};

} // namespace cellfolio::hdf5
