// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/shown_view.h"
#include "widgets/style/fonts.h"
#include "widgets/style/theme.h"
#include "widgets/views/paged_table_view.h"

#include <QtGui/QClipboard>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <QtWidgets/QScrollBar>

#include <algorithm>
#include <memory>
#include <set>

using namespace cellfolio;
using test::s;
using test::inked;

namespace
{

// Answers from its row and column, and keeps a record of what it was asked.
class FakeTable : public TableSource
{
public:
    FakeTable(qint64 rows, int columns) : m_rows(rows), m_columns(columns) {}

    qint64 rowCount() const override { return m_rows; }
    int columnCount() const override { return m_columns; }

    TableCell cell(qint64 row, int column) const override
    {
        if (row < 0 || row >= m_rows || column < 0 || column >= m_columns)
            qFatal("cell outside the table");
        asked.insert(row);
        askedColumns.insert(column);
        TableCell cell;
        cell.pending = pendingRows && !loaded.count(row);
        cell.missing = column == 1 && row % 2;
        cell.text = s("r%1c%2").arg(row).arg(column);
        return cell;
    }

    ColumnProfile profile(int column) const override
    {
        ColumnProfile p;
        p.name = s("column %1").arg(column);
        p.type = s("text");
        return p;
    }

    void want(qint64 first, qint64 last, int firstColumn, int lastColumn) override
    {
        ++wants;
        wantFirst = first;
        wantLast = last;
        wantFirstColumn = firstColumn;
        wantLastColumn = lastColumn;
    }

    void load(qint64 first, qint64 last)
    {
        for (qint64 row = first; row <= last; ++row)
            loaded.insert(row);
        Q_EMIT changed(first, last);
    }

    void resize(qint64 rows, int columns)
    {
        m_rows = rows;
        m_columns = columns;
        Q_EMIT reset();
    }

    mutable std::set<qint64> asked;
    mutable std::set<int> askedColumns;
    std::set<qint64> loaded;
    bool pendingRows = false;
    int wants = 0;
    qint64 wantFirst = -1;
    qint64 wantLast = -1;
    int wantFirstColumn = -1;
    int wantLastColumn = -1;

private:
    qint64 m_rows;
    int m_columns;
};

using Shown = test::Shown<PagedTableView>;

} // namespace

class PagedTableViewTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::Light); }

    void asksOnlyForVisibleRows();
    void otherColumnsKeepThePlace();
    void reachesTheLastRow_data();
    void reachesTheLastRow();
    void barDragCoversTheWholeRange();
    void barsShowOnlyWhenNeeded();
    void wheelMovesByPixelsInHugeTables();
    void asksOnlyForVisibleColumns();
    void paintsTextsAndPlaceholders();
    void widthsFollowTheFirstTexts();
    void keysMoveTheCurrentCell();
    void selectAllIsOneRange();
    void mouseSelects();
    void copiesWithHeaders();
    void copyWaitsForRows();
    void copyRefusesTooMuch();
    void longTextIsCut();
    void headerAsksToSort();
    void survivesResetAndLossOfItsSource();
    void emptyTables();
};

void PagedTableViewTest::asksOnlyForVisibleRows()
{
    FakeTable source(10'000'000, 5);
    Shown shown(source);
    const qint64 rows = shown.view.viewport()->height() / shown.view.rowHeight() + 2;
    QVERIFY(!source.asked.empty());
    QVERIFY2(qint64(source.asked.size()) <= rows, qPrintable(QString::number(source.asked.size())));
    QCOMPARE(source.wantFirst, 0);
    QVERIFY(source.wantLast < rows);
    QCOMPARE(source.wantFirstColumn, 0);
    QVERIFY(*source.asked.rbegin() <= source.wantLast);

    source.asked.clear();
    shown.view.goToRow(7'654'321);
    shown.paint();
    QVERIFY(qint64(source.asked.size()) <= rows);
    QVERIFY(source.asked.count(7'654'321));
    QVERIFY(source.wantFirst <= 7'654'321 && source.wantLast >= 7'654'321);
    QVERIFY(source.wantLast - source.wantFirst < rows);

    const int wants = source.wants;
    shown.paint();
    QCOMPARE(source.wants, wants); // the same window is asked for once
}

