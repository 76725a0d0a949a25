// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/json_writer.h"

#include "core/base/text.h"

#include <charconv>
#include <cmath>
#include <complex>

namespace cellfolio::cli {
namespace {

// Appends the text with what JSON escapes escaped; it must be valid UTF-8.
template <typename Append>
void escape(std::string_view text, Append&& append)
{
    std::size_t done = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const unsigned char c = static_cast<unsigned char>(text[i]);
        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        append(text.substr(done, i - done));
        done = i + 1;
        switch (c) {
        case '"': append("\\\""); break;
        case '\\': append("\\\\"); break;
        case '\n': append("\\n"); break;
        case '\r': append("\\r"); break;
        case '\t': append("\\t"); break;
        default: {
            constexpr char kHex[] = "0123456789abcdef";
            const char code[6] = {'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15]};
            append(std::string_view(code, 6));
        }
        }
    }
    append(text.substr(done));
}

} // namespace

std::string jsonText(std::string_view text)
{
    std::string result = "\"";
    const auto append = [&result](std::string_view part) { result.append(part); };
    if (isUtf8(text))
        escape(text, append);
    else
        escape(toUtf8(text), append);
    result.push_back('"');
    return result;
}

void JsonWriter::separate()
{
    if (m_afterKey) {
        m_afterKey = false;
        return;
    }
    if (m_stack.empty())
        return;
    if (!m_stack.back().empty)
        m_output.write(',');
    m_stack.back().empty = false;
}

void JsonWriter::open(char bracket)
{
    separate();
    m_stack.push_back({bracket, true});
    m_output.write(bracket);
}

void JsonWriter::close(char bracket)
{
    m_stack.pop_back();
    m_output.write(bracket);
}

void JsonWriter::unwind(std::size_t depth)
{
    if (m_afterKey)
        null();
    while (m_stack.size() > depth)
        close(m_stack.back().bracket == '{' ? '}' : ']');
}

void JsonWriter::quoted(std::string_view text)
{
    m_output.write('"');
    escape(text, [this](std::string_view part) { m_output.write(part); });
    m_output.write('"');
}

void JsonWriter::key(std::string_view name)
{
    separate();
    if (isUtf8(name))
        quoted(name);
    else
        quoted(toUtf8(name));
    m_output.write(':');
    m_afterKey = true;
}

void JsonWriter::raw(std::string_view json)
{
    separate();
    m_output.write(json);
}

void JsonWriter::integer(Index value)
{
    char buffer[24];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    raw({buffer, static_cast<std::size_t>(end - buffer)});
}

void JsonWriter::number(double value)
{
    if (std::isfinite(value))
        raw(exactText(value));
    else
        text(exactText(value));
}

void JsonWriter::text(std::string_view value)
{
    separate();
    if (isUtf8(value)) {
        quoted(value);
    } else {
        ++m_illFormed;
        quoted(toUtf8(value));
    }
}

void JsonWriter::member(std::string_view name, const std::vector<Index>& list)
{
    key(name);
    beginArray();
    for (const Index value : list)
        integer(value);
    endArray();
}

void JsonWriter::member(std::string_view name, const std::vector<std::string>& list)
{
    key(name);
    beginArray();
    for (const std::string& value : list)
        text(value);
    endArray();
}

void JsonWriter::values(const Values& values, Index first, Index count)
{
    const auto each = [&](auto&& write) {
        for (Index i = first; i < first + count; ++i) {
            if (values.isMissing(i))
                null();
            else
                write(at(i));
        }
    };
    const auto complexNumber = [&](auto value) {
        beginArray();
        for (const auto part : {value.real(), value.imag()}) {
            if (std::isfinite(part))
                raw(exactText(part));
            else
                text(exactText(part));
        }
        endArray();
    };
    switch (values.type()) {
    case DType::String:
        each([&](std::size_t i) { text(values.texts()[i]); });
        return;
    case DType::Complex64:
        each([&](std::size_t i) { complexNumber(values.as<std::complex<float>>()[i]); });
        return;
    case DType::Complex128:
        each([&](std::size_t i) { complexNumber(values.as<std::complex<double>>()[i]); });
        return;
    case DType::Other:
        each([&](std::size_t) { null(); });
        return;
    default:
        break;
    }
    visitReal(values.type(), [&]<typename T>(const T*) {
        const auto numbers = values.as<T>();
        each([&](std::size_t i) {
            const T value = numbers[i];
            if constexpr (std::is_same_v<T, Flag>) {
                boolean(value.byte != 0);
            } else if constexpr (std::is_integral_v<T>) {
                char buffer[24];
                const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
                raw({buffer, static_cast<std::size_t>(end - buffer)});
            } else {
                // Most values of a matrix are small whole numbers; the general way costs more.
                const double real = toDouble(value);
                if (real >= 0 && real <= 9 && real == std::floor(real) && !std::signbit(real)) {
                    const char digit = static_cast<char>('0' + static_cast<int>(real));
                    raw({&digit, 1});
                } else if (std::isfinite(real)) {
                    raw(exactText(value));
                } else {
                    text(exactText(value));
                }
            }
        });
    });
}

} // namespace cellfolio::cli
