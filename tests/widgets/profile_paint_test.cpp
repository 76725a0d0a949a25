// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/style/fonts.h"
#include "widgets/style/theme.h"
#include "widgets/views/column_profile.h"

#include <QtGui/QPainter>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>

using namespace cellfolio;

namespace
{

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

QImage painted(const ColumnProfile& profile, int width, ProfilePaint how = {})
{
    QImage image(width, measures::kProfileHeader, QImage::Format_RGB32);
    image.fill(Theme::current().frame);
    QPainter painter(&image);
    paintProfile(painter, image.rect(), profile, how);
    return image;
}

// Height of the column of `colour` at x, in pixels.
int heightAt(const QImage& image, int x, const QColor& colour)
{
    int n = 0;
    for (int y = 0; y < image.height(); ++y)
        n += image.pixelColor(x, y) == colour;
    return n;
}

int widestHeight(const QImage& image, const QColor& colour)
{
    int most = 0;
    for (int x = 0; x < image.width(); ++x)
        most = std::max(most, heightAt(image, x, colour));
    return most;
}

} // namespace

class ProfilePaintTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::Light); }
    void barsAreInProportion();
    void categoriesKeepTheirColours();
    void partInViewIsSolid();
    void manyBarsKeepTheirPeak();
    void narrowAndEmptyColumns();
    void widthLeavesNothingOut();
};

void ProfilePaintTest::barsAreInProportion()
{
    ColumnProfile profile;
    profile.kind = ColumnProfile::Kind::Histogram;
    profile.bars = {10, 5, 0, 1};
    const QImage image = painted(profile, 18 + 4 * 13);
    const QColor bar = Theme::current().bar;
    QCOMPARE(heightAt(image, 8 + 3, bar), 34);
    QCOMPARE(heightAt(image, 8 + 13 + 3, bar), 17);
    QCOMPARE(heightAt(image, 8 + 26 + 3, bar), 0);
    QCOMPARE(heightAt(image, 8 + 39 + 3, bar), 3);
}

void ProfilePaintTest::categoriesKeepTheirColours()
{
    ColumnProfile profile;
    profile.kind = ColumnProfile::Kind::Categories;
    profile.bars = {8, 4, 2};
    profile.colors = {QColor(200, 0, 0), QColor(0, 150, 0), QColor(0, 0, 200)};
    const QImage image = painted(profile, 150);
    QCOMPARE(widestHeight(image, QColor(200, 0, 0)), 34);
    QCOMPARE(widestHeight(image, QColor(0, 150, 0)), 17);
    QVERIFY(widestHeight(image, QColor(0, 0, 200)) >= 8);
}

void ProfilePaintTest::partInViewIsSolid()
{
    ColumnProfile profile;
    profile.kind = ColumnProfile::Kind::Histogram;
    profile.bars = {10};
    profile.barsInView = {5};
    const QImage image = painted(profile, 60);
    QCOMPARE(widestHeight(image, Theme::current().bar), 17);
    QCOMPARE(widestHeight(image, Theme::current().barPale), 17);
}

void ProfilePaintTest::manyBarsKeepTheirPeak()
{
    ColumnProfile profile;
    profile.kind = ColumnProfile::Kind::Histogram;
    profile.bars.assign(5'000, 1);
    profile.bars[3'333] = 34;
    const QImage image = painted(profile, 120);
    QCOMPARE(widestHeight(image, Theme::current().bar), 34);
}

void ProfilePaintTest::narrowAndEmptyColumns()
{
    ColumnProfile profile;
    profile.name = s("a long name for a narrow column");
    profile.icon = s("numbers");
    profile.type = s("float32");
    profile.missing = s("1,000,000 missing");
    profile.kind = ColumnProfile::Kind::Histogram;
    for (const auto& bars : {std::vector<double>{}, {0, 0, 0}, {1}, std::vector<double>(400, 2)}) {
        profile.bars = bars;
        for (const int width : {1, 9, 20, 41, 300}) {
            const QImage image = painted(profile, width, {SortMark::Ascending, true, false});
            QCOMPARE(image.width(), width);
        }
    }
}

void ProfilePaintTest::widthLeavesNothingOut()
{
    ColumnProfile profile;
    profile.name = s("percent_mito");
    profile.icon = s("numbers");
    profile.type = s("float32");
    profile.missing = s("12,345 missing");
    profile.captionLeft = s("0.00484");
    profile.captionRight = s("0.04");
    const int width = profileWidth(profile);
    QVERIFY(width > QFontMetrics(fonts::tableSemibold()).horizontalAdvance(profile.name) + 20);
    // A wider column paints the same words: nothing was elided.
    const QImage fits = painted(profile, width);
    const QImage wide = painted(profile, width + 60);
    int here = 0;
    int there = 0;
    for (int y = 0; y < 26; ++y) {
        for (int x = 0; x < width - 18; ++x)
            here += fits.pixelColor(x, y) != Theme::current().frame;
        for (int x = 0; x < width + 42; ++x)
            there += wide.pixelColor(x, y) != Theme::current().frame;
    }
    QCOMPARE(here, there);
    ColumnProfile sampled = profile;
    sampled.sampled = true;
    sampled.missing.clear();
    ColumnProfile exact = sampled;
    exact.sampled = false;
    QVERIFY(painted(sampled, 200) != painted(exact, 200)); // marked as a sample
}

QTEST_MAIN(ProfilePaintTest)
#include "profile_paint_test.moc"
