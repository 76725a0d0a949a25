// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

namespace cellfolio::test {

// How a program ended and what it wrote.
struct ProgramRun {
    bool finished = false; // false: it did not start, crashed, or took longer than allowed
    int exitCode = -1;
    QByteArray out;
    QByteArray err;

    // Everything about it, for the log of a failing test.
    QByteArray report() const;
};

struct ProgramOptions {
    QByteArray input = {};
    QString folder = {};        // to run in; empty: where the test runs
    int timeoutSeconds = 60;
};

ProgramRun runProgram(const QString& program, const QStringList& arguments,
                      const ProgramOptions& options = {});
// The command line that was built with this test.
ProgramRun runCli(const QStringList& arguments, const ProgramOptions& options = {});

} // namespace cellfolio::test
