// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/select/selection_text.h"

#include "tests/support/corpus.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

using namespace cellfolio;

namespace {

using Names = std::vector<std::string>;

const Names kNames{"a",    "b", "c", "d", "b", "3", "x,y", "x..y", "chr1:9782-10672",
                   "q\"q", "",  "@z"};

NameScan scanOf(const Names& names)
{
    return [&names](const NameVisitor& visit) -> Result<void> {
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (!visit(static_cast<Index>(i), names[i]))
                break;
        }
        return {};
    };
}

SelectionAxis axisOf(const Names& names)
{
    SelectionAxis axis;
    axis.extent = static_cast<Index>(names.size());
    axis.element = "obs";
    axis.names = scanOf(names);
    return axis;
}

// "0 1 2", or "NotFound@3" with the offset where there is one.
QString outcome(const Result<Selection>& selection)
{
    if (selection) {
        QStringList list;
        for (const Index position : selection->positions())
            list << QString::number(position);
        return list.join(' ');
    }
    const Error& error = selection.error();
    QString text = QString::fromStdString(std::string(nameOf(error.code())));
    if (error.position())
        text += "@" + QString::number(*error.position());
    return text;
}

QString resolve(const std::string& text, const SelectionAxis& axis)
{
    const auto parsed = SelectionText::parse(text);
    return outcome(parsed ? parsed->resolve(axis) : Result<Selection>(parsed.error()));
}

} // namespace

class SelectionTextTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyForm_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* text, const char* expected) {
            QTest::newRow(*text ? text : "empty") << QByteArray(text) << QString(expected);
        };
        // Twelve names: a b c d b 3 "x,y" "x..y" chr1:9782-10672 q"q (empty) @z
        row("", "");
        row(":", "0 1 2 3 4 5 6 7 8 9 10 11");
        row("::", "0 1 2 3 4 5 6 7 8 9 10 11");
        row("2", "2");
        row("-1", "11");
        row("-12", "0");
        row("12", "NotFound@0");
        row("-13", "NotFound@0");
        row("99999999999999999999", "NotFound@0");
        row("2,5,7,11,3", "2 5 7 11 3");
        row("3,1,1", "3 1 1");
        row("1,40", "NotFound@2");
        row("1:4", "1 2 3");
        row("-5:", "7 8 9 10 11");
        row(":-10", "0 1");
        row("8:99", "8 9 10 11");
        row("99999999999999999999:", "");
        row("4:1", "");
        row("::-4", "11 7 3");
        row("3::-1", "3 2 1 0");
        row("3:0:-1", "3 2 1");
        row("0:12:5", "0 5 10");
        row("::0", "BadUsage@0");
        row("1,2:3:0", "BadUsage@2");
        row("0:2,-1,0:2", "0 1 11 0 1");
        row("a", "0");
        row("b", "1 4");
        row("b,", "Ambiguous@0");
        row("a,b", "Ambiguous@2");
        row("c,a,c", "2 0 2");
        row("a,", "0");
        row("3,", "3");
        row("\"3\"", "5");
        row("\"3\",", "5");
        row("\"x,y\"", "6");
        row("\"x..y\"", "7");
        row("chr1:9782-10672", "8");
        row("q\"q", "9");
        row("\"q\\\"q\"", "9");
        row("\"\"", "10");
        row("\"\",a", "10 0");
        row("\"@z\"", "11");
        row("a,\"@z\"", "0 11");
        row("nosuch", "NotFound@0");
        row("a,nosuch", "NotFound@2");
        row("a..d", "0 1 2 3");
        row("d..a", "");
        row("c..c", "2");
        row("..c", "0 1 2");
        row("\"@z\"..", "11");
        row("..", "0 1 2 3 4 5 6 7 8 9 10 11");
        row("c..\"3\"", "2 3 4 5");
        row("a..b", "Ambiguous@3");
        row("a..zz", "NotFound@3");
        row("3..\"x,y\",0", "5 6 0");
        row("mask:010000000001", "1 11");
        row("mask:000000000000", "");
        row("mask:0101", "NotFound");
        row("mask:", "NotFound");
        row("mask:01x", "BadUsage@7");
        row("mask:@", "BadUsage@6");
        row("@", "BadUsage@1");
        row(",", "BadUsage@0");
        row("a,,c", "BadUsage@2");
        row("\"open", "BadUsage@0");
        row("a,\"open", "BadUsage@2");
        row("\"a\"b", "BadUsage@3");
        row("\"a\\n\"", "BadUsage@2");
    }
    void everyForm()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, expected);
        QCOMPARE(resolve(text.toStdString(), axisOf(kNames)), expected);
    }

    void filesOfNamesAndMasks()
    {
        QTemporaryDir folder;
        const auto write = [&folder](const char* name, const QByteArray& text) {
            QFile file(folder.filePath(name));
            const bool written = file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
            return written ? file.fileName().toStdString() : std::string();
        };
        const SelectionAxis axis = axisOf(kNames);
        QCOMPARE(resolve("@" + write("names", "c\r\nx,y\n\na\n3\n"), axis), "2 6 0 5");
        QCOMPARE(resolve("@" + write("unknown", "c\nnosuch\n"), axis), "NotFound");
        QCOMPARE(resolve("@" + write("twice", "b\n"), axis), "Ambiguous");
        QCOMPARE(resolve("@" + write("none", ""), axis), "");
        QCOMPARE(resolve("@" + folder.filePath("absent").toStdString(), axis), "NotFound");
        QCOMPARE(resolve("mask:@" + write("mask", "0\n1\n0\n0\n0\n0\n0\n0\n0\n0\n0\n1\n"), axis),
                 "1 11");
        QCOMPARE(resolve("mask:@" + write("short", "0\n1\n"), axis), "NotFound");
        QCOMPARE(resolve("mask:@" + write("odd", "0\nyes\n"), axis), "BadUsage");
    }

    void nearMissesAreNamed()
    {
        const Names names{"CD3D", "CD3E", "NKG7"};
        const auto selection = SelectionText::parse("cd3d")->resolve(axisOf(names));
        QVERIFY(!selection);
        QVERIFY(!selection.error().suggestions().empty());
        QCOMPARE(selection.error().suggestions().front(), std::string("CD3D"));
    }

    void anAxisWithoutNamesSaysSo()
    {
        SelectionAxis axis;
        axis.extent = 4;
        axis.element = "the first axis of uns/a";
        QCOMPARE(resolve("a", axis), "NotFound@0");
        QCOMPARE(resolve("1:3", axis), "1 2");
    }

    void whatDoesNotFitTheBudgetIsRefused()
    {
        SelectionAxis axis = axisOf(kNames);
        axis.most = 10;
        QCOMPARE(resolve(":,", axis), "OutOfBudget");
        QCOMPARE(resolve(":", axis), "0 1 2 3 4 5 6 7 8 9 10 11");
        QCOMPARE(resolve("0:10,", axis), "0 1 2 3 4 5 6 7 8 9");
    }

    // Every selection written out and read again is the same selection.
    void roundTrip()
    {
        QRandomGenerator random(7);
        constexpr Index kExtent = 29;
        SelectionAxis axis;
        axis.extent = kExtent;
        axis.element = "obs";
        for (int round = 0; round < 500; ++round) {
            std::vector<Index> positions;
            const int kind = random.bounded(3);
            const Index count = random.bounded(9);
            const Index step = random.bounded(1, 4) * (random.bounded(2) ? 1 : -1);
            Index position = random.bounded(static_cast<int>(kExtent));
            for (Index k = 0; k < count && position >= 0 && position < kExtent; ++k) {
                positions.push_back(position);
                position = kind == 0 ? random.bounded(static_cast<int>(kExtent)) : position + step;
            }
            const Selection selection = Selection::indices(kExtent, positions);
            const std::string text = selectionText(selection);
            const auto back = SelectionText::parse(text)->resolve(axis);
            QVERIFY2(back.ok(), text.c_str());
            QVERIFY2(*back == selection, text.c_str());
        }
    }

    // Every name as selectionName() writes it picks that name and nothing else.
    void namesAreQuotedWhereTheyMustBe()
    {
        const Names names{"a",  "3",   "-3", "1:2", ":",  "a,b", "a..b", "..",   "@f",
                          "\"", "a\"", "\\", "",    "::", "mask:01", "mask", "1:2:3:4", "-"};
        for (std::size_t i = 0; i < names.size(); ++i)
            QCOMPARE(resolve(selectionName(names[i]), axisOf(names)), QString::number(i));
    }

    void listsOfNames()
    {
        QCOMPARE(*parseNameList(""), Names{});
        QCOMPARE(*parseNameList("a,3,b..c"), (Names{"a", "3", "b..c"}));
        QCOMPARE(*parseNameList("\"a,b\",c,"), (Names{"a,b", "c"}));
        QCOMPARE(*parseNameList("\"\""), Names{""});
        QCOMPARE(*parseNameList("a,\"b\"c").error().position(), Index{5});
        QCOMPARE(*parseNameList("a,,b").error().position(), Index{2});
    }

    // The chains of the shared corpus, each step a selection within what the one before left.
    void indexAlgebra()
    {
        QFile file(
            QString::fromStdString((test::corpusFolder("spec") / "index_algebra.json").string()));
        if (!file.open(QIODevice::ReadOnly))
            QSKIP("../shared/data/spec is not here");
        const QJsonObject all = QJsonDocument::fromJson(file.readAll()).object();
        int cases = 0;
        for (const QJsonValue& value : all["cases"].toArray()) {
            const QJsonObject one = value.toObject();
            Names names;
            for (const QJsonValue& name : all[one["names"].toString()].toArray())
                names.push_back(name.toString().toStdString());
            ++cases;
            QString got = chain(one["steps"].toArray(), names);
            QString wanted;
            if (one.contains("refused")) {
                wanted = one["refused"] == "zero-step"         ? "BadUsage"
                       : one["refused"] == "ambiguous-label" ? "Ambiguous"
                                                              : "NotFound";
                got = got.section('@', 0, 0);
            } else {
                QStringList rows;
                for (const QJsonValue& row : one["rows"].toArray())
                    rows << QString::number(row.toInt());
                wanted = rows.join(' ');
            }
            QVERIFY2(got == wanted,
                     QJsonDocument(one).toJson(QJsonDocument::Compact) + " gave " + got.toUtf8());
        }
        QCOMPARE(cases, 121);
    }

