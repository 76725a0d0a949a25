// SPDX-License-Identifier: GPL-3.0-or-later
// The small widgets: what they say, what they show, what they answer to.
#include "widgets/style/theme.h"
#include "widgets/views/banner.h"
#include "widgets/views/category_legend.h"
#include "widgets/views/color_bar.h"
#include "widgets/views/elided_label.h"
#include "widgets/views/empty_view.h"
#include "widgets/views/facts_list.h"
#include "widgets/views/memory_meter.h"
#include "widgets/views/number_text.h"
#include "widgets/views/search_field.h"
#include "widgets/views/start_page.h"

#include <QtCore/QMimeData>
#include <QtCore/QUrl>
#include <QtGui/QClipboard>
#include <QtGui/QDragEnterEvent>
#include <QtGui/QDropEvent>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QAbstractScrollArea>
#include <QtWidgets/QApplication>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QToolButton>

using namespace cellfolio;

namespace
{

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

QImage picture(QWidget& widget)
{
    return widget.grab().toImage().convertToFormat(QImage::Format_RGB32);
}

int pixelsOf(const QImage& image, const QColor& colour)
{
    int n = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x)
            n += image.pixelColor(x, y) == colour;
    }
    return n;
}

QPushButton* buttonCalled(QWidget& widget, const QString& text)
{
    for (auto* button : widget.findChildren<QPushButton*>()) {
        if (button->text().trimmed() == text)
            return button;
    }
    return nullptr;
}

constexpr qint64 kMiB = 1 << 20;

} // namespace

class StylePartsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::Light); }
    void bytesReadLikeText_data();
    void bytesReadLikeText();
    void meterShowsParts();
    void bannerSpeaksAndGoes();
    void emptyViewOffersOneThing();
    void factsAreListed();
    void labelElides();
    void searchWaits();
    void legendShowsHoversAndFinds();
    void barTellsWhereItIsCut();
    void startPageAnswers();
};

void StylePartsTest::bytesReadLikeText_data()
{
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<QString>("text");
    QTest::newRow("0") << qint64(0) << s("0 bytes");
    QTest::newRow("1023") << qint64(1023) << s("1,023 bytes");
    QTest::newRow("1 KiB") << qint64(1024) << s("1 KiB");
    QTest::newRow("just below 1 MiB") << kMiB - 1 << s("1 MiB");
    QTest::newRow("214 MiB") << 214 * kMiB << s("214 MiB");
    QTest::newRow("1.86 GiB") << 1900 * kMiB << s("1.86 GiB");
    QTest::newRow("2 GiB") << 2048 * kMiB << s("2 GiB");
    QTest::newRow("41.2 GiB") << 42189 * kMiB << s("41.2 GiB");
}

void StylePartsTest::bytesReadLikeText()
{
    QFETCH(qint64, bytes);
    QFETCH(QString, text);
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    QCOMPARE(bytesText(bytes), text);
}

void StylePartsTest::meterShowsParts()
{
    MemoryMeter meter;
    meter.setReading({512 * kMiB, 1024 * kMiB, 1536 * kMiB, 2048 * kMiB, 0});
    meter.resize(meter.sizeHint());
    QCOMPARE(meter.text(), s("1 GiB of 2 GiB"));
    const Theme& theme = Theme::current();
    QImage image = picture(meter);
    const int solid = pixelsOf(image, theme.progress);
    const int half = pixelsOf(image, mixed(theme.barPale, theme.progress, 0.5));
    const int track = pixelsOf(image, theme.barPale);
    // A quarter solid, a quarter half, the other half track but for the round ends and the tick.
    QVERIFY2(solid > 130 && solid <= 156, qPrintable(QString::number(solid)));
    QVERIFY2(half > 130 && half <= 156, qPrintable(QString::number(half)));
    QVERIFY2(track > 270 && track <= 312, qPrintable(QString::number(track)));
    QCOMPARE(pixelsOf(image, theme.line), 8);
    meter.setReading({512 * kMiB, 1900 * kMiB, 1900 * kMiB, 2048 * kMiB, 0});
    image = picture(meter);
    QCOMPARE(pixelsOf(image, theme.progress), 0);
    QVERIFY(pixelsOf(image, theme.warnFill) > 100);
    meter.setReading({}); // no budget yet
    picture(meter);
}

