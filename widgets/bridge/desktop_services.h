// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QString>

#include <memory>

namespace cellfolio {

// What the desktop can do for long work, by D-Bus. Where there is no bus, or Qt was built without it,
// nothing happens. UI thread only; nothing is waited for.
class DesktopServices : public QObject
{
    Q_OBJECT
public:
    explicit DesktopServices(QObject* parent = nullptr);
    ~DesktopServices() override;

    // A note of the desktop's own (org.freedesktop.Notifications).
    void notify(const QString& title, const QString& text);
    // Keeps the computer from falling asleep by itself until it is let go (login1); asked only where the
    // computer runs on mains.
    void holdSleep(const QString& why);
    void letSleep();
    bool isSleepHeld() const; // the system has granted it

    // Whether the computer runs on mains, as far as the files of `folder` say: one supply that is
    // on line, or no battery.
    static bool isOnMains(const QString& folder = QStringLiteral("/sys/class/power_supply"));

Q_SIGNALS:
    void sleepHeldChanged(bool held);

private:
    struct Hold;
    std::unique_ptr<Hold> m_hold;
    bool m_wanted = false;
};

} // namespace cellfolio
