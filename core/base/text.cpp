// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace cellfolio {

namespace {

template <typename T>
std::string floatText(T value)
{
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value < 0 ? "-Infinity" : "Infinity";
    std::array<char, 64> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return error == std::errc() ? std::string(buffer.data(), end) : std::string();
}

template <typename T>
std::string integerText(T value)
{
    std::array<char, 32> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return error == std::errc() ? std::string(buffer.data(), end) : std::string();
}

// The half nearest to a value, ties to even, by trying both neighbours in bit order.
std::uint16_t nearestHalfBits(double magnitude)
{
    std::uint16_t low = 0;
    std::uint16_t high = 0x7C00; // infinity
    while (high - low > 1) {
        const auto middle = static_cast<std::uint16_t>((low + high) / 2);
        if (static_cast<double>(toFloat(Half{middle})) <= magnitude)
            low = middle;
        else
            high = middle;
    }
    const double below = static_cast<double>(toFloat(Half{low}));
    const double above = high == 0x7C00 ? 65536.0 : static_cast<double>(toFloat(Half{high}));
    const double toLow = magnitude - below;
    const double toHigh = above - magnitude;
    if (toLow == toHigh)
        return (low & 1u) == 0 ? low : high;
    return toLow < toHigh ? low : high;
}

// Length of a well-formed sequence at the start of `text`, 0 if it is ill-formed.
std::size_t sequenceLength(std::string_view text) noexcept
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80)
        return 1;
    std::size_t length = 0;
    unsigned low = 0x80;
    unsigned high = 0xBF;
    if (first >= 0xC2 && first <= 0xDF) {
        length = 2;
    } else if (first >= 0xE0 && first <= 0xEF) {
        length = 3;
        if (first == 0xE0)
            low = 0xA0;
        if (first == 0xED)
            high = 0x9F; // surrogates
    } else if (first >= 0xF0 && first <= 0xF4) {
        length = 4;
        if (first == 0xF0)
            low = 0x90;
        if (first == 0xF4)
            high = 0x8F;
    } else {
        return 0;
    }
    if (text.size() < length || byte(1) < low || byte(1) > high)
        return 0;
    for (std::size_t i = 2; i < length; ++i) {
        if (byte(i) < 0x80 || byte(i) > 0xBF)
            return 0;
    }
    return length;
}

std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0u : 1u)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

} // namespace

std::string exactText(double value)
{
    return floatText(value);
}

std::string exactText(float value)
{
    return floatText(value);
}

std::string exactText(Half value)
{
    const float wide = toFloat(value);
    if (std::isnan(wide) || std::isinf(wide))
        return floatText(wide);
    const bool negative = std::signbit(wide);
    const double magnitude = std::fabs(static_cast<double>(wide));
    if (magnitude == 0)
        return negative ? "-0" : "0";
    const auto bits = static_cast<std::uint16_t>(value.bits & 0x7FFFu);
    std::array<char, 32> buffer{};
    for (int digits = 1; digits <= 5; ++digits) {
        const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                                magnitude, std::chars_format::scientific, digits - 1);
        double back = 0;
        std::from_chars(buffer.data(), end, back);
        // The shortest digits, in the form to_chars would give them as a double.
        if (error == std::errc() && nearestHalfBits(back) == bits)
            return (negative ? "-" : "") + floatText(back);
    }
    return floatText(wide);
}

std::string exactText(std::int64_t value)
{
    return integerText(value);
}

std::string exactText(std::uint64_t value)
{
    return integerText(value);
}

bool parseInteger(std::string_view text, std::int64_t& value)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool parseNumber(std::string_view text, double& value)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

std::string grouped(Index value, std::string_view mark)
{
    std::string digits = exactText(static_cast<std::int64_t>(value));
    const std::size_t start = digits[0] == '-' ? 1 : 0;
    for (std::size_t i = digits.size(); i > start + 3; i -= 3)
        digits.insert(i - 3, mark);
    return digits;
}

std::string byteText(Index bytes)
{
    if (bytes < 1024)
        return bytes == 1 ? "1 byte" : exactText(static_cast<std::int64_t>(bytes)) + " bytes";
    static constexpr std::array<const char*, 5> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB"};
    double amount = static_cast<double>(bytes) / 1024.0;
    std::size_t unit = 0;
    while (amount >= 1023.95 && unit + 1 < kUnits.size()) {
        amount /= 1024.0;
        ++unit;
    }
    std::array<char, 32> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), amount,
                                            std::chars_format::fixed, amount < 100 ? 1 : 0);
    std::string text(buffer.data(), error == std::errc() ? end : buffer.data());
    if (text.size() > 2 && text.ends_with(".0"))
        text.resize(text.size() - 2);
    return text + " " + kUnits[unit];
}

std::string counted(Index n, std::string_view one, std::string_view many)
{
    return grouped(n) + " " + std::string(n == 1 ? one : many);
}

std::string lowered(std::string_view text)
{
    std::string result(text);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

bool isUtf8(std::string_view text) noexcept
{
    while (!text.empty()) {
        const std::size_t length = sequenceLength(text);
        if (length == 0)
            return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string toUtf8(std::string_view text)
{
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = sequenceLength(text);
        if (length == 0) {
            result += "\xEF\xBF\xBD";
            text.remove_prefix(1);
        } else {
            result.append(text.substr(0, length));
            text.remove_prefix(length);
        }
    }
    return result;
}

std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& names,
                                 std::size_t most)
{
    const std::string wanted = lowered(name.substr(0, 200));
    const std::size_t far = std::max<std::size_t>(2, wanted.size() / 3);
    std::vector<std::pair<std::size_t, std::size_t>> ranked;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string candidate = lowered(std::string_view(names[i]).substr(0, 200));
        const std::size_t gap = candidate.size() > wanted.size() ? candidate.size() - wanted.size()
                                                                 : wanted.size() - candidate.size();
        if (gap > far)
            continue;
        const std::size_t distance = editDistance(wanted, candidate);
        if (distance <= far)
            ranked.emplace_back(distance, i);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<std::string> result;
    for (std::size_t k = 0; k < std::min(most, ranked.size()); ++k)
        result.push_back(names[ranked[k].second]);
    return result;
}

std::vector<std::string> splitPath(std::string_view path)
{
    std::vector<std::string> parts;
    std::size_t start = 0;
    while (start <= path.size()) {
        const std::size_t slash = std::min(path.find('/', start), path.size());
        if (slash > start)
            parts.emplace_back(path.substr(start, slash - start));
        start = slash + 1;
    }
    return parts;
}

std::string joinPath(std::string_view parent, std::string_view name)
{
    std::string result(parent);
    if (!result.empty() && !result.ends_with('/'))
        result += '/';
    result += name;
    return result;
}

} // namespace cellfolio
