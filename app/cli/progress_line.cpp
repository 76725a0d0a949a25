// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/progress_line.h"

#include "app/cli/session.h"

#include <chrono>
#include <cstdio>

#include <unistd.h>

namespace cellfolio::cli {

ProgressLine::ProgressLine(const Session& session, std::string title) : m_title(std::move(title))
{
    if (session.quiet)
        return;
    if (session.progress)
        m_style = Style::Lines;
    else if (isatty(STDERR_FILENO) != 0)
        m_style = Style::Renewed;
    if (m_style != Style::None)
        m_thread = std::thread([this] { run(); });
}

ProgressLine::~ProgressLine()
{
    if (!m_thread.joinable())
        return;
    {
        const std::lock_guard lock(m_mutex);
        m_done = true;
    }
    m_wake.notify_all();
    m_thread.join();
    if (m_style == Style::Renewed && m_shown)
        std::fputs("\r\033[K", stderr);
}

void ProgressLine::run()
{
    // Renewed four times a second, but not before half a second: quick work shows nothing.
    const bool lines = m_style == Style::Lines;
    const auto period = lines ? std::chrono::milliseconds(1000) : std::chrono::milliseconds(250);
    std::unique_lock lock(m_mutex);
    m_wake.wait_for(lock, lines ? period : std::chrono::milliseconds(500),
                    [this] { return m_done; });
    while (!m_done) {
        show();
        m_wake.wait_for(lock, period, [this] { return m_done; });
    }
}

void ProgressLine::show()
{
    m_shown = true;
    const Index total = m_progress.total();
    std::string text = m_title;
    if (total > 0)
        text += " " + std::to_string(std::min<Index>(100, 100 * m_progress.done() / total)) + " %";
    if (m_style == Style::Lines)
        std::fprintf(stderr, "%s\n", text.c_str());
    else
        std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
}

} // namespace cellfolio::cli
