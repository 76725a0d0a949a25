// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace cellfolio {

// The lines of a text file, plain or packed with gzip (in one piece or several), in bounded memory. One
// thread.
class TextLines
{
public:
    static Result<TextLines> open(const std::filesystem::path& path);
    TextLines(TextLines&&) noexcept;
    TextLines& operator=(TextLines&&) noexcept;
    ~TextLines();

    // The next line without its end; false behind the last. It lives until the next call. Corrupt where the
    // packed stream is damaged or ends early, or a line is longer than a MiB; Io.
    Result<bool> next(std::string_view& line);
    Index line() const noexcept { return m_line; } // lines so far
    // Bytes of the file that have passed.
    Index bytes() const noexcept;

private:
    TextLines();
    Result<void> fill();

    struct State;
    std::unique_ptr<State> m_state;
    std::string m_text; // unpacked, from m_at on not handed out yet
    std::size_t m_at = 0;
    bool m_ended = false;
    Index m_line = 0;
};

} // namespace cellfolio
