// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/kept_view_list.h"

#include "core/query/lexer.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/equal_expression.h"

#include <algorithm>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

FilterStep ruleStep(const QString& expression, const QString& label)
{
    FilterStep step;
    step.expression = expression;
    step.label = label;
    return step;
}

} // namespace

KeptViewList::KeptViewList(ModelContext context, ViewModel& view, QObject* parent)
    : QObject(parent), m_context(context), m_view(view), m_listing(context.quick), m_work(context.patient)
{
    setStore(KeptViews());
}

void KeptViewList::setStore(KeptViews store)
{
    m_store = std::move(store);
    for (const Axis axis : {Axis::Obs, Axis::Var})
        m_view.setNamedLookup(axis, [store = m_store, reading = m_context.reading,
                                     axis](const std::shared_ptr<const Dataset>& dataset,
                                           const std::string& name) -> Result<Selection> {
            auto kept = store.load(dataset, name, reading);
            if (!kept)
                return std::move(kept).error();
            return kept->view.of(axis);
        });
    refresh();
}

void KeptViewList::setDataset(std::shared_ptr<const Dataset> dataset)
{
    m_work.cancel();
    m_listing.cancel();
    m_dataset = std::move(dataset);
    m_entries.clear();
    refresh();
}

void KeptViewList::refresh()
{
    if (!m_dataset) {
        Q_EMIT changed();
        return;
    }
    m_listing.request<std::vector<KeptEntry>>(
        [store = m_store, dataset = m_dataset](std::stop_token) { return store.list(*dataset); },
        [this](Result<std::vector<KeptEntry>> list) {
            if (!list) {
                Q_EMIT failed(list.error());
                return;
            }
            m_entries = std::move(*list);
            Q_EMIT changed();
        });
}

QStringList KeptViewList::names() const
{
    QStringList list;
    for (const KeptEntry& entry : m_entries)
        list.append(toQString(entry.name));
    return list;
}

bool KeptViewList::has(const QString& name) const
{
    return names().contains(name);
}

QString KeptViewList::selectionOf(const QString& name) const
{
    return u"selection("_s + toQString(quotedText(toStdString(name))) + u')';
}

// The one expression that the steps of an axis stand for; empty where none says all of it.
QString KeptViewList::rule(Axis axis) const
{
    const Element* table = !m_dataset ? nullptr : axis == Axis::Obs ? m_dataset->obs() : m_dataset->var();
    const EqualExpression equal = equalExpression(m_view.steps(axis), table);
    return equal.isWhole() ? equal.text : QString();
}

void KeptViewList::keep(const QString& name)
{
    if (!m_dataset)
        return;
    if (m_view.isPartial()) {
        Q_EMIT said(u"Filtering has not ended; what it has found so far is not kept."_s);
        return;
    }
    ViewOrigin origin{toStdString(rule(Axis::Obs)), toStdString(rule(Axis::Var))};
    const DatasetView view = m_view.view();
    m_work.request<bool>(
        [store = m_store, view, name = toStdString(name), origin, reading = m_context.reading](std::stop_token stop)
            -> Result<bool> {
            if (auto saved = store.save(view, name, origin, reading, stop); !saved)
                return std::move(saved).error();
            return true;
        },
        [this, name, view](Result<bool> done) {
            if (!done) {
                Q_EMIT failed(done.error());
                return;
            }
            Q_EMIT said(u"“%1” is kept: %2 and %3. It comes back with this file; the file itself is as it was."_s.arg(
                name, countedText(view.obs().size(), u"cell"_s, u"cells"_s),
                countedText(view.var().size(), u"gene"_s, u"genes"_s)));
            refresh();
        });
}

void KeptViewList::remove(const QString& name)
{
    if (!m_dataset)
        return;
    m_work.request<bool>(
        [store = m_store, dataset = m_dataset, name = toStdString(name)](std::stop_token) -> Result<bool> {
            if (auto removed = store.remove(*dataset, name); !removed)
                return std::move(removed).error();
            return true;
        },
        [this, name](Result<bool> done) {
            if (!done)
                Q_EMIT failed(done.error());
            else
                Q_EMIT said(u"“%1” is removed."_s.arg(name));
            refresh();
        });
}

