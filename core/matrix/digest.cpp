// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/digest.h"

#include "core/base/text.h"
#include "core/matrix/clones.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

// Values are taken in pieces that stay in the innermost cache: a piece is first made doubles, then
// summed and compared in lanes, then passed again for the squared distances from its own mean.
// A piece whose sum is not finite holds a NaN or an infinity and goes the slow way, so the quick
// way needs no test for them.

namespace cellfolio {

namespace {

__extension__ typedef unsigned __int128 UInt128;

constexpr Index kPiece = 512;

// Eight lanes; the compiler makes of it what the processor at hand has.
typedef double Lanes __attribute__((vector_size(64)));
typedef long long Marks __attribute__((vector_size(64)));
constexpr std::size_t kLanes = 8;

struct PieceFigures {
    double sum;
    double m2;
    double min;
    double max;
    Index nonZero;
    bool fraction;
};

// Requires n > 0. min, max, m2 and fraction mean nothing when the sum is not finite.
CELLFOLIO_CLONES
void lookAt(const double* x, std::size_t n, PieceFigures& result)
{
    // Adding and taking away 1.5 * 2^52 rounds to a whole number, for values below 2^51.
    constexpr double kRound = 6755399441055744.0;
    Lanes sum = {};
    Lanes low;
    Lanes high;
    Lanes fraction = {};
    Marks nonZero = {};
    for (std::size_t j = 0; j < kLanes; ++j)
        low[j] = high[j] = x[0];
    const std::size_t whole = n / kLanes * kLanes;
    for (std::size_t i = 0; i < whole; i += kLanes) {
        Lanes v;
        __builtin_memcpy(&v, x + i, sizeof v);
        sum += v;
        low = v < low ? v : low;
        high = v > high ? v : high;
        nonZero -= (v != 0.0);
        const Lanes off = ((v + kRound) - kRound) - v;
        fraction += off * off;
    }
    double total = 0;
    double away = 0;
    Index count = 0;
    double lowest = x[0];
    double highest = x[0];
    for (std::size_t j = 0; j < kLanes; ++j) {
        total += sum[j];
        away += fraction[j];
        count += nonZero[j];
        lowest = low[j] < lowest ? low[j] : lowest;
        highest = high[j] > highest ? high[j] : highest;
    }
    for (std::size_t i = whole; i < n; ++i) {
        const double v = x[i];
        total += v;
        lowest = v < lowest ? v : lowest;
        highest = v > highest ? v : highest;
        count += v != 0.0 ? 1 : 0;
        const double off = ((v + kRound) - kRound) - v;
        away += off * off;
    }

    const double mean = total / static_cast<double>(n);
    Lanes squares = {};
    for (std::size_t i = 0; i < whole; i += kLanes) {
        Lanes v;
        __builtin_memcpy(&v, x + i, sizeof v);
        const Lanes d = v - mean;
        squares += d * d;
    }
    double m2 = 0;
    for (std::size_t j = 0; j < kLanes; ++j)
        m2 += squares[j];
    for (std::size_t i = whole; i < n; ++i)
        m2 += (x[i] - mean) * (x[i] - mean);
    result = {total, m2, lowest, highest, count, away != 0.0};
}

// A whole piece of floats in one pass, for the commonest matrices, counts: false, and nothing said,
// unless all are whole numbers of at most 16 bits. Then every sum here is exact in a double, the
// squared distances from the mean included (the piece's length is a power of two).
typedef float NarrowLanes __attribute__((vector_size(32)));
typedef int NarrowMarks __attribute__((vector_size(32)));

CELLFOLIO_CLONES
bool lookAtCounts(const float* x, PieceFigures& result)
{
    constexpr float kRound = 12582912.0f; // 1.5 * 2^23: rounds values below 2^22
    constexpr float kMost = 65536.0f;
    NarrowLanes low;
    NarrowLanes high;
    for (std::size_t j = 0; j < kLanes; ++j)
        low[j] = high[j] = x[0];
    NarrowMarks nonZero = {};
    NarrowMarks apart = {};
    Lanes sum = {};
    Lanes squares = {};
    for (std::size_t i = 0; i < static_cast<std::size_t>(kPiece); i += kLanes) {
        NarrowLanes v;
        __builtin_memcpy(&v, x + i, sizeof v);
        low = v < low ? v : low;
        high = v > high ? v : high;
        nonZero -= (v != 0.0f);
        apart |= (((v + kRound) - kRound) != v); // NaN and infinities are apart as well
        const Lanes wide = __builtin_convertvector(v, Lanes);
        sum += wide;
        squares += wide * wide;
    }
    double total = 0;
    double square = 0;
    int odd = 0;
    Index count = 0;
    float lowest = x[0];
    float highest = x[0];
    for (std::size_t j = 0; j < kLanes; ++j) {
        total += sum[j];
        square += squares[j];
        odd |= apart[j];
        count += nonZero[j];
        lowest = low[j] < lowest ? low[j] : lowest;
        highest = high[j] > highest ? high[j] : highest;
    }
    if (odd != 0 || lowest < -kMost || highest > kMost)
        return false;
    result = {total, square - total * total / static_cast<double>(kPiece), lowest, highest, count,
              false};
    return true;
}

// The quick test for fractions fails for values it cannot round, and where squares of tiny
// fractions vanish; this one does not.
bool hasFraction(const double* x, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        if (std::isfinite(x[i]) && std::trunc(x[i]) != x[i])
            return true;
    return false;
}

template <typename T>
void widen(const T* from, std::size_t n, double* to)
{
    for (std::size_t i = 0; i < n; ++i)
        to[i] = toDouble(from[i]);
}

// The commonest type, with the processor's widest conversions.
CELLFOLIO_CLONES
void widen(const float* from, std::size_t n, double* to)
{
    for (std::size_t i = 0; i < n; ++i)
        to[i] = static_cast<double>(from[i]);
}

template <typename T>
constexpr bool kWide = std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t>;
template <typename T>
constexpr bool kFloating = std::is_floating_point_v<T> || std::is_same_v<T, Half>;

void addWithSpecials(const double* x, std::size_t n, Digest& digest)
{
    double finite[kPiece];
    std::size_t count = 0;
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        digest.nonZero += x[i] != 0.0 ? 1 : 0;
        if (std::isnan(x[i])) {
            ++digest.nan;
            continue;
        }
        digest.min = digest.any ? std::min(digest.min, x[i]) : x[i];
        digest.max = digest.any ? std::max(digest.max, x[i]) : x[i];
        digest.any = true;
        if (std::isinf(x[i])) {
            ++(x[i] > 0 ? digest.positiveInf : digest.negativeInf);
            continue;
        }
        finite[count++] = x[i];
        digest.sum.add(x[i]);
        sum += x[i];
    }
    if (count == 0)
        return;
    // The plain sum of finite values may still overflow; then the spread is not to be had.
    Moments moments;
    moments.n = static_cast<Index>(count);
    moments.mean = sum / static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i)
        moments.m2 += (finite[i] - moments.mean) * (finite[i] - moments.mean);
    digest.moments.add(moments);
    digest.fraction = digest.fraction || hasFraction(finite, count);
}

