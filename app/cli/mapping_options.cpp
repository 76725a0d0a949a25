// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/mapping_options.h"

#include "app/cli/element_axes.h"
#include "app/cli/failure.h"
#include "app/cli/view_choice.h"
#include "core/anndata/column_reader.h"
#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace cellfolio::cli {

using impute::Normalize;

namespace {

Error badValue(const std::string& name, const std::string& value, const std::string& wanted)
{
    return Error(ErrorCode::BadUsage, "\"" + value + "\" is no value of --" + name + ".").advise(wanted);
}

// The options of one side, as if they stood without their prefix.
Result<ViewOptions> sideView(const Arguments& arguments, const std::string& prefix)
{
    ViewOptions result;
    for (const auto& [option, value] : arguments.options) {
        if (!option->name.starts_with(prefix + "-"))
            continue;
        const std::string_view name = option->name.substr(prefix.size() + 1);
        if (name == "view") {
            result.views.push_back(value);
        } else if (name == "where" || name == "where-var") {
            auto parsed = FilterExpression::parse(value);
            if (!parsed)
                return std::move(parsed).error().within("--" + std::string(option->name));
            (name == "where" ? result.where : result.whereVar).push_back(std::move(*parsed));
        } else if (name == "obs" || name == "var") {
            auto text = SelectionText::parse(value);
            if (!text)
                return std::move(text).error().within("--" + std::string(option->name));
            result.selections.push_back({name == "obs" ? SelectionOption::Of::Obs
                                                       : SelectionOption::Of::Var,
                                         std::move(*text)});
        }
    }
    return result;
}

Result<const Element*> columnOf(const OpenedSide& side, const std::string& name)
{
    const Element* obs = side.side.dataset->obs();
    const Element* column = obs != nullptr ? obs->child(name) : nullptr;
    if (column != nullptr && column->kind == ElementKind::Column)
        return column;
    std::vector<std::string> names;
    if (obs != nullptr)
        for (const auto& child : obs->children)
            names.push_back(child->name);
    return Error(ErrorCode::NotFound, side.location + " has no obs column \"" + name + "\".")
        .at("obs/" + name)
        .suggest(nearest(name, names));
}

Result<std::vector<double>> weightsFrom(Session& session, const OpenedSide& side, const std::string& name)
{
    auto column = columnOf(side, name);
    if (!column)
        return std::move(column).error();
    auto reader = ColumnReader::open(side.side.dataset, **column, session.reading);
    if (!reader)
        return std::move(reader).error();
    auto values = reader->read(side.side.cells, session.stop);
    if (!values)
        return std::move(values).error();
    if (!isReal(values->values.type()) || values->categories)
        return Error(ErrorCode::Refused, "obs/" + name + " holds no numbers.").at("obs/" + name);
    std::vector<double> weights;
    for (Index k = 0; k < values->size(); ++k)
        weights.push_back(values->isMissing(k) ? std::nan("") : values->values.number(k));
    return weights;
}

Result<void> readBatch(Session& session, const OpenedSide& side, const std::string& name,
                       impute::MappingOptions& options)
{
    auto column = columnOf(side, name);
    if (!column)
        return std::move(column).error();
    auto reader = ColumnReader::open(side.side.dataset, **column, session.reading);
    if (!reader)
        return std::move(reader).error();
    auto values = reader->read(side.side.cells, session.stop);
    if (!values)
        return std::move(values).error();
    std::map<std::string, Index> numbers;
    for (Index k = 0; k < values->size(); ++k) {
        if (values->isMissing(k))
            return Error(ErrorCode::Refused, "obs/" + name + " is missing for cell " + std::to_string(k)
                                                 + ", so it belongs to no batch.")
                .at("obs/" + name);
        const auto [place, fresh] =
            numbers.emplace(values->text(k), static_cast<Index>(options.batchNames.size()));
        if (fresh)
            options.batchNames.push_back(place->first);
        options.batch.push_back(place->second);
    }
    return {};
}

} // namespace

Result<double> numberOption(const Arguments& arguments, const std::string& name, double least,
                            double most)
{
    const std::string text = arguments.value(name);
    double value = 0;
    if (!parseNumber(text, value) || !(value >= least) || !(value <= most))
        return badValue(name, text, "Give a number from " + exactText(least) + " to "
                                        + exactText(most) + ".");
    return value;
}

Result<Index> integerOption(const Arguments& arguments, const std::string& name, Index least, Index most)
{
    const std::string text = arguments.value(name);
    std::int64_t value = 0;
    if (!parseInteger(text, value) || value < least || value > most)
        return badValue(name, text, "Give a whole number from " + grouped(least) + " to "
                                        + grouped(most) + ".");
    return value;
}

