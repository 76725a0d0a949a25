// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/gene_index.h"

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>

namespace cellfolio {

// The first 4096 bytes of a gene index. Plain memory: every field stands at its natural place and
// no byte is left over.
struct GeneIndexHeader {
    static constexpr std::array<char, 8> kMagic{'C', 'F', 'G', 'E', 'N', 'E', 'S', '\n'};
    static constexpr std::uint32_t kVersion = 1;

    std::array<char, 8> magic = kMagic;
    std::uint32_t version = kVersion;
    std::uint32_t dtype = 0;
    std::uint64_t fingerprint = 0;
    std::uint64_t sample = 0;
    std::uint64_t sourceDevice = 0;
    std::uint64_t sourceInode = 0;
    std::int64_t sourceSize = 0;
    std::int64_t sourceModified = 0;
    std::int64_t cells = 0;
    std::int64_t genes = 0;
    std::int64_t entries = 0;
    std::int64_t fileBytes = 0;
    std::int64_t directory = 0; // its offset
    std::uint64_t directoryChecksum = 0;
    std::array<char, 1024> matrix{}; // texts end with a 0
    std::array<char, 2944> file{};
    std::array<char, 8> unused{};
    std::uint64_t checksum = 0; // of all before

    static std::uint64_t hash(std::span<const std::byte> bytes) noexcept;
    // Of two parts that follow each other.
    static std::uint64_t hash(std::span<const std::byte> first,
                              std::span<const std::byte> second) noexcept;
    std::uint64_t ownChecksum() const noexcept;
};
static_assert(sizeof(GeneIndexHeader) == 4096);
static_assert(std::is_trivially_copyable_v<GeneIndexHeader>);
static_assert(sizeof(GeneIndexEntry) == 32);
static_assert(std::endian::native == std::endian::little, "the format is the memory's");

constexpr std::uint64_t kCountMask = (std::uint64_t{1} << 56) - 1;

} // namespace cellfolio
