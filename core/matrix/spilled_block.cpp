// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/spilled_block.h"

#include "core/matrix/clones.h"
#include "core/matrix/number_types.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>

namespace cellfolio {

static_assert(std::endian::native == std::endian::little, "records are cut to their low bytes");

namespace {

// What all values are at most, where all are whole numbers from 0 to 65535 and no -0; else a value
// above that. Told from the bits of the floats, whose order is theirs: a number from 2^k on, below
// 2^(k+1), is whole where the bits behind the first k of its fraction are 0. With arithmetic on
// floats the compiler did not make vectors of it.
template <typename T, typename Bits>
[[gnu::always_inline]] inline std::uint32_t mostOf(const T* values, Index count)
{
    constexpr Index kGroup = 256;
    constexpr Bits kFraction = std::numeric_limits<T>::digits - 1;
    constexpr Bits kOne = std::bit_cast<Bits>(T{1}) >> kFraction; // the exponent of 1, as stored
    constexpr Bits kAbove = 8 * sizeof(Bits) - kFraction;         // bits before the fraction
    std::array<Bits, kGroup> group;
    Bits most = 0;
    for (Index first = 0; first < count; first += kGroup) {
        const Index n = std::min(kGroup, count - first);
        std::memcpy(group.data(), values + first, static_cast<std::size_t>(n) * sizeof(T));
        const Bits* bits = group.data();
        Bits differ = 0;
        for (Index i = 0; i < n; ++i) {
            const Bits exponent = (bits[i] >> kFraction) - kOne;
            const Bits whole = static_cast<Bits>(exponent <= 15)
                               & static_cast<Bits>((bits[i] << (kAbove + (exponent & 15))) == 0);
            differ |= Bits{1} & ~(whole | static_cast<Bits>(bits[i] == 0));
            most = std::max(most, bits[i]);
        }
        if (differ != 0)
            return ~std::uint32_t{0};
    }
    return static_cast<std::uint32_t>(std::bit_cast<T>(most));
}

CELLFOLIO_CLONES std::uint32_t mostOfFloats(const float* values, Index count)
{
    return mostOf<float, std::uint32_t>(values, count);
}

CELLFOLIO_CLONES std::uint32_t mostOfDoubles(const double* values, Index count)
{
    return mostOf<double, std::uint64_t>(values, count);
}

template <typename T>
std::uint32_t mostOfIntegers(const T* values, Index count)
{
    std::uint64_t most = 0;
    for (Index i = 0; i < count; ++i)
        most = std::max(most, static_cast<std::uint64_t>(values[i])); // negative ones: huge
    return static_cast<std::uint32_t>(std::min(most, std::uint64_t{~std::uint32_t{0}}));
}

CELLFOLIO_CLONES void floatsToBytes(const float* from, Index count, std::uint8_t* to)
{
    for (Index i = 0; i < count; ++i)
        to[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>(from[i]));
}

CELLFOLIO_CLONES void bytesToFloats(const std::uint8_t* from, Index count, float* to)
{
    for (Index i = 0; i < count; ++i)
        to[i] = static_cast<float>(from[i]);
}

// Whether a dtype may be narrowed at all: it must be wider than a byte and hold whole numbers.
template <typename T>
constexpr bool kNarrows =
    std::is_same_v<T, float> || std::is_same_v<T, double> || (std::is_integral_v<T> && sizeof(T) > 1);

template <typename T, typename Narrow>
void narrowTo(const std::byte* values, Index count, std::byte* to)
{
    for (Index i = 0; i < count; ++i) {
        T value;
        std::memcpy(&value, values + at(i) * sizeof(T), sizeof(T));
        const auto narrow = static_cast<Narrow>(value);
        std::memcpy(to + at(i) * sizeof(Narrow), &narrow, sizeof(Narrow));
    }
}

template <typename T, typename Narrow>
void widenFrom(const std::byte* narrow, Index count, std::byte* to)
{
    for (Index i = 0; i < count; ++i) {
        Narrow value;
        std::memcpy(&value, narrow + at(i) * sizeof(Narrow), sizeof(Narrow));
        const auto wide = static_cast<T>(value);
        std::memcpy(to + at(i) * sizeof(T), &wide, sizeof(T));
    }
}

} // namespace

std::size_t narrowSize(NarrowKind kind, DType type) noexcept
{
    switch (kind) {
    case NarrowKind::AsStored: return sizeOf(type);
    case NarrowKind::UInt8: return 1;
    case NarrowKind::UInt16: return 2;
    }
    return 0;
}

NarrowKind narrowestFor(DType type, const std::byte* values, Index count) noexcept
{
    NarrowKind kind = NarrowKind::AsStored;
    visitReal(type, [&]<typename T>(const T*) {
        if constexpr (kNarrows<T>) {
            const T* typed = reinterpret_cast<const T*>(values);
            std::uint32_t most = 0;
            if constexpr (std::is_same_v<T, float>)
                most = mostOfFloats(typed, count);
            else if constexpr (std::is_same_v<T, double>)
                most = mostOfDoubles(typed, count);
            else
                most = mostOfIntegers(typed, count);
            if (most <= 0xff)
                kind = NarrowKind::UInt8;
            else if (most <= 0xffff && sizeof(T) > 2)
                kind = NarrowKind::UInt16;
        }
    });
    return kind;
}

void narrowValues(DType type, const std::byte* values, Index count, NarrowKind kind,
                  std::byte* to) noexcept
{
    if (kind == NarrowKind::AsStored) {
        std::memcpy(to, values, at(count) * sizeOf(type));
        return;
    }
    visitReal(type, [&]<typename T>(const T*) {
        if constexpr (kNarrows<T>) {
            if constexpr (std::is_same_v<T, float>) {
                if (kind == NarrowKind::UInt8)
                    return floatsToBytes(reinterpret_cast<const float*>(values), count,
                                         reinterpret_cast<std::uint8_t*>(to));
            }
            if (kind == NarrowKind::UInt8)
                narrowTo<T, std::uint8_t>(values, count, to);
            else
                narrowTo<T, std::uint16_t>(values, count, to);
        }
    });
}

void widenValues(DType type, const std::byte* narrow, Index count, NarrowKind kind,
                 std::byte* to) noexcept
{
    if (kind == NarrowKind::AsStored) {
        std::memcpy(to, narrow, at(count) * sizeOf(type));
        return;
    }
    visitReal(type, [&]<typename T>(const T*) {
        if constexpr (kNarrows<T>) {
            if constexpr (std::is_same_v<T, float>) {
                if (kind == NarrowKind::UInt8)
                    return bytesToFloats(reinterpret_cast<const std::uint8_t*>(narrow), count,
                                         reinterpret_cast<float*>(to));
            }
            if (kind == NarrowKind::UInt8)
                widenFrom<T, std::uint8_t>(narrow, count, to);
            else
                widenFrom<T, std::uint16_t>(narrow, count, to);
        }
    });
}

namespace {

// An entry between the two steps of the sort: its index within the segment and its line from the
// block's first, then its value. The two are stored at once where they are short: stored one by
// one and copied together they would have to wait for each other.
template <typename Number, std::size_t kSize>
struct EntryCode {
    static constexpr std::size_t kHead = 2 * sizeof(Number);
    static constexpr std::size_t kBytes = kHead + kSize;
    using Head = std::conditional_t<sizeof(Number) == 2, std::uint32_t, std::uint64_t>;
    static constexpr int kBits = 8 * sizeof(Number);

