// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/gene_coding.h"

#include "core/matrix/number_types.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

namespace cellfolio {

namespace {

constexpr std::size_t kLongestDistance = 5; // bytes of 32 bits

std::size_t sizeOf(GeneValueKind kind, DType type)
{
    switch (kind) {
    case GeneValueKind::AsStored: return cellfolio::sizeOf(type);
    case GeneValueKind::UInt8: return 1;
    case GeneValueKind::UInt16: return 2;
    case GeneValueKind::UInt32:
    case GeneValueKind::Float32: return 4;
    }
    return 0;
}

template <typename T>
constexpr bool kIsWide =
    std::is_same_v<T, double> || (std::is_integral_v<T> && sizeof(T) == sizeof(std::uint64_t));

// Whether a value survives the way to Narrow and back.
template <typename Narrow, typename T>
bool survives(T value)
{
    if constexpr (std::is_floating_point_v<T> && std::is_integral_v<Narrow>) {
        if (!(value >= 0 && value <= static_cast<T>(std::numeric_limits<Narrow>::max())))
            return false;
    } else if constexpr (std::is_floating_point_v<T>) {
        // What lies between the largest float and infinity cannot be converted.
        if (value == value && value - value == 0
            && !(value >= -std::numeric_limits<float>::max()
                 && value <= std::numeric_limits<float>::max()))
            return false;
    }
    const T back = static_cast<T>(static_cast<Narrow>(value));
    return std::memcmp(&back, &value, sizeof(T)) == 0;
}

template <typename Narrow, typename T>
bool allSurvive(const T* values, Index count)
{
    return std::all_of(values, values + count, [](T v) { return survives<Narrow>(v); });
}

// Of values that are no short whole numbers.
GeneValueKind wideKindFor(DType type, const std::byte* values, Index count)
{
    GeneValueKind kind = GeneValueKind::AsStored;
    visitReal(type, [&]<typename T>(const T*) {
        if constexpr (kIsWide<T>) {
            const T* typed = reinterpret_cast<const T*>(values);
            if (allSurvive<std::uint32_t>(typed, count))
                kind = GeneValueKind::UInt32;
            else if constexpr (std::is_same_v<T, double>) {
                if (allSurvive<float>(typed, count))
                    kind = GeneValueKind::Float32;
            }
        }
    });
    return kind;
}

template <typename Narrow, typename T>
void convert(const std::byte* from, Index count, std::byte* to)
{
    for (Index i = 0; i < count; ++i) {
        Narrow value;
        std::memcpy(&value, from + at(i) * sizeof(Narrow), sizeof(Narrow));
        const T result = static_cast<T>(value);
        std::memcpy(to + at(i) * sizeof(T), &result, sizeof(T));
    }
}

// Halves the width of wide values where they lie.
void narrowInPlace(GeneValueKind kind, DType type, std::byte* values, Index count)
{
    visitReal(type, [&]<typename T>(const T*) {
        if constexpr (kIsWide<T>) {
            if (kind == GeneValueKind::UInt32)
                convert<T, std::uint32_t>(values, count, values);
            else
                convert<T, float>(values, count, values);
        }
    });
}

void widenFrom(GeneValueKind kind, DType type, const std::byte* code, Index count, std::byte* to)
{
    switch (kind) {
    case GeneValueKind::AsStored: widenValues(type, code, count, NarrowKind::AsStored, to); return;
    case GeneValueKind::UInt8: widenValues(type, code, count, NarrowKind::UInt8, to); return;
    case GeneValueKind::UInt16: widenValues(type, code, count, NarrowKind::UInt16, to); return;
    case GeneValueKind::UInt32:
    case GeneValueKind::Float32:
        visitReal(type, [&]<typename T>(const T*) {
            if constexpr (kIsWide<T>) {
                if (kind == GeneValueKind::UInt32)
                    convert<std::uint32_t, T>(code, count, to);
                else
                    convert<float, T>(code, count, to);
            }
        });
    }
}

void makeRoom(Buffer& buffer, std::size_t size)
{
    if (buffer.size() < size)
        buffer.grow(std::max(size, buffer.size() + buffer.size() / 2));
}

Error damaged()
{
    return Error(ErrorCode::Corrupt, "An entry of the gene index is damaged.");
}

// Whether this kind of value goes with the dtype.
bool fits(GeneValueKind kind, DType type)
{
    const std::size_t full = cellfolio::sizeOf(type);
    switch (kind) {
    case GeneValueKind::AsStored: return full > 0;
    case GeneValueKind::UInt8: return isReal(type) && full > 1 && type != DType::Float16;
    case GeneValueKind::UInt16: return isReal(type) && full > 2;
    case GeneValueKind::UInt32: return isReal(type) && full == 8;
    case GeneValueKind::Float32: return type == DType::Float64;
    }
    return false;
}

} // namespace

Index GeneCoder::bytes() const noexcept
{
    return static_cast<Index>(m_cells.capacity() + m_values.capacity());
}

void GeneCoder::add(std::span<const std::uint32_t> cells, const std::byte* values, Index total)
{
    const auto count = static_cast<Index>(cells.size());
    if (m_count == 0)
        makeRoom(m_cells, at(total) + at(total) / 16);
    makeRoom(m_cells, m_cellBytes + cells.size() * kLongestDistance);
    auto* to = reinterpret_cast<std::uint8_t*>(m_cells.data()) + m_cellBytes;
    std::uint32_t last = m_last;
    for (const std::uint32_t cell : cells) {
        std::uint32_t distance = cell - last;
        last = cell;
        while (distance > 0x7f) {
            *to++ = static_cast<std::uint8_t>(distance | 0x80);
            distance >>= 7;
        }
        *to++ = static_cast<std::uint8_t>(distance);
    }
    m_last = last;
    m_cellBytes = static_cast<std::size_t>(to - reinterpret_cast<std::uint8_t*>(m_cells.data()));

    const NarrowKind kind = narrowestFor(m_type, values, count);
    const auto rank = [](NarrowKind k) {
        return k == NarrowKind::UInt8 ? 0 : k == NarrowKind::UInt16 ? 1 : 2;
    };
    if (rank(kind) > rank(m_kind))
        widenTo(kind);
    const std::size_t size = narrowSize(m_kind, m_type);
    if (m_count == 0)
        makeRoom(m_values, at(total) * size);
    makeRoom(m_values, (at(m_count) + cells.size()) * size);
    narrowValues(m_type, values, count, m_kind, m_values.data() + at(m_count) * size);
    m_count += count;
}

// The values so far, kept wider from now on.
void GeneCoder::widenTo(NarrowKind kind)
{
    const NarrowKind before = std::exchange(m_kind, kind);
    if (m_count == 0)
        return;
    const std::size_t item = cellfolio::sizeOf(m_type);
    Buffer wide(at(m_count) * narrowSize(kind, m_type));
    constexpr Index kPart = 4096;
    Buffer part(at(kPart) * item);
    for (Index first = 0; first < m_count; first += kPart) {
        const Index n = std::min(kPart, m_count - first);
        widenValues(m_type, m_values.data() + at(first) * narrowSize(before, m_type), n, before,
                    part.data());
        narrowValues(m_type, part.data(), n, kind,
                     wide.data() + at(first) * narrowSize(kind, m_type));
    }
    m_values = std::move(wide);
}

GeneCoder::Coded GeneCoder::finish()
{
    Coded coded;
    coded.kind = m_kind == NarrowKind::UInt8    ? GeneValueKind::UInt8
                 : m_kind == NarrowKind::UInt16 ? GeneValueKind::UInt16
                                                : wideKindFor(m_type, m_values.data(), m_count);
    if (coded.kind == GeneValueKind::UInt32 || coded.kind == GeneValueKind::Float32)
        narrowInPlace(coded.kind, m_type, m_values.data(), m_count);
    coded.cells = m_cells.span().first(m_cellBytes);
    coded.values = m_values.span().first(at(m_count) * sizeOf(coded.kind, m_type));
    m_last = 0;
    m_count = 0;
    m_cellBytes = 0;
    m_kind = NarrowKind::UInt8;
    return coded;
}

Result<GeneEntries> decodeGene(std::span<const std::byte> code, GeneValueKind kind, Index count,
                               Index cells, DType type)
{
    GeneEntries result;
    if (!fits(kind, type) || count < 0 || count > static_cast<Index>(code.size()))
        return damaged();
    const std::size_t valueBytes = at(count) * sizeOf(kind, type);
    if (valueBytes > code.size())
        return damaged();
    result.cells.resize(at(count));
    const auto* from = reinterpret_cast<const std::uint8_t*>(code.data());
    const auto* end = from + (code.size() - valueBytes);
    std::uint64_t cell = 0;
    for (std::uint32_t& to : result.cells) {
        std::uint64_t distance = 0;
        unsigned shift = 0;
        do {
            if (from == end || shift > 28)
                return damaged();
            distance |= std::uint64_t{*from & 0x7fU} << shift;
            shift += 7;
        } while ((*from++ & 0x80) != 0);
        cell += distance;
        if (cell >= static_cast<std::uint64_t>(cells))
            return damaged();
        to = static_cast<std::uint32_t>(cell);
    }
    if (from != end)
        return damaged();
    result.values = Values(type, count);
    widenFrom(kind, type, code.data() + (code.size() - valueBytes), count, result.values.data());
    return result;
}

} // namespace cellfolio
