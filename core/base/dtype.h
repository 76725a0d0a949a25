// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"

#include <complex>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cellfolio {

// Type of the values of an array, whatever its byte order on disk. In memory values are always
// native: Bool as one byte 0/1, Float16 as its 16 bits, String as std::string.
enum class DType {
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Float16,
    Float32,
    Float64,
    Complex64,
    Complex128,
    String,
    Other, // records, opaque bytes, references …: never read as values
};

// "float32", "string"…; Other is "other".
std::string_view nameOf(DType type);
std::optional<DType> dtypeNamed(std::string_view name);

// Bytes a value takes in memory; 0 for String and Other.
std::size_t sizeOf(DType type) noexcept;

constexpr bool isSignedInteger(DType t) noexcept { return t >= DType::Int8 && t <= DType::Int64; }
constexpr bool isUnsignedInteger(DType t) noexcept { return t >= DType::UInt8 && t <= DType::UInt64; }
constexpr bool isInteger(DType t) noexcept { return t >= DType::Int8 && t <= DType::UInt64; }
constexpr bool isFloat(DType t) noexcept { return t >= DType::Float16 && t <= DType::Float64; }
constexpr bool isComplex(DType t) noexcept { return t == DType::Complex64 || t == DType::Complex128; }
// A real number or a boolean: what can be summed and compared.
constexpr bool isReal(DType t) noexcept { return t <= DType::Float64; }

// A half-precision float as stored; a type of its own so that templates can tell it from uint16.
struct Half {
    std::uint16_t bits;
};
float toFloat(Half value) noexcept;

// A boolean as stored in memory; not bool, since any byte may come from a file.
struct Flag {
    std::uint8_t byte;
};

// Calls f with a null pointer of the C++ type that holds the values of a real dtype:
//     visitReal(type, [&]<typename T>(const T*) { … });
// Types: Flag, int8_t … int64_t, uint8_t … uint64_t, Half, float, double. Other dtypes: no call,
// and false.
template <typename F>
bool visitReal(DType type, F&& f)
{
    switch (type) {
    case DType::Bool: f(static_cast<const Flag*>(nullptr)); return true;
    case DType::Int8: f(static_cast<const std::int8_t*>(nullptr)); return true;
    case DType::Int16: f(static_cast<const std::int16_t*>(nullptr)); return true;
    case DType::Int32: f(static_cast<const std::int32_t*>(nullptr)); return true;
    case DType::Int64: f(static_cast<const std::int64_t*>(nullptr)); return true;
    case DType::UInt8: f(static_cast<const std::uint8_t*>(nullptr)); return true;
    case DType::UInt16: f(static_cast<const std::uint16_t*>(nullptr)); return true;
    case DType::UInt32: f(static_cast<const std::uint32_t*>(nullptr)); return true;
    case DType::UInt64: f(static_cast<const std::uint64_t*>(nullptr)); return true;
    case DType::Float16: f(static_cast<const Half*>(nullptr)); return true;
    case DType::Float32: f(static_cast<const float*>(nullptr)); return true;
    case DType::Float64: f(static_cast<const double*>(nullptr)); return true;
    case DType::Complex64:
    case DType::Complex128:
    case DType::String:
    case DType::Other:
        return false;
    }
    return false;
}

// The number behind a stored value, as double (64-bit integers may round).
inline double toDouble(Flag value) noexcept { return value.byte != 0 ? 1.0 : 0.0; }
inline double toDouble(Half value) noexcept { return static_cast<double>(toFloat(value)); }
template <typename T>
double toDouble(T value) noexcept
{
    return static_cast<double>(value);
}

} // namespace cellfolio
