// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/sheet.h"
#include "app/cli/value_text.h"
#include "app/cli/view_json.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace cellfolio::cli {
namespace {

constexpr Index kTextRows = 20;
constexpr Index kTextColumns = 20;
constexpr Index kNoLimit = std::numeric_limits<Index>::max();

// What --columns asks for, as positions of the second axis as the selections left it.
Result<void> chooseColumns(Session& session, const Target& target,
                           const std::vector<std::string>& names, ChosenAxes& axes)
{
    const Element& element = *target.element;
    if (axes.axes.size() < 2)
        return Error(ErrorCode::NotFound, element.path + " has no columns to choose from.")
            .at(element.path)
            .advise("--columns fits tables and arrays of two dimensions.");
    // Written as a selection: for a table all are names, for an array positions are due.
    const bool table = element.kind == ElementKind::Table;
    std::string list;
    for (const std::string& name : names) {
        std::string item = name;
        if (table || name.empty() || name.find(',') != std::string::npos) {
            item = "\"";
            for (const char c : name) {
                if (c == '"' || c == '\\')
                    item.push_back('\\');
                item.push_back(c);
            }
            item += "\"";
        }
        list += item + ",";
    }
    auto text = SelectionText::parse(list);
    if (!text)
        return std::move(text).error().within("--columns");
    ChosenAxis& axis = axes.axes[1];
    SelectionAxis on;
    on.extent = axis.selection.size();
    on.element = table ? element.path : "the second axis of " + element.path;
    on.most = session.pieceBytes() / narrow<Index>(sizeof(Index));
    if (table) {
        on.names = [&](const NameVisitor& visit) -> Result<void> {
            const auto columns = columnsOf(element);
            for (Index k = 0; k < axis.selection.size(); ++k) {
                if (!visit(k, columns[at(axis.selection[k])]->name))
                    break;
            }
            return {};
        };
    } else if (axis.names != nullptr) {
        on.names = [&](const NameVisitor& visit) -> Result<void> {
            const Index total = axis.selection.size();
            for (Index first = 0; first < total; first += kNamesWindow) {
                auto window = axisNames(session, target, axis, first,
                                        std::min(kNamesWindow, total - first));
                if (!window)
                    return std::move(window).error();
                for (std::size_t i = 0; i < window->size(); ++i) {
                    if (!visit(first + narrow<Index>(i), (*window)[i]))
                        return {};
                }
            }
            return {};
        };
    }
    auto inner = text->resolve(on);
    if (!inner)
        return std::move(inner).error();
    axis.selection = axis.selection.then(*inner);
    axis.chosen = true;
    return {};
}

Result<void> writeText(const ViewRequest& request)
{
    const auto& axes = request.axes.axes;
    const ElementKind kind = request.element().kind;
    if (axes.empty() || kind == ElementKind::Mapping)
        return writeValueText(request);
    auto sheet = openSheet(request);
    if (!sheet)
        return std::move(sheet).error();
    return writeAligned(request.session, **sheet,
                        {axes[0].chosen ? kNoLimit : kTextRows,
                         axes.size() > 1 && axes[1].chosen ? kNoLimit : kTextColumns});
}

Result<int> view(Session& session, const std::string& file, const std::string& path,
                 const ViewOptions& selections,
                 const std::optional<std::vector<std::string>>& columns)
{
    auto target = openTarget(file, path);
    if (!target)
        return std::move(target).error();
    auto axes = chooseAxes(session, *target, selections);
    if (!axes)
        return std::move(axes).error();
    if (columns) {
        if (auto chosen = chooseColumns(session, *target, *columns, *axes); !chosen)
            return std::move(chosen).error();
    }
    const ViewRequest request{session, *target, *axes};
    const auto write = [&]() -> Result<void> {
        if (session.wantsJson)
            return writeViewJson(request);
        const bool csv = session.arguments.has("csv");
        if (!csv && !session.arguments.has("tsv"))
            return writeText(request);
        auto sheet = openSheet(request);
        if (!sheet)
            return std::move(sheet).error();
        return writeSeparated(session, **sheet, csv ? ',' : '\t');
    };
    if (auto written = write(); !written)
        return std::move(written).error();
    if (auto same = stillTheSame(*target->dataset); !same)
        return std::move(same).error();
    return 0;
}

} // namespace

int runView(Session& session)
{
    const Arguments& arguments = session.arguments;
    const std::string& file = arguments.positionals[0];
    return answerOne(session, file, [&]() -> Result<int> {
        if (arguments.positionals.size() > 2)
            return Error(ErrorCode::BadUsage, "`view` takes one FILE and one ELEMENT.")
                .advise("cellfolio-cli view FILE ELEMENT [options]");
        if (arguments.positionals.size() < 2 && file.find("::") == std::string::npos)
            return Error(ErrorCode::BadUsage, "Which element?")
                .advise("`cellfolio-cli info " + file + "` lists them: X, obs, obsm/X_umap …");
        const int forms = static_cast<int>(arguments.has("csv")) +
                          static_cast<int>(arguments.has("tsv")) +
                          static_cast<int>(session.wantsJson);
        if (forms > 1)
            return Error(ErrorCode::BadUsage, "--csv, --tsv and --json exclude each other.");
        auto selections = viewOptions(arguments);
        if (!selections)
            return std::move(selections).error();
        std::optional<std::vector<std::string>> columns;
        if (arguments.has("columns")) {
            auto list = parseNameList(arguments.value("columns"));
            if (!list)
                return std::move(list).error();
            columns = std::move(*list);
        }
        return view(session, file, arguments.positionals.size() > 1 ? arguments.positionals[1] : "",
                    *selections, columns);
    });
}

} // namespace cellfolio::cli
