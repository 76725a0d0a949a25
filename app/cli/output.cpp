// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace cellfolio::cli {

void Output::flush()
{
    put(m_buffer);
    m_buffer.clear();
}

void Output::put(std::string_view text)
{
    if (m_into != nullptr) {
        if (text.size() > m_most - m_into->size())
            m_failure = EFBIG;
        else if (m_failure == 0)
            m_into->append(text);
        return;
    }
    while (!text.empty() && m_failure == 0) {
        m_waiting = true;
        const ssize_t written = ::write(m_descriptor, text.data(), text.size());
        m_waiting = false;
        if (written >= 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EPIPE) {
            std::_Exit(0);
        } else if (errno != EINTR && errno != EAGAIN) {
            m_failure = errno;
        }
    }
}

std::string Output::failure() const
{
    return std::strerror(m_failure);
}

} // namespace cellfolio::cli
