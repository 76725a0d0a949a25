// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/plain_tool_tip.h"

#include <QtGui/QTextDocument>
#include <QtTest/QTest>

using namespace cellfolio;

namespace
{

// What a reader sees of it; the marks that only allow a break are not seen.
QString seen(const QString& toolTip)
{
    if (!Qt::mightBeRichText(toolTip))
        return toolTip;
    QTextDocument document;
    document.setHtml(toolTip);
    return document.toPlainText().remove(QChar(0x200B));
}

} // namespace

class PlainToolTipTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsTextToTheLetter_data();
    void keepsTextToTheLetter();
    void wrapsLongNames();
    void cutsEndlessTexts();
};

void PlainToolTipTest::keepsTextToTheLetter_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("name") << QStringLiteral("AAACCCAAGAAACACT-1");
    QTest::newRow("lines") << QStringLiteral("cell\ngene\n1.5");
    QTest::newRow("markup") << QStringLiteral("<b>CD3</b> & <img src=x>");
    QTest::newRow("signs") << QStringLiteral("a < b > c");
    QTest::newRow("long") << QString(300, u'x');
    QTest::newRow("long lines") << QString(120, u'x') + u'\n' + QString(120, u'y');
}

void PlainToolTipTest::keepsTextToTheLetter()
{
    QFETCH(QString, text);
    QCOMPARE(seen(plainToolTip(text)), text);
}

void PlainToolTipTest::wrapsLongNames()
{
    QTextDocument document;
    document.setHtml(plainToolTip(QString(600, u'm')));
    document.setTextWidth(500);
    QVERIFY2(document.idealWidth() <= 1000, qPrintable(QString::number(document.idealWidth())));
}

void PlainToolTipTest::cutsEndlessTexts()
{
    const QString shown = seen(plainToolTip(QString(1'000'000, u'z')));
    QCOMPARE(shown.size(), 2'001);
    QVERIFY(shown.endsWith(QChar(0x2026)));
}

QTEST_MAIN(PlainToolTipTest)
#include "plain_tool_tip_test.moc"
