// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/values.h"

#include "core/base/text.h"

#include <cstring>
#include <limits>

namespace cellfolio {

Values::Values(DType type, Index size) : m_type(type), m_size(size)
{
    if (type == DType::String)
        m_texts.resize(at(size));
    else
        m_bytes.resize(at(size) * sizeOf(type));
}

Values::Values(std::vector<std::string> texts)
    : m_type(DType::String), m_size(static_cast<Index>(texts.size())), m_texts(std::move(texts))
{
}

Index Values::bytes() const noexcept
{
    Index total = static_cast<Index>(m_bytes.size() + m_missing.size()
                                     + m_texts.size() * sizeof(std::string));
    for (const std::string& text : m_texts) {
        if (text.capacity() >= sizeof(std::string))
            total += static_cast<Index>(text.capacity());
    }
    return total;
}

void Values::setMissing(Index i)
{
    if (m_missing.empty())
        m_missing.assign(at(m_size), 0);
    m_missing[at(i)] = 1;
}

double Values::number(Index i) const noexcept
{
    double result = std::numeric_limits<double>::quiet_NaN();
    visitReal(m_type, [&]<typename T>(const T*) { result = toDouble(as<T>()[at(i)]); });
    return result;
}

std::int64_t Values::integer(Index i) const noexcept
{
    std::int64_t result = 0;
    visitReal(m_type, [&]<typename T>(const T*) {
        if constexpr (std::is_same_v<T, Flag>)
            result = as<Flag>()[at(i)].byte != 0;
        else if constexpr (std::is_integral_v<T>)
            result = static_cast<std::int64_t>(as<T>()[at(i)]);
    });
    return result;
}

std::string Values::text(Index i) const
{
    if (isMissing(i))
        return {};
    const std::size_t k = at(i);
    if (m_type == DType::String)
        return m_texts[k];
    if (m_type == DType::Complex64) {
        const auto v = as<std::complex<float>>()[k];
        return "(" + exactText(v.real()) + "," + exactText(v.imag()) + ")";
    }
    if (m_type == DType::Complex128) {
        const auto v = as<std::complex<double>>()[k];
        return "(" + exactText(v.real()) + "," + exactText(v.imag()) + ")";
    }
    std::string result;
    visitReal(m_type, [&]<typename T>(const T*) {
        const T value = as<T>()[k];
        if constexpr (std::is_same_v<T, Flag>)
            result = value.byte != 0 ? "true" : "false";
        else if constexpr (std::is_same_v<T, Half> || std::is_floating_point_v<T>)
            result = exactText(value);
        else if constexpr (std::is_signed_v<T>)
            result = exactText(static_cast<std::int64_t>(value));
        else
            result = exactText(static_cast<std::uint64_t>(value));
    });
    return result;
}

Values Values::gather(std::span<const Index> places) const
{
    Values result(m_type, static_cast<Index>(places.size()));
    if (m_type == DType::String) {
        for (std::size_t k = 0; k < places.size(); ++k)
            result.m_texts[k] = m_texts[at(places[k])];
    } else {
        const std::size_t size = sizeOf(m_type);
        for (std::size_t k = 0; k < places.size(); ++k)
            std::memcpy(result.m_bytes.data() + k * size, m_bytes.data() + at(places[k]) * size, size);
    }
    if (hasMissing()) {
        result.m_missing.resize(places.size());
        for (std::size_t k = 0; k < places.size(); ++k)
            result.m_missing[k] = m_missing[at(places[k])];
    }
    return result;
}

} // namespace cellfolio
