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
    const QString python = QStandardPaths::findExecutable(QStringLiteral("python3"));
    const QString script = QStringLiteral(CELLFOLIO_SOURCE_DIR "/tests/memory/make_long_file.py");
    if (python.isEmpty()
        || QProcess::execute(python, {script, path, QStringLiteral("--obs"), QString::number(cells)}) != 0)
        return {};
    return path;
}

} // namespace cellfolio::test