private:
    static QString chain(const QJsonArray& steps, const Names& names)
    {
        Selection selection = Selection::all(static_cast<Index>(names.size()));
        for (const QJsonValue& step : steps) {
            const auto text = SelectionText::parse(written(step.toObject()));
            if (!text)
                return outcome(text.error());
            Names left;
            for (const Index position : selection.positions())
                left.push_back(names[static_cast<std::size_t>(position)]);
            const auto inner = text->resolve(axisOf(left));
            if (!inner)
                return outcome(inner);
            selection = selection.then(*inner);
        }
        return outcome(selection);
    }

    // A step of the corpus as it would be typed.
    static std::string written(const QJsonObject& step)
    {
        const QString kind = step["kind"].toString();
        const auto number = [&step](const char* key) {
            return step[key].isNull() ? QString() : QString::number(step[key].toInt());
        };
        QStringList parts;
        for (const QJsonValue& value : step["v"].toArray())
            parts << (value.isString() ? value.toString() : QString::number(value.toInt()));
        if (kind == "slice")
            return (number("start") + ":" + number("stop") + ":" + number("step")).toStdString();
        if (kind == "int")
            return number("v").toStdString();
        if (kind == "label")
            return step["v"].toString().toStdString();
        if (kind == "label_slice")
            return (step["start"].toString() + ".." + step["stop"].toString()).toStdString();
        if (kind == "mask")
            return ("mask:" + parts.join("")).toStdString();
        return (parts.join(",") + (kind == "labels" && !parts.isEmpty() ? "," : "")).toStdString();
    }
};

QTEST_GUILESS_MAIN(SelectionTextTest)
#include "selection_text_test.moc"
