// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/progress.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace cellfolio::cli {

struct Session;

// Shows how far a piece of work is on standard error while it lives: on a terminal a line that
// renews itself, with --progress a line a second, otherwise nothing.
class ProgressLine
{
public:
    ProgressLine(const Session& session, std::string title);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    Progress& progress() noexcept { return m_progress; }

private:
    enum class Style { None, Renewed, Lines };
    void run();
    void show();

    Progress m_progress;
    std::string m_title;
    Style m_style = Style::None;
    bool m_shown = false;
    bool m_done = false;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::thread m_thread;
};

} // namespace cellfolio::cli