void PagedTableViewTest::otherColumnsKeepThePlace()
{
    FakeTable source(10'000, 4);
    Shown shown(source);
    shown.view.goToRow(5'000);
    const PagedTableView::Offset offset = shown.view.offset();
    QVERIFY(offset.y > 0);
    source.resize(10'000, 3);
    QVERIFY(shown.view.offset() == offset);
    QVERIFY(shown.view.selectedRows().contains(5'000));
    QCOMPARE(shown.view.currentCell().row, 5'000);
    source.resize(9'999, 3); // other rows: nothing is known of them
    QCOMPARE(shown.view.offset().y, 0);
    QVERIFY(shown.view.selectedRows().empty());
    shown.view.setOffset({0, qint64(1) << 50});
    QCOMPARE(shown.view.lastVisibleRow(), 9'998);
}

void PagedTableViewTest::reachesTheLastRow_data()
{
    QTest::addColumn<qint64>("rows");
    QTest::newRow("one") << qint64(1);
    QTest::newRow("ten thousand") << qint64(10'000);
    QTest::newRow("2^31 pixels and more") << qint64(100'000'000);
    QTest::newRow("2^40") << (qint64(1) << 40);
}

void PagedTableViewTest::reachesTheLastRow()
{
    QFETCH(qint64, rows);
    FakeTable source(rows, 3);
    Shown shown(source);
    QTest::keyClick(&shown.view, Qt::Key_End, Qt::ControlModifier);
    source.asked.clear();
    shown.paint();
    QCOMPARE(shown.view.currentCell().row, rows - 1);
    QCOMPARE(shown.view.lastVisibleRow(), rows - 1);
    QCOMPARE(*source.asked.rbegin(), rows - 1);
    const QRect last = shown.view.cellRect({rows - 1, 0});
    QVERIFY(last.bottom() <= shown.view.viewport()->height());
    QCOMPARE(shown.view.verticalScrollBar()->value(), shown.view.verticalScrollBar()->maximum());
    QTest::keyClick(&shown.view, Qt::Key_Home, Qt::ControlModifier);
    QCOMPARE(shown.view.firstVisibleRow(), 0);
    QCOMPARE(shown.view.verticalScrollBar()->value(), 0);
}

void PagedTableViewTest::barDragCoversTheWholeRange()
{
    FakeTable source(qint64(1) << 40, 3);
    Shown shown(source);
    QScrollBar* bar = shown.view.verticalScrollBar();
    bar->setValue(bar->maximum());
    QCOMPARE(shown.view.lastVisibleRow(), (qint64(1) << 40) - 1);
    bar->setValue(bar->maximum() / 2);
    const double part = double(shown.view.firstVisibleRow()) / double(qint64(1) << 40);
    QVERIFY2(std::abs(part - 0.5) < 1e-6, qPrintable(QString::number(part)));
    bar->setValue(0);
    QCOMPARE(shown.view.firstVisibleRow(), 0);
    // A page by the bar is a page, though one step of it stands for thousands of rows.
    bar->triggerAction(QAbstractSlider::SliderPageStepAdd);
    const qint64 page = shown.view.viewport()->height() / shown.view.rowHeight();
    QVERIFY(shown.view.firstVisibleRow() >= page - 2 && shown.view.firstVisibleRow() <= page);
}

void PagedTableViewTest::barsShowOnlyWhenNeeded()
{
    FakeTable source(4, 2);
    Shown shown(source);
    QTRY_VERIFY(!shown.view.horizontalScrollBar()->isVisible());
    QTRY_VERIFY(!shown.view.verticalScrollBar()->isVisible());
    source.resize(10'000'000, 2);
    QTRY_VERIFY(shown.view.verticalScrollBar()->isVisible());
    QVERIFY(!shown.view.horizontalScrollBar()->isVisible());
    source.resize(4, 400);
    QTRY_VERIFY(shown.view.horizontalScrollBar()->isVisible());
    QTRY_VERIFY(!shown.view.verticalScrollBar()->isVisible());
}

void PagedTableViewTest::wheelMovesByPixelsInHugeTables()
{
    FakeTable source(qint64(1) << 40, 3);
    Shown shown(source);
    shown.view.goToRow(qint64(1) << 39);
    const qint64 before = shown.view.firstVisibleRow();
    const QPoint at = shown.view.viewport()->rect().center();
    for (int i = 0; i < 4; ++i) {
        QWheelEvent wheel(at, shown.view.viewport()->mapToGlobal(at), {}, {0, -120}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(shown.view.viewport(), &wheel);
    }
    const qint64 lines = 4 * QApplication::wheelScrollLines();
    QCOMPARE(shown.view.firstVisibleRow(), before + lines);
}

void PagedTableViewTest::asksOnlyForVisibleColumns()
{
    FakeTable source(1'000, 4'000);
    Shown shown(source);
    QVERIFY2(source.askedColumns.size() < 20,
             qPrintable(QString::number(source.askedColumns.size())));
    QTest::keyClick(&shown.view, Qt::Key_End);
    source.askedColumns.clear();
    shown.paint();
    QVERIFY(source.askedColumns.count(3'999));
    QVERIFY(source.askedColumns.size() < 20);
    QCOMPARE(source.wantLastColumn, 3'999);
    QVERIFY(source.wantFirstColumn > 3'980);
}

void PagedTableViewTest::paintsTextsAndPlaceholders()
{
    FakeTable source(100, 3);
    source.pendingRows = true;
    Shown shown(source);
    QImage image = shown.paint();
    const QRect cell = shown.view.cellRect({4, 0});
    QCOMPARE(inked(image, cell), 0); // a pale bar only
    QVERIFY(image.pixel(cell.left() + 12, cell.center().y()) == Theme::current().hover.rgb());
    source.load(0, 99);
    image = shown.paint();
    const QRect now = shown.view.cellRect({4, 0});
    QVERIFY2(inked(image, now) > 20, qPrintable(QString::number(inked(image, now))));
    // NULL is drawn in the third voice: there, but paler than text.
    const QRect missing = shown.view.cellRect({3, 1});
    const QRect present = shown.view.cellRect({4, 1});
    const auto darkest = [&image](const QRect& where) {
        int least = 255;
        for (int y = where.top() + 3; y < where.bottom() - 2; ++y) {
            for (int x = where.left() + 4; x < where.right() - 4; ++x)
                least = std::min(least, QColor(image.pixel(x, y)).lightness());
        }
        return least;
    };
    QVERIFY2(darkest(missing) < 150, qPrintable(QString::number(darkest(missing))));
    QVERIFY(darkest(missing) > darkest(present) + 30);
}

void PagedTableViewTest::widthsFollowTheFirstTexts()
{
    FakeTable source(100, 3);
    source.pendingRows = true;
    Shown shown(source);
    shown.view.setColumnWidth(2, 77);
    source.load(0, 99);
    shown.paint();
    QCOMPARE(shown.view.columnWidth(2), 77); // the user's choice stays
    const int fitted = shown.view.columnWidth(0);
    QVERIFY(fitted >= QFontMetrics(fonts::table()).horizontalAdvance(s("r10c0")));
    shown.view.goToRow(90);
    shown.paint();
    QCOMPARE(shown.view.columnWidth(0), fitted); // later rows do not move columns
}

void PagedTableViewTest::keysMoveTheCurrentCell()
{
    FakeTable source(10'000'000, 3);
    Shown shown(source);
    QSignalSpy spy(&shown.view, &PagedTableView::currentCellChanged);
    QTest::keyClick(&shown.view, Qt::Key_Down);
    QCOMPARE(shown.view.currentCell().row, 1);
    QTest::keyClick(&shown.view, Qt::Key_Right);
    QCOMPARE(shown.view.currentCell().column, 1);
    QTest::keyClick(&shown.view, Qt::Key_Up);
    QTest::keyClick(&shown.view, Qt::Key_Up); // stays at the edge
    QCOMPARE(shown.view.currentCell().row, 0);
    QCOMPARE(spy.size(), 3);
    QTest::keyClick(&shown.view, Qt::Key_PageDown);
    QVERIFY(shown.view.currentCell().row > 5);
    const qint64 row = shown.view.currentCell().row;
    QVERIFY(shown.view.firstVisibleRow() <= row && row <= shown.view.lastVisibleRow());
    QTest::keyClick(&shown.view, Qt::Key_Down, Qt::ShiftModifier);
    QTest::keyClick(&shown.view, Qt::Key_Down, Qt::ShiftModifier);
    QCOMPARE(shown.view.selectedRows().count(), 3);
    QTest::keyClick(&shown.view, Qt::Key_Escape);
    QVERIFY(shown.view.selectedRows().empty());
}

void PagedTableViewTest::selectAllIsOneRange()
{
    FakeTable source(10'000'000, 3);
    Shown shown(source);
    source.asked.clear();
    QTest::keyClick(&shown.view, Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(shown.view.selectedRows().count(), 10'000'000);
    QCOMPARE(shown.view.selectedRows().ranges().size(), std::size_t(1));
    QVERIFY(source.asked.size() < 50);
}

void PagedTableViewTest::mouseSelects()
{
    FakeTable source(1'000, 3);
    Shown shown(source);
    const auto click = [&](qint64 row, Qt::KeyboardModifiers keys) {
        QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, keys,
                          shown.view.cellRect({row, 1}).center());
    };
    click(3, Qt::NoModifier);
    QCOMPARE(shown.view.currentCell(), (PagedTableView::Cell{3, 1}));
    click(6, Qt::ShiftModifier);
    QCOMPARE(shown.view.selectedRows().count(), 4);
    click(4, Qt::ControlModifier);
    QCOMPARE(shown.view.selectedRows().count(), 3);
    QVERIFY(!shown.view.selectedRows().contains(4));
    click(9, Qt::ControlModifier);
    QCOMPARE(shown.view.selectedRows().count(), 4);
    click(1, Qt::NoModifier);
    QCOMPARE(shown.view.selectedRows().count(), 1);
}

void PagedTableViewTest::copiesWithHeaders()
{
    FakeTable source(1'000, 2);
    Shown shown(source);
    RangeSet rows;
    rows.add(2, 3);
    rows.add(10, 10);
    shown.view.setSelectedRows(rows);
    QSignalSpy spy(&shown.view, &PagedTableView::copied);
    QTest::keyClick(&shown.view, Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(spy.size(), 1);
    QCOMPARE(QApplication::clipboard()->text(),
             s("column 0\tcolumn 1\nr2c0\tr2c1\nr3c0\t\nr10c0\tr10c1\n"));
    shown.view.clearSelection();
    shown.view.setCurrentCell({5, 0});
    QTest::keyClick(&shown.view, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text(), s("r5c0"));
}

void PagedTableViewTest::copyWaitsForRows()
{
    FakeTable source(10'000, 2);
    source.pendingRows = true;
    Shown shown(source);
    RangeSet rows;
    rows.add(5'000, 5'599);
    shown.view.setSelectedRows(rows);
    QSignalSpy spy(&shown.view, &PagedTableView::copied);
    shown.view.copy(PagedTableView::CopyHeaders::Without);
    QCOMPARE(spy.size(), 0);
    for (int round = 0; round < 10 && spy.isEmpty(); ++round) {
        QVERIFY(source.wantFirst >= 5'000 && source.wantLast <= 5'599);
        source.load(source.wantFirst, source.wantLast);
    }
    QCOMPARE(spy.size(), 1);
    const QStringList lines = QApplication::clipboard()->text().split(u'\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 600);
    QCOMPARE(lines.first(), s("r5000c0\tr5000c1"));
    QCOMPARE(lines.last(), s("r5599c0\t"));
    QCOMPARE(source.wantFirst, 0); // what is visible is asked for again
}

void PagedTableViewTest::copyRefusesTooMuch()
{
    FakeTable source(10'000'000, 2);
    Shown shown(source);
    shown.view.selectAllRows();
    QSignalSpy refused(&shown.view, &PagedTableView::copyRefused);
    source.asked.clear();
    shown.view.copy(PagedTableView::CopyHeaders::With);
    QCOMPARE(refused.size(), 1);
    QVERIFY(refused[0][0].toString().contains(s("10,000,000")));
    QVERIFY(source.asked.empty());
}

void PagedTableViewTest::longTextIsCut()
{
    class LongTable : public FakeTable
    {
    public:
        LongTable() : FakeTable(10, 1) {}
        TableCell cell(qint64, int) const override
        {
            TableCell cell;
            cell.text = QString(100'000, u'x');
            return cell;
        }
    } source;
    Shown shown(source);
    QElapsedTimer timer;
    timer.start();
    shown.paint();
    QVERIFY2(timer.elapsed() < 500, qPrintable(QString::number(timer.elapsed())));
    shown.view.copy(PagedTableView::CopyHeaders::Without);
    QCOMPARE(QApplication::clipboard()->text().size(), PagedTableView::kTextLimit);
}

void PagedTableViewTest::headerAsksToSort()
{
    FakeTable source(100, 3);
    Shown shown(source);
    auto* header = shown.view.findChild<QWidget*>(s("profileHeader"));
    QVERIFY(header);
    QSignalSpy spy(&shown.view, &PagedTableView::sortRequested);
    const QRect second = shown.view.cellRect({0, 1});
    QTest::mouseClick(header, Qt::LeftButton, Qt::NoModifier, {second.center().x(), 12});
    QCOMPARE(spy.size(), 1);
    QCOMPARE(spy[0][0].toInt(), 1);
    // The edge resizes instead.
    const int before = shown.view.columnWidth(1);
    QTest::mousePress(header, Qt::LeftButton, Qt::NoModifier, {second.right(), 12});
    QTest::mouseMove(header, {second.right() + 40, 12});
    QTest::mouseRelease(header, Qt::LeftButton, Qt::NoModifier, {second.right() + 40, 12});
    QCOMPARE(shown.view.columnWidth(1), before + 40);
    QCOMPARE(spy.size(), 1);
}

void PagedTableViewTest::survivesResetAndLossOfItsSource()
{
    auto source = std::make_unique<FakeTable>(10'000'000, 5);
    Shown shown(*source);
    shown.view.goToRow(9'999'999);
    source->resize(10, 2);
    shown.paint();
    QCOMPARE(shown.view.firstVisibleRow(), 0);
    QCOMPARE(shown.view.lastVisibleRow(), 9);
    QVERIFY(shown.view.selectedRows().empty());
    source.reset();
    shown.paint();
    QCOMPARE(shown.view.lastVisibleRow(), -1);
    QTest::keyClick(&shown.view, Qt::Key_Down);
    QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, Qt::NoModifier, {100, 40});
    shown.view.selectAllRows();
    QVERIFY(shown.view.selectedRows().empty());
}

void PagedTableViewTest::emptyTables()
{
    for (const auto& [rows, columns] : {std::pair{0, 0}, {0, 4}, {7, 0}}) {
        FakeTable source(rows, columns);
        Shown shown(source);
        shown.view.goToRow(3);
        shown.view.copy(PagedTableView::CopyHeaders::With);
        QTest::keyClick(&shown.view, Qt::Key_End, Qt::ControlModifier);
        shown.paint();
        QVERIFY(source.asked.empty());
        QCOMPARE(shown.view.currentCell().row, -1);
    }
}

QTEST_MAIN(PagedTableViewTest)
#include "paged_table_view_test.moc"
