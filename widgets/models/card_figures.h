// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/column_reader.h"
#include "core/matrix/gene_sources.h"
#include "widgets/bridge/latest.h"
#include "widgets/bridge/model_context.h"
#include "widgets/models/column_profiles.h"
#include "widgets/models/filter_rule.h"

#include <QtCore/QObject>
#include <QtGui/QColor>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace cellfolio {

// The names of a column's categories and their colours. The reader keeps the names charged.
struct CategoryNames {
    std::optional<ColumnReader> reader;
    std::shared_ptr<const Values> names; // null: false and true
    std::vector<QColor> colors;
};

// What the cards of one axis show besides their rules: how values are spread over the file and over
// the view. Found out in the background for what is wanted, first of the file, then of the view;
// whatever is newer takes the place of what is under way. UI thread only, never blocks.
class CardFigures : public QObject
{
    Q_OBJECT
public:
    CardFigures(ModelContext context, Axis axis, QObject* parent = nullptr);
    ~CardFigures() override;

    void setDataset(std::shared_ptr<const Dataset> dataset, std::shared_ptr<GeneSources> genes);
    // The rows of the view.
    void setRows(const Selection& rows);
    // What cards show now; replaces the wish before.
    void want(const std::vector<RuleSubject>& subjects);

    // Memory only; null: not known yet, or not of that kind.
    const ProfileData* profile(const RuleSubject& subject) const;
    // The part of the view; null: not known yet. All rows in view: as the profile says.
    const ProfilePart* part(const RuleSubject& subject) const;
    bool allInView() const { return m_inside == nullptr; }
    const CategoryNames* categories(const RuleSubject& subject) const;
    QString problem(const RuleSubject& subject) const; // why nothing is known
    // Whether everything wanted is known, for pictures and tests.
    bool isSettled() const;

    const Element* columnOf(const RuleSubject& subject) const; // null: not a column of the table
    const Element* matrixOf(const RuleSubject& subject) const; // null: not of a matrix

Q_SIGNALS:
    void changed(const cellfolio::RuleSubject& subject);

private:
    struct Names;
    struct Gene;
    int numberOf(const RuleSubject& subject) const; // of ColumnProfiles; -1: none
    void askNames(const RuleSubject& subject);
    void askGene(const RuleSubject& subject);

    ModelContext m_context;
    Axis m_axis;
    std::shared_ptr<const Dataset> m_dataset;
    const Element* m_table = nullptr;
    std::shared_ptr<GeneSources> m_sources;
    std::shared_ptr<const IndexSet> m_inside; // null: all rows
    std::unique_ptr<ColumnProfiles> m_profiles;
    std::vector<RuleSubject> m_wanted;
    std::map<QString, std::unique_ptr<Names>> m_names; // by the subject's text
    std::map<QString, std::unique_ptr<Gene>> m_genes;
};

} // namespace cellfolio
