// SPDX-License-Identifier: GPL-3.0-or-later
// The arithmetic under the figures: digests of every dtype against long doubles, values that are
// hard for sums, quantiles against a sorted list, half precision against Eigen's.
#include "core/matrix/digest.h"
#include "core/matrix/holds_judge.h"
#include "core/matrix/line_sums.h"
#include "core/matrix/number_types.h"
#include "core/matrix/quantiles.h"

#include <Eigen/Core>

#include <QtTest>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace cellfolio;

namespace {

template <typename T>
std::vector<T> randomValues(std::size_t n, std::mt19937_64& random)
{
    std::vector<T> values(n);
    for (T& value : values) {
        const std::uint64_t bits = random();
        if (bits % 3 == 0)
            continue; // a zero
        if constexpr (std::is_floating_point_v<T>)
            value = static_cast<T>(static_cast<double>(static_cast<std::int64_t>(bits)) / 1e15);
        else
            value = static_cast<T>(bits);
    }
    return values;
}

template <typename T>
void compareWithLongDoubles(DType type, std::size_t n, std::mt19937_64& random)
{
    const std::vector<T> values = randomValues<T>(n, random);
    Digest digest;
    LineSums line;
    // In parts, as blocks are.
    for (std::size_t start = 0; start < n;) {
        const std::size_t count = std::min(n - start, std::size_t{1} + random() % 3000);
        digest.add(digestOf(type, reinterpret_cast<const std::byte*>(values.data() + start),
                            static_cast<Index>(count)));
        start += count;
    }
    for (const T value : values)
        line.add(value);

    long double sum = 0;
    Int128 whole = 0;
    Index nonZero = 0;
    for (const T value : values) {
        sum += value;
        nonZero += value != 0;
        if constexpr (std::is_integral_v<T>)
            whole += value;
    }
    const long double mean = sum / static_cast<long double>(n);
    long double squares = 0;
    for (const T value : values)
        squares += (value - mean) * (value - mean);
    const auto sd = static_cast<double>(std::sqrt(squares / static_cast<long double>(n - 1)));
    for (const Figures& figures :
         {figuresOf(digest, type), figuresOf(line, static_cast<Index>(n), false, type)}) {
        QCOMPARE(figures.n, static_cast<Index>(n));
        QCOMPARE(figures.nnz, nonZero);
        if constexpr (std::is_integral_v<T>) {
            QVERIFY(figures.sum.whole == whole);
            QCOMPARE(figures.minText, std::to_string(*std::min_element(values.begin(), values.end())));
            QCOMPARE(figures.maxText, std::to_string(*std::max_element(values.begin(), values.end())));
        } else {
            QVERIFY(std::abs(figures.sum.real - static_cast<double>(sum)) <= 1e-11 * sd
                                                                                 * static_cast<double>(n));
            QCOMPARE(*figures.min, static_cast<double>(*std::min_element(values.begin(), values.end())));
            QCOMPARE(*figures.max, static_cast<double>(*std::max_element(values.begin(), values.end())));
        }
        QVERIFY2(std::abs(*figures.sd - sd) <= 1e-10 * sd,
                 qPrintable(QString("%1 and %2").arg(*figures.sd, 0, 'g', 17).arg(sd, 0, 'g', 17)));
    }
}

} // namespace

class StatsDigestTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void agreesWithLongDoubles();
    void farFromZero();
    void wholeFloats_data();
    void wholeFloats();
    void specialValues();
    void wideIntegers();
    void fractions();
    void repeats();
    void halves();
    void quantiles();
    void judges();
};

