// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/style/palettes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace cellfolio
{

namespace
{

// The first entries agree with scanpy's lists of the same names, so that a plot made here and one
// made in a notebook show a category in the same colour.
constexpr QRgb kDefault20[] = {
    0x1f77b4, 0xff7f0e, 0x279e68, 0xd62728, 0xaa40fc, 0x8c564b, 0xe377c2,
    0xb5bd61, 0x17becf, 0xaec7e8, 0xffbb78, 0x98df8a, 0xff9896, 0xc5b0d5,
    0xc49c94, 0xf7b6d2, 0xdbdb8d, 0x9edae5, 0xad494a, 0x8c6d31,
};

constexpr QRgb kZeileis28[] = {
    0x023fa5, 0x7d87b9, 0xbec1d4, 0xd6bcc0, 0xbb7784, 0x8e063b, 0x4a6fe3,
    0x8595e1, 0xb5bbe3, 0xe6afb9, 0xe07b91, 0xd33f6a, 0x11c638, 0x8dd593,
    0xc6dec7, 0xead3c6, 0xf0b98d, 0xef9708, 0x0fcfc0, 0x9cded6, 0xd5eae7,
    0xf3e1eb, 0xf6c4e1, 0xf79cd4, 0x7f7f7f, 0xc7c7c7, 0x1ce6ff, 0x336600,
};

constexpr QRgb kGodsNot102[] = {
    0xffff00, 0x1ce6ff, 0xff34ff, 0xff4a46, 0x008941, 0x006fa6, 0xa30059, 0xffdbe5, 0x7a4900,
    0x0000a6, 0x63ffac, 0xb79762, 0x004d43, 0x8fb0ff, 0x997d87, 0x5a0007, 0x809693, 0x6a3a4c,
    0x1b4400, 0x4fc601, 0x3b5dff, 0x4a3b53, 0xff2f80, 0x61615a, 0xba0900, 0x6b7900, 0x00c2a0,
    0xffaa92, 0xff90c9, 0xb903aa, 0xd16100, 0xddefff, 0x000035, 0x7b4f4b, 0xa1c299, 0x300018,
    0x0aa6d8, 0x013349, 0x00846f, 0x372101, 0xffb500, 0xc2ffed, 0xa079bf, 0xcc0744, 0xc0b9b2,
    0xc2ff99, 0x001e09, 0x00489c, 0x6f0062, 0x0cbd66, 0xeec3ff, 0x456d75, 0xb77b68, 0x7a87a1,
    0x788d66, 0x885578, 0xfad09f, 0xff8a9a, 0xd157a0, 0xbec459, 0x456648, 0x0086ed, 0x886f4c,
    0x34362d, 0xb4a8bd, 0x00a6aa, 0x452c2c, 0x636375, 0xa3c8c9, 0xff913f, 0x938a81, 0x575329,
    0x00fecf, 0xb05b6f, 0x8cd0ff, 0x3b9700, 0x04f757, 0xc8a1a1, 0x1e6e00, 0x7900d7, 0xa77500,
    0x6367a9, 0xa05837, 0x6b002c, 0x772600, 0xd790ff, 0x9b9700, 0x549e79, 0xfff69f, 0x201625,
    0x72418f, 0xbc23ff, 0x99adc0, 0x3a2465, 0x922329, 0x5b4534, 0xfde8dc, 0x404e55, 0x0089a3,
    0xcb7e98, 0xa4e804, 0x324e72,
};

constexpr QRgb kOkabeIto[] = {
    0x56b4e9, 0xe69f00, 0x009e73, 0xf0e442, 0x0072b2, 0xd55e00, 0xcc79a7, 0x000000,
};

// Every eighth step of the 256 of matplotlib's maps; between them a straight line differs by less
// than two levels. Reds and Blues are the nine classes of ColorBrewer.
constexpr QRgb kViridis[] = {
    0x440154, 0x470d60, 0x48186a, 0x482374, 0x472d7b, 0x453681, 0x424086, 0x3f4989, 0x3b528b,
    0x375a8d, 0x33638d, 0x2f6a8e, 0x2c728e, 0x297a8e, 0x26818e, 0x23898e, 0x21908c, 0x1f988b,
    0x1f9f88, 0x21a685, 0x28ae80, 0x31b57b, 0x3ebc74, 0x4cc26c, 0x5dc963, 0x6ece58, 0x82d34c,
    0x96d83f, 0xabdc32, 0xc0df24, 0xd5e21a, 0xeae51a, 0xfde725,
};

constexpr QRgb kMagma[] = {
    0x000004, 0x030311, 0x0a0822, 0x130d33, 0x1d1146, 0x28115a, 0x36106a, 0x430f76, 0x50127c,
    0x5d177f, 0x691c81, 0x762181, 0x822681, 0x8f2a81, 0x9c2e7f, 0xa9327d, 0xb63779, 0xc33b75,
    0xcf4170, 0xdb486a, 0xe65163, 0xee5c5e, 0xf5695c, 0xf9785d, 0xfb8761, 0xfd9668, 0xfea571,
    0xfeb47b, 0xfec387, 0xfed194, 0xfde0a2, 0xfceeb0, 0xfcfdbf,
};

constexpr QRgb kInferno[] = {
    0x000004, 0x040312, 0x0b0724, 0x150b37, 0x210c4a, 0x2e0a5a, 0x3c0965, 0x4a0c6b, 0x57106d,
    0x63146e, 0x70196e, 0x7d1e6d, 0x89226a, 0x962766, 0xa32b61, 0xaf315c, 0xbb3755, 0xc63e4d,
    0xd14644, 0xdb4f3b, 0xe35932, 0xeb6528, 0xf1711e, 0xf67f14, 0xf98d0a, 0xfb9c06, 0xfcab0f,
    0xfbba1f, 0xf9ca32, 0xf5d949, 0xf2e865, 0xf3f586, 0xfcffa4,
};

constexpr QRgb kCividis[] = {
    0x00224e, 0x00285b, 0x002e6a, 0x043371, 0x1a386f, 0x273e6e, 0x32436d, 0x3b496c, 0x434e6c,
    0x4b546c, 0x52596d, 0x5a5f6e, 0x61656f, 0x686a71, 0x6f7073, 0x757676, 0x7c7b78, 0x848179,
    0x8b8778, 0x938d78, 0x9b9376, 0xa39a75, 0xaba072, 0xb3a670, 0xbbad6c, 0xc3b469, 0xccba64,
    0xd4c15f, 0xddc958, 0xe6d051, 0xefd748, 0xf8df3c, 0xfee838,
};

constexpr QRgb kReds[] = {
    0xfff5f0, 0xfee0d2, 0xfcbba1, 0xfc9272, 0xfb6a4a, 0xef3b2c, 0xcb181d, 0xa50f15, 0x67000d,
};

constexpr QRgb kBlues[] = {
    0xf7fbff, 0xdeebf7, 0xc6dbef, 0x9ecae1, 0x6baed6, 0x4292c6, 0x2171b5, 0x08519c, 0x08306b,
};

std::vector<QColor> colorsOf(std::span<const QRgb> list)
{
    std::vector<QColor> colors;
    colors.reserve(list.size());
    for (const QRgb rgb : list)
        colors.emplace_back(QColor::fromRgb(rgb));
    return colors;
}

std::vector<QRgb> stopsOf(std::span<const QRgb> list)
{
    return {list.begin(), list.end()};
}

} // namespace

const std::vector<QColor>& categoryPalette(CategoryPalette palette)
{
    static const std::vector<QColor> default20 = colorsOf(kDefault20);
    static const std::vector<QColor> zeileis28 = colorsOf(kZeileis28);
    static const std::vector<QColor> godsNot102 = colorsOf(kGodsNot102);
    static const std::vector<QColor> okabeIto = colorsOf(kOkabeIto);
    switch (palette) {
    case CategoryPalette::Default20:
        return default20;
    case CategoryPalette::Zeileis28:
        return zeileis28;
    case CategoryPalette::GodsNot102:
        return godsNot102;
    case CategoryPalette::OkabeIto:
        return okabeIto;
    }
    return default20;
}

std::vector<QColor> categoryColors(std::int64_t categories, const std::vector<std::int64_t>& counts,
                                   const QColor& others)
{
    const auto n = std::size_t(std::max<std::int64_t>(categories, 0));
    if (n <= std::size_t(kMostCategoryColors)) {
        const auto& list = categoryPalette(n <= 20   ? CategoryPalette::Default20
                                           : n <= 28 ? CategoryPalette::Zeileis28
                                                     : CategoryPalette::GodsNot102);
        return {list.begin(), list.begin() + std::ptrdiff_t(n)};
    }
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t(0));
    const auto& list = categoryPalette(CategoryPalette::Default20);
    if (counts.size() == n) {
        std::partial_sort(order.begin(), order.begin() + std::ptrdiff_t(list.size()), order.end(),
                          [&](std::size_t a, std::size_t b) {
                              return counts[a] != counts[b] ? counts[a] > counts[b] : a < b;
                          });
    }
    std::vector<QColor> colors(n, others);
    for (std::size_t i = 0; i < list.size(); ++i)
        colors[order[i]] = list[i];
    return colors;
}

