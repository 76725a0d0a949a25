// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/category_list_model.h"

#include "widgets/bridge/cell_format.h"
#include "widgets/views/category_list.h"

#include <QtCore/QHash>

#include <algorithm>
#include <numeric>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

// What a value of a rule is called among the names: numbers by their value, not by their digits.
QString keyOf(const QString& text, RuleLiteral literal)
{
    if (literal != RuleLiteral::Number)
        return text;
    bool ok = false;
    const double value = text.toDouble(&ok);
    return ok ? RuleBound::of(value).text : text;
}

} // namespace

CategoryListModel::CategoryListModel(QObject* parent) : QAbstractListModel(parent) {}

QString CategoryListModel::nameOf(Index category) const
{
    if (!m_names)
        return category == 0 ? u"false"_s : u"true"_s;
    return toQString(m_names->text(category));
}

void CategoryListModel::setCategories(std::shared_ptr<const Values> names, bool ordered)
{
    m_names = std::move(names);
    m_ordered = ordered;
    m_known = true;
    m_ticked.assign(m_names ? at(m_names->size()) : 2, true);
    setRule(m_rule);
    arrange();
}

void CategoryListModel::setColors(std::vector<QColor> colors)
{
    m_colors = std::move(colors);
    tellAll({kCategoryColor});
}

void CategoryListModel::setCounts(const std::vector<Index>& inFile, Index missing)
{
    if (inFile == m_inFile && missing == m_missing)
        return;
    m_inFile = inFile;
    m_missing = missing;
    m_most = inFile.empty() ? 0 : *std::max_element(inFile.begin(), inFile.end());
    m_most = std::max(m_most, missing);
    arrange();
}

void CategoryListModel::setCountsInView(const std::vector<Index>& inView, Index missing)
{
    m_inView = inView;
    m_missingInView = missing;
    tellAll({kCategoryInView, Qt::DisplayRole});
}

void CategoryListModel::tellAll(const QList<int>& roles)
{
    if (!m_shown.empty())
        Q_EMIT dataChanged(index(0), index(rowCount() - 1), roles);
}

// Rows without a value are a row of their own where there are any, or where the rule lets them out.
bool CategoryListModel::showsMissing() const
{
    return m_missing > 0;
}

void CategoryListModel::arrange()
{
    beginResetModel();
    m_shown.resize(m_ticked.size());
    std::iota(m_shown.begin(), m_shown.end(), Index{0});
    if (!m_ordered && m_inFile.size() == m_ticked.size())
        std::stable_sort(m_shown.begin(), m_shown.end(), [this](Index a, Index b) { return m_inFile[at(a)] > m_inFile[at(b)]; });
    if (!m_search.isEmpty())
        std::erase_if(m_shown, [this](Index category) { return !nameOf(category).contains(m_search, Qt::CaseInsensitive); });
    else if (showsMissing())
        m_shown.push_back(kMissing);
    endResetModel();
}

void CategoryListModel::setSearch(const QString& text)
{
    if (text == m_search)
        return;
    m_search = text;
    arrange();
}

void CategoryListModel::setRule(const FilterRule& rule)
{
    m_rule = rule;
    m_missingTicked = rule.keepsMissing;
    if (!m_known)
        return;
    std::fill(m_ticked.begin(), m_ticked.end(), rule.negated);
    if (!rule.values.isEmpty()) {
        QHash<QString, bool> named;
        named.reserve(rule.values.size());
        for (const QString& value : rule.values)
            named.insert(keyOf(value, rule.literal), true);
        for (std::size_t i = 0; i < m_ticked.size(); ++i)
            if (named.contains(keyOf(nameOf(static_cast<Index>(i)), rule.literal)))
                m_ticked[i] = !rule.negated;
    }
    tellAll({Qt::CheckStateRole});
}

Index CategoryListModel::tickedCount() const
{
    return static_cast<Index>(std::count(m_ticked.begin(), m_ticked.end(), true));
}

FilterRule CategoryListModel::rule() const
{
    if (!m_known)
        return m_rule;
    FilterRule rule = m_rule;
    const Index count = tickedCount();
    // Where none is missing, only "everything" needs to say that they stay.
    const bool all = count == categoryCount();
    rule.keepsMissing = m_missing == 0 ? all : m_missingTicked;
    rule.negated = all || categoryCount() - count < count;
    rule.values.clear();
    for (std::size_t i = 0; i < m_ticked.size(); ++i)
        if (m_ticked[i] != rule.negated)
            rule.values.append(nameOf(static_cast<Index>(i)));
    if (rule.literal == RuleLiteral::Boolean && rule.values == QStringList{u"false"_s}) {
        rule.values = QStringList{u"true"_s};
        rule.negated = !rule.negated;
    }
    return rule;
}

