// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/base/values.h"

#include <QtTest>

#include <bit>
#include <cmath>
#include <random>

using namespace cellfolio;

class TextTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void floatsReadBack();
    void halvesReadBackAndAreShortest();
    void integersToTheLastDigit();
    void sizesAndCounts();
    void utf8();
    void nearestNames();
    void missingAndGather();
};

void TextTest::floatsReadBack()
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 20000; ++i) {
        const double d = std::bit_cast<double>(random());
        if (!std::isnan(d) && !std::isinf(d))
            QCOMPARE(std::bit_cast<std::uint64_t>(std::strtod(exactText(d).c_str(), nullptr)), std::bit_cast<std::uint64_t>(d));
        const float f = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        if (std::isnormal(f))
            QCOMPARE(std::bit_cast<std::uint32_t>(std::strtof(exactText(f).c_str(), nullptr)), std::bit_cast<std::uint32_t>(f));
    }
    QCOMPARE(exactText(0.1f), std::string("0.1"));
    QCOMPARE(exactText(0.1), std::string("0.1"));
    QCOMPARE(exactText(-0.0), std::string("-0"));
    QCOMPARE(exactText(std::nan("")), std::string("NaN"));
    QCOMPARE(exactText(-HUGE_VAL), std::string("-Infinity"));
}

void TextTest::halvesReadBackAndAreShortest()
{
    // NumPy prints these halves so: float16(0.1), 65504, smallest subnormal, 1/3, 2049 -> 2048.
    QCOMPARE(exactText(Half{0x2E66}), std::string("0.1"));
    QCOMPARE(toFloat(Half{0x7BFF}), 65504.0f);
    QCOMPARE(toFloat(Half{0x0001}), std::ldexp(1.0f, -24));
    QCOMPARE(toFloat(Half{0x3555}), 0.333251953125f);
    QCOMPARE(exactText(Half{0x3555}), std::string("0.3333"));
    QVERIFY(std::isnan(toFloat(Half{0x7E00})));
    for (unsigned bits = 0; bits < 0x7C00; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const double exact = static_cast<double>(toFloat(Half{half}));
        const double shown = std::strtod(exactText(Half{half}).c_str(), nullptr);
        // Nearer to this half than to either neighbour.
        const double up = bits + 1 < 0x7C00 ? static_cast<double>(toFloat(Half{static_cast<std::uint16_t>(bits + 1)})) : 65536;
        QVERIFY(std::fabs(shown - exact) <= (up - exact) / 2);
        QVERIFY(exactText(Half{half}).size() <= 12);
    }
}

void TextTest::integersToTheLastDigit()
{
    QCOMPARE(exactText(std::int64_t{-9223372036854775807ll - 1}), std::string("-9223372036854775808"));
    QCOMPARE(exactText(std::uint64_t{18446744073709551615ull}), std::string("18446744073709551615"));
    std::int64_t value = 0;
    QVERIFY(parseInteger("-12", value) && value == -12);
    QVERIFY(!parseInteger("12x", value));
    QVERIFY(!parseInteger("", value));
    QVERIFY(!parseInteger("99999999999999999999", value));
}

void TextTest::sizesAndCounts()
{
    QCOMPARE(byteText(0), std::string("0 bytes"));
    QCOMPARE(byteText(1), std::string("1 byte"));
    QCOMPARE(byteText(1536), std::string("1.5 KiB"));
    QCOMPARE(byteText(Index{40} << 30), std::string("40 GiB"));
    QCOMPARE(byteText((Index{1} << 20) - 1), std::string("1 MiB"));
    QCOMPARE(grouped(1136218, " "), std::string("1 136 218"));
    QCOMPARE(grouped(-1000), std::string("-1,000"));
    QCOMPARE(grouped(999), std::string("999"));
    QCOMPARE(counted(1, "cell", "cells"), std::string("1 cell"));
    QCOMPARE(counted(0, "cell", "cells"), std::string("0 cells"));
}

void TextTest::utf8()
{
    QVERIFY(isUtf8("n\xC3\xA4me \xCE\xBB \xE5\x90\x8D \xF0\x9F\xA7\xAC"));
    for (const char* bad : {"\xE4", "\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE2\x82", "a\x80"})
        QVERIFY2(!isUtf8(bad), bad);
    QCOMPARE(toUtf8("a\xE4z"), std::string("a\xEF\xBF\xBDz"));
}

void TextTest::nearestNames()
{
    const std::vector<std::string> names{"cell_type", "n_genes", "louvain", "Cell_Type2"};
    QCOMPARE(nearest("celltype", names, 1), std::vector<std::string>{"cell_type"});
    QCOMPARE(nearest("N_GENES", names, 1), std::vector<std::string>{"n_genes"});
    QVERIFY(nearest("zzzzzzzz", names).empty());
}

void TextTest::missingAndGather()
{
    Values values(DType::Int16, 3);
    values.as<std::int16_t>()[0] = -7;
    values.as<std::int16_t>()[1] = 0;
    values.as<std::int16_t>()[2] = 32767;
    values.setMissing(1);
    QCOMPARE(values.text(0), std::string("-7"));
    QCOMPARE(values.text(1), std::string());
    const std::vector<Index> places{2, 1, 2};
    const Values picked = values.gather(places);
    QCOMPARE(picked.text(0), std::string("32767"));
    QVERIFY(picked.isMissing(1));
    QVERIFY(!picked.isMissing(2));
    QCOMPARE(picked.number(2), 32767.0);
}

QTEST_GUILESS_MAIN(TextTest)
#include "text_test.moc"
