// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/last_words.h"

#include "app/cli/failure.h"
#include "core/hdf5/hdf5_thread.h"
#include "core/write/staged_file.h"

#include <atomic>
#include <csignal>
#include <cstdlib>

#include <unistd.h>

namespace cellfolio::cli {
namespace {

std::atomic<LastWords*> theWords = nullptr;

// On the thread that calls the library and nowhere else: a fault of our own stays a crash.
void onCrash(int signal)
{
    if (!hdf5::Hdf5Thread::instance().isCurrent()) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);
        return;
    }
    // The allocator may have been caught in the middle: then there are no words, but an end.
    removeStagedParts();
    std::signal(SIGALRM, [](int) { ::_exit(1); });
    ::alarm(2);
    endNow(Error(ErrorCode::Corrupt,
                 "The file is damaged inside: the HDF5 library broke off while reading it.")
               .at("/")
               .rule("A001")
               .advise("Copy it again from the source."));
}

} // namespace

void setLastWords(LastWords* words)
{
    theWords = words;
}

void endNow(const Error& error)
{
    LastWords* words = theWords.exchange(nullptr);
    if (words != nullptr && words->json != nullptr) {
        JsonWriter& json = *words->json;
        json.unwind(words->fileDepth);
        if (words->fileDepth == 0) {
            json.beginObject();
            json.member("file", words->file);
        }
        json.key("error");
        writeError(json, error);
        json.endObject();
        if (words->several) {
            json.endArray();
            json.member("failed", words->failed + 1);
            json.endObject();
        }
        words->output->write('\n');
    }
    if (words != nullptr)
        words->output->flush();
    // Without words the answer stands already; only the way out did not come to an end.
    if (words != nullptr && words->json == nullptr)
        reportError(words->file, error);
    removeStagedParts();
    std::_Exit(exitCode(error.code()));
}

void watchForCrashes()
{
    hdf5::Hdf5Thread::instance(); // made now, so that the handler finds it
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT})
        std::signal(signal, onCrash);
}

} // namespace cellfolio::cli
