// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/dtype.h"

#include <array>
#include <bit>
#include <utility>

namespace cellfolio {

namespace {

struct DTypeEntry {
    DType type;
    std::string_view name;
    std::size_t size;
};

constexpr std::array<DTypeEntry, 16> kDTypes{{
    {DType::Bool, "bool", 1},
    {DType::Int8, "int8", 1},
    {DType::Int16, "int16", 2},
    {DType::Int32, "int32", 4},
    {DType::Int64, "int64", 8},
    {DType::UInt8, "uint8", 1},
    {DType::UInt16, "uint16", 2},
    {DType::UInt32, "uint32", 4},
    {DType::UInt64, "uint64", 8},
    {DType::Float16, "float16", 2},
    {DType::Float32, "float32", 4},
    {DType::Float64, "float64", 8},
    {DType::Complex64, "complex64", 8},
    {DType::Complex128, "complex128", 16},
    {DType::String, "string", 0},
    {DType::Other, "other", 0},
}};

const DTypeEntry& entry(DType type) noexcept
{
    return kDTypes[static_cast<std::size_t>(type)];
}

} // namespace

std::string_view nameOf(DType type)
{
    return entry(type).name;
}

std::optional<DType> dtypeNamed(std::string_view name)
{
    for (const DTypeEntry& e : kDTypes) {
        if (e.name == name)
            return e.type;
    }
    return std::nullopt;
}

std::size_t sizeOf(DType type) noexcept
{
    return entry(type).size;
}

float toFloat(Half value) noexcept
{
    const std::uint32_t sign = (value.bits & 0x8000u) << 16;
    std::uint32_t exponent = (value.bits >> 10) & 0x1Fu;
    std::uint32_t fraction = value.bits & 0x3FFu;
    if (exponent == 0x1F)
        return std::bit_cast<float>(sign | 0x7F800000u | (fraction << 13));
    if (exponent == 0) {
        if (fraction == 0)
            return std::bit_cast<float>(sign);
        // Subnormal halves are normal floats: shift the leading one into place.
        exponent = 113;
        while ((fraction & 0x400u) == 0) {
            fraction <<= 1;
            --exponent;
        }
        return std::bit_cast<float>(sign | (exponent << 23) | ((fraction & 0x3FFu) << 13));
    }
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

} // namespace cellfolio
