// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/convert_values.h"

#include "core/matrix/number_types.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace cellfolio {

namespace {

// Whether it is the same number; `huge` holds what lies beyond 63 bits.
template <typename To>
bool fromInteger(std::int64_t value, bool isHuge, std::uint64_t huge, To& out)
{
    if constexpr (std::is_same_v<To, Flag>) {
        out.byte = static_cast<std::uint8_t>(value);
        return !isHuge && (value == 0 || value == 1);
    } else if constexpr (std::is_same_v<To, Half>) {
        const auto wide = static_cast<float>(value);
        out = toHalf(wide);
        return !isHuge && toFloat(out) == static_cast<float>(value) && value >= -65504 && value <= 65504;
    } else if constexpr (std::is_floating_point_v<To>) {
        if (isHuge) {
            out = static_cast<To>(huge);
            return out < static_cast<To>(18446744073709551615.0) && static_cast<std::uint64_t>(out) == huge;
        }
        out = static_cast<To>(value);
        // The largest integers round to 2^63, which is none of them.
        return out < static_cast<To>(9223372036854775808.0) && static_cast<std::int64_t>(out) == value;
    } else if constexpr (std::is_same_v<To, std::uint64_t>) {
        out = isHuge ? huge : static_cast<std::uint64_t>(value);
        return isHuge || value >= 0;
    } else {
        out = static_cast<To>(value);
        return !isHuge && static_cast<std::int64_t>(out) == value;
    }
}

template <typename To, Rounding rounding>
bool fromReal(double value, To& out)
{
    if constexpr (std::is_same_v<To, Half> || std::is_floating_point_v<To>) {
        if constexpr (std::is_same_v<To, Half>)
            out = toHalf(static_cast<float>(value));
        else
            out = static_cast<To>(value);
        if constexpr (rounding == Rounding::Exact)
            return toDouble(out) == value || (std::isnan(value) && std::isnan(toDouble(out)));
        return !std::isfinite(value) || std::isfinite(toDouble(out));
    } else {
        if (!(value >= -9223372036854775808.0 && value < 18446744073709551616.0) || value != std::floor(value)) {
            out = To{};
            return false;
        }
        const bool huge = value >= 9223372036854775808.0;
        return fromInteger(huge ? 0 : static_cast<std::int64_t>(value), huge,
                           huge ? static_cast<std::uint64_t>(value) : 0, out);
    }
}

// What becomes of a number that the type does not hold.
template <typename To>
void forceInteger(std::int64_t value, bool isHuge, To& out)
{
    if constexpr (std::is_same_v<To, Flag>)
        out.byte = 1; // zero and one hold
    else if constexpr (std::is_integral_v<To>)
        out = !isHuge && value < 0 ? std::numeric_limits<To>::min() : std::numeric_limits<To>::max();
    // Floats were rounded.
}

template <typename To>
void forceReal(double value, To& out)
{
    if constexpr (std::is_same_v<To, Flag>) {
        out.byte = 1;
    } else if constexpr (std::is_integral_v<To>) {
        const double whole = std::trunc(value);
        // Limits of 64 bits are no doubles; their neighbours beyond are.
        constexpr double kEnd = std::is_signed_v<To> ? -2.0 * static_cast<double>(std::numeric_limits<To>::min() / 2)
                                                     : 2.0 * static_cast<double>(std::numeric_limits<To>::max() / 2 + 1);
        if (std::isnan(value))
            out = 0;
        else if (whole < static_cast<double>(std::numeric_limits<To>::min()))
            out = std::numeric_limits<To>::min();
        else if (whole >= kEnd)
            out = std::numeric_limits<To>::max();
        else
            out = static_cast<To>(whole);
    }
}

template <typename To, Rounding rounding, typename From>
bool convertOne(From value, To& out)
{
    bool fits = true;
    if constexpr (std::is_same_v<From, Flag>) {
        fits = fromInteger(value.byte != 0 ? 1 : 0, false, 0, out);
    } else if constexpr (std::is_integral_v<From>) {
        bool isHuge = false;
        if constexpr (std::is_same_v<From, std::uint64_t>)
            isHuge = value >> 63 != 0;
        fits = fromInteger(static_cast<std::int64_t>(value), isHuge, static_cast<std::uint64_t>(value), out);
        if constexpr (rounding == Rounding::Lossy)
            if (!fits)
                forceInteger(static_cast<std::int64_t>(value), isHuge, out);
    } else {
        fits = fromReal<To, rounding>(toDouble(value), out);
        if constexpr (rounding == Rounding::Lossy)
            if (!fits)
                forceReal(toDouble(value), out);
    }
    return fits || rounding == Rounding::Lossy;
}

template <Rounding rounding, typename From, typename To>
Index convert(const From* in, Index count, To* out)
{
    for (Index i = 0; i < count; ++i)
        if (!convertOne<To, rounding>(in[i], out[i]))
            return i;
    return -1;
}

template <Rounding rounding>
Index convertAs(DType from, const std::byte* values, Index count, DType to, std::byte* out)
{
    Index bad = -1;
    if (from == DType::Complex128 && to == DType::Complex64) {
        bad = convert<rounding>(reinterpret_cast<const double*>(values), 2 * count, reinterpret_cast<float*>(out));
        return bad < 0 ? bad : bad / 2;
    }
    if (from == DType::Complex64 && to == DType::Complex128)
        return convert<rounding>(reinterpret_cast<const float*>(values), 2 * count, reinterpret_cast<double*>(out));
    visitReal(from, [&]<typename From>(const From*) {
        visitReal(to, [&]<typename To>(const To*) {
            bad = convert<rounding>(reinterpret_cast<const From*>(values), count, reinterpret_cast<To*>(out));
        });
    });
    return bad;
}

int bitsOf(DType type) // of whole numbers that it holds without a gap
{
    switch (type) {
    case DType::Float16: return 11;
    case DType::Float32: return 24;
    case DType::Float64: return 53;
    default: return static_cast<int>(8 * sizeOf(type)) - (isSignedInteger(type) ? 1 : 0);
    }
}

} // namespace

