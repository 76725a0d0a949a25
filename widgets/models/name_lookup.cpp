// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/name_lookup.h"

#include "core/anndata/column_reader.h"
#include "widgets/bridge/cell_format.h"

#include <QtCore/QRegularExpression>
#include <QtCore/QSet>

#include <string>
#include <unordered_map>

namespace cellfolio {

namespace {

constexpr Index kWindow = Index{1} << 14;

QString bare(QString name)
{
    name = name.trimmed();
    if (name.size() >= 2 && name.front() == name.back() && (name.front() == u'"' || name.front() == u'\''))
        name = name.mid(1, name.size() - 2);
    return name;
}

Result<std::vector<std::string>> textsOf(const NamePlace& place, const Selection& rows,
                                         const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    if (place.column == nullptr)
        return readNames(place.dataset, *place.table, rows, reading, stop);
    auto reader = ColumnReader::open(place.dataset, *place.column, reading);
    if (!reader)
        return std::move(reader).error();
    auto values = reader->read(rows, stop);
    if (!values)
        return std::move(values).error();
    std::vector<std::string> texts;
    texts.reserve(at(rows.size()));
    for (Index i = 0; i < values->size(); ++i)
        texts.push_back(values->text(i));
    return texts;
}

} // namespace

Result<NamesFound> findListed(const NamePlace& place, const QStringList& names, const std::shared_ptr<Reading>& reading,
                              std::stop_token stop)
{
    std::unordered_map<std::string, bool> wanted;
    Index bytes = 0;
    for (const QString& name : names)
        bytes += static_cast<Index>(name.size()) * 2 + 80;
    auto room = reading->budget().reserve(MemoryTag::Strings, bytes);
    if (!room)
        return std::move(room).error();
    wanted.reserve(static_cast<std::size_t>(names.size()));
    for (const QString& name : names)
        wanted.emplace(toStdString(name), false);
    NamesFound answer;
    const Index rows = place.table->rows;
    for (Index first = 0; first < rows; first += kWindow) {
        if (stop.stop_requested())
            return Error::cancelled();
        auto texts = textsOf(place, Selection::of(rows, Slice{first, 1, std::min(kWindow, rows - first)}), reading, stop);
        if (!texts)
            return std::move(texts).error();
        for (const std::string& text : *texts)
            if (const auto found = wanted.find(text); found != wanted.end()) {
                found->second = true;
                ++answer.rows;
            }
    }
    for (const QString& name : names) {
        if (wanted.at(toStdString(name)))
            ++answer.found;
        else
            answer.lost.append(name);
    }
    return answer;
}

QStringList listedNames(const QString& text)
{
    static const QRegularExpression lines(QStringLiteral("[\\r\\n]+"));
    static const QRegularExpression parts(QStringLiteral("[,;\\t]"));
    QStringList pieces = text.split(lines, Qt::SkipEmptyParts);
    if (pieces.size() == 1)
        pieces = pieces.front().split(parts, Qt::SkipEmptyParts);
    QStringList names;
    QSet<QString> seen;
    for (const QString& piece : std::as_const(pieces)) {
        const QString name = bare(piece.section(u'\t', 0, 0));
        if (name.isEmpty() || seen.contains(name))
            continue;
        seen.insert(name);
        names.append(name);
    }
    return names;
}

} // namespace cellfolio
