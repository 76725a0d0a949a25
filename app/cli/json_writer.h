// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/output.h"
#include "core/base/values.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cellfolio::cli {

// Writes one JSON text as it comes, without holding it: integers to the last digit, floats in the
// shortest text of their own type, "NaN" and infinities as text, missing as null, complex as
// [re, im], text as valid UTF-8. The caller opens and closes in order; commas are put here.
class JsonWriter
{
public:
    explicit JsonWriter(Output& output) : m_output(output) {}

    void beginObject() { open('{'); }
    void endObject() { close('}'); }
    void beginArray() { open('['); }
    void endArray() { close(']'); }
    void key(std::string_view name);

    void null() { raw("null"); }
    void boolean(bool value) { raw(value ? "true" : "false"); }
    void integer(Index value);
    void number(double value);
    void text(std::string_view value);
    void raw(std::string_view json); // a value that is JSON already

    // Values [first, first + count) of a run, as so many list entries.
    void values(const Values& values, Index first, Index count);

    // key() and the value in one.
    void member(std::string_view name, std::string_view value) { key(name); text(value); }
    void member(std::string_view name, const char* value) { key(name); text(value); }
    void member(std::string_view name, const std::string& value) { key(name); text(value); }
    void member(std::string_view name, bool value) { key(name); boolean(value); }
    void member(std::string_view name, Index value) { key(name); integer(value); }
    void member(std::string_view name, double value) { key(name); number(value); }
    template <typename T>
    void member(std::string_view name, const std::optional<T>& value)
    {
        if (value)
            member(name, *value);
        else
            memberNull(name);
    }
    void memberNull(std::string_view name) { key(name); null(); }
    void member(std::string_view name, const std::vector<Index>& list);
    void member(std::string_view name, const std::vector<std::string>& list);

    // Open objects and lists, and closing them down to such a number; a key that waits for its
    // value gets null. For an answer that fails on the way.
    std::size_t depth() const noexcept { return m_stack.size(); }
    void unwind(std::size_t depth);

    // Texts so far that were not valid UTF-8.
    Index illFormedTexts() const noexcept { return m_illFormed; }

private:
    struct Level {
        char bracket;
        bool empty;
    };
    void open(char bracket);
    void close(char bracket);
    void separate();
    void quoted(std::string_view text);
    void one(const Values& values, Index i);

    Output& m_output;
    std::vector<Level> m_stack;
    bool m_afterKey = false;
    Index m_illFormed = 0;
};

// JSON of a text in quotes, sanitised; for places that need it as a string.
std::string jsonText(std::string_view text);

} // namespace cellfolio::cli