Result<Normalize> normalizeOption(const Arguments& arguments, Normalize fallback)
{
    if (!arguments.has("normalize"))
        return fallback;
    const std::string text = arguments.value("normalize");
    for (const auto& [name, value] : {std::pair{"auto", Normalize::Auto},
                                      std::pair{"log1p", Normalize::Log1p},
                                      std::pair{"none", Normalize::None}})
        if (text == name)
            return value;
    return badValue("normalize", text, "It is auto, log1p or none.");
}

std::filesystem::path scratchFolder(const Arguments& arguments, const std::string& output)
{
    if (arguments.has("temp"))
        return arguments.value("temp");
    const std::filesystem::path parent = std::filesystem::path(output).parent_path();
    return parent.empty() ? std::filesystem::path(".") : parent;
}

Result<OpenedSide> openSide(Session& session, const std::string& prefix)
{
    const Arguments& arguments = session.arguments;
    OpenedSide opened;
    opened.location = arguments.value(prefix);
    auto view = sideView(arguments, prefix);
    if (!view)
        return std::move(view).error();
    auto dataset = openDataset(opened.location);
    if (!dataset)
        return std::move(dataset).error();
    impute::MappingSide& side = opened.side;
    side.dataset = *dataset;
    const std::string option = prefix + "-matrix";
    if (arguments.has(option)) {
        auto matrix = side.dataset->find(arguments.value(option));
        if (!matrix)
            return std::move(matrix).error();
        if ((*matrix)->kind != ElementKind::Matrix)
            return Error(ErrorCode::Refused, (*matrix)->path + " is no matrix of cells × genes.")
                .at((*matrix)->path);
        side.matrix = *matrix;
    } else {
        side.matrix = side.dataset->x();
    }
    const Element* table = side.matrix != nullptr ? side.dataset->namesOf(*side.matrix, 1) : nullptr;
    auto chosen = chooseView(session, side.dataset, *view, table);
    if (!chosen)
        return std::move(chosen).error().within(opened.location);
    side.cells = std::move(chosen->obs);
    side.genes = std::move(chosen->genes);
    if (side.genes.toSet().size() != side.genes.size())
        return Error(ErrorCode::BadUsage, "A gene was chosen twice in " + opened.location + ".");
    if (side.matrix != nullptr) {
        if (side.matrix->whyNot)
            return *side.matrix->whyNot;
        if (!side.matrix->shape || (*side.matrix->shape)[0] != side.cells.extent()
            || (*side.matrix->shape)[1] != side.genes.extent())
            return Error(ErrorCode::Refused, side.matrix->path + " of " + opened.location
                                                 + " does not have a row for each cell and a column "
                                                   "for each gene.")
                .at(side.matrix->path);
    }
    return opened;
}