    static void write(std::byte* to, std::uint32_t index, Head line, const std::byte* value)
    {
        const Head head = static_cast<Head>(index | line << kBits);
        std::memcpy(to, &head, kHead);
        std::memcpy(to + kHead, value, kSize);
    }
    static Head head(const std::byte* from)
    {
        Head head = 0;
        std::memcpy(&head, from, kHead);
        return head;
    }
    static std::size_t index(Head head) { return static_cast<Number>(head); }
    static Number line(Head head) { return static_cast<Number>(head >> kBits); }
};

} // namespace

BlockSorter::BlockSorter(DType type, Index width, int shift)
    : m_type(type), m_width(width), m_shift(shift),
      m_begins(at(width > 0 ? ((width - 1) >> shift) + 1 : 0) + 1), m_cursors(m_begins.size()),
      m_places(std::size_t{1} << shift)
{
}

Index BlockSorter::bytesFor(DType type, Index width, Index entries)
{
    const auto item = static_cast<Index>(sizeOf(type));
    // Entries in order of their segments, the values of a segment, the record; counts in it.
    return entries * (3 * item + 12) + width * 4;
}

// Two steps, so that each has few places to write to: first into segments, then within each of
// them, which fits the first cache.
template <typename Number, std::size_t kSize>
void BlockSorter::sortBy(std::span<const BlockLine> lines, const std::uint32_t* indices,
                         const std::byte* values, std::vector<Index>& counts, SpilledBlock& block)
{
    using Code = EntryCode<Number, kSize>;
    std::fill(m_begins.begin(), m_begins.end(), 0U);
    std::uint32_t* begins = m_begins.data() + 1;
    for (const BlockLine& line : lines)
        for (std::int32_t e = line.begin; e < line.end; ++e)
            ++begins[indices[e] >> m_shift];
    for (std::size_t s = 1; s < m_begins.size(); ++s)
        m_begins[s] += m_begins[s - 1];
    m_cursors = m_begins;

    m_entries.resize(m_begins.back() * Code::kBytes);
    std::byte* to = m_entries.data();
    std::uint32_t* cursors = m_cursors.data();
    const std::uint32_t mask = (std::uint32_t{1} << m_shift) - 1;
    const int shift = m_shift;
    for (const BlockLine& line : lines) {
        const typename Code::Head relative = line.line - block.firstLine;
        for (std::int32_t e = line.begin; e < line.end; ++e) {
            const std::uint32_t index = indices[e];
            Code::write(to + std::size_t{cursors[index >> shift]++} * Code::kBytes, index & mask,
                        relative, values + static_cast<std::size_t>(e) * kSize);
        }
    }

    // Room for every segment at its widest, so that the record need not grow.
    m_record.resize(at(m_width) * 4 + m_begins.back() * (sizeof(Number) + kSize));
    m_size = 0;
    for (std::size_t s = 0; s + 1 < m_begins.size(); ++s)
        packSegment<Number, kSize>(s, to + std::size_t{m_begins[s]} * Code::kBytes,
                                   Index{m_begins[s + 1]} - m_begins[s], counts, block);
    block.starts.push_back(static_cast<std::uint32_t>(m_size));
}

template <typename Number, std::size_t kSize>
void BlockSorter::packSegment(std::size_t segment, const std::byte* entries, Index count,
                              std::vector<Index>& counts, SpilledBlock& block)
{
    using Code = EntryCode<Number, kSize>;
    const std::size_t first = segment << m_shift;
    const std::size_t indices = std::min(std::size_t{1} << m_shift, at(m_width) - first);
    std::fill_n(m_places.begin(), indices, 0U);
    std::uint32_t* places = m_places.data();
    for (Index i = 0; i < count; ++i)
        ++places[Code::index(Code::head(entries + at(i) * Code::kBytes))];
    const std::uint32_t most =
        *std::max_element(m_places.begin(), m_places.begin() + static_cast<std::ptrdiff_t>(indices));
    SegmentForm form;
    form.countSize = most <= 0xff ? 1 : most <= 0xffff ? 2 : 4;
    std::byte* to = m_record.data() + m_size;
    block.starts.push_back(static_cast<std::uint32_t>(m_size));
    std::uint32_t place = 0;
    for (std::size_t k = 0; k < indices; ++k) {
        const std::uint32_t n = m_places[k];
        std::memcpy(to, &n, form.countSize);
        to += form.countSize;
        counts[first + k] += n;
        m_places[k] = place;
        place += n;
    }
    m_values.resize(at(count) * kSize);
    std::byte* toValues = m_values.data();
    for (Index i = 0; i < count; ++i) {
        const std::byte* entry = entries + at(i) * Code::kBytes;
        const auto head = Code::head(entry);
        const Number line = Code::line(head);
        const std::size_t k = places[Code::index(head)]++;
        std::memcpy(to + k * sizeof(Number), &line, sizeof(Number));
        std::memcpy(toValues + k * kSize, entry + Code::kHead, kSize);
    }
    to += at(count) * sizeof(Number);
    form.kind = narrowestFor(m_type, m_values.data(), count);
    narrowValues(m_type, m_values.data(), count, form.kind, to);
    to += at(count) * narrowSize(form.kind, m_type);
    block.forms.push_back(form);
    m_size = static_cast<std::size_t>(to - m_record.data());
}

template <typename Number>
void BlockSorter::sortBySize(std::span<const BlockLine> lines, const std::uint32_t* indices,
                             const std::byte* values, std::vector<Index>& counts,
                             SpilledBlock& block)
{
    switch (sizeOf(m_type)) {
    case 1: return sortBy<Number, 1>(lines, indices, values, counts, block);
    case 2: return sortBy<Number, 2>(lines, indices, values, counts, block);
    case 4: return sortBy<Number, 4>(lines, indices, values, counts, block);
    case 8: return sortBy<Number, 8>(lines, indices, values, counts, block);
    case 16: return sortBy<Number, 16>(lines, indices, values, counts, block);
    default: assert(false);
    }
}

SpilledBlock BlockSorter::sort(std::span<const BlockLine> lines, const std::uint32_t* indices,
                               const std::byte* values, std::vector<Index>& counts)
{
    SpilledBlock block;
    block.firstLine = lines.empty() ? 0 : lines.front().line;
    const bool small = (lines.empty() || lines.back().line - block.firstLine <= 0xffff)
                       && m_shift <= 16;
    block.lineSize = small ? 2 : 4;
    if (small)
        sortBySize<std::uint16_t>(lines, indices, values, counts, block);
    else
        sortBySize<std::uint32_t>(lines, indices, values, counts, block);
    return block;
}

SegmentCursor::SegmentCursor(const SpilledBlock& block, std::size_t segment, DType type,
                             const std::byte* bytes, Index indices)
    : m_firstLine(block.firstLine), m_lineSize(block.lineSize), m_form(block.forms[segment]),
      m_type(type), m_counts(bytes)
{
    m_lines = bytes + at(indices) * m_form.countSize;
    const auto size = std::size_t{block.starts[segment + 1]} - block.starts[segment];
    const std::size_t entries = (size - at(indices) * m_form.countSize)
                              / (m_lineSize + narrowSize(m_form.kind, type));
    m_values = m_lines + entries * m_lineSize;
}

Index SegmentCursor::count() const noexcept
{
    switch (m_form.countSize) {
    case 1: return static_cast<Index>(*m_counts);
    case 2: {
        std::uint16_t count = 0;
        std::memcpy(&count, m_counts, 2);
        return count;
    }
    default: {
        std::uint32_t count = 0;
        std::memcpy(&count, m_counts, 4);
        return count;
    }
    }
}

Index SegmentCursor::take(Index most, std::uint32_t* lines, std::byte* values) noexcept
{
    const Index n = std::min(most, count() - m_taken);
    if (m_lineSize == 2) {
        for (Index i = 0; i < n; ++i) {
            std::uint16_t relative = 0;
            std::memcpy(&relative, m_lines + at(i) * 2, 2);
            lines[i] = m_firstLine + relative;
        }
    } else {
        for (Index i = 0; i < n; ++i) {
            std::uint32_t relative = 0;
            std::memcpy(&relative, m_lines + at(i) * 4, 4);
            lines[i] = m_firstLine + relative;
        }
    }
    widenValues(m_type, m_values, n, m_form.kind, values);
    m_lines += at(n) * m_lineSize;
    m_values += at(n) * narrowSize(m_form.kind, m_type);
    m_taken += n;
    return n;
}

void SegmentCursor::next() noexcept
{
    const std::size_t rest = at(count() - m_taken);
    m_lines += rest * m_lineSize;
    m_values += rest * narrowSize(m_form.kind, m_type);
    m_counts += m_form.countSize;
    m_taken = 0;
}

} // namespace cellfolio
