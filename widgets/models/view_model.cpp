// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/view_model.h"

#include "core/matrix/gene_index_settings.h"
#include "widgets/bridge/cell_format.h"

#include <algorithm>
#include <array>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr std::array kAxes{Axis::Obs, Axis::Var};

FilterStep* find(ViewState& state, int id)
{
    for (const Axis axis : kAxes)
        for (FilterStep& step : state.steps(axis))
            if (step.id == id)
                return &step;
    return nullptr;
}

Axis axisOf(const ViewState& state, int id)
{
    const auto& var = state.var;
    const bool ofVar = std::any_of(var.begin(), var.end(), [id](const FilterStep& step) { return step.id == id; });
    return ofVar ? Axis::Var : Axis::Obs;
}

bool sameSteps(const std::vector<FilterStep>& a, const std::vector<FilterStep>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const FilterStep& left, const FilterStep& right) {
        return left.id == right.id && left.narrowsLike(right) && left.label == right.label
            && left.origin == right.origin && left.chosen == right.chosen && left.missing == right.missing;
    });
}

bool differs(const ViewState& a, const ViewState& b, Axis axis)
{
    return !(a.view.of(axis) == b.view.of(axis)) || !sameSteps(a.steps(axis), b.steps(axis));
}

// Without settings that can be read there is no index; genes come slower, and are the same.
std::optional<GeneIndexStore> storeOfSettings()
{
    const auto settings = GeneIndexSettings::read();
    return settings ? std::optional(settings->store()) : std::nullopt;
}

} // namespace

ViewModel::ViewModel(ModelContext context, QObject* parent)
    : QObject(parent), m_context(context), m_history(context.reading->budget().limit() / 32),
      m_names(context), m_request(context.patient), m_matching(context.patient)
{
    m_slow.setSingleShot(true);
    connect(&m_slow, &QTimer::timeout, this, [this] {
        if (!isEvaluating())
            return;
        Q_EMIT progressed(progressDone(), progressTotal());
        showSoFar();
        m_slow.start(m_lookEvery);
    });
}

ViewModel::~ViewModel() = default;

void ViewModel::clear()
{
    m_request.cancel();
    m_matching.cancel();
    m_names.clear();
    m_slow.stop();
    m_wanted.reset();
    m_partial.reset();
    m_problem.reset();
    m_named[0].reset();
    m_named[1].reset();
    m_dataset.reset();
    m_history.start({});
    m_lastStep = 0;
    Q_EMIT historyChanged();
}

void ViewModel::setDataset(std::shared_ptr<const Dataset> dataset)
{
    clear();
    m_dataset = std::move(dataset);
    if (!m_genes || m_genes->dataset() != m_dataset)
        m_genes = std::make_shared<GeneSources>(m_dataset, m_context.reading, storeOfSettings());
    ViewState state;
    state.view = DatasetView(m_dataset);
    m_history.start(std::move(state));
    for (const Axis axis : kAxes)
        Q_EMIT viewChanged(axis);
    Q_EMIT historyChanged();
}

void ViewModel::setDatasetAgain(std::shared_ptr<const Dataset> dataset)
{
    ViewState before = m_wanted ? *m_wanted : m_history.current();
    std::vector<PickedNames::Pick> picks = m_names.picksOf(before);
    setDataset(std::move(dataset));
    ViewState& next = wanted(before.change);
    for (const Axis axis : kAxes)
        for (FilterStep& step : before.steps(axis)) {
            if (step.picked)
                continue; // of the other file's rows; they come once they are found
            step.after = {};
            next.steps(axis).push_back(std::move(step));
        }
    if (!picks.empty())
        findPicksAgain(std::move(picks));
    if (next.obs.empty() && next.var.empty()) {
        m_wanted.reset();
        return;
    }
    m_dropping = true;
    evaluate(0);
}

