// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/style/numbers.h"
#include "widgets/style/palettes.h"
#include "widgets/style/style_sheet.h"
#include "widgets/style/system_scheme.h"
#include "widgets/style/theme.h"

#include <QtCore/QRegularExpression>
#include <QtGui/QFontDatabase>
#include <QtGui/QFontMetricsF>
#include <QtGui/QPainter>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>

#include <cmath>

using namespace cellfolio;

namespace
{

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

// The same formula once more, from the text of WCAG 2, on 8-bit channels.
double wcag(const QColor& a, const QColor& b)
{
    const auto luminance = [](const QColor& c) {
        const int channels[] = {c.red(), c.green(), c.blue()};
        const double weights[] = {0.2126, 0.7152, 0.0722};
        double sum = 0;
        for (int i = 0; i < 3; ++i) {
            const double v = channels[i] / 255.0;
            sum += weights[i] * (v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4));
        }
        return sum;
    };
    const double x = luminance(a) + 0.05;
    const double y = luminance(b) + 0.05;
    return x > y ? x / y : y / x;
}

// Left and right end of what is not `background`.
std::pair<int, int> inkOf(const QImage& image, QRgb background)
{
    int left = image.width();
    int right = -1;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            if (image.pixel(x, y) == background)
                continue;
            left = std::min(left, x);
            right = std::max(right, x);
        }
    }
    return {left, right};
}

} // namespace

class StyleThemeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::Light); }

    void contrastTableHolds_data();
    void contrastTableHolds();
    void matrixTextIsReadableOnEveryShade();
    void categoriesAreSeenOnTheDarkCanvas();
    void templateLeavesNoTokenBehind();
    void switchingSaysSo();
    void schemeNumbersOfThePortal();

    void palettesAgreeWithScanpy();
    void colorsOfManyCategories();
    void mapsRunFromEndToEnd();

    void iconsAreDrawnInTheirColour_data();
    void iconsAreDrawnInTheirColour();
    void unknownIconIsSaid();

    void digitsAreEquallyWide();
    void numbersAlignAtTheRight();
    void elidedNumbersFit();
};

void StyleThemeTest::contrastTableHolds_data()
{
    QTest::addColumn<QColor>("over");
    QTest::addColumn<QColor>("under");
    QTest::addColumn<double>("stated");
    QTest::addColumn<double>("least");
    const Theme& l = Theme::light();
    const Theme& d = Theme::dark();
    const auto pair = [](const char* name, const QColor& lo, const QColor& lu, double light,
                         const QColor& dO, const QColor& du, double dark, double least) {
        QTest::addRow("%s, light", name) << lo << lu << light << least;
        QTest::addRow("%s, dark", name) << dO << du << dark << least;
    };
    pair("text on frame", l.text, l.frame, 14.6, d.text, d.frame, 12.7, 4.5);
    pair("text on base", l.text, l.base, 15.8, d.text, d.base, 14.1, 4.5);
    pair("text on accentSoft", l.text, l.accentSoft, 13.2, d.text, d.accentSoft, 9.7, 4.5);
    pair("text2 on frame", l.text2, l.frame, 6.3, d.text2, d.frame, 7.4, 4.5);
    pair("text2 on accentSoft", l.text2, l.accentSoft, 5.6, d.text2, d.accentSoft, 5.6, 4.5);
    pair("text2 on hover", l.text2, l.hover, 5.7, d.text2, d.hover, 6.1, 4.5);
    pair("text3 on frame", l.text3, l.frame, 5.1, d.text3, d.frame, 6.2, 4.5);
    pair("text3 on base", l.text3, l.base, 5.6, d.text3, d.base, 6.8, 4.5);
    pair("text3 on accentSoft", l.text3, l.accentSoft, 4.6, d.text3, d.accentSoft, 4.7, 4.5);
    pair("accent on frame", l.accent, l.frame, 6.0, d.accent, d.frame, 7.3, 4.5);
    pair("accent on accentSoft", l.accent, l.accentSoft, 5.4, d.accent, d.accentSoft, 5.5, 4.5);
    pair("white on accentFill", l.onAccent, l.accentFill, 5.7, d.onAccent, d.accentFill, 4.8, 4.5);
    pair("white on accentFill, hover", l.onAccent, l.accentFillHover, 6.8, d.onAccent,
         d.accentFillHover, 5.6, 4.5);
    pair("ok on okSoft", l.ok, l.okSoft, 4.7, d.ok, d.okSoft, 6.7, 4.5);
    pair("warn on warnSoft", l.warn, l.warnSoft, 5.4, d.warn, d.warnSoft, 6.9, 4.5);
    pair("err on errSoft", l.err, l.errSoft, 4.9, d.err, d.errSoft, 6.2, 4.5);
    pair("err on frame", l.err, l.frame, 5.3, d.err, d.frame, 7.1, 4.5);
    pair("line on frame", l.line, l.frame, 3.1, d.line, d.frame, 3.7, 3.0);
    pair("line on base", l.line, l.base, 3.3, d.line, d.base, 4.1, 3.0);
    pair("progress on barPale", l.progress, l.barPale, 4.4, d.progress, d.barPale, 3.7, 3.0);
    pair("bar on barPale", l.bar, l.barPale, 3.1, d.bar, d.barPale, 3.2, 3.0);
    pair("warnFill on barPale", l.warnFill, l.barPale, 3.1, d.warnFill, d.barPale, 4.3, 3.0);
}

