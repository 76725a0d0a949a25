// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QRectF>
#include <QtCore/QString>
#include <QtGui/QFont>

class QPainter;

namespace cellfolio
{

// Tabular figures: Qt 6.4 cannot switch font features, so every digit is stepped by the widest
// digit of the font; other signs keep their own width. UI thread only.

// Width in logical pixels of `text` drawn so.
double numberWidth(const QFont& font, const QString& text);

// Draws with the painter's font and pen into `where`, vertically centred; right-aligned unless
// told otherwise. Does not elide: ask numberWidth first where room may be short.
void drawNumber(QPainter& painter, const QRectF& where, const QString& text,
                Qt::Alignment alignment = Qt::AlignRight);

// Elides in the middle to `width`; the text itself where it fits.
QString elideNumber(const QFont& font, const QString& text, double width);

} // namespace cellfolio
