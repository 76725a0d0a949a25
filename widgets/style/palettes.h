// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <QtCore/QStringList>
#include <QtGui/QColor>

#include <array>
#include <cstdint>
#include <vector>

namespace cellfolio
{

// Colours of categories, the lists that scanpy users know. Immutable; any thread.
enum class CategoryPalette { Default20, Zeileis28, GodsNot102, OkabeIto };

const std::vector<QColor>& categoryPalette(CategoryPalette palette);

inline constexpr std::int64_t kMostCategoryColors = 102;

// One colour a category: the smallest of the three lists that has enough. More than 102: only the
// 20 most frequent get one (of default_20, the most frequent first) and the rest `others`.
// `counts` may be empty where it is unknown; then the first 20 are taken.
std::vector<QColor> categoryColors(std::int64_t categories, const std::vector<std::int64_t>& counts,
                                   const QColor& others);

// Colour of cells without a value in figures and on light; the theme has its own for the screen.
inline const QColor kMissingColor(0xd3, 0xd3, 0xd3);

// Colour maps for numbers, each 256 steps interpolated from a small table. Immutable; any thread.
enum class NumberMap { Viridis, Magma, Inferno, Cividis, Reds, Blues };

class ColorMap
{
public:
    static const ColorMap& of(NumberMap map);

    // "viridis", "magma" …, for menus and settings.
    static QString name(NumberMap map);
    static const std::vector<NumberMap>& all();

    // t in 0..1, clamped; NaN gives the low end.
    QRgb at(double t) const noexcept;
    const std::array<QRgb, 256>& table() const noexcept { return m_table; }

private:
    explicit ColorMap(const std::vector<QRgb>& stops);
    std::array<QRgb, 256> m_table{};
};

} // namespace cellfolio