template <typename T>
Digest digestTyped(const T* values, Index count)
{
    Digest digest;
    digest.values = count;
    alignas(64) double piece[kPiece];
    for (Index start = 0; start < count; start += kPiece) {
        const std::size_t n = at(std::min(kPiece, count - start));
        const T* from = values + start;
        const double* x = piece;
        PieceFigures figures;
        bool counts = false;
        if constexpr (std::is_same_v<T, float>)
            counts = !digest.fraction && n == at(kPiece) && lookAtCounts(from, figures);
        if (!counts) {
            if constexpr (std::is_same_v<T, double>)
                x = from;
            else
                widen(from, n, piece);
            lookAt(x, n, figures);
        }
        if constexpr (kFloating<T>) {
            if (!std::isfinite(figures.sum)) {
                addWithSpecials(x, n, digest);
                continue;
            }
            constexpr double kRoundable = 2251799813685248.0; // 2^51
            if (!counts && !digest.fraction) {
                const bool sure = figures.min > -kRoundable && figures.max < kRoundable;
                digest.fraction = sure && figures.fraction;
                if (!digest.fraction && (!sure || std::is_same_v<T, double>))
                    digest.fraction = hasFraction(x, n);
            }
            digest.sum.add(figures.sum);
        } else if constexpr (kWide<T>) {
            const auto [low, high] = std::minmax_element(from, from + n);
            for (std::size_t i = 0; i < n; ++i)
                digest.whole += from[i];
            digest.wholeMin = digest.any ? std::min<Int128>(digest.wholeMin, *low) : *low;
            digest.wholeMax = digest.any ? std::max<Int128>(digest.wholeMax, *high) : *high;
        } else {
            // Whole numbers of at most 32 bits: the double is exact for a piece of them.
            digest.whole += static_cast<std::int64_t>(figures.sum);
            const auto low = static_cast<std::int64_t>(figures.min);
            const auto high = static_cast<std::int64_t>(figures.max);
            digest.wholeMin = digest.any ? std::min<Int128>(digest.wholeMin, low) : low;
            digest.wholeMax = digest.any ? std::max<Int128>(digest.wholeMax, high) : high;
        }
        digest.min = digest.any ? std::min(digest.min, figures.min) : figures.min;
        digest.max = digest.any ? std::max(digest.max, figures.max) : figures.max;
        digest.any = true;
        digest.nonZero += figures.nonZero;
        digest.moments.add({static_cast<Index>(n), figures.sum / static_cast<double>(n),
                            figures.m2});
    }
    return digest;
}

