// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hdf5/raw_file.h"

#include <array>
#include <optional>

namespace cellfolio::hdf5 {

// The head of a node of a B-tree of version 1 (HDF5 file format specification 3.0, III.A.1).
struct TreeNode {
    std::uint64_t kind = 0; // 0: links of a group, 1: chunks
    std::uint64_t level = 0; // 0: leaf
    std::uint64_t entries = 0;

    // Bytes in front of the entries.
    static std::size_t headSize(const RawFile& file) { return 8 + 2 * file.addressSize(); }

    // None: there is no node there.
    static std::optional<TreeNode> read(const RawFile& file, std::uint64_t address)
    {
        std::array<std::byte, 8> head{};
        if (!file.read(address, head))
            return std::nullopt;
        Cursor at(head);
        if (!at.startsWith("TREE"))
            return std::nullopt;
        TreeNode node;
        node.kind = at.number(1);
        node.level = at.number(1);
        node.entries = at.number(2);
        return node;
    }
};

} // namespace cellfolio::hdf5
