// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/header_messages.h"

#include <algorithm>

namespace cellfolio::hdf5 {

namespace {

constexpr std::uint64_t kMostDimensions = 32; // of the library
constexpr int kDeepestType = 32;

std::size_t padded(std::size_t size)
{
    return (size + 7) / 8 * 8;
}

// Steps over a text that ends with NUL; `pad`: filled up to a multiple of 8.
bool skipName(Cursor& at, std::span<const std::byte> all, bool pad)
{
    const std::span<const std::byte> rest = all.subspan(at.place());
    const auto end = std::find(rest.begin(), rest.end(), std::byte{0});
    if (end == rest.end())
        return false;
    const auto size = static_cast<std::size_t>(end - rest.begin()) + 1;
    at.skip(pad ? padded(size) : size);
    return at.ok();
}

std::uint64_t product(std::span<const std::uint64_t> factors, bool& fits)
{
    std::uint64_t result = 1;
    for (const std::uint64_t f : factors)
        fits = !__builtin_mul_overflow(result, f, &result) && fits;
    return result;
}

} // namespace

std::optional<StoredAttribute> attributeOf(std::span<const std::byte> message)
{
    Cursor at(message);
    const std::uint64_t version = at.number(1);
    const std::uint64_t flags = at.number(1);
    const auto nameSize = static_cast<std::size_t>(at.number(2));
    const auto typeSize = static_cast<std::size_t>(at.number(2));
    const auto spaceSize = static_cast<std::size_t>(at.number(2));
    if (version < 1 || version > 3)
        return std::nullopt;
    at.skip(version == 3 ? 1 : 0); // the name's character set
    const auto room = [&](std::size_t size) { return version == 1 ? padded(size) : size; };
    StoredAttribute attribute;
    attribute.sharedType = version > 1 && (flags & 1u) != 0;
    attribute.sharedSpace = version > 1 && (flags & 2u) != 0;
    const std::span<const std::byte> name = at.take(room(nameSize));
    attribute.type = at.take(room(typeSize));
    attribute.space = at.take(room(spaceSize));
    if (!at.ok())
        return std::nullopt;
    const std::span<const std::byte> named = name.first(nameSize);
    const auto end = std::find(named.begin(), named.end(), std::byte{0});
    if (end == named.end())
        return std::nullopt;
    attribute.name = named.first(static_cast<std::size_t>(end - named.begin()));
    attribute.type = attribute.type.first(typeSize);
    attribute.space = attribute.space.first(spaceSize);
    attribute.values = at.take(at.left());
    return attribute;
}

std::optional<StoredLayout> layoutOf(std::span<const std::byte> message, const RawFile& file)
{
    Cursor at(message);
    StoredLayout layout;
    layout.version = static_cast<int>(at.number(1));
    std::uint64_t kind = 0;
    if (layout.version == 1 || layout.version == 2) {
        const std::uint64_t dimensions = at.number(1);
        kind = at.number(1);
        at.skip(5);
        if (dimensions == 0 || dimensions > kMostDimensions + 1 || kind > 2)
            return std::nullopt;
        layout.kind = static_cast<StoredLayout::Kind>(kind);
        if (kind != 0)
            layout.address = at.number(file.addressSize());
        std::vector<std::uint64_t> extents;
        for (std::uint64_t d = 0; d < dimensions; ++d)
            extents.push_back(at.number(4));
        if (kind == 2)
            layout.chunk = std::move(extents);
        if (kind == 0)
            layout.values = at.take(static_cast<std::size_t>(at.number(4)));
    } else if (layout.version == 3 || layout.version == 4) {
        kind = at.number(1);
        if (kind > 3 || (kind == 3 && layout.version == 3))
            return std::nullopt;
        layout.kind = static_cast<StoredLayout::Kind>(kind);
        if (kind == 0) {
            layout.values = at.take(static_cast<std::size_t>(at.number(2)));
        } else if (kind == 1) {
            layout.address = at.number(file.addressSize());
            layout.size = at.number(file.lengthSize());
        } else if (kind == 2 && layout.version == 3) {
            const std::uint64_t dimensions = at.number(1);
            if (dimensions < 2 || dimensions > kMostDimensions + 1)
                return std::nullopt;
            layout.address = at.number(file.addressSize());
            for (std::uint64_t d = 0; d < dimensions; ++d)
                layout.chunk.push_back(at.number(4));
        }
    } else {
        return std::nullopt;
    }
    if (!at.ok())
        return std::nullopt;
    return layout;
}

std::optional<StoredSpace> spaceOf(std::span<const std::byte> message, const RawFile& file)
{
    Cursor at(message);
    const std::uint64_t version = at.number(1);
    const std::uint64_t rank = at.number(1);
    const std::uint64_t flags = at.number(1);
    if ((version != 1 && version != 2) || rank > kMostDimensions)
        return std::nullopt;
    StoredSpace space;
    if (version == 2)
        space.null = at.number(1) == 2;
    else
        at.skip(5);
    for (std::uint64_t d = 0; d < rank; ++d)
        space.extents.push_back(at.number(file.lengthSize()));
    if ((flags & 1u) != 0)
        at.skip(static_cast<std::size_t>(rank) * file.lengthSize());
    if (!at.ok())
        return std::nullopt;
    return space;
}

std::optional<std::span<const std::byte>> fillOf(unsigned messageType, std::span<const std::byte> message)
{
    Cursor at(message);
    bool stored = true;
    if (messageType == kFillMessage) {
        const std::uint64_t version = at.number(1);
        const std::uint64_t flags = at.number(1);
        if (version == 1 || version == 2) {
            at.skip(1);
            const bool defined = at.number(1) != 0;
            stored = version == 1 || defined;
        } else if (version == 3) {
            stored = (flags & 0x20u) != 0;
        } else {
            return std::nullopt;
        }
    }
    std::span<const std::byte> value;
    if (stored) {
        const std::uint64_t size = at.number(4);
        // A length below zero is written for "not defined".
        if (size < 0x80000000ull)
            value = at.take(static_cast<std::size_t>(size));
    }
    if (!at.ok())
        return std::nullopt;
    return value;
}

std::optional<std::uint64_t> checkType(std::span<const std::byte> message, std::size_t& place,
                                       const RawFile& file, int depth)
{
    if (depth > kDeepestType || place > message.size())
        return std::nullopt;
    const std::span<const std::byte> rest = message.subspan(place);
    Cursor at(rest);
    const std::uint64_t first = at.number(1);
    const std::uint64_t version = first >> 4;
    const std::uint64_t cls = first & 0x0Fu;
    const std::uint64_t bits = at.number(3);
    const std::uint64_t size = at.number(4);
    if (!at.ok() || version < 1 || version > 4 || size == 0)
        return std::nullopt;
    const auto inner = [&]() -> std::optional<std::uint64_t> {
        std::size_t start = place + at.place();
        const auto innerSize = checkType(message, start, file, depth + 1);
        at.skip(start - place - at.place());
        return innerSize;
    };
    bool good = true;
    switch (cls) {
    case 0:   // integer
    case 4: { // bits
        const std::uint64_t offset = at.number(2);
        const std::uint64_t precision = at.number(2);
        good = precision > 0 && offset + precision <= 8 * size;
        break;
    }
    case 1: { // float
        const std::uint64_t offset = at.number(2);
        const std::uint64_t precision = at.number(2);
        const std::uint64_t exponentAt = at.number(1);
        const std::uint64_t exponentSize = at.number(1);
        const std::uint64_t fractionAt = at.number(1);
        const std::uint64_t fractionSize = at.number(1);
        at.skip(4);
        const std::uint64_t sign = bits >> 8 & 0xFFu;
        good = precision > 0 && offset + precision <= 8 * size && exponentSize > 0 && fractionSize > 0
               && exponentAt + exponentSize <= 8 * size && fractionAt + fractionSize <= 8 * size
               && sign < 8 * size;
        break;
    }
    case 2: // time
        at.skip(2);
        break;
    case 3: // text of fixed length
        break;
    case 5: // opaque, with a tag
        at.skip(static_cast<std::size_t>(bits & 0xFFu));
        break;
    case 6: { // records
        const std::uint64_t members = bits & 0xFFFFu;
        good = members > 0;
        for (std::uint64_t m = 0; m < members && good; ++m) {
            good = skipName(at, rest, version < 3);
            std::size_t offsetSize = 4;
            if (version >= 3) {
                offsetSize = 1;
                while (offsetSize < 4 && size >> (8 * offsetSize) != 0)
                    ++offsetSize;
            }
            const std::uint64_t offset = at.number(offsetSize);
            std::uint64_t repeats = 1;
            if (version == 1) {
                const std::uint64_t rank = at.number(1);
                at.skip(3 + 4 + 4);
                for (std::uint64_t d = 0; d < 4; ++d) {
                    const std::uint64_t extent = at.number(4);
                    repeats *= d < rank ? std::min<std::uint64_t>(extent, 0xFFFF) : 1;
                }
                good = good && rank <= 4;
            }
            const auto memberSize = good && at.ok() ? inner() : std::nullopt;
            good = memberSize && offset <= size && *memberSize * repeats <= size - offset;
        }
        break;
    }
    case 7: // reference
        break;
    case 8: { // numbers with names
        const std::uint64_t members = bits & 0xFFFFu;
        const auto baseSize = inner();
        good = baseSize && *baseSize == size;
        for (std::uint64_t m = 0; m < members && good; ++m)
            good = skipName(at, rest, version < 3);
        if (good)
            at.skip(static_cast<std::size_t>(members * size));
        break;
    }
    case 9: // of varying length
        good = inner().has_value() && size == file.heapReferenceSize();
        break;
    case 10: { // small arrays
        const std::uint64_t rank = at.number(1);
        at.skip(version < 3 ? 3 : 0);
        std::vector<std::uint64_t> extents;
        for (std::uint64_t d = 0; d < rank && rank <= kMostDimensions; ++d)
            extents.push_back(at.number(4));
        at.skip(version < 3 ? 4 * extents.size() : 0);
        bool fits = rank > 0 && rank <= kMostDimensions && at.ok();
        const auto baseSize = fits ? inner() : std::nullopt;
        if (baseSize)
            extents.push_back(*baseSize);
        good = baseSize && product(extents, fits) == size && fits;
        break;
    }
    default:
        good = false;
    }
    if (!good || !at.ok())
        return std::nullopt;
    place += at.place();
    return size;
}

std::optional<std::uint64_t> sharedAddress(std::span<const std::byte> message, const RawFile& file)
{
    Cursor at(message);
    const std::uint64_t version = at.number(1);
    const std::uint64_t kind = at.number(1);
    if (version == 1)
        at.skip(6);
    else if (version == 3 && kind == 1)
        return 0;
    else if (version != 2 && version != 3)
        return std::nullopt;
    const std::uint64_t address = at.number(file.addressSize());
    if (!at.ok() || address == 0)
        return std::nullopt;
    return address;
}

bool checkFilters(std::span<const std::byte> message)
{
    Cursor at(message);
    const std::uint64_t version = at.number(1);
    const std::uint64_t filters = at.number(1);
    if ((version != 1 && version != 2) || filters > 32)
        return false;
    at.skip(version == 1 ? 6 : 0);
    for (std::uint64_t f = 0; f < filters; ++f) {
        const std::uint64_t id = at.number(2);
        const auto nameSize = static_cast<std::size_t>(version == 1 || id >= 256 ? at.number(2) : 0);
        at.skip(2);
        const auto values = static_cast<std::size_t>(at.number(2));
        if (version == 1 && nameSize % 8 != 0)
            return false;
        const std::span<const std::byte> name = at.take(nameSize);
        if (nameSize > 0 && std::find(name.begin(), name.end(), std::byte{0}) == name.end())
            return false;
        at.skip(4 * (values + (version == 1 ? values % 2 : 0)));
    }
    return at.ok();
}

std::optional<StoredLink> linkOf(std::span<const std::byte> message, const RawFile& file)
{
    Cursor at(message);
    const std::uint64_t version = at.number(1);
    const std::uint64_t flags = at.number(1);
    if (version != 1)
        return std::nullopt;
    const std::uint64_t kind = (flags & 8u) != 0 ? at.number(1) : 0;
    at.skip((flags & 4u) != 0 ? 8 : 0);  // order of creation
    at.skip((flags & 16u) != 0 ? 1 : 0); // character set
    const std::uint64_t nameSize = at.number(std::size_t{1} << (flags & 3u));
    if (nameSize == 0 || nameSize > at.left())
        return std::nullopt;
    at.skip(static_cast<std::size_t>(nameSize));
    StoredLink link;
    if (kind == 0)
        link.address = at.number(file.addressSize());
    else
        at.skip(static_cast<std::size_t>(at.number(2)));
    if (!at.ok())
        return std::nullopt;
    return link;
}

} // namespace cellfolio::hdf5
