// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/style/theme.h"
#include "widgets/views/scatter_index.h"
#include "widgets/views/scatter_splat.h"
#include "widgets/views/scatter_view.h"

#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>

#include <cmath>
#include <limits>
#include <map>
#include <random>

using namespace cellfolio;

namespace
{

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

template <typename T>
std::shared_ptr<const std::vector<T>> shared(std::vector<T> values)
{
    return std::make_shared<const std::vector<T>>(std::move(values));
}

ScatterPoints randomPoints(std::size_t n, unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, 10);
    std::vector<float> x(n), y(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = normal(random);
        y[i] = normal(random) * 0.3F + 5;
    }
    return {shared(std::move(x)), shared(std::move(y))};
}

std::map<QRgb, int> coloursOf(const QImage& image)
{
    std::map<QRgb, int> counts;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x)
            ++counts[image.pixel(x, y) | 0xff000000U];
    }
    return counts;
}

const std::vector<QColor> kThree{QColor(200, 0, 0), QColor(0, 160, 0), QColor(0, 0, 220)};

} // namespace

class ScatterViewTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::Light); }

    void boundsLeaveOutWhatIsNotFinite();
    void nearestEqualsBruteForce_data();
    void nearestEqualsBruteForce();
    void gridStopsWhenAsked();
    void everyCategoryAppears_data();
    void everyCategoryAppears();
    void axesHaveEqualScale();
    void missingLiesAtTheBottom_data();
    void missingLiesAtTheBottom();
    void highestNumberIsOnTop();
    void magnitudeIsOnTop();
    void zerosHaveATintOfTheirOwn();
    void noCategoryHidesAnother();
    void threadsAndGridGiveTheSamePicture();
    void emphasisPalesTheRest();
    void zoomKeepsWhatIsUnderThePointer();
    void pickingFindsThePointUnderThePointer();
    void dragPansAndDoubleClickResets();
    void pointSizes_data();
    void pointSizes();
    void oddInputs();
    void newDataWhileDrawing();
};

void ScatterViewTest::boundsLeaveOutWhatIsNotFinite()
{
    const ScatterBounds bounds =
        boundsOf({1, kNaN, 3, std::numeric_limits<float>::infinity(), -2}, {5, 100, -7, 4, kNaN});
    QCOMPARE(bounds.drawn, 2);
    QCOMPARE(bounds.left, 1.0);
    QCOMPARE(bounds.right, 3.0);
    QCOMPARE(bounds.bottom, -7.0);
    QCOMPARE(bounds.top, 5.0);
    QVERIFY(boundsOf({}, {}).empty());
    QVERIFY(boundsOf({kNaN}, {1}).empty());
}

void ScatterViewTest::nearestEqualsBruteForce_data()
{
    QTest::addColumn<int>("points");
    for (const int n : {1, 2, 50, 3'000, 40'000})
        QTest::addRow("%d", n) << n;
}

void ScatterViewTest::nearestEqualsBruteForce()
{
    QFETCH(int, points);
    ScatterPoints p = randomPoints(std::size_t(points), 3);
    std::vector<float> x = *p.x;
    std::vector<float> y = *p.y;
    if (points > 10) {
        x[7] = kNaN;
        x[9] = x[8]; // two at the same place: the first counts
        y[9] = y[8];
    }
    std::atomic<bool> stop{false};
    const ScatterGrid grid = ScatterGrid::build(x, y, boundsOf(x, y), stop);
    QVERIFY(grid.isValid());
    std::mt19937 random(5);
    std::uniform_real_distribution<double> at(-45, 45);
    for (int round = 0; round < 300; ++round) {
        double px = at(random);
        double py = at(random);
        if (round % 3 == 0 && points > 10) {
            px = double(x[8]) + round * 1e-4;
            py = double(y[8]);
        }
        const double radius = round % 2 ? 1.0 : 30.0;
        std::int64_t best = -1;
        double bestDistance = radius * radius;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double d = std::pow(double(x[i]) - px, 2) + std::pow(double(y[i]) - py, 2);
            if (d < bestDistance || (best < 0 && d <= bestDistance)) {
                best = std::int64_t(i);
                bestDistance = d;
            }
        }
        QCOMPARE(grid.nearest(x, y, px, py, radius), best);
    }
}

