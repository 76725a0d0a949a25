// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/style/fonts.h"

#include <QtGui/QFontDatabase>
#include <QtGui/QFontInfo>
#include <QtGui/QFontMetrics>
#include <QtWidgets/QApplication>

#include <algorithm>
#include <cmath>

namespace cellfolio
{

namespace fonts
{

namespace
{

QFont scaled(double factor, QFont::Weight weight = QFont::Normal)
{
    QFont font = QApplication::font();
    const double pixels = QFontInfo(font).pixelSize();
    // Whole pixels: 11.96 px Inter has other advances than 12 px and looks uneven.
    font.setPixelSize(std::max(1, int(std::lround(pixels * factor))));
    font.setWeight(weight);
    return font;
}

} // namespace

QFont application()
{
    QFont font = QFontDatabase::systemFont(QFontDatabase::GeneralFont);
    if (QFontDatabase::hasFamily(QStringLiteral("Inter"))) {
        font = QFont(QStringLiteral("Inter"));
        font.setPointSizeF(9.75); // 13 px at 96 dpi; in points, so that the system's dpi counts
    }
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

QFont body()
{
    return scaled(1.0);
}

QFont bodyMedium()
{
    return scaled(1.0, QFont::Medium);
}

QFont bodySemibold()
{
    return scaled(1.0, QFont::DemiBold);
}

QFont table()
{
    return scaled(0.92);
}

QFont tableSemibold()
{
    return scaled(0.92, QFont::DemiBold);
}

QFont caption()
{
    return scaled(0.85);
}

QFont tiny()
{
    return scaled(0.77);
}

QFont heading()
{
    return scaled(1.23, QFont::DemiBold);
}

QFont count()
{
    return scaled(1.385, QFont::DemiBold);
}

QFont title()
{
    return scaled(2.0, QFont::DemiBold);
}

QFont mono()
{
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPixelSize(
        std::max(1, int(std::lround(QFontInfo(QApplication::font()).pixelSize() * 0.85))));
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

} // namespace fonts

int measures::scaled(int pixels)
{
    const double factor = std::max(1.0, QFontInfo(QApplication::font()).pixelSize() / 13.0);
    return int(std::lround(pixels * factor));
}

int measures::rowHeight(const QFont& font, int wanted)
{
    return std::max(wanted, QFontMetrics(font).height() + 8);
}

} // namespace cellfolio
