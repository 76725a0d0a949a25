// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

namespace cellfolio {

// For the destructor of a widget: children die after it, and what they say on the way (a tab bar
// that changes its current tab) must not reach what is no longer there.
inline void partFromChildren(QObject& parent)
{
    const QList<QObject*> children = parent.findChildren<QObject*>();
    for (QObject* child : children)
        child->disconnect(&parent);
}

} // namespace cellfolio
