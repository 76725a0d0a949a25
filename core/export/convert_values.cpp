// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/convert_values.h"

#include "core/matrix/number_types.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace cellfolio {

namespace {

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

template <typename To>
bool fromReal(double value, To& out)
{
    if constexpr (std::is_same_v<To, Half>) {
        out = toHalf(static_cast<float>(value));
        return !std::isfinite(value) || std::isfinite(toFloat(out));
    } else if constexpr (std::is_floating_point_v<To>) {
        out = static_cast<To>(value);
        return !std::isfinite(value) || std::isfinite(out);
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

template <typename From, typename To>
Index convert(const From* in, Index count, To* out)
{
    for (Index i = 0; i < count; ++i) {
        bool fits = true;
        if constexpr (std::is_same_v<From, Flag>)
            fits = fromInteger(in[i].byte != 0 ? 1 : 0, false, 0, out[i]);
        else if constexpr (std::is_same_v<From, std::uint64_t>)
            fits = fromInteger(static_cast<std::int64_t>(in[i]), in[i] >> 63 != 0, in[i], out[i]);
        else if constexpr (std::is_integral_v<From>)
            fits = fromInteger(static_cast<std::int64_t>(in[i]), false, 0, out[i]);
        else
            fits = fromReal(toDouble(in[i]), out[i]);
        if (!fits)
            return i;
    }
    return -1;
}

} // namespace

bool canConvert(DType from, DType to)
{
    return from == to || (isReal(from) && isReal(to)) || (isComplex(from) && isComplex(to));
}

Index convertValues(DType from, const std::byte* values, Index count, DType to, std::byte* out)
{
    if (from == to) {
        std::memcpy(out, values, at(count) * sizeOf(from));
        return -1;
    }
    Index bad = -1;
    if (from == DType::Complex64 && to == DType::Complex128)
        return convert(reinterpret_cast<const float*>(values), 2 * count, reinterpret_cast<double*>(out));
    if (from == DType::Complex128 && to == DType::Complex64)
        return convert(reinterpret_cast<const double*>(values), 2 * count, reinterpret_cast<float*>(out)) / 2;
    visitReal(from, [&]<typename From>(const From*) {
        visitReal(to, [&]<typename To>(const To*) {
            bad = convert(reinterpret_cast<const From*>(values), count, reinterpret_cast<To*>(out));
        });
    });
    return bad;
}

} // namespace cellfolio
