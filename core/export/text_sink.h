// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/run/file_system.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace cellfolio {

// Writes a stream of bytes to an open file, packed with gzip or not. Packed ones are a gzip stream of
// several members, each of about a MiB: every reader of gzip takes them for one.
class TextSink
{
public:
    enum class As { Plain, Gzip };
    TextSink(int descriptor, FileSystem& system, As as) : m_descriptor(descriptor), m_system(system), m_as(as) {}

    void write(std::string_view text)
    {
        m_buffer += text;
        if (m_buffer.size() >= kBlock)
            flush();
    }
    void write(char c) { m_buffer += c; }
    // A cell of RFC 4180: in quotes where it holds the mark, a quote or a line break.
    void cell(std::string_view text, char mark);
    // What was written so far becomes a member of its own; its place and length can be kept for
    // replaceHead().
    void flush();
    // Writes the first member anew, not packed, in exactly as many bytes as headBytes() says for a text of
    // that length.
    Result<void> replaceHead(std::string_view text);
    void head(std::string_view text); // the first thing written; may be replaced by one of its length

    Index bytes() const noexcept { return m_bytes; }
    // The first failure, if any.
    Result<void> check() const;

private:
    static constexpr std::size_t kBlock = std::size_t{1} << 20;
    std::string member(std::string_view text, int level) const;
    void put(std::string_view bytes);

    int m_descriptor;
    FileSystem& m_system;
    As m_as;
    std::string m_buffer;
    Index m_bytes = 0;
    int m_failure = 0;
};

} // namespace cellfolio