void StatsDigestTest::agreesWithLongDoubles()
{
    std::mt19937_64 random(11);
    for (const std::size_t n : {2UL, 7UL, 511UL, 512UL, 513UL, 20000UL}) {
        compareWithLongDoubles<std::int8_t>(DType::Int8, n, random);
        compareWithLongDoubles<std::int16_t>(DType::Int16, n, random);
        compareWithLongDoubles<std::int32_t>(DType::Int32, n, random);
        compareWithLongDoubles<std::int64_t>(DType::Int64, n, random);
        compareWithLongDoubles<std::uint8_t>(DType::UInt8, n, random);
        compareWithLongDoubles<std::uint16_t>(DType::UInt16, n, random);
        compareWithLongDoubles<std::uint32_t>(DType::UInt32, n, random);
        compareWithLongDoubles<std::uint64_t>(DType::UInt64, n, random);
        compareWithLongDoubles<float>(DType::Float32, n, random);
        compareWithLongDoubles<double>(DType::Float64, n, random);
        if (QTest::currentTestFailed())
            return;
    }
}

void StatsDigestTest::farFromZero()
{
    // A spread of 1 around a thousand million: naive squares lose all of it.
    std::vector<double> values;
    LineSums line;
    for (int i = 0; i < 10000; ++i) {
        values.push_back(1e9 + (i % 2 == 0 ? 1 : -1));
        line.add(values.back());
    }
    const Digest digest = digestOf(DType::Float64, reinterpret_cast<std::byte*>(values.data()), 10000);
    const double sd = std::sqrt(10000.0 / 9999.0);
    QVERIFY(std::abs(*figuresOf(digest, DType::Float64).sd - sd) < 1e-12);
    QVERIFY(std::abs(*figuresOf(line, 10000, false, DType::Float64).sd - sd) < 1e-9);
}

// Counts kept as floats have a way of their own; what is odd may stand anywhere in them.
void StatsDigestTest::wholeFloats_data()
{
    QTest::addColumn<float>("least");
    QTest::addColumn<float>("most");
    QTest::addColumn<float>("odd");
    QTest::newRow("counts") << 0.0f << 30.0f << 7.0f;
    QTest::newRow("all the same") << 65535.0f << 65535.0f << 65535.0f;
    QTest::newRow("nearly the same") << 65535.0f << 65536.0f << 65534.0f;
    QTest::newRow("negative") << -65536.0f << 12.0f << -1.0f;
    QTest::newRow("large") << 0.0f << 5e6f << 16777216.0f;
    QTest::newRow("a fraction") << 0.0f << 9.0f << 0.5f;
    QTest::newRow("a tiny fraction") << 0.0f << 9.0f << 1e-30f;
    QTest::newRow("a huge value") << 0.0f << 9.0f << 3e38f;
}

void StatsDigestTest::wholeFloats()
{
    QFETCH(float, least);
    QFETCH(float, most);
    QFETCH(float, odd);
    std::mt19937_64 random(9);
    for (const std::size_t n : {std::size_t{512}, std::size_t{1024}, std::size_t{1500}}) {
        for (const std::size_t place : {std::size_t{0}, std::size_t{511}, n / 2, n - 1}) {
            std::vector<float> values(n);
            for (float& value : values)
                value = std::floor(least + static_cast<float>(random() % 1000) / 1000 * (most - least + 0.5f));
            values[place] = odd;
            const Digest digest = digestOf(
                DType::Float32, reinterpret_cast<const std::byte*>(values.data()), static_cast<Index>(n));
            long double sum = 0;
            Index nonZero = 0;
            bool fraction = false;
            for (const float value : values) {
                sum += value;
                nonZero += value != 0;
                fraction = fraction || std::trunc(value) != value;
            }
            const long double mean = sum / static_cast<long double>(n);
            long double m2 = 0;
            for (const float value : values)
                m2 += (value - mean) * (value - mean);
            QCOMPARE(digest.values, static_cast<Index>(n));
            QCOMPARE(digest.nonZero, nonZero);
            QCOMPARE(digest.fraction, fraction);
            QCOMPARE(digest.min, static_cast<double>(*std::min_element(values.begin(), values.end())));
            QCOMPARE(digest.max, static_cast<double>(*std::max_element(values.begin(), values.end())));
            QVERIFY(std::abs(static_cast<long double>(digest.sum.value()) - sum) <= 1e-15L * std::abs(sum));
            QVERIFY2(std::abs(static_cast<long double>(digest.moments.m2) - m2) <= 1e-12L * m2,
                     qPrintable(QString::number(digest.moments.m2 - static_cast<double>(m2))));
        }
    }
}

