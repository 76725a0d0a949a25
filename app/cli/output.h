// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <string>
#include <string_view>

namespace cellfolio::cli {

// Standard output, buffered. A reader that closes the pipe ends the program quietly with 0, as the
// contract says: nothing is being written elsewhere that would have to be cleaned up. Any other
// failure is kept, and what follows is dropped.
class Output
{
public:
    explicit Output(int descriptor) : m_descriptor(descriptor) { m_buffer.reserve(kBuffer); }
    // Into a string instead, which must outlive it; what would make it longer than `most` fails.
    Output(std::string& into, std::size_t most) : m_into(&into), m_most(most) {}
    ~Output() { flush(); }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    void write(std::string_view text)
    {
        if (m_buffer.size() + text.size() > kBuffer)
            flush();
        if (text.size() >= kBuffer)
            put(text);
        else
            m_buffer.append(text);
    }
    void write(char c)
    {
        if (m_buffer.size() == kBuffer)
            flush();
        m_buffer.push_back(c);
    }
    void flush();

    // Whether everything could be written so far; why not, in words of the system.
    bool ok() const noexcept { return m_failure == 0; }
    std::string failure() const;
    // Whether it waits for a reader right now; for other threads.
    bool isWaiting() const noexcept { return m_waiting; }

private:
    void put(std::string_view text);

    static constexpr std::size_t kBuffer = 1 << 16;
    int m_descriptor = -1;
    std::string* m_into = nullptr;
    std::size_t m_most = 0;
    int m_failure = 0;
    std::atomic<bool> m_waiting = false;
    std::string m_buffer;
};

} // namespace cellfolio::cli
