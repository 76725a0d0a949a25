// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QRectF>
#include <QtCore/QString>
#include <QtGui/QColor>
#include <QtGui/QIcon>

class QPainter;

namespace cellfolio
{

// Which colour an icon takes. Normal is text2, accent when checked or picked, disabled when
// disabled, and follows the theme by itself; the others keep their one colour (but disabled).
enum class IconTone { Normal, Text, Accent, OnAccent, Ok, Warn, Err };

// A bundled icon by its name in resources/icons, without ".svg". Sharp at any size and pixel ratio.
// An unknown name gives an empty icon and a warning in the log. UI thread only.
QIcon icon(const char* name, IconTone tone = IconTone::Normal);
QIcon icon(const QString& name, IconTone tone = IconTone::Normal);

// Draws an icon into `where` (logical pixels, made square and centred). For delegates and painted
// widgets, which know their colour.
void paintIcon(QPainter& painter, const QString& name, const QRectF& where, const QColor& colour);

// The program's mark in the colours of the theme.
QPixmap markPixmap(int size, double pixelRatio);
void paintMark(QPainter& painter, const QRectF& where);
QIcon windowIcon();

// Names of every bundled icon, for tests.
QStringList iconNames();

} // namespace cellfolio
