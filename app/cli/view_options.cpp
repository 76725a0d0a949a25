// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/view_options.h"

#include "app/cli/element_axes.h"
#include "app/cli/progress_line.h"
#include "core/query/filter.h"

namespace cellfolio::cli {
namespace {

Result<SelectionOption> selectionOption(SelectionOption::Of of, std::string_view name,
                                        const std::string& value)
{
    auto text = SelectionText::parse(value);
    if (!text)
        return std::move(text).error().within("--" + std::string(name));
    return SelectionOption{of, std::move(*text)};
}

Error noSuchAxis(const Element& element, Axis axis)
{
    const std::string option = axis == Axis::Obs ? "--where" : "--where-var";
    return Error(ErrorCode::NotFound,
                 (element.path.empty() ? "The file" : element.path)
                     + (axis == Axis::Obs ? " has no obs axis." : " has no var axis."))
        .at(element.path.empty() ? "/" : element.path)
        .advise("Leave out " + option + ".");
}

} // namespace

Result<ViewOptions> viewOptions(const Arguments& arguments)
{
    constexpr std::pair<std::string_view, SelectionOption::Of> kSelections[] = {
        {"obs", SelectionOption::Of::Obs},
        {"var", SelectionOption::Of::Var},
        {"rows", SelectionOption::Of::First},
        {"cols", SelectionOption::Of::Second}};
    ViewOptions result;
    for (const auto& [option, value] : arguments.options) {
        if (option->name == "view") {
            if (value.empty())
                return Error(ErrorCode::BadUsage, "--view wants a name or a FILE.json.");
            result.views.push_back(value);
        } else if (option->name == "where" || option->name == "where-var") {
            auto parsed = FilterExpression::parse(value);
            if (!parsed)
                return std::move(parsed).error().within("--" + std::string(option->name));
            (option->name == "where" ? result.where : result.whereVar)
                .push_back(std::move(*parsed));
        }
        for (const auto& [name, of] : kSelections) {
            if (option->name != name)
                continue;
            auto selection = selectionOption(of, name, value);
            if (!selection)
                return std::move(selection).error();
            result.selections.push_back(std::move(*selection));
        }
    }
    return result;
}

bool isViewFile(const std::string& text)
{
    return text.ends_with(".json");
}

Result<MatchedView> ViewResolver::view(const std::string& name)
{
    if (const auto known = m_views.find(name); known != m_views.end())
        return known->second;
    auto loaded = isViewFile(name)
                    ? KeptViews::readFile(m_dataset, name, m_session.reading, m_session.stop)
                    : KeptViews().load(m_dataset, name, m_session.reading, m_session.stop);
    if (!loaded)
        return loaded;
    if (const std::string losses = loaded->losses(); !losses.empty())
        m_session.note("View \"" + name + "\": " + losses);
    return m_views.emplace(name, std::move(*loaded)).first->second;
}

Result<Narrowed> ViewResolver::narrow(Axis axis, const Element& table)
{
    const bool ofView = &table == (axis == Axis::Obs ? m_dataset->obs() : m_dataset->var());
    Narrowed narrowed;
    narrowed.rows = Selection::all(table.rows);
    bool first = true;
    for (const std::string& name : m_options.views) {
        auto matched = view(name);
        if (!matched)
            return std::move(matched).error();
        if (!ofView)
            continue;
        const Selection& rows = matched->view.of(axis);
        if (first) {
            narrowed.rows = rows;
        } else { // a view of a view: what both hold, in the order of the first
            const IndexSet held = rows.toSet();
            IndexSetBuilder both(narrowed.rows.size());
            Index number = 0;
            narrowed.rows.forEach([&](Index position) {
                if (held.contains(position))
                    both.add(number);
                ++number;
            });
            narrowed.rows = narrowed.rows.then(Selection::of(std::move(both).take()));
        }
        first = false;
    }
    narrowed.outsideView = table.rows - narrowed.rows.toSet().size();

    const auto& expressions = m_options.expressions(axis);
    if (expressions.empty())
        return narrowed;
    ProgressLine line(m_session, axis == Axis::Obs ? "Filtering cells" : "Filtering genes");
    FilterContext context;
    context.dataset = m_dataset;
    context.table = &table;
    context.reading = m_session.reading;
    context.stop = m_session.stop;
    context.read = textBehind;
    context.selection = [&](const std::string& name) -> Result<Selection> {
        auto matched = view(name);
        if (!matched)
            return std::move(matched).error();
        if (!ofView)
            return Error(ErrorCode::BadExpression, "Views speak of obs and var, and these are rows "
                                                   "of " + table.path + ".");
        return matched->view.of(axis);
    };
    for (const FilterExpression& expression : expressions) {
        const std::string option = axis == Axis::Obs ? "--where" : "--where-var";
        auto filter = Filter::check(expression, context);
        if (!filter)
            return std::move(filter).error().within(option);
        FilterOptions options;
        options.stop = m_session.stop;
        options.progress = &line.progress();
        auto answer = filter->run(narrowed.rows, options);
        if (!answer)
            return std::move(answer).error().within(option);
        narrowed.missing += answer->missing;
        narrowed.notInFilter += narrowed.rows.size() - answer->chosen.size() - answer->missing;
        narrowed.rows = narrowed.rows.then(answer->chosen);
    }
    return narrowed;
}

Result<void> narrowAxes(Session& session, const Target& target, const ViewOptions& options,
                        std::vector<ChosenAxis>& axes)
{
    if (options.views.empty() && options.where.empty() && options.whereVar.empty())
        return {};
    const Element& element = *target.element;
    ViewResolver resolver(session, target.dataset, options);
    for (const Axis axis : {Axis::Obs, Axis::Var}) {
        std::vector<ChosenAxis*> along;
        for (std::size_t dimension = 0; dimension < axes.size(); ++dimension) {
            if (axisOf(element, dimension) == axis)
                along.push_back(&axes[dimension]);
        }
        const auto& expressions = options.expressions(axis);
        if (along.empty() && !expressions.empty())
            return noSuchAxis(element, axis);
        if (along.empty() || (expressions.empty() && options.views.empty()))
            continue;
        const Element* table = along.front()->names;
        if (table == nullptr || table->rows != along.front()->selection.size())
            return Error(ErrorCode::NotFound, "No table belongs to the rows of " + element.path + ".")
                .at(element.path);
        auto narrowed = resolver.narrow(axis, *table);
        if (!narrowed)
            return std::move(narrowed).error();
        for (ChosenAxis* chosen : along) {
            chosen->selection = narrowed->rows;
            chosen->chosen = true;
        }
    }
    return {};
}

} // namespace cellfolio::cli