void ViewModel::findPicksAgain(std::vector<PickedNames::Pick> picks)
{
    Q_EMIT evaluating(true);
    m_matching.request<PickedNames::Found>(
        [picks, dataset = m_dataset, reading = m_context.reading](std::stop_token stop) {
            return PickedNames::findAgain(picks, dataset, reading, stop);
        },
        [this, count = static_cast<int>(picks.size())](Result<PickedNames::Found> found) {
            const int dropped = found ? found->dropped : count;
            if (dropped > 0)
                Q_EMIT picksDropped(dropped);
            if (found && !found->sentence.isEmpty())
                Q_EMIT picksFound(found->sentence);
            if (!found || found->picks.empty()) {
                if (!m_wanted)
                    ended();
                return;
            }
            ViewState& next = wanted(u"find the picked rows again"_s);
            for (PickedNames::Pick& pick : found->picks) {
                std::vector<FilterStep>& steps = next.steps(pick.axis);
                const auto place = static_cast<std::ptrdiff_t>(std::min(pick.place, steps.size()));
                steps.insert(steps.begin() + place, std::move(pick.step));
            }
            m_dropping = true; // what was let go before is still to be said
            evaluate(0);
        });
}

const FilterStep* ViewModel::step(int id) const
{
    for (const Axis axis : kAxes)
        for (const FilterStep& step : steps(axis))
            if (step.id == id)
                return &step;
    return nullptr;
}

const FilterStep* ViewModel::stepOf(Axis axis, const QString& origin) const
{
    for (const FilterStep& step : steps(axis))
        if (!origin.isEmpty() && step.origin == origin)
            return &step;
    return nullptr;
}

// What is being made of the view: a change under way is the ground of the next one.
ViewState& ViewModel::wanted(const QString& change)
{
    if (!m_wanted)
        m_wanted = m_history.current();
    m_wanted->change = change;
    return *m_wanted;
}

FilterStep* ViewModel::wantedStep(int id)
{
    if (m_wanted)
        return find(*m_wanted, id);
    return const_cast<FilterStep*>(step(id));
}

FilterStep& ViewModel::madeStep(Axis axis, int id, const StepNote& note, const QString& change)
{
    ViewState& next = wanted(change);
    FilterStep* step = find(next, id);
    if (step == nullptr) {
        FilterStep fresh;
        fresh.id = m_nextId++;
        next.steps(axis).push_back(std::move(fresh));
        step = &next.steps(axis).back();
    }
    step->label = note.label;
    step->origin = note.origin;
    step->written = note.written;
    step->enabled = true;
    return *step;
}

int ViewModel::setStep(Axis axis, int id, const QString& expression, const StepNote& note)
{
    if (!m_dataset)
        return 0;
    const QString text = expression.trimmed();
    FilterStep& step = madeStep(axis, id, note, u"filter "_s + (note.label.isEmpty() ? text : note.label));
    step.expression = text;
    step.picked.reset();
    const int given = step.id;
    evaluate(given);
    return given;
}

int ViewModel::setPicked(Axis axis, int id, Selection rows, const StepNote& note)
{
    if (!m_dataset)
        return 0;
    FilterStep& step = madeStep(axis, id, note, note.label);
    step.expression.clear();
    step.picked = std::move(rows);
    const int given = step.id;
    evaluate(given);
    return given;
}

void ViewModel::removeStep(int id)
{
    const FilterStep* gone = wantedStep(id);
    if (gone == nullptr)
        return;
    ViewState& next = wanted(u"remove "_s + gone->text());
    const Axis axis = axisOf(next, id);
    std::erase_if(next.steps(axis), [id](const FilterStep& step) { return step.id == id; });
    evaluate(0);
}

void ViewModel::setStepEnabled(int id, bool enabled)
{
    const FilterStep* old = wantedStep(id);
    if (old == nullptr || old->enabled == enabled)
        return;
    ViewState& next = wanted((enabled ? u"switch on "_s : u"switch off "_s) + old->text());
    find(next, id)->enabled = enabled;
    evaluate(0);
}

void ViewModel::setStepKeepsMissing(int id, bool keeps)
{
    const FilterStep* old = wantedStep(id);
    if (old == nullptr || old->keepsMissing == keeps)
        return;
    ViewState& next = wanted((keeps ? u"keep the missing of "_s : u"leave out the missing of "_s) + old->text());
    find(next, id)->keepsMissing = keeps;
    evaluate(0);
}

void ViewModel::setSteps(Axis axis, std::vector<FilterStep> steps, const QString& change)
{
    if (!m_dataset)
        return;
    ViewState& next = wanted(change);
    next.steps(axis) = std::move(steps);
    for (const Axis each : kAxes)
        for (FilterStep& step : next.steps(each))
            if (step.id == 0)
                step.id = m_nextId++;
    evaluate(0);
}

