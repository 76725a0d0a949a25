// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hdf5/object_header.h"

#include <optional>
#include <vector>

// Messages of object headers taken apart, each length checked (HDF5 file format specification 3.0,
// IV.A.2). None: it does not hold together, or is of a version not known here. Spans lie in the
// message.
namespace cellfolio::hdf5 {

struct StoredAttribute {
    std::span<const std::byte> name; // without its NUL
    std::span<const std::byte> type;
    std::span<const std::byte> space;
    std::span<const std::byte> values;
    bool sharedType = false; // type says only where it lies
    bool sharedSpace = false;
};
std::optional<StoredAttribute> attributeOf(std::span<const std::byte> message);

struct StoredLayout {
    enum class Kind { Compact, Contiguous, Chunked, Virtual };
    Kind kind = Kind::Contiguous;
    int version = 3;
    std::uint64_t address = 0;         // of the values, or of the index of the chunks
    std::optional<std::uint64_t> size; // contiguous, where stored
    std::span<const std::byte> values; // compact
    std::vector<std::uint64_t> chunk;  // chunked, versions 1 to 3; the last is the size of a value
};
std::optional<StoredLayout> layoutOf(std::span<const std::byte> message, const RawFile& file);

// Extents; empty for a scalar. `null`: no value at all.
struct StoredSpace {
    bool null = false;
    std::vector<std::uint64_t> extents;
};
std::optional<StoredSpace> spaceOf(std::span<const std::byte> message, const RawFile& file);

// The bytes of the fill value of either message that may hold one; empty: none, or zeros.
std::optional<std::span<const std::byte>> fillOf(unsigned messageType, std::span<const std::byte> message);

// Size in bytes of one value of a datatype, all types inside it looked at. `place`: where in
// `message` it begins; moved behind it.
std::optional<std::uint64_t> checkType(std::span<const std::byte> message, std::size_t& place,
                                       const RawFile& file, int depth = 0);

// Where a shared message lies: the address of the named type's header; 0: in the heap of shared
// messages, which the library looks after.
std::optional<std::uint64_t> sharedAddress(std::span<const std::byte> message, const RawFile& file);

// Whether a filter pipeline holds together.
bool checkFilters(std::span<const std::byte> message);

// Hard links: the address of the object; soft and external ones: none, but well formed.
struct StoredLink {
    std::optional<std::uint64_t> address;
};
std::optional<StoredLink> linkOf(std::span<const std::byte> message, const RawFile& file);

} // namespace cellfolio::hdf5
