// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/filter_cards.h"

#include "widgets/bridge/cell_format.h"

#include <algorithm>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

// Cards that make sense before they filter anything.
bool canStandOpen(FilterRule::Kind kind)
{
    return kind == FilterRule::Kind::Categories || kind == FilterRule::Kind::Range || kind == FilterRule::Kind::Names;
}

bool sameThing(const FilterCard& a, const FilterCard& b)
{
    return a.rule.kind == b.rule.kind && a.rule.subject == b.rule.subject && a.picked.has_value() == b.picked.has_value()
        && (a.rule.kind == FilterRule::Kind::Other || a.rule.name == b.rule.name);
}

} // namespace

FilterCards::FilterCards(ViewModel& view, Axis axis, QObject* parent) : QObject(parent), m_view(view), m_axis(axis)
{
    connect(&view, &ViewModel::viewChanged, this, &FilterCards::refresh);
    connect(&view, &ViewModel::historyChanged, this, &FilterCards::refresh);
    connect(&view, &ViewModel::failed, this, &FilterCards::sayProblem);
    refresh();
}

const Element* FilterCards::table() const
{
    const auto& dataset = m_view.view().dataset();
    if (!dataset)
        return nullptr;
    const Element* table = m_axis == Axis::Obs ? dataset->obs() : dataset->var();
    return table != nullptr && table->kind == ElementKind::Table && table->readable ? table : nullptr;
}

const FilterCard* FilterCards::card(int key) const
{
    const auto found = std::find_if(m_cards.begin(), m_cards.end(), [key](const FilterCard& card) { return card.key == key; });
    return found == m_cards.end() ? nullptr : &*found;
}

FilterCard* FilterCards::find(int key)
{
    return const_cast<FilterCard*>(card(key));
}

int FilterCards::activeCount() const
{
    return static_cast<int>(std::count_if(m_cards.begin(), m_cards.end(),
                                          [](const FilterCard& card) { return card.step != 0 && card.enabled; }));
}

const FilterStep* FilterCards::wantedStep(int id) const
{
    for (const FilterStep& step : m_view.wantedSteps(m_axis))
        if (step.id == id)
            return &step;
    return nullptr;
}

// A step that keeps the missing says so of each of its rules.
const FilterCards::Parted& FilterCards::parted(const FilterStep& step)
{
    Parted& known = m_parted[step.id];
    if (!known.clauses.empty() && known.expression == step.expression && known.keepsMissing == step.keepsMissing
        && known.table == table())
        return known;
    known = {step.expression, step.keepsMissing, table(), clausesOf(step.expression, table()),
             hasAggregate(step.expression)};
    if (known.clauses.empty()) {
        FilterRule whole;
        whole.expression = step.expression;
        known.clauses = {{whole}};
    }
    if (step.keepsMissing)
        known.clauses = keepingMissing(std::move(known.clauses));
    return known;
}

std::vector<FilterCard> FilterCards::cardsOfSteps()
{
    std::vector<FilterCard> cards;
    for (const FilterStep& step : m_view.wantedSteps(m_axis)) {
        FilterCard card;
        card.step = step.id;
        card.label = step.label;
        card.enabled = step.enabled;
        if (const FilterStep* applied = m_view.step(step.id)) {
            card.before = applied->before;
            card.chosen = applied->chosen;
            card.missing = applied->missing;
        }
        if (step.picked) {
            card.picked = step.picked->size();
            cards.push_back(std::move(card));
            continue;
        }
        const Parted& whole = parted(step);
        const FilterClauses& clauses = whole.clauses;
        card.joinable = !whole.aggregate;
        for (card.clause = 0; card.clause < clauses.size(); ++card.clause)
            for (card.place = 0; card.place < clauses[card.clause].size(); ++card.place) {
                card.rule = clauses[card.clause][card.place];
                card.joined = card.place > 0;
                card.alone = clauses.size() == 1 && clauses.front().size() == 1;
                cards.push_back(card);
            }
    }
    return cards;
}