void ScatterViewTest::gridStopsWhenAsked()
{
    const ScatterPoints p = randomPoints(1'000, 1);
    std::atomic<bool> stop{true};
    QVERIFY(!ScatterGrid::build(*p.x, *p.y, boundsOf(*p.x, *p.y), stop).isValid());
}

void ScatterViewTest::everyCategoryAppears_data()
{
    QTest::addColumn<int>("points");
    QTest::addColumn<bool>("dark");
    for (const int n : {30, 3'000, 1'000'000}) {
        QTest::addRow("%d, light", n) << n << false;
        QTest::addRow("%d, dark", n) << n << true;
    }
}

void ScatterViewTest::everyCategoryAppears()
{
    QFETCH(int, points);
    QFETCH(bool, dark);
    applyTheme(*qApp, dark ? Theme::dark() : Theme::light());
    ScatterView view;
    view.resize(400, 300);
    const auto n = std::size_t(points);
    view.setPoints(randomPoints(n, 2));
    std::vector<std::uint32_t> codes(n);
    for (std::size_t i = 0; i < n; ++i)
        codes[i] = std::uint32_t(i % 4); // 3: missing
    view.setColor(ScatterCategories{shared(std::move(codes)), kThree});
    const auto found = coloursOf(view.finishedImage());
    QVERIFY(view.isFinished());
    for (const QColor& colour : kThree) {
        const QRgb shown = Theme::current().onCanvas(colour).rgb();
        QVERIFY2(found.count(shown) && found.at(shown) > 20, qPrintable(colour.name()));
    }
    QVERIFY(found.count(Theme::current().missing.rgb()));
    QVERIFY(found.count(Theme::current().base.rgb()));
    applyTheme(*qApp, ThemeChoice::Light);
}

void ScatterViewTest::axesHaveEqualScale()
{
    // The corners of a square, in a window that is no square, and in data that is no square.
    for (const QSize size : {QSize(700, 300), QSize(300, 700), QSize(400, 400)}) {
        ScatterView view;
        view.resize(size);
        view.setPoints({shared<float>({0, 10, 0, 40}), shared<float>({0, 0, 10, 10})});
        view.finishedImage();
        const QPointF o = view.toWidget({0, 0});
        const QPointF right = view.toWidget({10, 0});
        const QPointF up = view.toWidget({0, 10});
        QVERIFY(std::abs((right.x() - o.x()) - (o.y() - up.y())) < 1e-6);
        QVERIFY(right.x() > o.x() && up.y() < o.y());
        for (const QPointF corner : {QPointF(0, 0), QPointF(40, 10)})
            QVERIFY(QRectF(view.rect()).contains(view.toWidget(corner)));
        const QPointF back = view.toData(view.toWidget({3, 4}));
        QVERIFY(std::abs(back.x() - 3) < 1e-9 && std::abs(back.y() - 4) < 1e-9);
        view.setYDown(true);
        QVERIFY(view.toWidget({0, 10}).y() > view.toWidget({0, 0}).y());
    }
}

void ScatterViewTest::missingLiesAtTheBottom_data()
{
    QTest::addColumn<int>("copies"); // of each of the two points at one place
    QTest::newRow("discs") << 1;
    QTest::newRow("pixels") << 300'000;
}

void ScatterViewTest::missingLiesAtTheBottom()
{
    QFETCH(int, copies);
    ScatterView view;
    view.resize(200, 200);
    const auto n = std::size_t(copies) * 2;
    std::vector<float> values(n, kNaN); // the later ones, which a plain loop would draw on top
    for (std::size_t i = 0; i < n / 2; ++i)
        values[i] = 1;
    std::vector<float> x(n, 0.0F), y(n, 0.0F);
    view.setPoints({shared(std::move(x)), shared(std::move(y))});
    view.setColor(ScatterValues{shared(std::move(values)), NumberMap::Viridis, 0, 1, false});
    const QImage image = view.finishedImage();
    QCOMPARE(image.pixel(100, 100) | 0xff000000U, ColorMap::of(NumberMap::Viridis).at(1));
    QVERIFY(!coloursOf(image).count(Theme::current().missing.rgb()));
}

void ScatterViewTest::highestNumberIsOnTop()
{
    for (const std::size_t n : {std::size_t(100), std::size_t(400'000)}) {
        ScatterView view;
        view.resize(200, 200);
        std::vector<float> values(n);
        for (std::size_t i = 0; i < n; ++i)
            values[i] = float((i * 37) % 101) / 100; // the highest somewhere in the middle
        view.setPoints({shared(std::vector<float>(n, 2)), shared(std::vector<float>(n, 2))});
        view.setColor(ScatterValues{shared(std::move(values)), NumberMap::Magma, 0, 1, false});
        const QImage image = view.finishedImage();
        QCOMPARE(image.pixel(100, 100) | 0xff000000U, ColorMap::of(NumberMap::Magma).at(1));
    }
}

void ScatterViewTest::magnitudeIsOnTop()
{
    ScatterView view;
    view.resize(200, 200);
    view.setPoints({shared<float>({0, 0, 0}), shared<float>({0, 0, 0})});
    view.setColor(ScatterValues{shared<float>({-5, 1, 3}), NumberMap::Blues, -5, 5, true});
    QCOMPARE(view.finishedImage().pixel(100, 100) | 0xff000000U,
             ColorMap::of(NumberMap::Blues).at(0));
}

void ScatterViewTest::zerosHaveATintOfTheirOwn()
{
    const Theme& theme = Theme::current();
    const ScatterInk ink{theme.base, theme.missing, theme.bar, theme.outside, false};
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const auto keys = [&](bool apart) {
        return makeKeys(ScatterValues{shared<float>({0, -0.0F, 1, 5, nan}), NumberMap::Viridis, 1, 5, false, apart}, 5,
                        ink, std::nullopt);
    };
    const ScatterKeys apart = keys(true);
    const QRgb tint = zeroTint(NumberMap::Viridis, theme.base).rgb();
    QCOMPARE(apart.colorOf(apart.keyOf(0)), tint);
    QCOMPARE(apart.keyOf(1), apart.keyOf(0));
    // Neither the lowest colour nor the missing one; above the missing, below every value.
    QVERIFY(tint != ColorMap::of(NumberMap::Viridis).at(0) && tint != theme.missing.rgb() && tint != theme.base.rgb());
    QVERIFY(apart.keyOf(4) < apart.keyOf(0) && apart.keyOf(0) < apart.keyOf(2) && apart.keyOf(2) < apart.keyOf(3));
    QCOMPARE(apart.colorOf(apart.keyOf(2)), ColorMap::of(NumberMap::Viridis).at(0));
    const ScatterKeys among = keys(false);
    QCOMPARE(among.colorOf(among.keyOf(0)), ColorMap::of(NumberMap::Viridis).at(0));
}

void ScatterViewTest::noCategoryHidesAnother()
{
    // Two categories at the same places, one wholly after the other in the file: each must be seen
    // in about half of the places.
    ScatterView view;
    view.resize(600, 600);
    const std::size_t places = 200'000;
    ScatterPoints once = randomPoints(places, 9);
    std::vector<float> x = *once.x;
    std::vector<float> y = *once.y;
    x.insert(x.end(), once.x->begin(), once.x->end());
    y.insert(y.end(), once.y->begin(), once.y->end());
    std::vector<std::uint32_t> codes(2 * places, 0);
    std::fill(codes.begin() + std::ptrdiff_t(places), codes.end(), 1U);
    view.setPoints({shared(std::move(x)), shared(std::move(y))});
    view.setColor(ScatterCategories{shared(std::move(codes)), kThree});
    const auto found = coloursOf(view.finishedImage());
    const double first = found.at(kThree[0].rgb());
    const double second = found.at(kThree[1].rgb());
    QVERIFY2(first / second > 0.9 && first / second < 1.1,
             qPrintable(QString::number(first / second)));
}

void ScatterViewTest::threadsAndGridGiveTheSamePicture()
{
    const ScatterPoints p = randomPoints(60'000, 4);
    std::vector<float> values(60'000);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = float(i % 997);
    const Theme& theme = Theme::current();
    const ScatterKeys keys =
        makeKeys(ScatterValues{shared(std::move(values)), NumberMap::Viridis, 0, 996, false},
                 60'000, {theme.base, theme.missing, theme.bar, false}, std::nullopt);
    std::atomic<bool> stop{false};
    const ScatterGrid grid = ScatterGrid::build(*p.x, *p.y, boundsOf(*p.x, *p.y), stop);
    for (const double diameter : {1.0, 2.0, 3.0, 7.0}) {
        SplatTask task;
        task.x = p.x.get();
        task.y = p.y.get();
        task.keys = &keys;
        task.size = {300, 200};
        task.diameter = diameter;
        task.transform = {120, 150, 700, -1}; // far in: the grid leaves most out
        const QImage plain = splat(task);
        QVERIFY(coloursOf(plain).size() > 20);
        task.threads = 3;
        QCOMPARE(splat(task), plain);
        task.threads = 1;
        task.grid = &grid;
        QCOMPARE(splat(task), plain);
    }
}

void ScatterViewTest::emphasisPalesTheRest()
{
    ScatterView view;
    view.resize(300, 300);
    view.setPoints(randomPoints(3'000, 6));
    std::vector<std::uint32_t> codes(3'000);
    for (std::size_t i = 0; i < codes.size(); ++i)
        codes[i] = std::uint32_t(i % 3);
    view.setColor(ScatterCategories{shared(std::move(codes)), kThree});
    view.finishedImage();
    view.setEmphasis(1);
    const auto found = coloursOf(view.finishedImage());
    QVERIFY(found.count(kThree[1].rgb()));
    QVERIFY(!found.count(kThree[0].rgb()));
    QVERIFY(!found.count(kThree[2].rgb()));
    view.setEmphasis(std::nullopt);
    QVERIFY(coloursOf(view.finishedImage()).count(kThree[0].rgb()));
}

void ScatterViewTest::zoomKeepsWhatIsUnderThePointer()
{
    ScatterView view;
    view.resize(400, 300);
    view.setPoints(randomPoints(1'000, 7));
    view.finishedImage();
    const QPointF at(310, 70);
    const QPointF before = view.toData(at);
    const double size = view.pointDiameter();
    view.zoomBy(4, at);
    const QPointF after = view.toData(at);
    QVERIFY(std::abs(before.x() - after.x()) < 1e-9 && std::abs(before.y() - after.y()) < 1e-9);
    QCOMPARE(view.zoom(), 4.0);
    QCOMPARE(view.pointDiameter(), size * 2);
    view.fit();
    QCOMPARE(view.zoom(), 1.0);
}

void ScatterViewTest::pickingFindsThePointUnderThePointer()
{
    ScatterView view;
    view.resize(400, 300);
    const ScatterPoints p = randomPoints(500, 8);
    view.setPoints(p);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    view.finishedImage();
    QSignalSpy spy(&view, &ScatterView::hovered);
    for (const std::size_t i : {std::size_t(0), std::size_t(77), std::size_t(499)}) {
        const QPointF at = view.toWidget({(*p.x)[i], (*p.y)[i]});
        const auto found = view.nearest(at, 3);
        QCOMPARE(found, std::int64_t(i));
        QTest::mouseMove(&view, at.toPoint());
        QTRY_VERIFY(!spy.isEmpty());
    }
    QCOMPARE(view.nearest({-500, -500}, 5), -1);
}

void ScatterViewTest::dragPansAndDoubleClickResets()
{
    ScatterView view;
    view.resize(400, 300);
    view.setPoints(randomPoints(500, 8));
    view.finishedImage();
    const QPointF before = view.toWidget({0, 5});
    QTest::mousePress(&view, Qt::LeftButton, Qt::NoModifier, {200, 150});
    QMouseEvent move(QEvent::MouseMove, QPointF(230, 140), QPointF(230, 140), Qt::NoButton,
                     Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&view, &move);
    QTest::mouseRelease(&view, Qt::LeftButton, Qt::NoModifier, {230, 140});
    const QPointF after = view.toWidget({0, 5});
    QVERIFY(std::abs(after.x() - before.x() - 30) < 1e-6);
    QVERIFY(std::abs(after.y() - before.y() + 10) < 1e-6);
    QTest::mouseDClick(&view, Qt::LeftButton, Qt::NoModifier, {10, 10});
    const QPointF reset = view.toWidget({0, 5});
    QVERIFY(std::abs(reset.x() - before.x()) < 1e-6);
}

void ScatterViewTest::pointSizes_data()
{
    QTest::addColumn<int>("points");
    QTest::addColumn<double>("diameter");
    QTest::newRow("cap") << 100 << 8.0;
    QTest::newRow("between") << 10'000 << std::sqrt(12.0) * 0.6;
    QTest::newRow("floor") << 1'000'000 << 1.0;
}

void ScatterViewTest::pointSizes()
{
    QFETCH(int, points);
    QFETCH(double, diameter);
    ScatterView view;
    view.resize(100, 100);
    view.setPoints(randomPoints(std::size_t(points), 1));
    view.finishedImage();
    QVERIFY(std::abs(view.pointDiameter() - diameter) < 1e-9);
}

void ScatterViewTest::oddInputs()
{
    const auto check = [](ScatterPoints points) {
        ScatterView view;
        view.resize(120, 90);
        view.setPoints(std::move(points));
        const QImage image = view.finishedImage();
        QCOMPARE(image.size(), QSize(120, 90));
        QCOMPARE(view.nearest({60, 45}, 0.001), view.nearest({60, 45}, 0.001));
        view.zoomBy(3, {10, 10});
        view.finishedImage();
    };
    check({});
    check({shared<float>({}), shared<float>({})});
    check({shared<float>({kNaN, kNaN}), shared<float>({1, 2})});
    check({shared<float>({1}), shared<float>({2})});
    check({shared<float>({1, 1, 1}), shared<float>({0, 5, 9})}); // a line
    check({shared<float>({1e30F, -1e30F}), shared<float>({0, 1})});
    // A colour column that is too short is not read beyond its end.
    ScatterView view;
    view.resize(100, 100);
    view.setPoints(randomPoints(100, 1));
    view.setColor(ScatterCategories{shared<std::uint32_t>({0, 1}), kThree});
    QVERIFY(coloursOf(view.finishedImage()).count(Theme::current().bar.rgb()));
}

void ScatterViewTest::newDataWhileDrawing()
{
    ScatterView view;
    view.resize(300, 300);
    view.show();
    for (unsigned round = 0; round < 12; ++round) {
        view.setPoints(randomPoints(100'000 + round * 40'000, round));
        std::vector<std::uint32_t> codes(100'000 + round * 40'000, round % 3);
        view.setColor(ScatterCategories{shared(std::move(codes)), kThree});
        QCoreApplication::processEvents();
        view.zoomBy(1.1, {100, 100});
    }
    const auto found = coloursOf(view.finishedImage());
    QVERIFY(view.isFinished());
    QVERIFY(found.count(kThree[2].rgb())); // of the last round
    QVERIFY(!found.count(kThree[1].rgb()));
}

QTEST_MAIN(ScatterViewTest)
#include "scatter_view_test.moc"
