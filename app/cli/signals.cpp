// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/signals.h"

#include <csignal>
#include <cstdlib>
#include <thread>

#include <pthread.h>

namespace cellfolio::cli {

std::stop_token watchSignals()
{
    std::signal(SIGPIPE, SIG_IGN);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    // Blocked here and in every thread started later, so that only the one below takes them: a
    // stop source may not be touched from a signal handler.
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::stop_source source;
    std::thread([signals, source]() mutable {
        for (int count = 0;; ++count) {
            int signal = 0;
            if (sigwait(&signals, &signal) != 0)
                return;
            if (count > 0)
                std::_Exit(3);
            source.request_stop();
        }
    }).detach();
    return source.get_token();
}

} // namespace cellfolio::cli