void FilterCards::refresh()
{
    std::vector<FilterCard> cards = cardsOfSteps();
    std::vector<FilterCard> old = m_cards;
    std::vector<bool> taken(old.size(), false);
    const auto claim = [&](FilterCard& card, auto&& fits) {
        for (std::size_t i = 0; i < old.size() && card.key == 0; ++i)
            if (!taken[i] && fits(old[i])) {
                taken[i] = true;
                card.key = old[i].key;
            }
    };
    for (FilterCard& card : cards)
        claim(card, [&](const FilterCard& one) {
            return one.step == card.step && one.clause == card.clause && one.place == card.place && sameThing(one, card);
        });
    for (FilterCard& card : cards)
        claim(card, [&](const FilterCard& one) { return one.step == card.step && sameThing(one, card); });
    for (FilterCard& card : cards) // of another column, another expression
        claim(card, [&](const FilterCard& one) {
            return one.step == card.step && one.clause == card.clause && one.place == card.place
                && one.rule.kind == card.rule.kind && one.picked.has_value() == card.picked.has_value();
        });
    for (FilterCard& card : cards)
        claim(card, [&](const FilterCard& one) {
            return canStandOpen(card.rule.kind) && !card.picked && sameThing(one, card);
        });
    for (FilterCard& card : cards)
        if (card.key == 0)
            card.key = m_nextKey++;
    // What somebody opened stays where it was, and filters nothing.
    for (std::size_t i = 0; i < old.size(); ++i) {
        if (taken[i] || m_opened.count(old[i].key) == 0 || !canStandOpen(old[i].rule.kind))
            continue;
        const RuleSubject& subject = old[i].rule.subject;
        if (subject.kind == RuleSubject::Kind::Column
            && (table() == nullptr || table()->child(toStdString(subject.name)) == nullptr))
            continue; // another file, or another version of it
        FilterCard open = old[i];
        if (open.step != 0)
            open.rule = openRule(open.rule.subject, open.rule.kind, open.rule.literal);
        open.step = 0;
        open.clause = open.place = 0;
        open.enabled = open.alone = true;
        open.joined = open.joinable = false;
        open.before = open.chosen = open.missing = 0;
        auto place = cards.end();
        for (std::size_t k = i; k-- > 0 && place == cards.end();) {
            const auto before = std::find_if(cards.begin(), cards.end(),
                                             [&](const FilterCard& card) { return card.key == old[k].key; });
            if (before != cards.end())
                place = before + 1;
        }
        if (i == 0)
            place = cards.begin();
        cards.insert(place, std::move(open));
    }
    // Those that stand behind one another and are both in use can be joined.
    for (std::size_t i = cards.size(); i-- > 0;) {
        const bool could = cards[i].joinable;
        cards[i].joinable = could && i > 0 && cards[i - 1].joinable && cards[i - 1].enabled == cards[i].enabled;
        if (const auto found = m_problems.find(cards[i].key); found != m_problems.end())
            cards[i].problem = found->second;
    }
    if (cards == m_cards)
        return;
    m_cards = std::move(cards);
    Q_EMIT changed();
}

FilterRule FilterCards::openRule(const RuleSubject& subject, FilterRule::Kind kind, RuleLiteral literal)
{
    FilterRule rule;
    rule.subject = subject;
    rule.kind = kind;
    rule.literal = literal;
    rule.negated = kind == FilterRule::Kind::Categories; // none is taken out
    rule.keepsMissing = kind == FilterRule::Kind::Categories || kind == FilterRule::Kind::Range;
    return rule;
}

FilterRule FilterCards::openRule(const Element& column)
{
    RuleSubject subject;
    subject.kind = RuleSubject::Kind::Column;
    subject.name = toQString(column.name);
    return openRule(subject, ruleKindOf(column), literalOf(column));
}

