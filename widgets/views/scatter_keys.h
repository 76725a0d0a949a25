// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/select/index_set.h"
#include "widgets/views/scatter_view.h"

#include <QtGui/QColor>

#include <cstdint>
#include <optional>
#include <vector>

namespace cellfolio
{

// What decides a point's colour and which point hides which.
//
// A key is 32 bits: the upper 16 say how high the point lies (0 = missing, at the bottom), the
// lower 16 which colour it has. Key 0 is below everything: a point outside the filters. Wherever points meet the larger key wins, so the picture does not
// depend on the order in which points are drawn: parts of the file, a sample, or several threads
// with images of their own give the same picture without sorting. Categories get their height from
// a hash of the index with a fixed seed: a shuffle that costs no memory.
struct ScatterKeys {
    std::vector<std::uint32_t> keys; // one a point; empty: plain, see keyOf
    std::vector<QRgb> colors;        // by the lower 16 bits

    std::uint32_t keyOf(std::size_t i) const;
    QRgb colorOf(std::uint32_t key) const { return colors[key & 0xffff]; }
};

// The theme's part of it, taken along to the drawing thread.
struct ScatterInk {
    QColor base;
    QColor missing;
    QColor plain;
    QColor outside;
    bool dark = false;
    bool operator==(const ScatterInk&) const = default;
};

// Heights for `points` points. `emphasis` lifts one category to the top and pales the others.
// `inside`: the points that the filters leave (of this extent); null: all of them.
ScatterKeys makeKeys(const ScatterColor& color, std::int64_t points, const ScatterInk& ink,
                     std::optional<std::uint32_t> emphasis, const IndexSet* inside = nullptr);

inline constexpr std::uint32_t kOutsideKey = 0;

// Of cells at zero: neither the colour of a low value nor that of a missing one.
QColor zeroTint(NumberMap map, const QColor& base);

} // namespace cellfolio
