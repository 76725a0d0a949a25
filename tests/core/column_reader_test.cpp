// SPDX-License-Identifier: GPL-3.0-or-later
// Columns by selections: what is read of some rows is what those rows are.
#include "core/anndata/column_reader.h"
#include "tests/support/corpus.h"
#include "tests/support/expected.h"

#include <QtTest>

#include <algorithm>

using namespace cellfolio;
using namespace cellfolio::test;

class ColumnReaderTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rowsOfAColumnAreItsRows_data();
    void rowsOfAColumnAreItsRows();
    void longListsComeAsValues();
    void numbersStandForAbsentNames();
    void refusesWhatIsNoColumn();
};

void ColumnReaderTest::rowsOfAColumnAreItsRows_data()
{
    QTest::addColumn<QString>("path");
    for (const auto& file : allFiles())
        QTest::newRow(file.filename().c_str()) << QString::fromStdString(file.string());
}

void ColumnReaderTest::rowsOfAColumnAreItsRows()
{
    QFETCH(QString, path);
    auto opened = Dataset::open(path.toStdString());
    if (!opened)
        return; // refusals have their own test
    const auto reading = std::make_shared<Reading>();
    int looked = 0;
    for (const Element* element : (*opened)->elements()) {
        if (element->kind != ElementKind::Column || !element->readable || ++looked > 60)
            continue;
        auto reader = ColumnReader::open(*opened, *element, reading);
        QVERIFY2(reader.ok(), element->path.c_str());
        auto whole = reader->read(Selection::all(reader->rows()));
        if (!whole) {
            QCOMPARE(whole.error().code(), ErrorCode::Corrupt); // a damaged chunk
            continue;
        }
        const Index n = reader->rows();
        if (n == 0)
            continue;
        for (const Selection& rows :
             {Selection::slice(n, {}, {}, -1), Selection::indices(n, {n - 1, 0, n / 2, 0}),
              Selection::none(n)}) {
            auto part = reader->read(rows);
            QVERIFY2(part.ok(), element->path.c_str());
            QCOMPARE(part->size(), rows.size());
            for (Index i = 0; i < rows.size(); ++i) {
                QCOMPARE(part->isMissing(i), whole->isMissing(rows[i]));
                QCOMPARE(part->text(i), whole->text(rows[i]));
            }
        }
    }
}

// A list longer than what is held is read where it is needed. The file has 3 categories; the
// element is told that there are more.
void ColumnReaderTest::longListsComeAsValues()
{
    auto opened = Dataset::open((dataFolder() / "files" / "columns.h5ad").string());
    QVERIFY(opened.ok());
    const auto reading = std::make_shared<Reading>();
    int compared = 0;
    for (const Element* column : (*opened)->elements()) {
        if (column->kind != ElementKind::Column || column->column != ColumnKind::Categorical)
            continue;
        Element longer;
        longer.path = column->path;
        longer.kind = ElementKind::Column;
        longer.column = ColumnKind::Categorical;
        longer.shape = column->shape;
        longer.dtype = column->dtype;
        longer.values = column->values;
        longer.categories = column->categories;
        longer.categoryCount = ColumnReader::kMostHeld + 1;
        auto plain = ColumnReader::open(*opened, longer, reading);
        auto usual = ColumnReader::open(*opened, *column, reading);
        QVERIFY(plain.ok() && usual.ok());
        QVERIFY(!plain->holdsCategories());
        QVERIFY(usual->holdsCategories());
        const Selection rows = Selection::slice(usual->rows(), {}, {}, -1);
        auto a = plain->read(rows);
        auto b = usual->read(rows);
        QVERIFY2(a.ok(), a ? "" : a.error().describe().c_str());
        QVERIFY(b.ok());
        QVERIFY(!a->categories);
        QVERIFY(a->kind != ColumnKind::Categorical);
        for (Index i = 0; i < rows.size(); ++i) {
            QCOMPARE(a->isMissing(i), b->isMissing(i));
            QCOMPARE(a->text(i), b->text(i));
        }
        auto list = usual->categories();
        QVERIFY(list.ok());
        for (Index i = 0; i < (*list)->size(); ++i)
            QCOMPARE(usual->categoryWindow(i, 1)->text(0), (*list)->text(i));
        ++compared;
    }
    QVERIFY(compared > 2);
}

void ColumnReaderTest::numbersStandForAbsentNames()
{
    auto opened = Dataset::open((dataFolder() / "damaged" / "no_index.h5ad").string());
    QVERIFY(opened.ok());
    const auto reading = std::make_shared<Reading>();
    const Element* obs = (*opened)->obs();
    QVERIFY(obs && !obs->index);
    auto names = readNames(*opened, *obs, Selection::indices(obs->rows, {4, 0, 4}), reading);
    QVERIFY(names.ok());
    QCOMPARE(*names, (std::vector<std::string>{"4", "0", "4"}));
}

void ColumnReaderTest::refusesWhatIsNoColumn()
{
    auto opened = Dataset::open((dataFolder() / "damaged" / "column_unknown.h5ad").string());
    QVERIFY(opened.ok());
    const auto reading = std::make_shared<Reading>();
    auto column = (*opened)->find("obs/later");
    QVERIFY(column.ok());
    auto refused = ColumnReader::open(*opened, **column, reading);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().code(), ErrorCode::UnsupportedEncoding);
    QCOMPARE(refused.error().ruleId(), std::string("A015"));
    QVERIFY(!ColumnReader::open(*opened, *(*opened)->obs(), reading).ok());
}

QTEST_GUILESS_MAIN(ColumnReaderTest)
#include "column_reader_test.moc"
