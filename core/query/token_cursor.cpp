// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/token_cursor.h"

#include <charconv>
#include <limits>

namespace cellfolio::query {

Numeral numberOf(const std::string& text)
{
    const char* end = text.data() + text.size();
    std::int64_t whole = 0;
    if (auto [to, error] = std::from_chars(text.data(), end, whole);
        error == std::errc() && to == end)
        return whole;
    std::uint64_t large = 0;
    if (auto [to, error] = std::from_chars(text.data(), end, large);
        error == std::errc() && to == end)
        return large;
    double real = 0;
    if (auto [to, error] = std::from_chars(text.data(), end, real); error != std::errc())
        real = text.find("e-") == std::string::npos && text.find("E-") == std::string::npos
                 ? std::numeric_limits<double>::infinity()
                 : 0.0;
    return real;
}

Numeral negative(const Numeral& number)
{
    if (const auto* whole = std::get_if<std::int64_t>(&number))
        return -*whole; // what was written has no sign, so it is never the smallest
    if (const auto* large = std::get_if<std::uint64_t>(&number)) {
        if (*large == std::uint64_t{1} << 63)
            return std::numeric_limits<std::int64_t>::min();
        return -static_cast<double>(*large);
    }
    return -std::get<double>(number);
}

} // namespace cellfolio::query
