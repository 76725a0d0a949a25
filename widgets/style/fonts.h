// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGui/QFont>

class QFontMetrics;

namespace cellfolio
{

// Fonts by what they are for, all derived from the application font, so they follow the system's
// size. Weights: regular unless said otherwise; never bold, never italics. UI thread only.
namespace fonts
{

// Inter where it is installed, else the system's font; 13 px at 96 dpi. Set by applyTheme.
QFont application();

QFont body();          // 13: menus, fields
QFont bodyMedium();    // 13: names in two-line rows
QFont bodySemibold();  // 13: titles
QFont table();         // 12: tables, tree, lists
QFont tableSemibold(); // 12: column names
QFont caption();       // 11: captions, axes, types, chips
QFont tiny();          // 10: only the share under a gene's name
QFont heading();       // 16 semibold: title of a finding
QFont count();         // 18 semibold: the number that matters
QFont title();         // 26 semibold: the start page
QFont mono();          // 11 monospace: expressions, element paths

} // namespace fonts

// Logical pixels at the 13 px font. Heights of rows come from rowHeight, so that a taller font is
// not cut.
namespace measures
{

inline constexpr int kTableRow = 24;
inline constexpr int kLegendRow = 23;
inline constexpr int kRecentRow = 46;
inline constexpr int kField = 28;
inline constexpr int kDockTitle = 34;
inline constexpr int kBar = 42;
inline constexpr int kStatusLine = 28;
inline constexpr int kToolBar = 47;
inline constexpr int kMenuBar = 30;
inline constexpr int kTabBar = 35;
inline constexpr int kLeftDock = 252;
inline constexpr int kRightDock = 316;
inline constexpr int kLegend = 226;
inline constexpr int kProfileHeader = 102;
inline constexpr int kGridHead = 48;
inline constexpr int kGridCell = 62;
inline constexpr int kGridNames = 212;
inline constexpr int kChip = 16;
inline constexpr int kChipRadius = 3;
inline constexpr int kRadius = 4;
inline constexpr int kMeter = 6;
inline constexpr int kIcon = 16;
inline constexpr int kToolIcon = 18;

// The same length at the application font's size: 1 at 13 px, never less. For painted widgets that
// place text at fixed lines.
int scaled(int pixels);

// max(wanted, what one line of the font needs with 4 px above and below).
int rowHeight(const QFont& font, int wanted = kTableRow);

} // namespace measures

} // namespace cellfolio
