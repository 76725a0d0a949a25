// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/gui/main_window.h"
#include "app/gui/program.h"
#include "widgets/style/theme.h"

#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include <memory>

namespace cellfolio::test
{

inline QString examplePath()
{
    return QStringLiteral(CELLFOLIO_SOURCE_DIR "/resources/examples/pbmc68k_reduced.h5ad");
}

inline QString dataPath(const QString& relative)
{
    return QStringLiteral(CELLFOLIO_SOURCE_DIR "/tests/data/") + relative;
}

inline bool waitFilled(MainWindow& window, int ms = 60'000)
{
    return QTest::qWaitFor([&] { return window.isFirstScreenFilled(); }, ms);
}

// The program with settings of its own, that nothing outside sees; a fresh one for each test.
class WindowBench
{
public:
    // Once, before the first window.
    void prepare(const QString& application)
    {
        QStandardPaths::setTestModeEnabled(true);
        qputenv("XDG_DATA_HOME", folder.filePath(QStringLiteral("data")).toUtf8()); // kept views
        qputenv("XDG_CACHE_HOME", folder.filePath(QStringLiteral("cache")).toUtf8());   // gene indexes
        qputenv("XDG_CONFIG_HOME", folder.filePath(QStringLiteral("config")).toUtf8()); // their settings
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder.path());
        QCoreApplication::setOrganizationName(QStringLiteral("cellfolio-test"));
        QCoreApplication::setApplicationName(application);
        QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    }
    void start()
    {
        QSettings().clear();
        Program::Options options;
        options.budget = Index{64} << 20;
        program = std::make_unique<Program>(options);
        applyTheme(*qApp, ThemeChoice::Light);
    }
    void stop() { program.reset(); }

    // Null where the first screen does not come.
    MainWindow* open(const QString& path, QSize size = {1280, 800})
    {
        MainWindow* window = program->newWindow();
        window->resize(size);
        window->show();
        window->open(path);
        return waitFilled(*window) ? window : nullptr;
    }

    std::unique_ptr<Program> program;
    QTemporaryDir folder;
};

} // namespace cellfolio::test
