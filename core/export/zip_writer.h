// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/run/file_system.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cellfolio {

// A zip archive of members that are not packed, of any size (zip64), written front to back. A member's
// length need not be known when it is begun.
class ZipWriter
{
public:
    ZipWriter(int descriptor, FileSystem& system) : m_descriptor(descriptor), m_system(system) {}

    void begin(const std::string& name);
    void write(std::span<const std::byte> bytes);
    // Overwrites the first bytes of the member at hand, whose checksum then is taken of what is there.
    void replaceHead(std::span<const std::byte> bytes);
    Result<void> end();
    // The directory behind all members.
    Result<void> finish();
    Index bytes() const noexcept { return m_place; }

private:
    struct Member {
        std::string name;
        Index place = 0;
        Index size = 0;
        std::uint32_t checksum = 0;
    };
    std::string localHead(const Member& member) const;
    void put(std::span<const std::byte> bytes);
    Result<void> check() const;

    int m_descriptor;
    FileSystem& m_system;
    Index m_place = 0;
    Index m_data = 0; // where the content of the member at hand begins
    bool m_replaced = false;
    std::vector<Member> m_members;
    int m_failure = 0;
};

} // namespace cellfolio
