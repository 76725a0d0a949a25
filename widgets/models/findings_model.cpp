// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/findings_model.h"

#include "widgets/bridge/cell_format.h"

#include <algorithm>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

QString severityText(Severity severity)
{
    switch (severity) {
    case Severity::Error: return u"error"_s;
    case Severity::Warning: return u"warning"_s;
    case Severity::Info: return u"note"_s;
    }
    return {};
}

QString placesText(const Finding& finding)
{
    QStringList lines;
    for (const FindingPlace& place : finding.places) {
        QStringList parts;
        if (place.row)
            parts.append(u"row "_s + countText(*place.row));
        if (place.column)
            parts.append(u"column "_s + countText(*place.column));
        if (place.offset)
            parts.append(u"place "_s + countText(*place.offset));
        if (!place.value.empty())
            parts.append(toQString(place.value));
        lines.append(parts.join(u", "_s));
    }
    return lines.join(u'\n');
}

} // namespace

void FindingsModel::setFindings(std::vector<Finding> findings)
{
    beginResetModel();
    m_findings = std::move(findings);
    sortFindings(m_findings);
    endResetModel();
}

int FindingsModel::countOf(Severity severity) const
{
    return static_cast<int>(std::count_if(m_findings.begin(), m_findings.end(),
                                          [&](const Finding& finding) { return finding.severity == severity; }));
}

QString FindingsModel::limitingSentence() const
{
    const int errors = countOf(Severity::Error);
    if (errors == 0)
        return {};
    const QString first = toQString(m_findings.front().message);
    return errors == 1 ? first : u"%1 (and %2 more)"_s.arg(first, countText(errors - 1));
}

QString FindingsModel::quietSentence() const
{
    const int errors = countOf(Severity::Error);
    const int notes = static_cast<int>(m_findings.size()) - errors;
    if (errors > 0)
        return countedText(errors, u"part cannot be read"_s, u"parts cannot be read or trusted"_s);
    if (notes == 0)
        return u"Opens fully."_s;
    return u"Opens fully. %1 for those who pass this file on."_s.arg(
        countedText(notes, u"note"_s, u"notes"_s));
}

int FindingsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_findings.size());
}

QVariant FindingsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Finding& finding = m_findings[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return toQString(finding.message);
    case Qt::ToolTipRole: return detailsOf(index.row());
    case Qt::AccessibleTextRole:
        return severityText(finding.severity) + u": "_s + toQString(finding.message);
    case SeverityRole: return static_cast<int>(finding.severity);
    case ElementRole: return toQString(finding.element);
    case FixRole: return toQString(finding.fix);
    case IdRole: return toQString(finding.id);
    case IconRole:
        switch (finding.severity) {
        case Severity::Error: return u"alert-circle"_s;
        case Severity::Warning: return u"alert-triangle"_s;
        case Severity::Info: return u"info-circle"_s;
        }
        return {};
    default: return {};
    }
}

QString FindingsModel::detailsOf(int row) const
{
    const Finding& finding = m_findings[static_cast<std::size_t>(row)];
    QStringList lines{severityText(finding.severity) + u' ' + toQString(finding.id) + u" · "_s
                          + toQString(finding.element),
                      toQString(finding.message)};
    if (!finding.fix.empty())
        lines.append(toQString(finding.fix));
    if (finding.count)
        lines.append(countedText(*finding.count, u"place"_s, u"places"_s));
    if (const QString places = placesText(finding); !places.isEmpty())
        lines.append(places);
    return lines.join(u'\n');
}

} // namespace cellfolio