void StyleThemeTest::contrastTableHolds()
{
    QFETCH(QColor, over);
    QFETCH(QColor, under);
    QFETCH(double, stated);
    QFETCH(double, least);
    const double oracle = wcag(over, under);
    QVERIFY2(std::abs(contrast(over, under) - oracle) < 1e-3, qPrintable(QString::number(oracle)));
    QVERIFY2(oracle >= least, qPrintable(QString::number(oracle)));
    QVERIFY2(std::abs(oracle - stated) <= 0.1, qPrintable(QString::number(oracle)));
}

void StyleThemeTest::matrixTextIsReadableOnEveryShade()
{
    for (const Theme* theme : {&Theme::light(), &Theme::dark()}) {
        for (int i = 0; i <= 100; ++i) {
            const double ratio = wcag(theme->matrixText, theme->matrixShade(i / 100.0));
            QVERIFY2(ratio >= 4.5, qPrintable(s("%1 at %2").arg(ratio).arg(i)));
        }
        QCOMPARE(theme->matrixShade(-1), theme->matrixRamp.front());
        QCOMPARE(theme->matrixShade(2), theme->matrixRamp.back());
        QCOMPARE(theme->matrixShade(0.5), theme->matrixRamp[2]);
    }
}

void StyleThemeTest::categoriesAreSeenOnTheDarkCanvas()
{
    for (const auto palette : {CategoryPalette::Default20, CategoryPalette::Zeileis28,
                               CategoryPalette::GodsNot102, CategoryPalette::OkabeIto}) {
        for (const QColor& colour : categoryPalette(palette)) {
            const QColor shown = Theme::dark().onCanvas(colour);
            QVERIFY2(wcag(shown, Theme::dark().base) >= 3.2, qPrintable(colour.name()));
            if (wcag(colour, Theme::dark().base) >= 3.2)
                QCOMPARE(shown, colour);
            QCOMPARE(Theme::light().onCanvas(colour), colour);
        }
    }
}

void StyleThemeTest::templateLeavesNoTokenBehind()
{
    const Theme& theme = Theme::light();
    QCOMPARE(theme.fill(s("@text2 @text @textX")),
             s("%1 %2 %2X").arg(theme.text2.name(), theme.text.name()));
    for (const Theme* each : {&Theme::light(), &Theme::dark()}) {
        const QString sheet = each->fill(styleSheetTemplate());
        QVERIFY2(!sheet.contains(u'@'), qPrintable(sheet.mid(sheet.indexOf(u'@'), 40)));
    }
    // Every colour in the template comes from the theme.
    QVERIFY(!styleSheetTemplate().contains(QRegularExpression(s("#[0-9A-Fa-f]{3,8}\\b"))));
}

void StyleThemeTest::switchingSaysSo()
{
    QSignalSpy spy(&ThemeWatcher::instance(), &ThemeWatcher::changed);
    applyTheme(*qApp, ThemeChoice::Dark);
    QCOMPARE(spy.size(), 1);
    QVERIFY(Theme::current().isDark());
    QCOMPARE(QApplication::palette().color(QPalette::Base), Theme::dark().base);
    applyTheme(*qApp, ThemeChoice::Light);
    QCOMPARE(spy.size(), 2);
    QVERIFY(!Theme::current().isDark());
    QCOMPARE(QApplication::palette().color(QPalette::Highlight), Theme::light().accentSoft);
}

