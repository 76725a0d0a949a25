// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/shown_view.h"
#include "widgets/style/theme.h"
#include "widgets/views/matrix_grid.h"

#include <QtGui/QClipboard>
#include <QtGui/QHelpEvent>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QToolTip>

#include <cmath>
#include <memory>
#include <set>

using namespace cellfolio;
using test::s;

namespace
{

class FakeGrid : public GridSource
{
public:
    FakeGrid(qint64 rows, qint64 columns) : m_rows(rows), m_columns(columns) {}

    qint64 rowCount() const override { return m_rows; }
    qint64 columnCount() const override { return m_columns; }

    GridCell value(qint64 row, qint64 column) const override
    {
        if (row < 0 || row >= m_rows || column < 0 || column >= m_columns)
            qFatal("value outside the matrix");
        askedRows.insert(row);
        askedColumns.insert(column);
        GridCell cell;
        cell.zero = (row + column) % 2 == 0;
        cell.text = cell.zero ? s("0") : s("%1").arg(row % 100);
        cell.shade = cell.zero ? std::nan("") : 1.0;
        cell.pending = pending;
        cell.damaged = row == damagedRow;
        return cell;
    }
    GridRowHead rowHead(qint64 row) const override
    {
        GridRowHead head;
        head.name = s("cell %1").arg(row);
        return head;
    }
    GridColumnHead columnHead(qint64 column) const override
    {
        GridColumnHead head;
        head.name = columnPrefix + QString::number(column);
        head.pending = pendingNames;
        return head;
    }
    QString exactText(qint64 row, qint64 column) const override
    {
        return s("%1.%2").arg(row).arg(column);
    }
    QString whyNot(qint64 row, qint64) const override { return s("row %1 is broken").arg(row); }
    void want(const Window& window) override
    {
        ++wants;
        wanted = window;
    }

    mutable std::set<qint64> askedRows;
    mutable std::set<qint64> askedColumns;
    bool pending = false;
    bool pendingNames = false;
    QString columnPrefix = QStringLiteral("g");
    qint64 damagedRow = -1;
    int wants = 0;
    Window wanted;

private:
    qint64 m_rows;
    qint64 m_columns;
};

using Shown = test::Shown<MatrixGrid, 700>;

} // namespace

class GridViewTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::Light); }
    void asksOnlyForTheWindow();
    void reachesTheFarCorner();
    void shadesAndZeros();
    void goesToRowsAndColumns();
    void keysAndClipboard();
    void showsWhatCannotBeRead();
    void tellsMoreUnderThePointer();
    void cellWidthKeepsTheFirstColumn();
    void cellsFitTheFirstNames();
    void emptyAndLostSources();
};

