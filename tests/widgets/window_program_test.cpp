// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/program.h"

#include <QFile>
#include <QImage>
#include <QTemporaryDir>
#include <QtTest>

using namespace cellfolio;
using namespace Qt::StringLiterals;

namespace {

const QString kExample = QStringLiteral(CELLFOLIO_SOURCE_DIR "/resources/examples/pbmc68k_reduced.h5ad");

} // namespace

// The program itself, as a user starts it without a screen.
class WindowProgramTest : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    test::ProgramRun run(const QStringList& arguments) const
    {
        test::ProgramOptions options;
        options.folder = m_folder.path();
        return test::runProgram(QStringLiteral(CELLFOLIO_WINDOW), arguments, options);
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (!QFile::exists(QStringLiteral(CELLFOLIO_WINDOW)))
            QSKIP("the window is not built");
        qputenv("XDG_CONFIG_HOME", m_folder.path().toUtf8());
    }

    void drawsEveryTab_data()
    {
        QTest::addColumn<QString>("tab");
        QTest::addColumn<QString>("theme");
        for (const char* tab : {"cells", "genes", "matrix", "embedding", "findings"})
            for (const char* theme : {"light", "dark"})
                QTest::addRow("%s %s", tab, theme) << QString::fromLatin1(tab) << QString::fromLatin1(theme);
    }

    void drawsEveryTab()
    {
        QFETCH(QString, tab);
        QFETCH(QString, theme);
        const QString picture = m_folder.filePath(tab + theme + u".png"_s);
        const test::ProgramRun answer = run({u"--snapshot"_s, picture, kExample, u"--tab"_s, tab, u"--theme"_s, theme,
                                       u"--size"_s, u"1000x700"_s});
        QVERIFY2(answer.finished && answer.exitCode == 0, answer.report());
        const QImage image(picture);
        QCOMPARE(image.size(), QSize(1000, 700));
        const int lightness = image.pixelColor(3, 3).lightness();
        QVERIFY(theme == "light"_L1 ? lightness > 200 : lightness < 60);
    }

    void pictureTellsTheColumn()
    {
        const QString labels = m_folder.filePath(u"labels.png"_s);
        const QString numbers = m_folder.filePath(u"numbers.png"_s);
        QCOMPARE(run({u"--snapshot"_s, labels, kExample}).exitCode, 0);
        QCOMPARE(run({u"--snapshot"_s, numbers, kExample, u"--color-by"_s, u"n_genes"_s}).exitCode, 0);
        QVERIFY(QImage(labels) != QImage(numbers));
    }

    void endsWithTheCodesOfTheContract_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        const QString out = m_folder.filePath(u"out.png"_s);
        QTest::newRow("no such file") << QStringList{u"--snapshot"_s, out, u"nothing.h5ad"_s} << 1;
        QTest::newRow("no such column")
            << QStringList{u"--snapshot"_s, out, kExample, u"--color-by"_s, u"nothing"_s} << 1;
        QTest::newRow("no such element")
            << QStringList{u"--snapshot"_s, out, kExample, u"--element"_s, u"uns/nothing"_s} << 1;
        QTest::newRow("no size") << QStringList{u"--snapshot"_s, out, kExample, u"--size"_s, u"big"_s} << 2;
        QTest::newRow("no tab") << QStringList{u"--snapshot"_s, out, kExample, u"--tab"_s, u"nothing"_s} << 2;
        QTest::newRow("no option") << QStringList{u"--nothing"_s} << 2;
        QTest::newRow("two files") << QStringList{u"--snapshot"_s, out, kExample, kExample} << 2;
        QTest::newRow("no place to write")
            << QStringList{u"--snapshot"_s, m_folder.filePath(u"nowhere/out.png"_s), kExample} << 3;
        QTest::newRow("version") << QStringList{u"--version"_s} << 0;
    }

    void endsWithTheCodesOfTheContract()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        const test::ProgramRun answer = run(arguments);
        QVERIFY2(answer.finished, answer.report());
        QVERIFY2(answer.exitCode == code, answer.report());
        QVERIFY2(code == 0 || answer.err.contains("cellfolio") || answer.err.size() > 10, answer.report());
    }
};

QTEST_MAIN(WindowProgramTest)
#include "window_program_test.moc"