void ViewModel::setSteps(std::vector<FilterStep> obs, std::vector<FilterStep> var, const QString& change)
{
    if (!m_dataset)
        return;
    wanted(change).obs = std::move(obs);
    setSteps(Axis::Var, std::move(var), change);
}

void ViewModel::reset()
{
    if (!m_dataset || (!isNarrowed() && !m_wanted))
        return;
    m_request.cancel();
    m_matching.cancel();
    m_wanted.reset();
    m_problem.reset();
    if (isNarrowed()) {
        ViewState state;
        state.view = DatasetView(m_dataset);
        state.change = u"show all"_s;
        show(std::move(state), 0);
    }
    dropPartial();
    ended();
}

void ViewModel::reset(Axis axis)
{
    if (!m_dataset)
        return;
    ViewState& next = wanted(axis == Axis::Obs ? u"show all cells"_s : u"show all genes"_s);
    next.steps(axis).clear();
    evaluate(0);
}

void ViewModel::setNamedRows(Axis axis, NamedRows rows)
{
    m_named[static_cast<int>(axis)] = std::make_shared<const NamedRows>(std::move(rows));
}

const std::shared_ptr<const NamedRows>& ViewModel::namedRows(Axis axis) const
{
    return m_named[static_cast<int>(axis)];
}

void ViewModel::setNamedLookup(Axis axis, NamedLookup lookUp)
{
    m_lookUp[static_cast<int>(axis)] = std::move(lookUp);
}

StepsTask ViewModel::task(Axis axis) const
{
    StepsTask task;
    task.dataset = m_dataset;
    task.table = axis == Axis::Obs ? m_dataset->obs() : m_dataset->var();
    if (task.table != nullptr && task.table->kind != ElementKind::Table)
        task.table = nullptr;
    task.rows = m_history.current().view.of(axis).extent();
    task.reading = m_context.reading;
    task.named = m_named[static_cast<int>(axis)];
    task.lookUp = m_lookUp[static_cast<int>(axis)];
    if (m_genes && m_genes->dataset() == m_dataset)
        task.genes = m_genes;
    task.soFar = m_soFar[static_cast<int>(axis)];
    task.progress = m_progress;
    return task;
}

// Both axes every time: the one that is as it was costs nothing, and a change of the other that was
// still under way is not lost.
void ViewModel::evaluate(int ofStep)
{
    struct Both {
        StepsAnswer answers[2];
    };
    m_progress = std::make_shared<Progress>();
    for (std::shared_ptr<StepsSoFar>& soFar : m_soFar)
        soFar = std::make_shared<StepsSoFar>();
    m_sinceAsked.start();
    m_nextLook = m_slowAfter;
    const bool busy = m_slow.isActive();
    const ViewState& current = m_history.current();
    m_request.request<Both>(
        [obs = task(Axis::Obs), var = task(Axis::Var), wantedObs = m_wanted->obs, wantedVar = m_wanted->var,
         knownObs = current.obs, knownVar = current.var](std::stop_token stop) -> Result<Both> {
            Both both;
            auto cells = applySteps(obs, wantedObs, knownObs, stop);
            if (!cells)
                return std::move(cells).error();
            both.answers[0] = std::move(*cells);
            auto genes = applySteps(var, wantedVar, knownVar, stop);
            if (!genes)
                return std::move(genes).error();
            both.answers[1] = std::move(*genes);
            return both;
        },
        [this, ofStep](Result<Both> both) {
            if (!both) {
                // Not of a step: no thread, no memory. Said of the step that was asked for.
                fail(ofStep, both.error());
                return;
            }
            for (const StepsAnswer& answer : both->answers)
                if (answer.problem) {
                    fail(answer.failedId, *answer.problem);
                    return;
                }
            ViewState state = std::move(*m_wanted);
            state.obs = std::move(both->answers[0].steps);
            state.var = std::move(both->answers[1].steps);
            state.view = DatasetView(m_dataset, std::move(both->answers[0].rows), std::move(both->answers[1].rows));
            m_wanted.reset();
            if (!m_dropping)
                m_problem.reset();
            show(std::move(state), ofStep);
            ended();
        });
    if (!busy) {
        m_slow.start(m_slowAfter);
        Q_EMIT evaluating(true);
    }
    Q_EMIT historyChanged();
}

