// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/filter_rule.h"
#include "widgets/models/view_model.h"

#include <QtCore/QObject>

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace cellfolio {

// One rule of a view as a card shows it.
struct FilterCard {
    int key = 0;    // the same card keeps it over changes, undo and redo
    int step = 0;   // 0: nothing is filtered by it yet
    std::size_t clause = 0; // its place in the step's expression
    std::size_t place = 0;  // and in the clause
    FilterRule rule;
    std::optional<Index> picked; // rows picked by hand in place of a rule: how many
    QString label;          // of the step
    bool enabled = true;
    bool joined = false;    // by "or" to the card before it
    bool joinable = false;  // could be, or could be set apart again
    bool alone = true;      // nothing else is in its step
    Index before = 0;       // of the step, as applied: rows it was given,
    Index chosen = 0;       // rows it leaves,
    Index missing = 0;      // rows left out because a value is missing
    QString problem;        // why the last change was not applied

    bool operator==(const FilterCard&) const = default;
};

// The steps of one axis of a view, taken apart into cards, and the changes cards make to them. The
// steps are all there is: whatever changes them, in the bar, a table's head, by undo, changes the
// cards. Besides them a card somebody opened stays while it lets everything pass. UI thread only.
class FilterCards : public QObject
{
    Q_OBJECT
public:
    FilterCards(ViewModel& view, Axis axis, QObject* parent = nullptr);

    Axis axis() const { return m_axis; }
    ViewModel& view() const { return m_view; }
    // obs or var; null: nothing to filter.
    const Element* table() const;

    // In the order of the steps.
    const std::vector<FilterCard>& cards() const { return m_cards; }
    const FilterCard* card(int key) const; // null: gone
    // Cards that filter and are switched on.
    int activeCount() const;

    // A new card at the end; of a rule that narrows, a new step. Returns its key. One that is open
    // for the same column or gene is returned instead.
    int add(FilterRule rule, const QString& label = {});
    // `label`: what chips and the undo call it; empty: the expression.
    void setRule(int key, FilterRule rule, const QString& label = {});
    void remove(int key);
    void setEnabled(int key, bool enabled);
    // Joins the card to the one before it by "or", or sets them apart by "and". Requires joinable.
    void setJoined(int key, bool joined);
    // Another file is shown, or another version of it: cards that filter nothing are closed, or stay.
    enum class Opened { Close, Keep };
    void fileChanged(Opened opened);

    // A rule that lets everything pass, for a column or gene.
    static FilterRule openRule(const RuleSubject& subject, FilterRule::Kind kind, RuleLiteral literal);
    static FilterRule openRule(const Element& column);

Q_SIGNALS:
    void changed();

private:
    FilterCard* find(int key);
    void refresh();
    std::vector<FilterCard> cardsOfSteps();
    void setClauses(int step, const FilterClauses& clauses, const QString& label);
    const FilterStep* wantedStep(int id) const;
    // A step taken apart, kept until it says something else: lists may be long.
    struct Parted {
        QString expression;
        bool keepsMissing = false;
        const Element* table = nullptr;
        FilterClauses clauses;
        bool aggregate = false;
    };
    const Parted& parted(const FilterStep& step);
    FilterClauses clausesOfStep(const FilterStep& step) { return parted(step).clauses; }
    void sayProblem(const StepProblem& problem);
    void setApart(const FilterCard& card);

    ViewModel& m_view;
    Axis m_axis;
    std::vector<FilterCard> m_cards;
    std::map<int, Parted> m_parted; // by step
    std::set<int> m_opened; // keys of cards that stay when nothing is filtered by them
    std::map<int, int> m_tried; // step that was asked for → card
    std::map<int, QString> m_problems; // by card
    int m_nextKey = 1;
};

} // namespace cellfolio