void StatsDigestTest::specialValues()
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float inf = std::numeric_limits<float>::infinity();
    std::vector<float> values(2000, 1.0F);
    values[3] = nan;
    values[1500] = nan;
    Digest digest = digestOf(DType::Float32, reinterpret_cast<std::byte*>(values.data()), 2000);
    Figures figures = figuresOf(digest, DType::Float32);
    QCOMPARE(figures.nan, Index{2});
    QCOMPARE(figures.nnz, Index{2000});
    QCOMPARE(figures.sum.real, 1998.0);
    QCOMPARE(*figures.mean, 1.0);
    QCOMPARE(*figures.sd, 0.0);

    values[700] = -inf;
    digest = digestOf(DType::Float32, reinterpret_cast<std::byte*>(values.data()), 2000);
    figures = figuresOf(digest, DType::Float32);
    QCOMPARE(figures.inf, Index{1});
    QCOMPARE(figures.sum.real, -HUGE_VAL);
    QCOMPARE(figures.minText, std::string("-Infinity"));
    QVERIFY(!figures.sd);

    values[701] = inf;
    figures = figuresOf(digestOf(DType::Float32, reinterpret_cast<std::byte*>(values.data()), 2000),
                        DType::Float32);
    QVERIFY(std::isnan(figures.sum.real)); // as NumPy's

    const std::vector<float> none(5, nan);
    figures = figuresOf(digestOf(DType::Float32, reinterpret_cast<const std::byte*>(none.data()), 5),
                        DType::Float32);
    QVERIFY(!figures.mean && !figures.min && !figures.sd);
    QCOMPARE(figures.sum.real, 0.0);
}

void StatsDigestTest::wideIntegers()
{
    const std::vector<std::uint64_t> values(4, std::numeric_limits<std::uint64_t>::max());
    const Figures figures = figuresOf(
        digestOf(DType::UInt64, reinterpret_cast<const std::byte*>(values.data()), 4), DType::UInt64);
    QCOMPARE(figures.sum.text(), std::string("73786976294838206460"));
    QCOMPARE(figures.maxText, std::string("18446744073709551615"));
    const std::vector<std::int64_t> low(3, std::numeric_limits<std::int64_t>::min());
    QCOMPARE(figuresOf(digestOf(DType::Int64, reinterpret_cast<const std::byte*>(low.data()), 3),
                       DType::Int64)
                 .sum.text(),
             std::string("-27670116110564327424"));
}

void StatsDigestTest::fractions()
{
    for (const double odd : {0.5, 1e-300, 4503599627370495.5, -2251799813685247.75}) {
        std::vector<double> values(1000, 4503599627370496.0);
        Digest digest = digestOf(DType::Float64, reinterpret_cast<std::byte*>(values.data()), 1000);
        QVERIFY(!digest.fraction);
        values[999] = odd;
        digest = digestOf(DType::Float64, reinterpret_cast<std::byte*>(values.data()), 1000);
        QVERIFY2(digest.fraction, QByteArray::number(odd, 'g', 17));
    }
}

void StatsDigestTest::repeats()
{
    const std::vector<float> values{1, 2, 0, 5};
    Digest once = digestOf(DType::Float32, reinterpret_cast<const std::byte*>(values.data()), 4);
    Digest sum;
    for (int i = 0; i < 13; ++i)
        sum.add(once);
    once.repeat(13);
    QCOMPARE(once.values, sum.values);
    QCOMPARE(once.sum.value(), sum.sum.value());
    QVERIFY(std::abs(once.moments.m2 - sum.moments.m2) < 1e-9);
    Digest zeros;
    zeros.addZeros(5);
    QCOMPARE(*figuresOf(zeros, DType::Float32).max, 0.0);
}

