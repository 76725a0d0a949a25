// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/filter_steps.h"

#include "core/base/text.h"
#include "core/query/filter.h"
#include "widgets/bridge/cell_format.h"

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

// Named rows may mean others than they did when the step was last applied.
bool mayHaveChanged(const FilterStep& step)
{
    return step.expression.contains("selection"_L1) || step.expression.contains("file"_L1);
}

Result<Selection> namedRows(const NamedRows* named, const NamedLookup& lookUp,
                            const std::shared_ptr<const Dataset>& dataset, const std::string& name)
{
    if (named != nullptr)
        if (const auto found = named->find(name); found != named->end())
            return found->second;
    if (lookUp)
        return lookUp(dataset, name);
    std::vector<std::string> names;
    if (named != nullptr)
        for (const auto& item : *named)
            names.push_back(item.first);
    return Error(ErrorCode::NotFound, "There is no selection \"" + name + "\" in this file.")
        .suggest(nearest(name, names, 3));
}

Result<FilterAnswer> evaluate(const StepsTask& task, const FilterStep& step, const Selection& rows, bool isLast,
                              std::stop_token stop)
{
    if (task.table == nullptr || !task.table->readable)
        return Error(ErrorCode::Refused, "The table of this axis cannot be read, so it cannot be filtered.");
    // What is not false is true or unknown.
    auto expression = FilterExpression::parse(
        toStdString(step.keepsMissing ? u"not ("_s + step.expression + u')' : step.expression));
    if (!expression)
        return std::move(expression).error();
    FilterContext context;
    context.dataset = task.dataset;
    context.table = task.table;
    context.reading = task.reading;
    context.stop = stop;
    context.selection = [named = task.named, lookUp = task.lookUp, dataset = task.dataset](const std::string& name) {
        return namedRows(named.get(), lookUp, dataset, name);
    };
    if (task.genes)
        context.genes = [genes = task.genes, stop](const Element& matrix) { return genes->of(matrix, stop); };
    auto filter = Filter::check(*expression, context);
    if (!filter)
        return std::move(filter).error();
    FilterOptions options;
    options.stop = stop;
    options.progress = task.progress.get();
    if (isLast && task.soFar)
        options.soFar = task.soFar->begin(rows, step.keepsMissing);
    auto answer = filter->run(rows, options);
    if (answer && step.keepsMissing)
        *answer = {~answer->chosen, 0, answer->valuesRead};
    return answer;
}

} // namespace

FilterSoFar* StepsSoFar::begin(Selection rows, bool keepsMissing)
{
    const std::lock_guard lock(m_mutex);
    m_rows = std::move(rows);
    m_keepsMissing = keepsMissing;
    return &m_filter;
}

std::optional<StepsSoFar::Part> StepsSoFar::take()
{
    auto part = m_filter.take();
    const std::lock_guard lock(m_mutex);
    if (!part || !m_rows)
        return std::nullopt;
    // Where the missing stay, the filter chooses what does not.
    if (m_keepsMissing) {
        IndexSetBuilder settled(part->chosen.extent());
        settled.addRun(0, part->decided);
        part->chosen = std::move(settled).take() - part->chosen;
    }
    return Part{m_rows->then(Selection::of(std::move(part->chosen))), part->decided, m_rows->size()};
}

QString FilterStep::text() const
{
    const QString words = label.isEmpty() ? expression : label;
    return keepsMissing ? words + u" or missing"_s : words;
}

Result<StepsAnswer> applySteps(const StepsTask& task, std::vector<FilterStep> steps,
                               const std::vector<FilterStep>& known, std::stop_token stop)
{
    StepsAnswer answer;
    Selection rows = Selection::all(task.rows);
    bool asKnown = true;
    std::size_t last = steps.size(); // that narrows
    for (std::size_t i = 0; i < steps.size(); ++i)
        last = steps[i].enabled ? i : last;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        FilterStep& step = steps[i];
        if (stop.stop_requested())
            return Error::cancelled();
        asKnown = asKnown && i < known.size() && known[i].narrowsLike(step)
            && known[i].after.extent() == task.rows && !mayHaveChanged(step);
        step.before = rows.size();
        step.missing = 0;
        if (asKnown) {
            step.missing = known[i].missing;
            rows = known[i].after;
        } else if (step.enabled && step.picked) {
            rows = rows & *step.picked;
        } else if (step.enabled) {
            auto found = evaluate(task, step, rows, i == last, stop);
            if (!found) {
                if (found.error().code() == ErrorCode::Cancelled)
                    return std::move(found).error();
                answer.failedId = step.id;
                answer.problem = std::move(found).error();
                answer.steps = std::move(steps);
                return answer;
            }
            step.missing = found->missing;
            rows = rows.then(found->chosen);
        }
        step.chosen = rows.size();
        step.after = rows;
    }
    answer.rows = std::move(rows);
    answer.steps = std::move(steps);
    return answer;
}

StepsCount countOf(const std::vector<FilterStep>& steps, const Selection& shown)
{
    StepsCount count;
    count.rows = shown.extent();
    count.shown = shown.size();
    for (const FilterStep& step : steps)
        count.missing += step.missing;
    count.notIn = count.rows - count.shown - count.missing;
    return count;
}

} // namespace cellfolio