// Read first, so that what is lost is said; then shown by its name, which holds for other versions
// of the file as well.
void KeptViewList::show(const QString& name)
{
    if (!m_dataset)
        return;
    m_work.request<MatchedView>(
        [store = m_store, dataset = m_dataset, name = toStdString(name), reading = m_context.reading](
            std::stop_token stop) { return store.load(dataset, name, reading, stop); },
        [this, name](Result<MatchedView> kept) {
            if (!kept) {
                Q_EMIT failed(kept.error());
                return;
            }
            std::vector<FilterStep> obs;
            std::vector<FilterStep> var;
            if (!kept->view.obs().isAll())
                obs.push_back(ruleStep(selectionOf(name), name));
            if (!kept->view.var().isAll())
                var.push_back(ruleStep(selectionOf(name), name));
            m_view.setSteps(std::move(obs), std::move(var), u"show "_s + name);
            const QString losses = toQString(kept->losses());
            if (!losses.isEmpty())
                Q_EMIT said(losses);
            else if (kept->obs.byName || kept->var.byName)
                Q_EMIT said(u"The file has changed since “%1” was kept; its rows were all found again by name."_s.arg(name));
        });
}

void KeptViewList::combine(const QString& name, Combine how, Axis axis)
{
    if (!m_dataset)
        return;
    const QString other = selectionOf(name);
    if (how == Combine::And) {
        m_view.setStep(axis, 0, other, {u"in "_s + name, {}});
        return;
    }
    if (how == Combine::Without) {
        m_view.setStep(axis, 0, u"not "_s + other, {u"not in "_s + name, {}});
        return;
    }
    const QString now = rule(axis);
    if (!now.isEmpty()) {
        std::vector<FilterStep> steps;
        steps.push_back(ruleStep(u"(%1) or %2"_s.arg(now, other), {}));
        m_view.setSteps(axis, std::move(steps), u"add "_s + name);
        return;
    }
    if (m_view.rows(axis).isAll()) {
        Q_EMIT said(axis == Axis::Obs ? u"All cells are shown already."_s : u"All genes are shown already."_s);
        return;
    }
    // Rows picked by hand have no expression: the union is picked as well.
    m_work.request<MatchedView>(
        [store = m_store, dataset = m_dataset, name = toStdString(name), reading = m_context.reading](
            std::stop_token stop) { return store.load(dataset, name, reading, stop); },
        [this, name, axis, shown = m_view.rows(axis)](Result<MatchedView> kept) {
            if (!kept) {
                Q_EMIT failed(kept.error());
                return;
            }
            FilterStep step;
            step.picked = Selection::of(shown.toSet()) | Selection::of(kept->view.of(axis).toSet());
            step.label = u"picked or in "_s + name;
            std::vector<FilterStep> steps;
            steps.push_back(std::move(step));
            m_view.setSteps(axis, std::move(steps), u"add "_s + name);
        });
}

void KeptViewList::rename(const QString& from, const QString& to)
{
    if (!m_dataset || from == to)
        return;
    m_work.request<bool>(
        [store = m_store, dataset = m_dataset, from = toStdString(from), to = toStdString(to)](
            std::stop_token) -> Result<bool> {
            if (auto renamed = store.rename(*dataset, from, to); !renamed)
                return std::move(renamed).error();
            return true;
        },
        [this, from, to](Result<bool> done) {
            if (!done) {
                Q_EMIT failed(done.error());
                refresh();
                return;
            }
            follow(from, to);
            Q_EMIT said(u"“%1” is now called “%2”."_s.arg(from, to));
            refresh();
        });
}

// What is shown keeps its rows; only the name in its rules changes.
void KeptViewList::follow(const QString& from, const QString& to)
{
    const QString before = selectionOf(from);
    bool any = false;
    std::vector<FilterStep> steps[2];
    for (const Axis axis : {Axis::Obs, Axis::Var})
        for (FilterStep step : m_view.wantedSteps(axis)) {
            if (step.expression.contains(before)) {
                any = true;
                step.expression.replace(before, selectionOf(to));
                step.label = step.label == from ? to : QString();
            }
            steps[static_cast<int>(axis)].push_back(std::move(step));
        }
    if (any)
        m_view.setSteps(std::move(steps[0]), std::move(steps[1]), u"rename "_s + from);
}

QString KeptViewList::shownName() const
{
    for (const KeptEntry& entry : m_entries) {
        const QString expression = selectionOf(toQString(entry.name));
        bool any = false;
        bool only = true;
        for (const Axis axis : {Axis::Obs, Axis::Var})
            for (const FilterStep& step : m_view.steps(axis)) {
                any = any || step.expression == expression;
                only = only && step.enabled && step.expression == expression;
            }
        if (any && only)
            return toQString(entry.name);
    }
    return {};
}

} // namespace cellfolio
