// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/scatter_keys.h"

#include "widgets/style/theme.h"

#include <QtCore/QHash>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cellfolio
{

namespace
{

constexpr std::uint32_t kMissingColour = 1; // index in every palette; 0 is the colour outside
constexpr std::uint32_t kPlainColour = 2;
constexpr std::uint32_t kHighest = 0xffff;

// Mixes an index well enough that neighbours in a file are no neighbours in height.
std::uint32_t shuffled(std::uint32_t i)
{
    i += 0x9e3779b9U; // the fixed seed
    i = (i ^ (i >> 16)) * 0x85ebca6bU;
    i = (i ^ (i >> 13)) * 0xc2b2ae35U;
    return i ^ (i >> 16);
}

std::uint32_t shuffledHeight(std::size_t i)
{
    return 1 + std::uint32_t(std::uint64_t(shuffled(std::uint32_t(i))) * (kHighest - 1) >> 32);
}

QRgb onCanvas(const QColor& colour, const ScatterInk& ink)
{
    return (ink.dark ? Theme::dark() : Theme::light()).onCanvas(colour).rgb();
}

ScatterKeys categoryKeys(const ScatterCategories& categories, std::size_t n, const ScatterInk& ink,
                         std::optional<std::uint32_t> emphasis)
{
    ScatterKeys made;
    made.colors = {ink.outside.rgb(), ink.missing.rgb()};
    // A column can have as many categories as cells, but hardly as many colours.
    std::vector<std::uint16_t> slot(categories.colors.size());
    QHash<QRgb, std::uint16_t> known;
    for (std::size_t code = 0; code < slot.size(); ++code) {
        const QColor& colour = categories.colors[code];
        const bool pale = emphasis && *emphasis != code;
        const QRgb id = (colour.rgb() & 0x00ffffffU) | (pale ? 0U : 0xff000000U);
        auto found = known.constFind(id);
        if (found == known.constEnd()) {
            const std::size_t next = std::min<std::size_t>(made.colors.size(), kHighest);
            QColor shown(onCanvas(colour, ink));
            if (pale)
                shown = mixed(ink.base, shown, 0.18);
            if (next == made.colors.size())
                made.colors.push_back(shown.rgb());
            found = known.insert(id, std::uint16_t(next));
        }
        slot[code] = *found;
    }
    made.keys.resize(n);
    const auto& codes = *categories.codes;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t code = codes[i];
        if (code >= slot.size()) {
            made.keys[i] = kMissingColour;
            continue;
        }
        std::uint32_t height = shuffledHeight(i);
        if (emphasis) // upper half for the one, lower half for the rest
            height = *emphasis == code ? 0x8000U + height / 2 : 1 + height / 2;
        made.keys[i] = std::min(height, kHighest) << 16 | slot[code];
    }
    return made;
}

ScatterKeys valueKeys(const ScatterValues& column, std::size_t n, const ScatterInk& ink)
{
    ScatterKeys made;
    made.colors = {ink.outside.rgb(), ink.missing.rgb()};
    const auto& table = ColorMap::of(column.map).table();
    made.colors.insert(made.colors.end(), table.begin(), table.end());
    const auto zeroColour = std::uint32_t(made.colors.size());
    made.colors.push_back(zeroTint(column.map, ink.base).rgb());
    made.keys.resize(n);
    const auto& values = *column.values;
    const double low = column.low;
    const double span = double(column.high) - low;
    const double widest = std::max(std::abs(low), std::abs(double(column.high)));
    for (std::size_t i = 0; i < n; ++i) {
        const double v = values[i];
        if (std::isnan(v)) {
            made.keys[i] = kMissingColour;
            continue;
        }
        if (column.zerosApart && v == 0) {
            made.keys[i] = 1U << 16 | zeroColour;
            continue;
        }
        const double t = span > 0 ? std::clamp((v - low) / span, 0.0, 1.0) : 0.5;
        const double rank =
            column.byMagnitude ? (widest > 0 ? std::min(std::abs(v) / widest, 1.0) : 0.0) : t;
        const auto lowest = column.zerosApart ? 2U : 1U;
        const auto height = lowest + std::uint32_t(rank * double(kHighest - lowest));
        made.keys[i] = height << 16 | std::uint32_t(kMissingColour + 1 + std::lround(t * 255));
    }
    return made;
}

} // namespace

QColor zeroTint(NumberMap map, const QColor& base)
{
    const QColor low(ColorMap::of(map).at(0));
    // A map that begins dark would not be seen on a dark canvas.
    if (base.lightness() < 128)
        return mixed(base, mixed(low, Qt::white, 0.5), 0.45);
    return mixed(base, low, 0.22);
}

std::uint32_t ScatterKeys::keyOf(std::size_t i) const
{
    return keys.empty() ? 0x00010000U | kPlainColour : keys[i];
}

namespace
{

ScatterKeys insideKeys(const ScatterColor& color, std::size_t n, const ScatterInk& ink,
                       std::optional<std::uint32_t> emphasis)
{
    if (const auto* categories = std::get_if<ScatterCategories>(&color);
        categories && categories->codes && categories->codes->size() >= n)
        return categoryKeys(*categories, n, ink, emphasis);
    if (const auto* values = std::get_if<ScatterValues>(&color);
        values && values->values && values->values->size() >= n)
        return valueKeys(*values, n, ink);
    ScatterKeys plain;
    plain.colors = {ink.outside.rgb(), ink.missing.rgb(), ink.plain.rgb()};
    return plain;
}

} // namespace

ScatterKeys makeKeys(const ScatterColor& color, std::int64_t points, const ScatterInk& ink,
                     std::optional<std::uint32_t> emphasis, const IndexSet* inside)
{
    const auto n = std::size_t(points);
    ScatterKeys made = insideKeys(color, n, ink, emphasis);
    if (!inside || inside->extent() != points)
        return made;
    if (made.keys.empty())
        made.keys.assign(n, made.keyOf(0));
    for (std::size_t i = 0; i < n; ++i) {
        if (!inside->contains(Index(i)))
            made.keys[i] = kOutsideKey;
    }
    return made;
}

} // namespace cellfolio
