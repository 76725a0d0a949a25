// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QProcess>
#include <QtCore/QStandardPaths>
#include <QtCore/QString>

namespace cellfolio::test
{

// A file of so many cells × 20 000 genes, stored by cell: cell r has the value r % 16 + 1 at the
// genes 0, 100, 200 … and nothing else; with a map. Empty where Python with h5py is not there.
inline QString makeLongFile(const QString& path, int cells)
{
    const QString script = QStringLiteral(CELLFOLIO_SOURCE_DIR "/tests/memory/make_long_file.py");
    for (const QString& python : {QStandardPaths::findExecutable(QStringLiteral("python3")),
                                  QStringLiteral("/usr/bin/python3")}) {
        QProcess run; // what a Python without h5py complains of is no concern of the log
        run.start(python, {script, path, QStringLiteral("--obs"), QString::number(cells)});
        if (run.waitForFinished(120'000) && run.exitStatus() == QProcess::NormalExit && run.exitCode() == 0)
            return path;
    }
    return {};
}

} // namespace cellfolio::test
