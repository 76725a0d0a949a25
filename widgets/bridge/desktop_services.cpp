// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bridge/desktop_services.h"

#include <QtCore/QDir>
#include <QtCore/QFile>

#ifdef CELLFOLIO_WITH_DBUS
#include <QtCore/QVariantMap>
#include <QtDBus/QDBusConnection>
#include <QtDBus/QDBusMessage>
#include <QtDBus/QDBusPendingCall>
#include <QtDBus/QDBusPendingCallWatcher>
#include <QtDBus/QDBusPendingReply>
#include <QtDBus/QDBusUnixFileDescriptor>
#endif

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

QString firstLineOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readLine(64)).trimmed() : QString();
}

} // namespace

bool DesktopServices::isOnMains(const QString& folder)
{
    bool battery = false;
    const QDir supplies(folder);
    for (const QString& name : supplies.entryList(QDir::AllEntries | QDir::NoDotAndDotDot)) {
        const QString place = supplies.filePath(name);
        const QString type = firstLineOf(place + u"/type"_s);
        if ((type == "Mains"_L1 || type == "USB"_L1) && firstLineOf(place + u"/online"_s) == "1"_L1)
            return true;
        // Mice and keyboards have batteries, too.
        if (type == "Battery"_L1 && firstLineOf(place + u"/scope"_s) != "Device"_L1)
            battery = true;
    }
    return !battery;
}

#ifdef CELLFOLIO_WITH_DBUS

struct DesktopServices::Hold {
    QDBusUnixFileDescriptor lock; // sleep is held off as long as it is open
};

DesktopServices::DesktopServices(QObject* parent) : QObject(parent) {}
DesktopServices::~DesktopServices() = default;

namespace {

// Asking for a bus where there is none may start one.
bool hasSessionBus()
{
    return qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS")
        || QFile::exists(qEnvironmentVariable("XDG_RUNTIME_DIR") + u"/bus"_s);
}

bool hasSystemBus()
{
    return qEnvironmentVariableIsSet("DBUS_SYSTEM_BUS_ADDRESS") || QFile::exists(u"/run/dbus/system_bus_socket"_s);
}

} // namespace

void DesktopServices::notify(const QString& title, const QString& text)
{
    if (!hasSessionBus())
        return;
    const QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected())
        return;
    QDBusMessage call = QDBusMessage::createMethodCall(u"org.freedesktop.Notifications"_s, u"/org/freedesktop/Notifications"_s,
                                                       u"org.freedesktop.Notifications"_s, u"Notify"_s);
    call << u"Cellfolio"_s << 0U << u"cellfolio"_s << title << text.toHtmlEscaped() << QStringList() << QVariantMap() << -1;
    bus.asyncCall(call); // whether it was shown is the desktop's affair
}

void DesktopServices::holdSleep(const QString& why)
{
    m_wanted = true;
    if (m_hold || !isOnMains() || !hasSystemBus())
        return;
    const QDBusConnection bus = QDBusConnection::systemBus();
    if (!bus.isConnected())
        return;
    QDBusMessage call = QDBusMessage::createMethodCall(u"org.freedesktop.login1"_s, u"/org/freedesktop/login1"_s,
                                                       u"org.freedesktop.login1.Manager"_s, u"Inhibit"_s);
    call << u"sleep:idle"_s << u"Cellfolio"_s << why << u"block"_s;
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* answered) {
        answered->deleteLater();
        const QDBusPendingReply<QDBusUnixFileDescriptor> reply = *answered;
        if (reply.isError() || !m_wanted || m_hold)
            return; // not granted, or let go meanwhile: the descriptor closes with the reply
        m_hold = std::make_unique<Hold>(Hold{reply.value()});
        Q_EMIT sleepHeldChanged(true);
    });
}

#else

struct DesktopServices::Hold {};
DesktopServices::DesktopServices(QObject* parent) : QObject(parent) {}
DesktopServices::~DesktopServices() = default;
void DesktopServices::notify(const QString&, const QString&) {}
void DesktopServices::holdSleep(const QString&) {}

#endif

void DesktopServices::letSleep()
{
    m_wanted = false;
    if (!m_hold)
        return;
    m_hold.reset();
    Q_EMIT sleepHeldChanged(false);
}

bool DesktopServices::isSleepHeld() const
{
    return m_hold != nullptr;
}

} // namespace cellfolio