void StyleThemeTest::schemeNumbersOfThePortal()
{
    QCOMPARE(SystemScheme::meaningOf(1), std::optional<bool>(true));
    QCOMPARE(SystemScheme::meaningOf(2), std::optional<bool>(false));
    QCOMPARE(SystemScheme::meaningOf(0), std::optional<bool>());
    QCOMPARE(SystemScheme::meaningOf(9), std::optional<bool>());
}

void StyleThemeTest::palettesAgreeWithScanpy()
{
    const auto name = [](CategoryPalette p, std::size_t i) { return categoryPalette(p)[i].name(); };
    QCOMPARE(categoryPalette(CategoryPalette::Default20).size(), std::size_t(20));
    QCOMPARE(name(CategoryPalette::Default20, 0), s("#1f77b4"));
    QCOMPARE(name(CategoryPalette::Default20, 4), s("#aa40fc"));
    QCOMPARE(name(CategoryPalette::Default20, 19), s("#8c6d31"));
    QCOMPARE(categoryPalette(CategoryPalette::Zeileis28).size(), std::size_t(28));
    QCOMPARE(name(CategoryPalette::Zeileis28, 0), s("#023fa5"));
    QCOMPARE(name(CategoryPalette::Zeileis28, 27), s("#336600"));
    QCOMPARE(categoryPalette(CategoryPalette::GodsNot102).size(), std::size_t(102));
    QCOMPARE(name(CategoryPalette::GodsNot102, 0), s("#ffff00"));
    QCOMPARE(name(CategoryPalette::GodsNot102, 1), s("#1ce6ff"));
    QCOMPARE(categoryPalette(CategoryPalette::OkabeIto).size(), std::size_t(8));
}

void StyleThemeTest::colorsOfManyCategories()
{
    const QColor grey(1, 2, 3);
    QVERIFY(categoryColors(0, {}, grey).empty());
    QCOMPARE(categoryColors(20, {}, grey)[0], categoryPalette(CategoryPalette::Default20)[0]);
    QCOMPARE(categoryColors(21, {}, grey)[0], categoryPalette(CategoryPalette::Zeileis28)[0]);
    QCOMPARE(categoryColors(29, {}, grey)[0], categoryPalette(CategoryPalette::GodsNot102)[0]);
    QCOMPARE(categoryColors(102, {}, grey).size(), std::size_t(102));

    std::vector<std::int64_t> counts(500);
    for (std::size_t i = 0; i < counts.size(); ++i)
        counts[i] = std::int64_t((i * 7919) % 500); // each of 0 … 499 once
    const auto colors = categoryColors(500, counts, grey);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] >= 480) // rank 0 is the most frequent
            QCOMPARE(colors[i],
                     categoryPalette(CategoryPalette::Default20)[std::size_t(499 - counts[i])]);
        else
            QCOMPARE(colors[i], grey);
    }
}

void StyleThemeTest::mapsRunFromEndToEnd()
{
    const auto at = [](NumberMap map, double t) { return QColor(ColorMap::of(map).at(t)).name(); };
    QCOMPARE(at(NumberMap::Viridis, 0), s("#440154"));
    QCOMPARE(at(NumberMap::Viridis, 1), s("#fde725"));
    QCOMPARE(at(NumberMap::Magma, 1), s("#fcfdbf"));
    QCOMPARE(at(NumberMap::Inferno, 0), s("#000004"));
    QCOMPARE(at(NumberMap::Cividis, 0), s("#00224e"));
    QCOMPARE(at(NumberMap::Reds, 0), s("#fff5f0"));
    QCOMPARE(at(NumberMap::Blues, 1), s("#08306b"));
    QCOMPARE(at(NumberMap::Viridis, std::nan("")), s("#440154"));
    QCOMPARE(at(NumberMap::Viridis, 7), s("#fde725"));
    // Viridis rises in lightness all the way.
    double before = -1;
    for (int i = 0; i < 256; ++i) {
        const QColor c(ColorMap::of(NumberMap::Viridis).table()[std::size_t(i)]);
        const double light = wcag(c, Qt::black);
        QVERIFY(light >= before - 0.02);
        before = light;
    }
}

