// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <QtCore/QStringList>
#include <QtGui/QColor>

#include <vector>

class QPainter;
class QRect;

namespace cellfolio
{

enum class SortMark { None, Ascending, Descending };

// What the head of a column says. Texts come ready made from the source; empty ones are left out.
struct ColumnProfile {
    enum class Kind {
        None,       // nothing known yet or nothing to draw
        Histogram,  // `bars`, low to high
        Categories, // `bars` in `colors`, largest first
        Samples,    // up to two `samples`
    };

    QString name;
    QString icon;    // "tag" category, "numbers", "key" index, "letter-t" text, "check" boolean
    QString type;    // "int64", "10 categories", "text · unique"
    QString missing; // "0 missing"
    Kind kind = Kind::None;
    std::vector<double> bars;
    std::vector<double> barsInView; // solid part of each bar; empty: all of it is in view
    std::vector<QColor> colors;
    QStringList samples;
    QString captionLeft;  // "1,001", "most: Dendritic", "700 different"
    QString captionRight; // "2,605", "205"
    QString toolTip;      // more than fits; empty: name and type
    bool sampled = false; // from a sample so far: the captions say "about"
};

// Paints one column's head of measures::kProfileHeader height (the rest of `where` below it stays
// untouched). `hovered` and `selected` tint it.
struct ProfilePaint {
    SortMark sort = SortMark::None;
    bool hovered = false;
    bool selected = false;
};
void paintProfile(QPainter& painter, const QRect& where, const ColumnProfile& profile,
                  const ProfilePaint& how);

// The width in which name, type and captions are not elided, for the first layout.
int profileWidth(const ColumnProfile& profile);

} // namespace cellfolio
