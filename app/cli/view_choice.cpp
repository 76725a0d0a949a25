// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/view_choice.h"

#include "app/cli/element_axes.h"

#include <algorithm>

namespace cellfolio::cli {
namespace {

Result<Selection> chooseAxis(Session& session, const Target& target, ViewResolver& resolver, const ViewOptions& options,
                             Axis axis, Index extent)
{
    const auto of = axis == Axis::Obs ? SelectionOption::Of::Obs : SelectionOption::Of::Var;
    const auto speaks = [of](const SelectionOption& option) { return option.of == of; };
    const bool selected = std::any_of(options.selections.begin(), options.selections.end(), speaks);
    if (target.element == nullptr || target.element->kind != ElementKind::Table) {
        if (selected || !options.expressions(axis).empty())
            return Error(ErrorCode::NotFound,
                         std::string("The file has no table of its ") + (axis == Axis::Obs ? "cells." : "genes."))
                .at(axis == Axis::Obs ? "obs" : "var");
        return Selection::all(extent);
    }
    auto narrowed = resolver.narrow(axis, *target.element);
    if (!narrowed)
        return std::move(narrowed).error();
    ChosenAxis chosen;
    chosen.selection = std::move(narrowed->rows);
    chosen.names = target.element;
    chosen.key = axis == Axis::Obs ? "obs" : "var";
    for (const SelectionOption& option : options.selections)
        if (speaks(option))
            if (auto picked = pickWithin(session, target, 0, chosen, option); !picked)
                return std::move(picked).error();
    return std::move(chosen.selection);
}

} // namespace

Result<ChosenView> chooseView(Session& session, const std::shared_ptr<const Dataset>& dataset,
                              const ViewOptions& options, const Element* table)
{
    ViewResolver resolver(session, dataset, options);
    auto obs = chooseAxis(session, {dataset, dataset->obs()}, resolver, options, Axis::Obs, dataset->nObs().value_or(0));
    if (!obs)
        return std::move(obs).error();
    const Index extent = table != nullptr ? table->rows : dataset->nVars().value_or(0);
    auto genes = chooseAxis(session, {dataset, table}, resolver, options, Axis::Var, extent);
    if (!genes)
        return std::move(genes).error();
    return ChosenView{*std::move(obs), *std::move(genes)};
}

Result<std::shared_ptr<const Dataset>> openDataset(const std::string& file)
{
    auto dataset = Dataset::open(file);
    if (!dataset)
        return dataset;
    const auto& modalities = (*dataset)->modalities();
    if ((*dataset)->isWhole() && !modalities.empty()) {
        std::vector<std::string> names;
        for (const Modality& modality : modalities)
            names.push_back(modality.name);
        return Error(ErrorCode::Ambiguous, "The file holds several data sets.")
            .at("/")
            .advise("Name one behind the file, such as " + file + "::" + names.front() + ".")
            .suggest(names);
    }
    return dataset;
}

} // namespace cellfolio::cli
