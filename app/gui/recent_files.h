// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/views/start_page.h"

#include <QtCore/QDateTime>
#include <QtCore/QString>
#include <QtCore/QStringList>

#include <vector>

namespace cellfolio {

// The ten files open lately, kept in the settings. UI thread only.
class RecentFiles
{
public:
    static constexpr int kMost = 10;

    struct Entry {
        QString path;
        QString shape; // "700 × 765"
        QString size;
        QDateTime when;
        QString tab;     // what was in front when it was closed
        QString colorBy; // and what coloured the map
    };

    std::vector<Entry> entries() const;
    void add(const Entry& entry);
    // What is kept of a file; nothing where it is not among them.
    Entry of(const QString& path) const;
    void forget(const QString& path);
    void clear();

    // As the start page shows them. `missing`: paths that are not there, found out off the UI thread.
    std::vector<RecentFile> forStartPage(const QStringList& missing) const;
};

// "10:31", "Yesterday", "Monday", "9 Oct", "9 Oct 2024".
QString dayText(const QDateTime& when, const QDateTime& now);
// The folder as people say it: from the home folder on.
QString folderText(const QString& path);

} // namespace cellfolio