int FilterCards::add(FilterRule rule, const QString& label)
{
    FilterCard card;
    card.rule = std::move(rule);
    if (card.rule.isOpen())
        for (const FilterCard& one : m_cards)
            if (sameThing(one, card))
                return one.key;
    card.key = m_nextKey++;
    m_opened.insert(card.key);
    const int key = card.key;
    const FilterRule asked = card.rule;
    if (!asked.isOpen())
        card.rule = openRule(asked.subject, asked.kind, asked.literal);
    card.rule.name = asked.name;
    m_cards.push_back(std::move(card));
    if (asked.isOpen())
        Q_EMIT changed();
    else
        setRule(key, asked, label);
    return key;
}

void FilterCards::setRule(int key, FilterRule rule, const QString& label)
{
    FilterCard* card = find(key);
    if (card == nullptr || card->picked)
        return;
    m_opened.insert(key); // whoever has it in hand does not lose it
    m_problems.erase(key);
    card->problem.clear();
    if (card->step == 0) {
        card->rule = rule;
        if (rule.isOpen()) {
            Q_EMIT changed();
            return;
        }
        StepNote note;
        note.label = label;
        const int id = m_view.setStep(m_axis, 0, rule.text(FilterRule::Missing::Left), note);
        m_tried[id] = key;
        m_view.setStepKeepsMissing(id, rule.keepsMissing && rule.kind != FilterRule::Kind::Selection
                                           && !(rule.kind == FilterRule::Kind::Categories && rule.values.isEmpty()));
        return;
    }
    const FilterStep* step = wantedStep(card->step);
    if (step == nullptr)
        return;
    FilterClauses clauses = clausesOfStep(*step);
    if (card->clause >= clauses.size() || card->place >= clauses[card->clause].size())
        return;
    clauses[card->clause][card->place] = std::move(rule);
    m_tried[card->step] = key;
    setClauses(card->step, clauses, card->alone ? label : QString());
}

// A rule alone leaves the missing to its step, as the status line does; several say it themselves.
void FilterCards::setClauses(int step, const FilterClauses& clauses, const QString& label)
{
    const bool alone = clauses.size() == 1 && clauses.front().size() == 1;
    const FilterRule* only = alone ? &clauses.front().front() : nullptr;
    const bool byStep = only != nullptr && only->keepsMissing
        && !(only->kind == FilterRule::Kind::Categories && only->values.isEmpty());
    const QString text = only != nullptr ? only->text(byStep ? FilterRule::Missing::Left : FilterRule::Missing::Written)
                                         : textOf(clauses);
    if (text.isEmpty()) {
        m_view.removeStep(step);
        return;
    }
    StepNote note;
    note.label = label;
    m_view.setStep(m_axis, step, text, note);
    m_view.setStepKeepsMissing(step, byStep);
}

void FilterCards::remove(int key)
{
    const FilterCard* card = find(key);
    if (card == nullptr)
        return;
    m_opened.erase(key);
    m_problems.erase(key);
    const FilterCard gone = *card;
    if (gone.step == 0) {
        std::erase_if(m_cards, [key](const FilterCard& one) { return one.key == key; });
        Q_EMIT changed();
        return;
    }
    const FilterStep* step = wantedStep(gone.step);
    if (gone.alone || step == nullptr) {
        m_view.removeStep(gone.step);
        return;
    }
    FilterClauses clauses = clausesOfStep(*step);
    FilterClause& clause = clauses[gone.clause];
    clause.erase(clause.begin() + static_cast<std::ptrdiff_t>(gone.place));
    if (clause.empty())
        clauses.erase(clauses.begin() + static_cast<std::ptrdiff_t>(gone.clause));
    setClauses(gone.step, clauses, {});
}

