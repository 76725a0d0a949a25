// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/style/theme.h"

#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/style/quiet_style.h"
#include "widgets/style/style_sheet.h"
#include "widgets/style/system_scheme.h"

#include <QtGui/QPixmapCache>
#include <QtWidgets/QApplication>

#include <optional>

namespace cellfolio
{

namespace
{

const Theme*& currentTheme()
{
    static const Theme* theme = &Theme::light();
    return theme;
}

// Qt 6.4 knows no colour scheme; a palette with a window darker than its text is a dark desktop.
bool startUpPaletteIsDark(const QApplication& app)
{
    static const bool dark = [&app] {
        const QPalette p = app.palette();
        return p.color(QPalette::Window).lightness() < p.color(QPalette::WindowText).lightness();
    }();
    return dark;
}

} // namespace

const Theme& Theme::current()
{
    return *currentTheme();
}

ThemeWatcher& ThemeWatcher::instance()
{
    static ThemeWatcher watcher;
    return watcher;
}

void applyTheme(QApplication& app, ThemeChoice choice)
{
    const bool paletteIsDark = startUpPaletteIsDark(app); // before our own palette hides it
    bool dark = choice == ThemeChoice::Dark;
    // Follows later changes only as long as the choice is the system's.
    static QMetaObject::Connection following;
    QObject::disconnect(following);
    if (choice == ThemeChoice::System) {
        dark = SystemScheme::instance().dark().value_or(paletteIsDark);
        following = QObject::connect(&SystemScheme::instance(), &SystemScheme::changed, &app,
                                     [&app] { applyTheme(app, ThemeChoice::System); });
    }
    applyTheme(app, dark ? Theme::dark() : Theme::light());
}

void applyTheme(QApplication& app, const Theme& theme)
{
    startUpPaletteIsDark(app);
    currentTheme() = theme.isDark() ? &Theme::dark() : &Theme::light();
    if (!qobject_cast<QuietStyle*>(app.style()) && app.property("cellfolioStyled").isNull()) {
        // Once a style sheet is set, app.style() is Qt's sheet style around ours; hence the note.
        QApplication::setStyle(new QuietStyle);
        app.setProperty("cellfolioStyled", true);
        QApplication::setFont(fonts::application());
        QApplication::setWindowIcon(windowIcon());
    }
    QPixmapCache::clear();
    QApplication::setPalette(Theme::current().palette());
    app.setStyleSheet(Theme::current().fill(styleSheetTemplate()));
    Q_EMIT ThemeWatcher::instance().changed();
}

} // namespace cellfolio
