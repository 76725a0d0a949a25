// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/recent_files.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QLocale>
#include <QtCore/QSettings>

#include <algorithm>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

const QString kKey = u"recentFiles"_s;

void write(const std::vector<RecentFiles::Entry>& entries)
{
    QSettings settings;
    settings.remove(kKey);
    settings.beginWriteArray(kKey);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        settings.setArrayIndex(static_cast<int>(i));
        settings.setValue(u"path"_s, entries[i].path);
        settings.setValue(u"shape"_s, entries[i].shape);
        settings.setValue(u"size"_s, entries[i].size);
        settings.setValue(u"when"_s, entries[i].when);
        settings.setValue(u"tab"_s, entries[i].tab);
        settings.setValue(u"colorBy"_s, entries[i].colorBy);
    }
    settings.endArray();
}

} // namespace

std::vector<RecentFiles::Entry> RecentFiles::entries() const
{
    std::vector<Entry> entries;
    QSettings settings;
    const int count = settings.beginReadArray(kKey);
    for (int i = 0; i < std::min(count, kMost); ++i) {
        settings.setArrayIndex(i);
        entries.push_back({settings.value(u"path"_s).toString(), settings.value(u"shape"_s).toString(),
                           settings.value(u"size"_s).toString(), settings.value(u"when"_s).toDateTime(),
                           settings.value(u"tab"_s).toString(), settings.value(u"colorBy"_s).toString()});
    }
    settings.endArray();
    return entries;
}

void RecentFiles::add(const Entry& entry)
{
    std::vector<Entry> list = entries();
    std::erase_if(list, [&](const Entry& old) { return old.path == entry.path; });
    list.insert(list.begin(), entry);
    if (list.size() > static_cast<std::size_t>(kMost))
        list.resize(static_cast<std::size_t>(kMost));
    write(list);
}

RecentFiles::Entry RecentFiles::of(const QString& path) const
{
    for (const Entry& entry : entries())
        if (entry.path == path)
            return entry;
    return {};
}

void RecentFiles::forget(const QString& path)
{
    std::vector<Entry> list = entries();
    std::erase_if(list, [&](const Entry& old) { return old.path == path; });
    write(list);
}

void RecentFiles::clear()
{
    write({});
}

std::vector<RecentFile> RecentFiles::forStartPage(const QStringList& missing) const
{
    std::vector<RecentFile> files;
    const QDateTime now = QDateTime::currentDateTime();
    for (const Entry& entry : entries()) {
        RecentFile file;
        file.path = entry.path;
        file.name = QFileInfo(entry.path).fileName();
        file.folder = folderText(entry.path);
        file.shape = entry.shape;
        file.size = entry.size;
        file.day = dayText(entry.when, now);
        if (missing.contains(entry.path))
            file.problem = u"it is not there now"_s;
        files.push_back(file);
    }
    return files;
}

QString dayText(const QDateTime& when, const QDateTime& now)
{
    const qint64 days = when.date().daysTo(now.date());
    const QLocale locale;
    if (days <= 0)
        return locale.toString(when.time(), u"HH:mm"_s);
    if (days == 1)
        return u"Yesterday"_s;
    if (days < 7)
        return locale.dayName(when.date().dayOfWeek());
    return locale.toString(when.date(), when.date().year() == now.date().year() ? u"d MMM"_s : u"d MMM yyyy"_s);
}

QString folderText(const QString& path)
{
    QString folder = QFileInfo(path).absolutePath();
    const QString home = QDir::homePath();
    if (folder == home)
        return u"Home"_s;
    if (folder.startsWith(home + u'/'))
        return folder.mid(home.size() + 1);
    return folder.mid(folder.startsWith(u'/') ? 1 : 0);
}

} // namespace cellfolio