// Each clause of a step as a step of its own, of which one can be switched off.
void FilterCards::setApart(const FilterCard& card)
{
    std::vector<FilterStep> steps = m_view.wantedSteps(m_axis);
    const auto place = std::find_if(steps.begin(), steps.end(), [&](const FilterStep& step) { return step.id == card.step; });
    const FilterStep whole = *place;
    const FilterClauses clauses = clausesOfStep(whole);
    auto at = steps.erase(place);
    for (std::size_t i = 0; i < clauses.size(); ++i) {
        FilterStep part;
        part.id = i == 0 ? whole.id : 0;
        part.expression = textOf({clauses[i]});
        part.enabled = i != card.clause;
        at = steps.insert(at, std::move(part)) + 1;
    }
    m_view.setSteps(m_axis, std::move(steps), u"switch off "_s + textOf({clauses[card.clause]}));
}

void FilterCards::setEnabled(int key, bool enabled)
{
    const FilterCard* card = find(key);
    if (card == nullptr || card->step == 0)
        return;
    const FilterStep* step = wantedStep(card->step);
    if (step == nullptr)
        return;
    if (!enabled && !step->picked && clausesOfStep(*step).size() > 1)
        setApart(*card);
    else
        m_view.setStepEnabled(card->step, enabled);
}

void FilterCards::setJoined(int key, bool joined)
{
    const auto found = std::find_if(m_cards.begin(), m_cards.end(), [key](const FilterCard& card) { return card.key == key; });
    if (found == m_cards.end() || found == m_cards.begin() || !found->joinable || found->joined == joined)
        return;
    const FilterCard card = *found;
    const FilterCard before = *(found - 1);
    std::vector<FilterStep> steps = m_view.wantedSteps(m_axis);
    const auto stepOf = [&](int id) {
        return std::find_if(steps.begin(), steps.end(), [id](const FilterStep& step) { return step.id == id; });
    };
    const auto write = [](FilterStep& step, const FilterClauses& clauses) {
        step.expression = textOf(clauses);
        step.keepsMissing = false; // written
        step.label.clear();
        step.origin.clear();
        step.written.clear();
    };
    FilterClauses own = clausesOfStep(*stepOf(card.step));
    FilterClause& clause = own[card.clause];
    if (!joined) {
        const auto cut = clause.begin() + static_cast<std::ptrdiff_t>(card.place);
        const FilterClause rest(cut, clause.end());
        clause.erase(cut, clause.end());
        FilterClauses behind{rest};
        behind.insert(behind.end(), own.begin() + static_cast<std::ptrdiff_t>(card.clause + 1), own.end());
        own.resize(card.clause + 1);
        const auto at = stepOf(card.step);
        FilterStep second;
        second.enabled = at->enabled;
        write(second, behind);
        write(*at, own);
        steps.insert(at + 1, std::move(second));
        m_view.setSteps(m_axis, std::move(steps), u"join by and"_s);
        return;
    }
    const FilterClause moved = clause;
    own.erase(own.begin() + static_cast<std::ptrdiff_t>(card.clause));
    const bool same = before.step == card.step;
    FilterClauses into = same ? own : clausesOfStep(*stepOf(before.step));
    FilterClause& target = into[before.clause];
    target.insert(target.end(), moved.begin(), moved.end());
    write(*stepOf(before.step), into);
    if (!same && own.empty())
        steps.erase(stepOf(card.step));
    else if (!same)
        write(*stepOf(card.step), own);
    m_view.setSteps(m_axis, std::move(steps), u"join by or"_s);
}

void FilterCards::sayProblem(const StepProblem& problem)
{
    if (problem.axis != m_axis)
        return;
    const auto tried = m_tried.find(problem.id);
    if (tried == m_tried.end())
        return;
    m_problems[tried->second] = errorText(problem.error);
    m_tried.erase(tried);
    for (FilterCard& card : m_cards)
        if (const auto found = m_problems.find(card.key); found != m_problems.end())
            card.problem = found->second;
    Q_EMIT changed();
}

void FilterCards::fileChanged(Opened opened)
{
    m_parted.clear();
    m_problems.clear();
    m_tried.clear();
    if (opened == Opened::Close)
        m_opened.clear();
    refresh();
}

} // namespace cellfolio
