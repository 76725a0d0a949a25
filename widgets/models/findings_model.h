// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/finding.h"

#include <QtCore/QAbstractListModel>

#include <vector>

namespace cellfolio {

// What the quick rules found in a file, worst first; one row a finding. UI thread only.
class FindingsModel : public QAbstractListModel
{
    Q_OBJECT
public:
    enum Role {
        SeverityRole = Qt::UserRole + 1, // int of Severity
        ElementRole,                     // path
        FixRole,                         // what to do; may be empty
        IdRole,                          // rule
        IconRole,
    };

    explicit FindingsModel(QObject* parent = nullptr) : QAbstractListModel(parent) {}

    void setFindings(std::vector<Finding> findings);
    const Finding& findingAt(int row) const { return m_findings[static_cast<std::size_t>(row)]; }
    int countOf(Severity severity) const;

    // The one sentence for the banner: what limits what can be seen or trusted. Empty: nothing does.
    QString limitingSentence() const;
    // "Opens fully. 4 notes for those who pass this file on."
    QString quietSentence() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    // Everything about one finding as text, to be copied.
    QString detailsOf(int row) const;

private:
    std::vector<Finding> m_findings;
};

} // namespace cellfolio
