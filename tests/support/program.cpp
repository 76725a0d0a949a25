// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/program.h"

#include <QProcess>

namespace cellfolio::test {

QByteArray ProgramRun::report() const
{
    return "finished: " + QByteArray(finished ? "yes" : "no") + ", exit code: "
         + QByteArray::number(exitCode) + "\nstandard output: " + out.left(2000)
         + "\nstandard error: " + err.left(2000);
}

ProgramRun runProgram(const QString& program, const QStringList& arguments,
                      const ProgramOptions& options)
{
    QProcess process;
    if (!options.folder.isEmpty())
        process.setWorkingDirectory(options.folder);
    process.start(program, arguments);
    ProgramRun run;
    if (!process.waitForStarted())
        return run;
    process.write(options.input);
    process.closeWriteChannel();
    const bool ended = process.waitForFinished(1000 * options.timeoutSeconds);
    if (!ended) {
        process.kill();
        process.waitForFinished();
    }
    run.finished = ended && process.exitStatus() == QProcess::NormalExit;
    run.exitCode = process.exitCode();
    run.out = process.readAllStandardOutput();
    run.err = process.readAllStandardError();
    return run;
}

ProgramRun runCli(const QStringList& arguments, const ProgramOptions& options)
{
    return runProgram(QStringLiteral(CELLFOLIO_CLI), arguments, options);
}

} // namespace cellfolio::test