void StylePartsTest::bannerSpeaksAndGoes()
{
    QWidget window;
    Banner banner(&window);
    banner.resize(500, 36);
    window.show();
    QVERIFY(!banner.isVisible());
    banner.showMessage(Banner::Tone::Warning, s("X is damaged."), s("Details"));
    QVERIFY(banner.isVisible());
    QCOMPARE(banner.sentence(), s("X is damaged."));
    QVERIFY(pixelsOf(picture(banner), Theme::current().warnSoft) > 5'000);
    QSignalSpy details(&banner, &Banner::buttonClicked);
    QSignalSpy closed(&banner, &Banner::closed);
    QTest::mouseClick(buttonCalled(banner, s("Details")), Qt::LeftButton);
    QCOMPARE(details.size(), 1);
    QTest::mouseClick(banner.findChild<QToolButton*>(), Qt::LeftButton);
    QCOMPARE(closed.size(), 1);
    QVERIFY(!banner.isVisible());
}

void StylePartsTest::emptyViewOffersOneThing()
{
    EmptyView view;
    view.resize(480, 320);
    view.setContent({s("chart-scatter"),
                     s("No embedding in this file"),
                     s("A map of the cells would be here, made by another program from X or raw."),
                     s("Show the cells"),
                     {},
                     false});
    view.show();
    QSignalSpy spy(&view, &EmptyView::buttonClicked);
    QTest::mouseClick(buttonCalled(view, s("Show the cells")), Qt::LeftButton);
    QCOMPARE(spy.size(), 1);
    int visible = 0;
    for (const auto* button : view.findChildren<QPushButton*>())
        visible += button->isVisible();
    QCOMPARE(visible, 1);
    for (const auto* label : view.findChildren<QLabel*>()) // nothing is cut off
        QVERIFY(label->height() >= label->heightForWidth(label->width()));
}

void StylePartsTest::factsAreListed()
{
    FactsList list;
    list.setFacts({{s("Shape"), s("700 × 2"), {}, false},
                   {s("Path"), QString(500, u'x'), {}, false},
                   {s("Note"),
                    s("A sentence that is long enough to need more than one line here."),
                    {},
                    true}});
    list.resize(230, 200);
    list.show();
    QCOMPARE(list.asText().section(u'\n', 0, 0), s("Shape\t700 × 2"));
    QVERIFY(list.minimumSizeHint().width() <= 230); // long values do not widen the dock
    int elided = 0;
    for (const auto* label : list.findChildren<ElidedLabel*>())
        elided += label->isElided();
    QCOMPARE(elided, 1);
    list.setFacts({});
    QVERIFY(list.findChildren<ElidedLabel*>().isEmpty());
}

void StylePartsTest::labelElides()
{
    ElidedLabel label(s("a rather long name of a column"));
    label.setCopyable(true);
    label.resize(label.sizeHint());
    QVERIFY(!label.isElided());
    label.resize(40, 20);
    label.show();
    QVERIFY(label.isElided());
    label.setFocus();
    QTest::keyClick(&label, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text(), s("a rather long name of a column"));
}

void StylePartsTest::searchWaits()
{
    SearchField field(s("Gene"));
    field.show();
    QSignalSpy spy(&field, &SearchField::searched);
    QTest::keyClicks(&field, s("CD3"));
    QCOMPARE(spy.size(), 0);
    QTRY_COMPARE(spy.size(), 1); // once for three keys
    QCOMPARE(spy[0][0].toString(), s("CD3"));
    QTest::keyClick(&field, Qt::Key_E);
    QTest::keyClick(&field, Qt::Key_Return); // at once
    QCOMPARE(spy.size(), 2);
    QCOMPARE(spy[1][0].toString(), s("CD3e"));
    QTest::keyClick(&field, Qt::Key_Escape);
    QCOMPARE(field.text(), QString());
    QCOMPARE(spy.size(), 3);
    QSignalSpy cancelled(&field, &SearchField::cancelled);
    QTest::keyClick(&field, Qt::Key_Escape);
    QCOMPARE(cancelled.size(), 1);
    field.setRefused(s("There is no such gene."));
    QCOMPARE(field.toolTip(), s("There is no such gene."));
    QTest::keyClick(&field, Qt::Key_A);
    QCOMPARE(field.toolTip(), QString());
}

void StylePartsTest::legendShowsHoversAndFinds()
{
    CategoryLegend legend;
    LegendContent content;
    content.title = s("louvain");
    content.entries = {{4, s("T cell"), QColor(200, 0, 0), 12},
                       {7, s("B cell"), QColor(0, 150, 0), 3},
                       {9, s("NK"), QColor(0, 0, 200), 0}};
    content.missing = 5;
    legend.setContent(content);
    legend.resize(226, 300);
    legend.show();
    QVERIFY(QTest::qWaitForWindowExposed(&legend));
    QImage image = picture(legend);
    QVERIFY(pixelsOf(image, QColor(200, 0, 0)) > 40);
    QVERIFY(pixelsOf(image, QColor(0, 150, 0)) > 40);
    QCOMPARE(pixelsOf(image, QColor(0, 0, 200)), 0); // a hollow ring: none of it is shown
    QVERIFY(pixelsOf(image, Theme::current().missing) > 40);

    auto* list = legend.findChild<QAbstractScrollArea*>();
    QSignalSpy hovered(&legend, &CategoryLegend::hovered);
    QSignalSpy clicked(&legend, &CategoryLegend::clicked);
    QTest::mouseMove(list->viewport(), {40, 30});
    QTest::mouseClick(list->viewport(), Qt::LeftButton, Qt::NoModifier, {40, 30});
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(clicked[0][0].toLongLong(), 7);
    QTRY_VERIFY(!hovered.isEmpty());
    QCOMPARE(hovered.last()[0].toLongLong(), 7);

    legend.setSearchShown(true);
    QTest::keyClicks(legend.findChild<SearchField*>(), s("t c"));
    QTest::keyClick(legend.findChild<SearchField*>(), Qt::Key_Return);
    image = picture(legend);
    QVERIFY(pixelsOf(image, QColor(200, 0, 0)) > 40);
    QCOMPARE(pixelsOf(image, QColor(0, 150, 0)), 0);
}

void StylePartsTest::barTellsWhereItIsCut()
{
    ColorBar bar;
    ColorBarContent content;
    content.title = s("CD3E");
    content.subtitle = s("raw/X");
    content.map = NumberMap::Reds;
    content.low = s("0.3");
    content.high = s("3.4");
    content.clippedHigh = true;
    content.fullRange = s("0 to 6.5");
    content.missing = 12;
    bar.setContent(content);
    bar.resize(bar.sizeHint());
    const QImage image = picture(bar);
    QVERIFY(pixelsOf(image, Theme::current().missing) > 40);
    const QColor high(ColorMap::of(NumberMap::Reds).at(1));
    QVERIFY(pixelsOf(image, high) > 10);
    QSignalSpy spy(&bar, &ColorBar::fullRangeRequested);
    QTest::mouseClick(&bar, Qt::LeftButton, Qt::NoModifier, {40, 70});
    QCOMPARE(spy.size(), 0);
    QTest::mouseClick(&bar, Qt::LeftButton, Qt::NoModifier, {40, 101});
    QCOMPARE(spy.size(), 1);
}

void StylePartsTest::startPageAnswers()
{
    StartPage page;
    page.resize(1000, 700);
    page.setRecentFiles(
        {{s("/a/one.h5ad"), s("one.h5ad"), s("a"), s("7 × 5"), s("1 MiB"), s("10:31"), {}},
         {s("/b/two.h5ad"),
          s("two.h5ad"),
          s("b"),
          {},
          {},
          s("Monday"),
          s("the disk is not connected")}});
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    QSignalSpy open(&page, &StartPage::openRequested);
    QSignalSpy example(&page, &StartPage::exampleRequested);
    QSignalSpy file(&page, &StartPage::fileRequested);
    QSignalSpy dropped(&page, &StartPage::filesDropped);
    QSignalSpy forgotten(&page, &StartPage::forgetRequested);
    QTest::mouseClick(buttonCalled(page, s("Open a file…")), Qt::LeftButton);
    QTest::mouseClick(buttonCalled(page, s("Open the example")), Qt::LeftButton);
    QCOMPARE(open.size(), 1);
    QCOMPARE(example.size(), 1);

    QWidget* list = nullptr;
    for (auto* child : page.findChildren<QWidget*>()) {
        if (child->accessibleName() == s("Recent files"))
            list = child;
    }
    QVERIFY(list);
    QTest::mouseClick(list, Qt::LeftButton, Qt::NoModifier, {60, 60});
    QCOMPARE(file.size(), 1);
    QCOMPARE(file[0][0].toString(), s("/b/two.h5ad"));
    QTest::keyClick(list, Qt::Key_Return); // the first
    QCOMPARE(file.last()[0].toString(), s("/a/one.h5ad"));
    QTest::keyClick(list, Qt::Key_Down);
    QTest::keyClick(list, Qt::Key_Delete);
    QCOMPARE(forgotten.size(), 1);
    QCOMPARE(forgotten[0][0].toString(), s("/b/two.h5ad"));

    QMimeData mime;
    mime.setUrls({QUrl::fromLocalFile(s("/c/three.h5ad")), QUrl(s("https://example.org/x"))});
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&page, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&page, &drop);
    QCOMPARE(dropped.size(), 1);
    QCOMPARE(dropped[0][0].toStringList(), QStringList{s("/c/three.h5ad")});
}

QTEST_MAIN(StylePartsTest)
#include "style_parts_test.moc"
