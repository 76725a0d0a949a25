// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as another type: the rules against each other, on the values where types end. The interop test
// compares them with NumPy.
#include "core/base/values.h"
#include "core/matrix/convert_values.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace cellfolio;

namespace {

const std::vector<DType> kTypes{DType::Bool,   DType::Int8,   DType::Int16,  DType::Int32,   DType::Int64,   DType::UInt8,
                                DType::UInt16, DType::UInt32, DType::UInt64, DType::Float16, DType::Float32, DType::Float64};

// Values of a type around the ends of all of them.
Values samples(DType type)
{
    std::vector<double> doubles{0, 1, 2, -1, 0.5, -1.5, 1e-45, 1e30, 1e300, std::nan(""), INFINITY, -INFINITY};
    std::vector<std::int64_t> wholes{0, 1, -1, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    for (int bits = 1; bits < 63; ++bits)
        for (const std::int64_t step : {-1, 0, 1}) {
            wholes.push_back((std::int64_t{1} << bits) + step);
            wholes.push_back(-(std::int64_t{1} << bits) + step);
        }
    const auto count = static_cast<Index>(isFloat(type) ? doubles.size() + wholes.size() : wholes.size());
    Values values(type, count);
    Values wide(isFloat(type) ? DType::Float64 : DType::Int64, count);
    if (isFloat(type)) {
        for (const std::int64_t w : wholes)
            doubles.push_back(static_cast<double>(w));
        std::memcpy(wide.data(), doubles.data(), doubles.size() * 8);
    } else {
        std::memcpy(wide.data(), wholes.data(), wholes.size() * 8);
    }
    convertValues(wide.type(), wide.data(), count, type, values.data(), Rounding::Lossy);
    if (type == DType::UInt64) // beyond what comes from signed ones
        values.as<std::uint64_t>()[at(count - 1)] = std::numeric_limits<std::uint64_t>::max();
    return values;
}

std::vector<Index> changed(const Values& values, DType to)
{
    std::vector<Index> found;
    findChanged(values.type(), values.data(), values.size(), to, [&](Index i) { found.push_back(i); });
    return found;
}

} // namespace

class ConvertValuesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void whatIsExactReadsBackEqual();
    void whereAllIsExactNothingChanges();
    void lossyIsExactWhereItCanBe();
    void theFirstThatChangesIsTold();
    void complexNumbers();
};

void ConvertValuesTest::whatIsExactReadsBackEqual()
{
    for (const DType from : kTypes)
        for (const DType to : kTypes) {
            const Values values = samples(from);
            for (Index i = 0; i < values.size(); ++i) {
                const Index one[] = {i};
                const Values value = values.gather(one);
                Values there(to, 1);
                if (convertValues(from, value.data(), 1, to, there.data(), Rounding::Exact) >= 0)
                    continue;
                Values back(from, 1);
                QCOMPARE(convertValues(to, there.data(), 1, from, back.data(), Rounding::Lossy), Index{-1});
                const std::string expected = value.text(0) == "-0" ? "0" : value.text(0);
                const std::string got = back.text(0) == "-0" ? "0" : back.text(0);
                QVERIFY2(expected == got, qPrintable(QString::fromStdString(std::string(nameOf(from)) + " to "
                                                                            + std::string(nameOf(to)) + ": " + expected + ", " + got)));
            }
        }
}

void ConvertValuesTest::whereAllIsExactNothingChanges()
{
    for (const DType from : kTypes)
        for (const DType to : kTypes) {
            const std::vector<Index> found = changed(samples(from), to);
            QVERIFY2(alwaysExact(from, to) == found.empty(),
                     qPrintable(QString::fromStdString(std::string(nameOf(from)) + " to " + std::string(nameOf(to)))));
        }
}

void ConvertValuesTest::lossyIsExactWhereItCanBe()
{
    for (const DType from : kTypes)
        for (const DType to : kTypes) {
            const Values values = samples(from);
            Values forced(to, values.size());
            QCOMPARE(convertValues(from, values.data(), values.size(), to, forced.data(), Rounding::Lossy), Index{-1});
            const std::vector<Index> found = changed(values, to);
            for (Index i = 0; i < values.size(); ++i) {
                if (std::find(found.begin(), found.end(), i) != found.end())
                    continue;
                const Index one[] = {i};
                Values exact(to, 1);
                QCOMPARE(convertValues(from, values.gather(one).data(), 1, to, exact.data(), Rounding::Exact), Index{-1});
                QCOMPARE(exact.text(0), forced.text(i));
            }
        }
}

void ConvertValuesTest::theFirstThatChangesIsTold()
{
    std::vector<double> numbers(5000, 2.0);
    std::vector<float> out(numbers.size());
    numbers[1023] = 0.1;
    numbers[1024] = 0.3;
    numbers[4999] = 1e300;
    const auto* bytes = reinterpret_cast<const std::byte*>(numbers.data());
    auto* to = reinterpret_cast<std::byte*>(out.data());
    QCOMPARE(convertValues(DType::Float64, bytes, 5000, DType::Float32, to, Rounding::Exact), Index{1023});
    QCOMPARE(convertValues(DType::Float64, bytes, 5000, DType::Float32, to, Rounding::Nearest), Index{4999});
    std::vector<Index> found;
    findChanged(DType::Float64, bytes, 5000, DType::Float32, [&](Index i) { found.push_back(i); });
    QCOMPARE(found, (std::vector<Index>{1023, 1024, 4999}));
}

void ConvertValuesTest::complexNumbers()
{
    const double numbers[] = {1, 2, 3, 0.1};
    float out[4] = {};
    const auto* bytes = reinterpret_cast<const std::byte*>(numbers);
    QCOMPARE(convertValues(DType::Complex128, bytes, 2, DType::Complex64, reinterpret_cast<std::byte*>(out), Rounding::Exact), Index{1});
    QCOMPARE(convertValues(DType::Complex128, bytes, 2, DType::Complex64, reinterpret_cast<std::byte*>(out), Rounding::Lossy), Index{-1});
    QCOMPARE(out[3], 0.1F);
    QVERIFY(!canConvert(DType::Complex64, DType::Float32));
    QVERIFY(alwaysExact(DType::Complex64, DType::Complex128) && !alwaysExact(DType::Complex128, DType::Complex64));
}

QTEST_GUILESS_MAIN(ConvertValuesTest)
#include "convert_values_test.moc"
