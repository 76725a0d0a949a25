// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtGui/QColor>
#include <QtGui/QPalette>

#include <array>

class QApplication;

namespace cellfolio
{

// Every colour the program draws with, as one plain value. Widgets ask Theme::current() while they
// paint and never spell a colour of their own; those that cache pixels listen to ThemeWatcher.
// UI thread only.
struct Theme {
    enum class Kind { Light, Dark };

    Kind kind = Kind::Light;

    // Surfaces.
    QColor frame;   // window, docks, bars, headers
    QColor base;    // tables, canvas, fields
    QColor raised;  // buttons, menus, tooltips
    QColor hover;   // under the pointer; neutral chips
    QColor pressed; // held

    // Lines.
    QColor hairline; // every separating line
    QColor rowLine;  // between rows of a table
    QColor softLine; // secondary buttons in a panel, lists in a dialog
    QColor line;     // outline of fields, buttons, boxes; plot axes

    // Text.
    QColor text;
    QColor text2;    // units, counts, captions, icons
    QColor text3;    // placeholder, NULL, row numbers
    QColor disabled; // disabled text; the zero in the matrix

    // The one accent.
    QColor accent;     // links, focus, chosen icon, tab line
    QColor accentFill; // main button, ticked box; onAccent stands on it
    QColor accentFillHover;
    QColor onAccent;
    QColor progress;   // progress bars, meters
    QColor accentSoft; // picked row, checked tool
    QColor accentLine; // line under a picked row, hovered splitter, selected text

    // Meanings. The soft one is the tile, the fill an outline or a meter.
    QColor ok, okSoft;
    QColor warn, warnSoft, warnFill;
    QColor err, errSoft, errFill;

    // Data.
    QColor bar, barPale; // histogram inside and outside the filter; barPale is also a meter's track
    QColor missing;      // points without a value
    QColor outside;      // points outside the filters
    QColor scrollHandle;
    std::array<QColor, 5> matrixRamp; // low to high; zero is not shaded
    QColor matrixText;                // readable on every stop of the ramp

    static const Theme& light();
    static const Theme& dark();

    // What is shown now. Light until applyTheme was called.
    static const Theme& current();

    bool isDark() const noexcept { return kind == Kind::Dark; }
    QPalette palette() const;

    // The text of a style sheet with every @token replaced by its colour.
    QString fill(QString qss) const;

    // A category's colour as it must be drawn on `base`: unchanged on light; on dark mixed with
    // white in steps of 8 % until its contrast with base is 3.2.
    QColor onCanvas(QColor category) const;

    // The matrix ramp at t in 0..1 (clamped).
    QColor matrixShade(double t) const;
};

// WCAG 2 contrast of two opaque colours, 1 to 21.
double contrast(const QColor& a, const QColor& b);

// `over` laid on `under` with `opacity` 0..1; the result is opaque.
QColor mixed(const QColor& under, const QColor& over, double opacity);

enum class ThemeChoice { System, Light, Dark };

// Says when the theme has changed. Widgets that paint themselves are repainted by Qt anyway (the
// palette changes); connect only to drop cached pixels.
class ThemeWatcher : public QObject
{
    Q_OBJECT
public:
    static ThemeWatcher& instance();

Q_SIGNALS:
    void changed();

private:
    using QObject::QObject;
};

// Style, palette, font and style sheet of the whole program. May be called again at any time to
// switch. System follows the desktop: its portal where there is one, else the palette found at the
// first call.
void applyTheme(QApplication& app, ThemeChoice choice = ThemeChoice::System);
void applyTheme(QApplication& app, const Theme& theme);

} // namespace cellfolio
