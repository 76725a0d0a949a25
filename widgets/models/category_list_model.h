// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/values.h"
#include "widgets/models/filter_rule.h"

#include <QtCore/QAbstractListModel>
#include <QtGui/QColor>

#include <memory>
#include <vector>

namespace cellfolio {

// The categories of one column for a CategoryList, with boxes that are a FilterRule of
// Kind::Categories: ticked is what passes. Names are made from the category list when they are
// looked at, so a hundred thousand cost what is seen. UI thread only.
class CategoryListModel : public QAbstractListModel
{
    Q_OBJECT
public:
    explicit CategoryListModel(QObject* parent = nullptr);

    // `names`: one a category; null: false and true.
    void setCategories(std::shared_ptr<const Values> names, bool ordered);
    bool hasCategories() const { return m_known; }
    void setColors(std::vector<QColor> colors);
    // Empty: not known. `missing`: rows without a value, -1: not known.
    void setCounts(const std::vector<Index>& inFile, Index missing);
    void setCountsInView(const std::vector<Index>& inView, Index missing);

    // Takes the boxes from a rule; rule() writes them as one, by what takes fewer words.
    void setRule(const FilterRule& rule);
    FilterRule rule() const;

    void setSearch(const QString& text); // shows only categories that hold it
    const QString& search() const { return m_search; }

    // Of all categories, or of those that the search shows.
    void tickAll();
    void tickNone();
    void invert();
    void tickOnly(const QModelIndex& index);
    // The n most frequent in the file, and nothing else. Requires counts.
    void tickTop(int n);

    Index categoryCount() const { return static_cast<Index>(m_ticked.size()); }
    Index tickedCount() const;
    QString nameOf(Index category) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    void ticked(); // by the user: rule() is another one

private:
    static constexpr Index kMissing = -1; // among m_shown
    void arrange();
    bool isRow(const QModelIndex& index) const;
    bool showsMissing() const;
    void tickShown(bool tick, bool flip);
    void tellAll(const QList<int>& roles);

    std::shared_ptr<const Values> m_names;
    bool m_known = false;
    bool m_ordered = false;
    FilterRule m_rule;
    std::vector<bool> m_ticked;
    bool m_missingTicked = true;
    std::vector<QColor> m_colors;
    std::vector<Index> m_inFile;
    std::vector<Index> m_inView;
    Index m_missing = -1;
    Index m_missingInView = -1;
    Index m_most = 0;
    QString m_search;
    std::vector<Index> m_shown; // categories by row
};

} // namespace cellfolio