void StyleThemeTest::iconsAreDrawnInTheirColour_data()
{
    QTest::addColumn<QString>("name");
    QVERIFY(iconNames().size() > 60);
    for (const QString& name : iconNames())
        QTest::addRow("%s", qPrintable(name)) << name;
}

void StyleThemeTest::iconsAreDrawnInTheirColour()
{
    QFETCH(QString, name);
    for (const Theme* theme : {&Theme::light(), &Theme::dark()}) {
        applyTheme(*qApp, *theme);
        for (const double ratio : {1.0, 1.5, 2.0}) {
            const QImage image = icon(name)
                                     .pixmap(QSize(16, 16), ratio)
                                     .toImage()
                                     .convertToFormat(QImage::Format_ARGB32);
            QCOMPARE(image.size(), QSize(16, 16) * ratio);
            int inked = 0;
            int opaque = 0;
            QColor strongest;
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x) {
                    const QColor c = image.pixelColor(x, y);
                    inked += c.alpha() > 40;
                    if (c.alpha() > opaque) {
                        opaque = c.alpha();
                        strongest = c;
                    }
                }
            }
            QVERIFY2(inked > 5 * ratio, qPrintable(QString::number(inked)));
            if (name != s("mark") && opaque > 200) {
                QVERIFY2(std::abs(strongest.red() - theme->text2.red()) < 6 &&
                             std::abs(strongest.blue() - theme->text2.blue()) < 6,
                         qPrintable(strongest.name()));
            }
        }
    }
    applyTheme(*qApp, ThemeChoice::Light);
}

void StyleThemeTest::unknownIconIsSaid()
{
    QTest::ignoreMessage(QtWarningMsg, "No icon is called \"no-such-thing\".");
    QVERIFY(icon("no-such-thing").isNull());
}

void StyleThemeTest::digitsAreEquallyWide()
{
    for (const QFont& font : {fonts::table(), fonts::caption(), fonts::count()}) {
        const double zero = numberWidth(font, s("0"));
        for (int digit = 1; digit <= 9; ++digit)
            QCOMPARE(numberWidth(font, QString::number(digit)), zero);
        QCOMPARE(numberWidth(font, s("1,111.1")), numberWidth(font, s("8,888.8")));
        QVERIFY(zero >= QFontMetricsF(font).horizontalAdvance(u'1'));
    }
    if (QFontDatabase::hasFamily(s("Inter"))) // else the font may have equal digits by itself
        QVERIFY(QFontMetricsF(fonts::table()).horizontalAdvance(u'1') <
                QFontMetricsF(fonts::table()).horizontalAdvance(u'0') - 0.5);
}

void StyleThemeTest::numbersAlignAtTheRight()
{
    const auto ink = [](const QString& text) {
        QImage image(120, 24, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        painter.setFont(fonts::table());
        drawNumber(painter, QRectF(0, 0, 110, 24), text);
        painter.end();
        return inkOf(image, qRgb(255, 255, 255));
    };
    const auto eights = ink(s("88888"));
    const auto shorter = ink(s("8"));
    QVERIFY(eights.second >= 104 && eights.second < 110);
    QCOMPARE(shorter.second, eights.second);
    // The n-th digit from the right stands at the same place whatever stands right of it.
    const double step = numberWidth(fonts::table(), s("8"));
    const auto first = ink(s("81111"));
    QCOMPARE(first.first, eights.first);
    QVERIFY(std::abs(double(eights.first) - (shorter.first - 4 * step)) <= 1.0);
    QCOMPARE(ink(QString()).second, -1);
    // A sign that no font has as a digit is drawn as well.
    QVERIFY(ink(s("−8")).first < ink(s("8")).first - 3);
}

void StyleThemeTest::elidedNumbersFit()
{
    const QFont font = fonts::table();
    const QString text = s("123456789012345");
    QCOMPARE(elideNumber(font, text, 1000), text);
    for (const double width : {90.0, 60.0, 30.0}) {
        const QString shown = elideNumber(font, text, width);
        QVERIFY(numberWidth(font, shown) <= width);
        QVERIFY(shown.contains(QChar(0x2026)));
        QVERIFY(shown.startsWith(u'1') && shown.size() > 1);
    }
}

QTEST_MAIN(StyleThemeTest)
#include "style_theme_test.moc"
