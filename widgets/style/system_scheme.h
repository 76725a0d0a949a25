// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#ifdef CELLFOLIO_WITH_DBUS
#include <QtDBus/QDBusVariant>
#endif

#include <optional>

namespace cellfolio
{

// Whether the desktop wishes dark windows, from its settings portal. Qt 6.4 has no interface for
// it. Where there is no portal (or no D-Bus at all) it knows nothing and never changes.
// UI thread only.
class SystemScheme : public QObject
{
    Q_OBJECT
public:
    static SystemScheme& instance();

    // nullopt: the desktop has no wish or cannot be asked. The first call waits for the answer, a
    // quarter of a second at most.
    std::optional<bool> dark();

    // The portal's number: 1 dark, 2 light, anything else no preference.
    static std::optional<bool> meaningOf(unsigned scheme);

Q_SIGNALS:
    void changed();

private:
    SystemScheme() = default;
    void ask();

#ifdef CELLFOLIO_WITH_DBUS
private Q_SLOTS:
    void settingChanged(const QString& space, const QString& key, const QDBusVariant& value);

private:
#endif
    bool m_asked = false;
    std::optional<bool> m_dark;
};

} // namespace cellfolio