void CategoryListModel::tickShown(bool tick, bool flip)
{
    for (const Index category : m_shown) {
        if (category == kMissing)
            m_missingTicked = flip ? !m_missingTicked : tick;
        else
            m_ticked[at(category)] = flip ? !m_ticked[at(category)] : tick;
    }
    if (tick && !flip && m_search.isEmpty())
        m_missingTicked = true; // all means all, also where none is missing
    m_rule = rule();
    tellAll({Qt::CheckStateRole});
    Q_EMIT ticked();
}

void CategoryListModel::tickAll()
{
    tickShown(true, false);
}

void CategoryListModel::tickNone()
{
    tickShown(false, false);
}

void CategoryListModel::invert()
{
    tickShown(false, true);
}

void CategoryListModel::tickOnly(const QModelIndex& index)
{
    if (!isRow(index))
        return;
    const Index only = m_shown[static_cast<std::size_t>(index.row())];
    for (std::size_t i = 0; i < m_ticked.size(); ++i)
        m_ticked[i] = static_cast<Index>(i) == only;
    m_missingTicked = only == kMissing;
    m_rule = rule();
    tellAll({Qt::CheckStateRole});
    Q_EMIT ticked();
}

void CategoryListModel::tickTop(int n)
{
    if (m_inFile.size() != m_ticked.size())
        return;
    std::vector<Index> ranked(m_ticked.size());
    std::iota(ranked.begin(), ranked.end(), Index{0});
    std::stable_sort(ranked.begin(), ranked.end(), [this](Index a, Index b) { return m_inFile[at(a)] > m_inFile[at(b)]; });
    std::fill(m_ticked.begin(), m_ticked.end(), false);
    for (std::size_t i = 0; i < std::min(ranked.size(), static_cast<std::size_t>(n)); ++i)
        m_ticked[at(ranked[i])] = true;
    m_missingTicked = false;
    m_rule = rule();
    tellAll({Qt::CheckStateRole});
    Q_EMIT ticked();
}

bool CategoryListModel::isRow(const QModelIndex& index) const
{
    return index.isValid() && index.model() == this && index.row() < rowCount();
}

int CategoryListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

QVariant CategoryListModel::data(const QModelIndex& index, int role) const
{
    if (!isRow(index))
        return {};
    const Index category = m_shown[static_cast<std::size_t>(index.row())];
    const bool missing = category == kMissing;
    const auto countIn = [&](const std::vector<Index>& counts, Index ofMissing) {
        if (missing)
            return QVariant(static_cast<qint64>(ofMissing));
        return QVariant(static_cast<qint64>(at(category) < counts.size() ? counts[at(category)] : -1));
    };
    switch (role) {
    case Qt::DisplayRole: return missing ? u"missing"_s : nameOf(category);
    case Qt::CheckStateRole:
        return (missing ? m_missingTicked : m_ticked[at(category)]) ? Qt::Checked : Qt::Unchecked;
    case Qt::AccessibleTextRole: {
        const QVariant count = countIn(m_inView, m_missingInView);
        return (missing ? u"missing"_s : nameOf(category))
            + (count.toLongLong() < 0 ? QString() : u", "_s + countText(Index{count.toLongLong()}));
    }
    case kCategoryInFile: return countIn(m_inFile, m_missing);
    case kCategoryInView: return countIn(m_inView, m_missingInView);
    case kCategoryColor:
        return !missing && at(category) < m_colors.size() ? QVariant(m_colors[at(category)]) : QVariant();
    case kCategoryMost: return static_cast<qint64>(m_most);
    case kCategoryMissing: return missing;
    default: return {};
    }
}

bool CategoryListModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!isRow(index) || role != Qt::CheckStateRole)
        return false;
    const Index category = m_shown[static_cast<std::size_t>(index.row())];
    const bool tick = value.toInt() == Qt::Checked;
    if (category == kMissing)
        m_missingTicked = tick;
    else
        m_ticked[at(category)] = tick;
    m_rule = rule();
    Q_EMIT dataChanged(index, index, {Qt::CheckStateRole});
    Q_EMIT ticked();
    return true;
}

Qt::ItemFlags CategoryListModel::flags(const QModelIndex& index) const
{
    if (!isRow(index))
        return Qt::NoItemFlags;
    return Qt::ItemIsEnabled | Qt::ItemIsUserCheckable | Qt::ItemNeverHasChildren;
}

} // namespace cellfolio