ColorMap::ColorMap(const std::vector<QRgb>& stops)
{
    const double last = double(stops.size() - 1);
    for (std::size_t i = 0; i < m_table.size(); ++i) {
        const double at = double(i) / double(m_table.size() - 1) * last;
        const auto low = std::min(std::size_t(at), stops.size() - 2);
        const double part = at - double(low);
        const auto blend = [&](int a, int b) {
            return int(std::lround(double(a) + part * double(b - a)));
        };
        const QRgb from = stops[low];
        const QRgb to = stops[low + 1];
        m_table[i] = qRgb(blend(qRed(from), qRed(to)), blend(qGreen(from), qGreen(to)),
                          blend(qBlue(from), qBlue(to)));
    }
}

const ColorMap& ColorMap::of(NumberMap map)
{
    static const ColorMap viridis(stopsOf(kViridis));
    static const ColorMap magma(stopsOf(kMagma));
    static const ColorMap inferno(stopsOf(kInferno));
    static const ColorMap cividis(stopsOf(kCividis));
    static const ColorMap reds(stopsOf(kReds));
    static const ColorMap blues(stopsOf(kBlues));
    switch (map) {
    case NumberMap::Viridis:
        return viridis;
    case NumberMap::Magma:
        return magma;
    case NumberMap::Inferno:
        return inferno;
    case NumberMap::Cividis:
        return cividis;
    case NumberMap::Reds:
        return reds;
    case NumberMap::Blues:
        return blues;
    }
    return viridis;
}

QString ColorMap::name(NumberMap map)
{
    switch (map) {
    case NumberMap::Viridis:
        return QStringLiteral("viridis");
    case NumberMap::Magma:
        return QStringLiteral("magma");
    case NumberMap::Inferno:
        return QStringLiteral("inferno");
    case NumberMap::Cividis:
        return QStringLiteral("cividis");
    case NumberMap::Reds:
        return QStringLiteral("Reds");
    case NumberMap::Blues:
        return QStringLiteral("Blues");
    }
    return {};
}

const std::vector<NumberMap>& ColorMap::all()
{
    static const std::vector<NumberMap> maps{NumberMap::Viridis, NumberMap::Magma,
                                             NumberMap::Inferno, NumberMap::Cividis,
                                             NumberMap::Reds,    NumberMap::Blues};
    return maps;
}

QRgb ColorMap::at(double t) const noexcept
{
    if (!(t > 0)) // also NaN
        return m_table.front();
    return m_table[std::size_t(std::lround(std::min(t, 1.0) * double(m_table.size() - 1)))];
}

} // namespace cellfolio
