// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/progress_line.h"
#include "app/cli/stats_output.h"
#include "core/base/text.h"

#include <algorithm>
#include <optional>

namespace cellfolio::cli {
namespace {

Result<std::vector<Quantile>> quantileOption(const Arguments& arguments)
{
    std::vector<Quantile> result;
    if (!arguments.has("quantiles"))
        return result;
    const std::string text = arguments.value("quantiles");
    std::size_t at = 0;
    while (at <= text.size()) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        Quantile quantile{text.substr(at, end - at), 0};
        if (!parseNumber(quantile.text, quantile.probability)
            || !(quantile.probability >= 0 && quantile.probability <= 1))
            return Error(ErrorCode::BadUsage,
                         "\"" + quantile.text +
                             "\" is not a quantile: it must lie between 0 and 1.")
                .atOffset(narrow<Index>(at))
                .advise("Write them like 0.25,0.5,0.75.");
        result.push_back(std::move(quantile));
        at = end + 1;
    }
    return result;
}

// Which dimension --by means, from the axis it names.
Result<int> dimensionOf(const Element& element, const std::string& by)
{
    const Axis wanted = by == "obs" ? Axis::Obs : Axis::Var;
    const bool twoDimensional =
        (element.kind == ElementKind::Matrix || element.kind == ElementKind::Array) &&
        element.shape && element.shape->size() == 2;
    if (!twoDimensional)
        return Error(ErrorCode::NotFound, element.path + " has no rows and columns to go by.")
            .at(element.path)
            .advise("Leave out --by.");
    if (element.firstAxis == wanted)
        return 0;
    if (element.secondAxis == wanted)
        return 1;
    return Error(ErrorCode::NotFound, element.path + " has no " + by + " axis.").at(element.path);
}

Error noNumbers(const Element& element)
{
    if (element.whyNot)
        return *element.whyNot;
    if (element.kind == ElementKind::Table)
        return Error(ErrorCode::NotFound,
                     element.path + " is a table: its columns have figures, it has none.")
            .at(element.path)
            .advise("Name a column, such as " + element.path + "/" +
                    (columnsOf(element).empty() ? std::string("NAME")
                                                : columnsOf(element).front()->name) +
                    ".");
    return Error(ErrorCode::NotFound,
                 (element.path.empty() ? std::string("The file") : element.path) +
                     " holds no matrix and no column.")
        .at(element.path.empty() ? "/" : element.path)
        .advise("Name a matrix, an array or a column.");
}

struct StatsRequest {
    ViewOptions selections;
    std::vector<Quantile> quantiles;
    std::string by;
};

Result<StatsRequest> readRequest(const Session& session)
{
    const Arguments& arguments = session.arguments;
    if (arguments.positionals.size() > 2)
        return Error(ErrorCode::BadUsage, "`stats` takes one FILE and one ELEMENT.")
            .advise("cellfolio-cli stats FILE ELEMENT [options]");
    if (arguments.positionals.size() < 2 &&
        arguments.positionals[0].find("::") == std::string::npos)
        return Error(ErrorCode::BadUsage, "Which element?")
            .advise("Such as X, layers/counts or obs/n_genes.");
    if (arguments.has("csv") && session.wantsJson)
        return Error(ErrorCode::BadUsage, "--csv and --json exclude each other.");
    StatsRequest request;
    request.by = arguments.value("by");
    if (arguments.has("by") && request.by != "obs" && request.by != "var")
        return Error(ErrorCode::BadUsage, "--by takes obs or var, not \"" + request.by + "\".");
    auto selections = viewOptions(arguments);
    if (!selections)
        return std::move(selections).error();
    request.selections = std::move(*selections);
    auto quantiles = quantileOption(arguments);
    if (!quantiles)
        return std::move(quantiles).error();
    request.quantiles = std::move(*quantiles);
    return request;
}

// Lines whose figures are worked out at once. Along the storage a part of them costs its part of
// the reading; against it every part costs a pass over all, so there they are taken together.
Index linesAtOnce(const Session& session, const Element& element, int dimension, Index lines)
{
    constexpr Index kBytesOfOne = 512;
    const int along = element.storage == Storage::Csc || element.transposed ? 1 : 0;
    return dimension == along ? std::max<Index>(1024, session.pieceBytes() / kBytesOfOne)
                              : std::max<Index>(1, lines);
}

Result<int> stats(Session& session, const std::string& file, const std::string& path)
{
    const auto request = readRequest(session);
    if (!request)
        return request.error();
    auto target = openTarget(file, path);
    if (!target)
        return std::move(target).error();
    const Element& element = *target->element;
    auto axes = chooseAxes(session, *target, request->selections);
    if (!axes)
        return std::move(axes).error();
    std::optional<int> dimension;
    if (!request->by.empty()) {
        const auto found = dimensionOf(element, request->by);
        if (!found)
            return found.error();
        dimension = *found;
    }

    ProgressLine line(session, "Reading " + element.path);
    StatsOptions options;
    options.stop = session.stop;
    options.progress = &line.progress();
    for (const Quantile& quantile : request->quantiles)
        options.quantiles.push_back(quantile.probability);
    if (!axes->axes.empty() && axes->axes[0].chosen)
        options.rows = axes->rows();
    if (axes->axes.size() > 1 && axes->axes[1].chosen)
        options.columns = axes->columns();

    const StatsAnswer answer{session, *target, *axes, request->quantiles};
    const auto finish = [](Result<void> written) -> Result<int> {
        if (!written)
            return std::move(written).error();
        return 0;
    };
    if (readsAsColumn(element)) {
        auto figures = columnStats(target->dataset, element, session.reading, options);
        return figures ? finish(answer.write(*figures)) : std::move(figures).error();
    }
    if ((element.kind != ElementKind::Matrix && element.kind != ElementKind::Array) ||
        !element.readable)
        return noNumbers(element);
    if (dimension) {
        const ChosenAxis& axis = axes->axes[static_cast<std::size_t>(*dimension)];
        LineFigures lines;
        lines.axis = &axis;
        lines.by = request->by;
        lines.window = linesAtOnce(session, element, *dimension, axis.selection.size());
        line.progress().begin(axis.selection.size());
        options.progress = nullptr;
        lines.read = [&](Index first, Index count) {
            StatsOptions part = options;
            (*dimension == 0 ? part.rows : part.columns) = axis.selection.part(first, count);
            auto figures =
                matrixStatsBy(target->dataset, element, *dimension, session.reading, part);
            line.progress().advance(count);
            return figures;
        };
        return finish(answer.write(lines));
    }
    auto figures = matrixStats(target->dataset, element, session.reading, options);
    return figures ? finish(answer.write(*figures)) : std::move(figures).error();
}

} // namespace

int runStats(Session& session)
{
    const auto& operands = session.arguments.positionals;
    return answerOne(session, operands[0], [&] {
        return stats(session, operands[0], operands.size() > 1 ? operands[1] : std::string());
    });
}

} // namespace cellfolio::cli