void ViewModel::fail(int id, const Error& error)
{
    StepProblem problem{axisOf(*m_wanted, id), id, {}, {}, error};
    if (const FilterStep* step = find(*m_wanted, id)) {
        problem.expression = step->expression;
        problem.origin = step->origin;
    }
    m_problem = problem;
    if (m_dropping && id != 0) {
        std::erase_if(m_wanted->steps(problem.axis), [id](const FilterStep& step) { return step.id == id; });
        evaluate(0);
    } else {
        m_wanted.reset();
        dropPartial();
        ended();
    }
    Q_EMIT failed(problem);
}

// Each look costs the tabs a new view, so they become rarer the longer it takes.
void ViewModel::showSoFar()
{
    if (!m_wanted || m_sinceAsked.elapsed() < m_nextLook)
        return;
    for (const Axis axis : kAxes) {
        StepsSoFar& soFar = *m_soFar[static_cast<int>(axis)];
        const std::optional<StepsSoFar::Part> part = soFar.take();
        soFar.ask();
        if (!part || part->decided == 0 || part->rows.extent() != m_history.current().view.of(axis).extent())
            continue;
        m_nextLook = m_sinceAsked.elapsed() * 3 / 2;
        const DatasetView& whole = m_history.current().view;
        m_partial = DatasetView(m_dataset, axis == Axis::Obs ? part->rows : whole.obs(),
                                axis == Axis::Var ? part->rows : whole.var());
        m_partialAxis = axis;
        Q_EMIT viewChanged(axis);
        return; // a listener may have changed everything
    }
}

// What was shown of a change that did not come about.
void ViewModel::dropPartial()
{
    if (!m_partial)
        return;
    m_partial.reset();
    Q_EMIT viewChanged(m_partialAxis);
}

void ViewModel::show(ViewState state, int ofStep)
{
    const ViewState before = m_history.current();
    const bool changed = differs(before, state, Axis::Obs) || differs(before, state, Axis::Var);
    const bool sameChange = ofStep != 0 && ofStep == m_lastStep && m_sinceLast.isValid()
        && m_sinceLast.elapsed() < kOneChange && m_history.canUndo();
    if (changed && sameChange)
        m_history.replace(std::move(state));
    else if (changed)
        m_history.push(std::move(state));
    m_lastStep = ofStep;
    m_sinceLast.start();
    const bool wasPartial = m_partial.has_value();
    m_partial.reset();
    if (wasPartial && !differs(before, m_history.current(), m_partialAxis))
        Q_EMIT viewChanged(m_partialAxis);
    announce(before);
}

void ViewModel::announce(const ViewState& before)
{
    const ViewState now = m_history.current(); // a listener may change it
    m_names.learn(now);
    for (const Axis axis : kAxes)
        if (differs(before, now, axis))
            Q_EMIT viewChanged(axis);
}

void ViewModel::ended()
{
    m_slow.stop();
    m_dropping = false;
    Q_EMIT evaluating(false);
    Q_EMIT historyChanged();
}

void ViewModel::stop()
{
    if (!isEvaluating())
        return;
    m_request.cancel();
    m_matching.cancel();
    m_wanted.reset();
    dropPartial();
    ended();
}

void ViewModel::undo()
{
    if (m_wanted) {
        stop();
        return;
    }
    if (m_history.canUndo())
        go(&ViewHistory::undo);
}

void ViewModel::redo()
{
    if (canRedo())
        go(&ViewHistory::redo);
}

void ViewModel::go(const ViewState& (ViewHistory::*move)())
{
    const ViewState before = m_history.current();
    (m_history.*move)();
    m_lastStep = 0;
    m_problem.reset();
    announce(before);
    Q_EMIT historyChanged();
}

void ViewModel::setPatience(int slowAfter, int lookEvery)
{
    m_slowAfter = slowAfter;
    m_lookEvery = lookEvery;
}

Index ViewModel::progressDone() const
{
    return m_progress ? m_progress->done() : 0;
}

Index ViewModel::progressTotal() const
{
    return m_progress ? m_progress->total() : 0;
}

} // namespace cellfolio