bool canConvert(DType from, DType to)
{
    return from == to || (isReal(from) && isReal(to)) || (isComplex(from) && isComplex(to));
}

bool alwaysExact(DType from, DType to)
{
    if (from == to || from == DType::Bool)
        return true;
    if (to == DType::Bool)
        return false;
    if (isComplex(from) || isComplex(to))
        return from == DType::Complex64 && to == DType::Complex128;
    if (isFloat(from))
        return isFloat(to) && sizeOf(to) >= sizeOf(from);
    // Whole numbers.
    if (isSignedInteger(from) && !isFloat(to) && !isSignedInteger(to))
        return false;
    return bitsOf(from) <= bitsOf(to);
}

Index convertValues(DType from, const std::byte* values, Index count, DType to, std::byte* out, Rounding rounding)
{
    if (from == to) {
        std::memcpy(out, values, at(count) * sizeOf(from));
        return -1;
    }
    switch (rounding) {
    case Rounding::Nearest: return convertAs<Rounding::Nearest>(from, values, count, to, out);
    case Rounding::Exact: return convertAs<Rounding::Exact>(from, values, count, to, out);
    case Rounding::Lossy: return convertAs<Rounding::Lossy>(from, values, count, to, out);
    }
    return -1;
}

void findChanged(DType from, const std::byte* values, Index count, DType to, const std::function<void(Index)>& found)
{
    constexpr Index kStretch = 1024;
    alignas(16) std::byte out[kStretch * 16];
    const std::size_t width = sizeOf(from);
    for (Index first = 0; first < count;) {
        const Index length = std::min(kStretch, count - first);
        const Index bad = convertValues(from, values + at(first) * width, length, to, out, Rounding::Exact);
        if (bad >= 0)
            found(first + bad);
        first += bad >= 0 ? bad + 1 : length;
    }
}

} // namespace cellfolio