void StatsDigestTest::halves()
{
    for (int bits = 0; bits < 0x10000; ++bits) {
        const Half half{static_cast<std::uint16_t>(bits)};
        const float value = toFloat(half);
        if (std::isnan(value)) {
            QVERIFY(std::isnan(toFloat(toHalf(value))));
            continue;
        }
        QCOMPARE(int{toHalf(value).bits}, bits);
        QCOMPARE(value, static_cast<float>(Eigen::half(Eigen::half_impl::raw_uint16_to_half(
                            static_cast<std::uint16_t>(bits)))));
    }
    std::mt19937_64 random(5);
    for (int i = 0; i < 200000; ++i) {
        const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        if (std::isnan(value))
            continue;
        QCOMPARE(int{toHalf(value).bits}, int{Eigen::half_impl::float_to_half_rtne(value).x});
    }
}

void StatsDigestTest::quantiles()
{
    std::vector<double> values{3, -1, 2, 10};
    const Quantiles found = sortedQuantiles(values, 2, {0, 0.2, 0.5, 0.9, 1});
    // numpy.quantile([-1, 0, 0, 2, 3, 10], [0, .2, .5, .9, 1])
    const std::vector<double> expected{-1, 0, 1, 6.5, 10};
    for (std::size_t i = 0; i < expected.size(); ++i)
        QCOMPARE(found[i].second, expected[i]);
    std::vector<double> nothing;
    QVERIFY(sortedQuantiles(nothing, 0, {0.5}).empty());
    QCOMPARE(between(1, HUGE_VAL, 0), 1.0);
}

void StatsDigestTest::judges()
{
    std::mt19937_64 random(3);
    HoldsSample counts;
    HoldsSample log;
    HoldsSample part; // of the log's genes
    HoldsSample noise;
    for (int cell = 0; cell < 30; ++cell) {
        HoldsSample::Cell whole;
        HoldsSample::Cell logged;
        HoldsSample::Cell fewer;
        HoldsSample::Cell other;
        double total = 0;
        for (int gene = 0; gene < 300; ++gene)
            whole.values.push_back(static_cast<double>(1 + random() % 9));
        for (const double value : whole.values)
            total += value;
        for (std::size_t gene = 0; gene < whole.values.size(); ++gene) {
            logged.values.push_back(
                static_cast<double>(static_cast<float>(std::log1p(whole.values[gene] / total * 1e4))));
            if (gene % 3 != static_cast<std::size_t>(cell % 2))
                fewer.values.push_back(logged.values.back());
            other.values.push_back(static_cast<double>(random() % 100000) / 14321.0 + 0.01);
        }
        counts.cells.push_back(whole);
        log.cells.push_back(logged);
        part.cells.push_back(fewer);
        noise.cells.push_back(other);
    }
    for (HoldsSample* sample : {&counts, &log, &part, &noise})
        sample->anyNonZero = true;
    for (HoldsSample* sample : {&log, &part, &noise})
        sample->fraction = true;
    QCOMPARE(judge(counts).holds, Holds::Counts);
    QCOMPARE(judge(log).holds, Holds::Log1p);
    QCOMPARE(judge(log).total.value_or(0), 10000.0);
    QCOMPARE(judge(part).holds, Holds::Log1p);
    QVERIFY(!judge(part).total);
    QCOMPARE(judge(noise).holds, Holds::Other);
    noise.negative = true;
    QCOMPARE(judge(noise).holds, Holds::Other);
    noise.columnMeans = {0.01, -0.02, 0.1};
    noise.columnDeviations = {1.0, 0.98, 1.1};
    QCOMPARE(judge(noise).holds, Holds::Scaled);
    QCOMPARE(judge(HoldsSample()).holds, Holds::Unknown);
}

QTEST_GUILESS_MAIN(StatsDigestTest)
#include "stats_digest_test.moc"
