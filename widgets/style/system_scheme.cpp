// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/style/system_scheme.h"

#ifdef CELLFOLIO_WITH_DBUS
#include <QtCore/QFile>
#include <QtDBus/QDBusConnection>
#include <QtDBus/QDBusMessage>
#endif

namespace cellfolio
{

SystemScheme& SystemScheme::instance()
{
    static SystemScheme scheme;
    return scheme;
}

std::optional<bool> SystemScheme::meaningOf(unsigned scheme)
{
    if (scheme == 1)
        return true;
    if (scheme == 2)
        return false;
    return std::nullopt;
}

std::optional<bool> SystemScheme::dark()
{
    if (!m_asked) {
        m_asked = true;
        ask();
    }
    return m_dark;
}

#ifdef CELLFOLIO_WITH_DBUS

namespace
{

constexpr int kPatience = 250; // ms; a portal that has to be started first is not waited for

const auto kService = QStringLiteral("org.freedesktop.portal.Desktop");
const auto kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const auto kInterface = QStringLiteral("org.freedesktop.portal.Settings");
const auto kSpace = QStringLiteral("org.freedesktop.appearance");
const auto kKey = QStringLiteral("color-scheme");

// Asking for a bus where there is none may start one.
bool hasSessionBus()
{
    return qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS") ||
           QFile::exists(qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/bus"));
}

// The answer comes wrapped in one variant or in two, by the portal's version.
QVariant unwrapped(QVariant value)
{
    while (value.canConvert<QDBusVariant>())
        value = value.value<QDBusVariant>().variant();
    return value;
}

} // namespace

void SystemScheme::ask()
{
    if (!hasSessionBus())
        return;
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected())
        return;
    bus.connect(kService, kPath, kInterface, QStringLiteral("SettingChanged"), this,
                SLOT(settingChanged(QString, QString, QDBusVariant)));
    QDBusMessage call =
        QDBusMessage::createMethodCall(kService, kPath, kInterface, QStringLiteral("Read"));
    call << kSpace << kKey;
    const QDBusMessage reply = bus.call(call, QDBus::Block, kPatience);
    if (reply.type() == QDBusMessage::ReplyMessage && !reply.arguments().isEmpty())
        m_dark = meaningOf(unwrapped(reply.arguments().constFirst()).toUInt());
}

void SystemScheme::settingChanged(const QString& space, const QString& key,
                                  const QDBusVariant& value)
{
    if (space != kSpace || key != kKey)
        return;
    const std::optional<bool> dark = meaningOf(unwrapped(value.variant()).toUInt());
    if (dark == m_dark)
        return;
    m_dark = dark;
    Q_EMIT changed();
}

#else

void SystemScheme::ask() {}

#endif

} // namespace cellfolio
