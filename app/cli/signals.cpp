// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/signals.h"

#include "app/cli/last_words.h"
#include "app/cli/output.h"
#include "core/write/staged_file.h"

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <thread>

#include <pthread.h>

namespace cellfolio::cli {

std::stop_token watchSignals(const Output& output)
{
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN); // a limit on the size of files is a full disk like any other
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    // Blocked here and in every thread started later, so that only the one below takes them: a
    // stop source may not be touched from a signal handler.
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::stop_source source;
    std::thread([signals, source, &output]() mutable {
        int signal = 0;
        if (sigwait(&signals, &signal) != 0)
            return;
        source.request_stop();
        const timespec patience{2, 0};
        do {
            if (sigtimedwait(&signals, nullptr, &patience) > 0) {
                removeStagedParts();
                std::_Exit(3);
            }
        } while (output.isWaiting());
        endNow(Error::cancelled());
    }).detach();
    return source.get_token();
}

} // namespace cellfolio::cli
