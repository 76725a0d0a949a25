// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/element_axes.h"
#include "app/cli/view_choice.h"
#include "app/cli/view_json.h"
#include "core/anndata/dataset_view.h"
#include "core/base/text.h"

#include <algorithm>

namespace cellfolio::cli {
namespace {

constexpr Index kWindow = Index{1} << 14;

// What is left of one axis, and how it came to that.
struct FilteredAxis {
    Narrowed narrowed;
    ChosenAxis chosen;
    bool asked = false;      // an option spoke of it
    Index notSelected = 0;   // rows left out by --obs or --var
};

struct FilterRequest {
    ViewOptions options;
    std::string save; // empty: not asked for
    bool overwrite = false;
};

Result<FilterRequest> readRequest(const Session& session)
{
    const Arguments& arguments = session.arguments;
    if (arguments.positionals.size() > 1)
        return Error(ErrorCode::BadUsage, "`filter` takes one FILE.")
            .advise("cellfolio-cli filter FILE --where EXPRESSION");
    const int forms = static_cast<int>(arguments.has("count"))
                    + static_cast<int>(arguments.has("names"))
                    + static_cast<int>(arguments.has("positions"));
    if (forms > 1 && !session.wantsJson)
        return Error(ErrorCode::BadUsage, "--count, --names and --positions exclude each other.")
            .advise("With --json all of them may be asked for.");
    auto options = viewOptions(arguments);
    if (!options)
        return std::move(options).error();
    if (options->empty())
        return Error(ErrorCode::BadUsage, "Which cells?")
            .advise("Such as --where 'n_genes > 500', or --view NAME.");
    FilterRequest request{std::move(*options), arguments.value("save"), arguments.has("overwrite")};
    if (arguments.has("save") && request.save.empty())
        return Error(ErrorCode::BadUsage, "--save wants a name or an OUT.json.");
    return request;
}

Result<FilteredAxis> filterAxis(Session& session, const Target& target, ViewResolver& resolver,
                                const ViewOptions& options, Axis axis)
{
    FilteredAxis filtered;
    const auto of = axis == Axis::Obs ? SelectionOption::Of::Obs : SelectionOption::Of::Var;
    const auto speaks = [of](const SelectionOption& option) { return option.of == of; };
    const bool selected =
        std::any_of(options.selections.begin(), options.selections.end(), speaks);
    filtered.asked = selected || !options.expressions(axis).empty();
    if (target.element == nullptr) {
        if (filtered.asked)
            return Error(ErrorCode::NotFound, std::string("The file has no ")
                                                  + (axis == Axis::Obs ? "obs." : "var."))
                .at("/");
        return filtered;
    }
    auto narrowed = resolver.narrow(axis, *target.element);
    if (!narrowed)
        return std::move(narrowed).error();
    filtered.narrowed = std::move(*narrowed);
    // A view speaks of an axis where it does not leave it whole.
    filtered.asked = filtered.asked || !filtered.narrowed.rows.isAll();
    filtered.chosen.selection = filtered.narrowed.rows;
    filtered.chosen.names = target.element;
    filtered.chosen.key = axis == Axis::Obs ? "obs" : "var";
    for (const SelectionOption& option : options.selections) {
        if (!speaks(option))
            continue;
        if (auto picked = pickWithin(session, target, 0, filtered.chosen, option); !picked)
            return std::move(picked).error();
    }
    if (selected)
        filtered.notSelected =
            filtered.narrowed.rows.toSet().size() - filtered.chosen.selection.toSet().size();
    return filtered;
}

// "28 of 200 cells · 150 not in filter · 1 missing"
std::string statusLine(const FilteredAxis& axis, Index total, std::string_view one,
                       std::string_view many)
{
    std::string text =
        grouped(axis.chosen.selection.size()) + " of " + counted(total, one, many);
    const auto part = [&text](Index count, const char* what) {
        if (count != 0)
            text += " · " + grouped(count) + " " + what;
    };
    part(axis.narrowed.outsideView, "not in view");
    part(axis.narrowed.notInFilter, "not in filter");
    part(axis.narrowed.missing, "missing");
    part(axis.notSelected, "not selected");
    return text + "\n";
}

Result<void> writeLines(Session& session, const Target& target, const FilteredAxis& axis)
{
    const Selection& rows = axis.chosen.selection;
    const bool names = session.arguments.has("names");
    for (Index first = 0; first < rows.size(); first += kWindow) {
        if (auto on = session.mayGoOn(); !on)
            return on;
        const Index count = std::min(kWindow, rows.size() - first);
        if (!names) {
            rows.forEach(first, count, [&session](Index position) {
                session.output.write(std::to_string(position) + "\n");
            });
            continue;
        }
        auto window = axisNames(session, target, axis.chosen, first, count);
        if (!window)
            return std::move(window).error();
        for (const std::string& name : *window)
            session.output.write(toUtf8(name) + "\n");
    }
    return {};
}

Result<void> writeText(Session& session, const Target& obs, const Target& var,
                       const FilteredAxis& cells, const FilteredAxis& genes)
{
    const Arguments& arguments = session.arguments;
    // Lists and numbers speak of the cells; of the genes where only they were asked for.
    const bool ofGenes = !cells.asked && genes.asked;
    if (arguments.has("count")) {
        session.output.write(
            std::to_string((ofGenes ? genes : cells).chosen.selection.size()) + "\n");
        return {};
    }
    if (arguments.has("names") || arguments.has("positions"))
        return writeLines(session, ofGenes ? var : obs, ofGenes ? genes : cells);
    if (!ofGenes)
        session.output.write(statusLine(cells, obs.element->rows, "cell", "cells"));
    if (genes.asked && var.element != nullptr)
        session.output.write(statusLine(genes, var.element->rows, "gene", "genes"));
    return {};
}

Result<void> writePositions(Session& session, const std::string& key, const Selection& rows)
{
    JsonWriter& json = session.json;
    json.key(key);
    json.beginArray();
    for (Index first = 0; first < rows.size(); first += kWindow) {
        if (auto on = session.mayGoOn(); !on)
            return on;
        rows.forEach(first, std::min(kWindow, rows.size() - first),
                     [&json](Index position) { json.integer(position); });
    }
    json.endArray();
    return {};
}

Result<void> writeNames(Session& session, const Target& target, const FilteredAxis& axis)
{
    JsonWriter& json = session.json;
    json.key(axis.chosen.key);
    json.beginArray();
    const Index total = axis.chosen.selection.size();
    for (Index first = 0; first < total; first += kWindow) {
        if (auto on = session.mayGoOn(); !on)
            return on;
        auto window =
            axisNames(session, target, axis.chosen, first, std::min(kWindow, total - first));
        if (!window)
            return std::move(window).error();
        for (const std::string& name : *window)
            json.text(name);
    }
    json.endArray();
    return {};
}

Result<void> writeJson(Session& session, const Target& obs, const Target& var,
                       const FilteredAxis& cells, const FilteredAxis& genes,
                       const FilterRequest& request)
{
    JsonWriter& json = session.json;
    json.member("n_obs", obs.dataset->nObs());
    json.member("n_vars", obs.dataset->nVars());
    json.member("obs_count", cells.chosen.selection.size());
    json.member("obs_missing", cells.narrowed.missing);
    json.member("var_count", genes.chosen.selection.size());
    json.member("var_missing", genes.narrowed.missing);
    if (!request.save.empty())
        json.member("saved", request.save);
    for (const auto& [target, axis] : {std::pair(&obs, &cells), std::pair(&var, &genes)}) {
        if (target->element == nullptr || (axis == &genes && !axis->asked))
            continue;
        if (session.arguments.has("names")) {
            if (auto written = writeNames(session, *target, *axis); !written)
                return written;
        }
        if (session.arguments.has("positions")) {
            auto written =
                writePositions(session, axis->chosen.key + "_positions", axis->chosen.selection);
            if (!written)
                return written;
        }
    }
    return {};
}

Result<void> save(Session& session, const DatasetView& view, const FilterRequest& request)
{
    ViewOrigin origin;
    const auto join = [](const std::vector<FilterExpression>& expressions) {
        std::string text;
        for (const FilterExpression& expression : expressions)
            text += (text.empty() ? "" : " and ")
                  + (expressions.size() > 1 ? "(" + expression.text() + ")" : expression.text());
        return text;
    };
    origin.where = join(request.options.where);
    origin.whereVar = join(request.options.whereVar);
    if (isViewFile(request.save))
        return KeptViews::writeFile(view, request.save, origin,
                                    request.overwrite ? KeptViews::Existing::Replace
                                                      : KeptViews::Existing::Keep,
                                    session.reading, session.stop);
    return KeptViews().save(view, request.save, origin, session.reading, session.stop);
}

Result<int> filter(Session& session, const std::string& file)
{
    auto request = readRequest(session);
    if (!request)
        return std::move(request).error();
    auto dataset = openDataset(file);
    if (!dataset)
        return std::move(dataset).error();
    const Target obs{*dataset, (*dataset)->obs()};
    const Target var{*dataset, (*dataset)->var()};
    ViewResolver resolver(session, *dataset, request->options);
    auto cells = filterAxis(session, obs, resolver, request->options, Axis::Obs);
    if (!cells)
        return std::move(cells).error();
    auto genes = filterAxis(session, var, resolver, request->options, Axis::Var);
    if (!genes)
        return std::move(genes).error();
    if (!request->save.empty()) {
        const DatasetView view(*dataset, cells->chosen.selection, genes->chosen.selection);
        if (auto kept = save(session, view, *request); !kept)
            return std::move(kept).error();
    }
    auto written = session.wantsJson ? writeJson(session, obs, var, *cells, *genes, *request)
                                     : writeText(session, obs, var, *cells, *genes);
    if (!written)
        return std::move(written).error();
    if (auto same = stillTheSame(**dataset); !same)
        return std::move(same).error();
    return 0;
}

} // namespace

int runFilter(Session& session)
{
    const std::string& file = session.arguments.positionals[0];
    return answerOne(session, file, [&] { return filter(session, file); });
}

} // namespace cellfolio::cli