std::string wholeText(Int128 value)
{
    if (value == 0)
        return "0";
    const bool negative = value < 0;
    auto rest = static_cast<UInt128>(negative ? -value : value);
    std::string text;
    for (; rest != 0; rest /= 10)
        text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    return negative ? "-" + text : text;
}

std::string floatText(double value, DType type)
{
    // Widened without loss, so it goes back to the very value it came from.
    if (type == DType::Float64 || !std::isfinite(value))
        return exactText(value);
    return exactText(static_cast<float>(value));
}

} // namespace

void CarriedSum::add(double value) noexcept
{
    const double sum = m_sum + value;
    m_lost += std::abs(m_sum) >= std::abs(value) ? (m_sum - sum) + value : (value - sum) + m_sum;
    m_sum = sum;
}

void Moments::add(const Moments& other) noexcept
{
    if (other.n == 0)
        return;
    if (n == 0) {
        *this = other;
        return;
    }
    const double a = static_cast<double>(n);
    const double b = static_cast<double>(other.n);
    const double difference = other.mean - mean;
    mean += difference * (b / (a + b));
    m2 += other.m2 + difference * difference * (a * b / (a + b));
    n += other.n;
}

void Digest::add(const Digest& other) noexcept
{
    values += other.values;
    nonZero += other.nonZero;
    nan += other.nan;
    positiveInf += other.positiveInf;
    negativeInf += other.negativeInf;
    fraction = fraction || other.fraction;
    sum.add(other.sum);
    whole += other.whole;
    moments.add(other.moments);
    if (!other.any)
        return;
    min = any ? std::min(min, other.min) : other.min;
    max = any ? std::max(max, other.max) : other.max;
    wholeMin = any ? std::min(wholeMin, other.wholeMin) : other.wholeMin;
    wholeMax = any ? std::max(wholeMax, other.wholeMax) : other.wholeMax;
    any = true;
}

void Digest::repeat(Index times) noexcept
{
    // By doubling, so that nothing needs an arithmetic of its own.
    Digest power = *this;
    *this = Digest();
    for (; times > 0; times /= 2) {
        if (times % 2 != 0)
            add(power);
        const Digest copy = power;
        power.add(copy);
    }
}

void Digest::addZeros(Index count) noexcept
{
    if (count <= 0)
        return;
    Digest zeros;
    zeros.values = count;
    zeros.moments.n = count;
    zeros.any = true;
    add(zeros);
}

Digest digestOf(DType type, const std::byte* values, Index count)
{
    Digest result;
    visitReal(type, [&]<typename T>(const T*) {
        result = digestTyped(reinterpret_cast<const T*>(values), count);
    });
    return result;
}

Figures figuresOf(const Digest& digest, DType type)
{
    Figures figures;
    figures.n = digest.values;
    figures.stored = digest.values;
    figures.nnz = digest.nonZero;
    figures.nan = digest.nan;
    figures.inf = digest.positiveInf + digest.negativeInf;
    const Index numbers = digest.values - digest.nan;
    figures.sum.integral = !isFloat(type);
    figures.sum.whole = digest.whole;
    figures.sum.real = digest.sum.value();
    if (figures.inf > 0) {
        const double inf = std::numeric_limits<double>::infinity();
        figures.sum.real = digest.negativeInf == 0   ? inf
                           : digest.positiveInf == 0 ? -inf
                                                     : std::numeric_limits<double>::quiet_NaN();
    }
    if (numbers > 0)
        figures.mean = figures.sum.number() / static_cast<double>(numbers);
    if (numbers > 1 && figures.inf == 0 && std::isfinite(digest.moments.m2))
        figures.sd = std::sqrt(digest.moments.m2 / static_cast<double>(numbers - 1));
    if (digest.any) {
        figures.min = digest.min;
        figures.max = digest.max;
        figures.minText = isFloat(type) ? floatText(digest.min, type) : wholeText(digest.wholeMin);
        figures.maxText = isFloat(type) ? floatText(digest.max, type) : wholeText(digest.wholeMax);
    }
    return figures;
}

std::string Sum::text() const
{
    return integral ? wholeText(whole) : exactText(real);
}

double Sum::number() const
{
    return integral ? static_cast<double>(whole) : real;
}

} // namespace cellfolio
