// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/buffer.h"
#include "core/base/result.h"
#include "core/base/values.h"
#include "core/matrix/spilled_block.h"

#include <cstdint>
#include <span>
#include <vector>

namespace cellfolio {

// The entries of one gene: ascending cells (repeats where an entry is stored twice), and a value
// for each in the dtype of the matrix.
struct GeneEntries {
    std::vector<std::uint32_t> cells;
    Values values;
};

// How the values of one gene are kept: the narrowest form from which every one comes back bit by
// bit. Part of the index's format.
enum class GeneValueKind : std::uint8_t { AsStored, UInt8, UInt16, UInt32, Float32 };

// Codes one gene after another: distances of the cells as LEB128 (7 bits a byte, the low ones
// first, the eighth set where more follow; the first distance from cell 0), then the values.
class GeneCoder
{
public:
    explicit GeneCoder(DType type) : m_type(type) {}

    // Some entries of the gene, which has `total`. Whole numbers are kept as narrow as they are.
    void add(std::span<const std::uint32_t> cells, const std::byte* values, Index total);
    // Ends the gene. The two parts of its code follow each other; valid until the next add().
    struct Coded {
        GeneValueKind kind = GeneValueKind::AsStored;
        std::span<const std::byte> cells;
        std::span<const std::byte> values;
    };
    Coded finish();
    // Bytes held.
    Index bytes() const noexcept;
    // Bytes it needs for each entry of the longest gene, about, where values take `valueBytes`.
    static double bytesAnEntry(Index valueBytes) { return 2.6 + 1.3 * static_cast<double>(valueBytes); }

private:
    void widenTo(NarrowKind kind);

    DType m_type;
    NarrowKind m_kind = NarrowKind::UInt8; // of the values so far
    std::uint32_t m_last = 0;
    Index m_count = 0;
    std::size_t m_cellBytes = 0;
    Buffer m_cells;
    Buffer m_values;
};

// The way back. Corrupt where the code does not hold `count` entries of cells below `cells`.
Result<GeneEntries> decodeGene(std::span<const std::byte> code, GeneValueKind kind, Index count,
                               Index cells, DType type);

} // namespace cellfolio