Result<MappingRequest> mappingRequest(Session& session, const OpenedSide& spatial,
                                      const OpenedSide& reference)
{
    const Arguments& arguments = session.arguments;
    MappingRequest request;
    impute::MappingOptions& options = request.options;
    const std::string features = arguments.value("features");
    if (features.starts_with("obsm:"))
        options.features.obsm = features.substr(5);
    else if (features != "genes")
        return badValue("features", features, "It is genes, or obsm:KEY.");
    if (options.features.obsm.empty() && (spatial.side.matrix == nullptr || reference.side.matrix == nullptr))
        return Error(ErrorCode::NotFound, "One of the files has no X.")
            .advise("Name a matrix with --spatial-matrix or --reference-matrix.");
    options.features.genesBy = arguments.value("genes-by");
    if (arguments.has("ignore-case"))
        options.features.nameCase = impute::NameCase::Ignored;
    auto normalize = normalizeOption(arguments, Normalize::Auto);
    if (!normalize)
        return std::move(normalize).error();
    options.features.normalize = *normalize;
    auto components = integerOption(arguments, "components", 1, 1000);
    if (!components)
        return std::move(components).error();
    options.features.components = *components;

    const std::string cost = arguments.value("cost");
    if (cost == "cosine")
        options.cost = impute::CostKind::Cosine;
    else if (cost == "euclidean")
        options.cost = impute::CostKind::Euclidean;
    else if (cost != "sqeuclidean")
        return badValue("cost", cost, "It is sqeuclidean, cosine or euclidean.");
    const std::string scale = arguments.value("scale-cost");
    if (scale == "std")
        options.scale.mode = impute::ScaleMode::Sd;
    else if (scale == "max")
        options.scale.mode = impute::ScaleMode::Max;
    else if (scale != "mean") {
        options.scale.mode = impute::ScaleMode::Number;
        if (!parseNumber(scale, options.scale.number) || !(options.scale.number > 0))
            return badValue("scale-cost", scale, "It is mean, std, max or a number above 0.");
    }

    impute::SinkhornOptions& sinkhorn = options.sinkhorn;
    const bool one = arguments.value("epsilon").find(',') == std::string::npos;
    if (arguments.value("epsilon") == "auto") {
        request.epsilonAuto = true;
    } else if (one) {
        auto epsilon = numberOption(arguments, "epsilon", 1e-5, 1e3);
        if (!epsilon)
            return std::move(epsilon).error();
        sinkhorn.epsilon = *epsilon;
    }
    for (const auto& [name, into] : {std::pair{"tau-a", &sinkhorn.tauA}, std::pair{"tau-b", &sinkhorn.tauB}}) {
        auto tau = numberOption(arguments, name, 0.001, 1);
        if (!tau)
            return std::move(tau).error();
        *into = *tau;
    }
    const std::string entropy = arguments.value("entropy");
    if (entropy == "counting")
        sinkhorn.entropy = impute::Entropy::Counting;
    else if (entropy != "product")
        return badValue("entropy", entropy, "It is product or counting.");
    auto threshold = numberOption(arguments, "threshold", 1e-14, 1);
    if (!threshold)
        return std::move(threshold).error();
    sinkhorn.threshold = *threshold;
    auto iterations = integerOption(arguments, "max-iterations", 1, 1'000'000);
    if (!iterations)
        return std::move(iterations).error();
    sinkhorn.maxIterations = *iterations;
    const std::string precision = arguments.value("precision");
    if (precision != "float32" && precision != "float64")
        return badValue("precision", precision, "It is float32 or float64.");
    options.doublePrecision =
        precision == "float64" || sinkhorn.epsilon < impute::kLeastSingleEpsilon;
    auto seed = integerOption(arguments, "seed", 0, std::numeric_limits<Index>::max());
    if (!seed)
        return std::move(seed).error();
    options.seed = static_cast<std::uint64_t>(*seed);
    options.features.seed = options.seed;

    if (arguments.has("alpha")) {
        auto alpha = numberOption(arguments, "alpha", 0.001, 1);
        if (!alpha)
            return std::move(alpha).error();
        options.alpha = *alpha;
        options.spatialKey = arguments.value("spatial-key");
        if (sinkhorn.tauA < 1 || sinkhorn.tauB < 1)
            return Error(ErrorCode::BadUsage, "A fused mapping is balanced: --alpha and --tau-a or "
                                              "--tau-b exclude each other.");
        if (options.cost == impute::CostKind::Euclidean)
            return Error(ErrorCode::BadUsage, "--cost euclidean is for linear mappings, without --alpha.");
        if (reference.side.matrix == nullptr)
            return Error(ErrorCode::NotFound, "A fused mapping wants a matrix of the reference.");
    }
    if (arguments.has("rank")) {
        auto rank = integerOption(arguments, "rank", 2, 10000);
        if (!rank)
            return std::move(rank).error();
        options.rank = *rank;
        if (options.alpha || sinkhorn.tauA < 1 || sinkhorn.tauB < 1
            || options.cost == impute::CostKind::Euclidean)
            return Error(ErrorCode::BadUsage, "A low-rank mapping is linear and balanced: --rank goes "
                                              "without --alpha, --tau-a, --tau-b and --cost euclidean.");
    }
    if (arguments.has("weights-spatial")) {
        auto weights = weightsFrom(session, spatial, arguments.value("weights-spatial"));
        if (!weights)
            return std::move(weights).error();
        options.spatialWeights = std::move(*weights);
    }
    if (arguments.has("weights-reference")) {
        auto weights = weightsFrom(session, reference, arguments.value("weights-reference"));
        if (!weights)
            return std::move(weights).error();
        options.referenceWeights = std::move(*weights);
    }
    if (arguments.has("batch"))
        if (auto done = readBatch(session, spatial, arguments.value("batch"), options); !done)
            return std::move(done).error();
    return request;
}

Finding jobFinding(const char* id, Severity severity, std::string element, std::string message)
{
    Finding finding;
    finding.id = id;
    finding.severity = severity;
    finding.element = std::move(element);
    finding.message = std::move(message);
    return finding;
}

} // namespace cellfolio::cli