void GridViewTest::asksOnlyForTheWindow()
{
    FakeGrid source(10'000'000, 60'000);
    Shown shown(source);
    QVERIFY2(source.askedRows.size() < 20, qPrintable(QString::number(source.askedRows.size())));
    QVERIFY2(source.askedColumns.size() < 12,
             qPrintable(QString::number(source.askedColumns.size())));
    QCOMPARE(source.wanted.firstRow, 0);
    QCOMPARE(source.wanted.lastRow, *source.askedRows.rbegin());
    QCOMPARE(source.wanted.lastColumn, *source.askedColumns.rbegin());
    const int wants = source.wants;
    shown.paint();
    QCOMPARE(source.wants, wants);
}

void GridViewTest::reachesTheFarCorner()
{
    for (const auto& [rows, columns] : {std::pair<qint64, qint64>{3, 2},
                                        {10'000'000, 60'000},
                                        {qint64(1) << 40, qint64(1) << 36}}) {
        FakeGrid source(rows, columns);
        Shown shown(source);
        QTest::keyClick(&shown.view, Qt::Key_End, Qt::ControlModifier);
        source.askedRows.clear();
        source.askedColumns.clear();
        shown.paint();
        QCOMPARE(shown.view.currentRow(), rows - 1);
        QCOMPARE(shown.view.currentColumn(), columns - 1);
        QCOMPARE(*source.askedRows.rbegin(), rows - 1);
        QCOMPARE(*source.askedColumns.rbegin(), columns - 1);
        const QRect last = shown.view.cellRect(rows - 1, columns - 1);
        QVERIFY(shown.view.viewport()->rect().contains(last));
        QCOMPARE(shown.view.verticalScrollBar()->value(),
                 shown.view.verticalScrollBar()->maximum());
    }
}

void GridViewTest::shadesAndZeros()
{
    FakeGrid source(100, 100);
    Shown shown(source);
    const Theme& theme = Theme::current();
    QImage image = shown.paint();
    const QRect zero = shown.view.cellRect(2, 2);
    const QRect value = shown.view.cellRect(2, 3);
    QCOMPARE(image.pixelColor(zero.left() + 4, zero.top() + 3), theme.base);
    QCOMPARE(image.pixelColor(value.left() + 4, value.top() + 3), theme.matrixRamp.back());
    shown.view.setShadesShown(false);
    image = shown.paint();
    QCOMPARE(image.pixelColor(value.left() + 4, value.top() + 3), theme.base);
    source.pending = true;
    Q_EMIT source.changed();
    image = shown.paint();
    QCOMPARE(test::inked(image, value, 150), 0); // no figure while it is on its way
}

void GridViewTest::goesToRowsAndColumns()
{
    FakeGrid source(10'000'000, 60'000);
    Shown shown(source);
    QSignalSpy spy(&shown.view, &MatrixGrid::currentChanged);
    shown.view.goToRow(5'000'000);
    shown.view.goToColumn(30'000);
    QCOMPARE(shown.view.currentRow(), 5'000'000);
    QCOMPARE(shown.view.currentColumn(), 30'000);
    QCOMPARE(spy.size(), 2);
    QVERIFY(shown.view.viewport()->rect().contains(shown.view.cellRect(5'000'000, 30'000)));
    shown.view.goToRow(qint64(1) << 50); // clamped
    QCOMPARE(shown.view.currentRow(), 9'999'999);
    QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, Qt::NoModifier,
                      shown.view.cellRect(9'999'995, 30'001).center());
    QCOMPARE(shown.view.currentRow(), 9'999'995);
    QCOMPARE(shown.view.currentColumn(), 30'001);
}

void GridViewTest::keysAndClipboard()
{
    FakeGrid source(50, 3);
    Shown shown(source);
    QTest::keyClick(&shown.view, Qt::Key_Down);
    QTest::keyClick(&shown.view, Qt::Key_Down);
    QTest::keyClick(&shown.view, Qt::Key_Right);
    const qint64 row = shown.view.currentRow();
    const qint64 column = shown.view.currentColumn();
    QTest::keyClick(&shown.view, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text(), s("%1.%2").arg(row).arg(column));
    QTest::keyClick(&shown.view, Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
    const QStringList lines = QApplication::clipboard()->text().split(u'\n');
    QCOMPARE(lines[0], s("\tg0\tg1\tg2"));
    QCOMPARE(lines[1], s("cell 0\t0.0\t0.1\t0.2"));
    // What has not come yet is never copied as if it were nothing.
    source.pending = true;
    QSignalSpy refused(&shown.view, &MatrixGrid::copyRefused);
    QApplication::clipboard()->setText(s("before"));
    for (const auto headers : {MatrixGrid::CopyHeaders::With, MatrixGrid::CopyHeaders::Without})
        shown.view.copy(headers);
    QCOMPARE(refused.size(), 2);
    QCOMPARE(QApplication::clipboard()->text(), s("before"));
}

void GridViewTest::showsWhatCannotBeRead()
{
    FakeGrid source(50, 3);
    source.damagedRow = 2;
    Shown shown(source);
    shown.view.setNumbersShown(false); // a question mark is no number
    const QImage image = shown.paint();
    const QRect bad = shown.view.cellRect(2, 1);
    QCOMPARE(image.pixelColor(bad.left() + 4, bad.top() + 3), Theme::current().base); // no shade
    int marks = 0;
    for (int y = bad.top(); y <= bad.bottom(); ++y)
        for (int x = bad.left(); x <= bad.right(); ++x)
            marks += image.pixelColor(x, y) == Theme::current().base ? 0 : 1;
    QVERIFY(marks > 5);
    shown.view.setCurrent(2, 1);
    shown.view.copy(MatrixGrid::CopyHeaders::Without);
    QCOMPARE(QApplication::clipboard()->text(), s("?"));
    shown.view.copy(MatrixGrid::CopyHeaders::With);
    QCOMPARE(QApplication::clipboard()->text().split(u'\n')[3], s("cell 2\t?\t?\t?"));
}

void GridViewTest::tellsMoreUnderThePointer()
{
    FakeGrid source(50, 3);
    source.damagedRow = 2;
    Shown shown(source);
    const auto toolTipAt = [&](QPoint at) {
        QToolTip::hideText();
        QHelpEvent help(QEvent::ToolTip, at, shown.view.viewport()->mapToGlobal(at));
        QApplication::sendEvent(shown.view.viewport(), &help);
        return QToolTip::text();
    };
    QCOMPARE(toolTipAt(shown.view.cellRect(1, 1).center()), s("cell 1\ng1\n1.1"));
    QCOMPARE(toolTipAt(shown.view.cellRect(2, 1).center()), s("cell 2\ng1\nrow 2 is broken"));
    QCOMPARE(toolTipAt({5, shown.view.cellRect(3, 0).center().y()}), s("cell 3"));
}

void GridViewTest::cellWidthKeepsTheFirstColumn()
{
    FakeGrid source(50, 60'000);
    Shown shown(source);
    shown.view.goToColumn(30'000);
    const qint64 first = shown.view.window().firstColumn;
    shown.view.setCellWidth(90);
    QCOMPARE(shown.view.window().firstColumn, first);
    shown.view.setCellWidth(1);
    QCOMPARE(shown.view.cellWidth(), 16);
    QCOMPARE(shown.view.window().firstColumn, first);
}

void GridViewTest::cellsFitTheFirstNames()
{
    FakeGrid source(50, 60'000);
    source.pendingNames = true;
    source.columnPrefix = s("AC0001");
    Shown shown(source);
    const int usual = shown.view.cellWidth();
    Q_EMIT source.changed();
    QCOMPARE(shown.view.cellWidth(), usual); // nothing is known yet
    source.pendingNames = false;
    Q_EMIT source.changed();
    const int fitted = shown.view.cellWidth();
    QVERIFY(fitted > usual);
    source.columnPrefix = s("a much longer name than the first ");
    Q_EMIT source.changed();
    QCOMPARE(shown.view.cellWidth(), fitted); // later names do not move what is looked at
    shown.view.setSource(nullptr);
    shown.view.setSource(&source);
    shown.paint();
    Q_EMIT source.changed();
    QVERIFY(shown.view.cellWidth() > fitted);
    QVERIFY(shown.view.cellWidth() <= 2 * MatrixGrid::kWidestFitted);
}

void GridViewTest::emptyAndLostSources()
{
    for (const auto& [rows, columns] : {std::pair{0, 0}, {0, 5}, {5, 0}}) {
        auto source = std::make_unique<FakeGrid>(rows, columns);
        Shown shown(*source);
        QTest::keyClick(&shown.view, Qt::Key_End, Qt::ControlModifier);
        shown.view.goToRow(3);
        QVERIFY(source->askedRows.empty());
        source.reset();
        shown.paint();
        shown.view.copy(MatrixGrid::CopyHeaders::With);
    }
}

QTEST_MAIN(GridViewTest)
#include "grid_view_test.moc"
