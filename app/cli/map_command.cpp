// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/failure.h"
#include "app/cli/mapping_options.h"
#include "app/cli/progress_line.h"
#include "core/base/text.h"
#include "core/impute/hold_out.h"
#include "core/impute/mapping_file.h"
#include "core/impute/plan_output.h"

#include <filesystem>
#include <optional>

namespace cellfolio::cli {
namespace {

using impute::Mapping;
using impute::MappingRecord;

constexpr Index kUsualIterations = 40; // for an estimate

struct MapTargets {
    std::string output;
    std::string plan; // empty: not asked for
    StagedFile::Options staging;
};

Result<MapTargets> targetsOf(const Arguments& arguments)
{
    MapTargets targets;
    for (const char* needed : {"spatial", "reference"})
        if (!arguments.has(needed) || arguments.value(needed).empty())
            return Error(ErrorCode::BadUsage, std::string("Which file is --") + needed + "?")
                .advise("cellfolio-cli map --spatial FILE --reference FILE -o MAPPING.h5");
    targets.output = arguments.value("output");
    if (targets.output.empty() && !arguments.has("estimate"))
        return Error(ErrorCode::BadUsage, "Where to? Give -o MAPPING.h5.");
    targets.staging.overwrite = arguments.has("overwrite");
    for (const char* input : {"spatial", "reference"})
        targets.staging.inputs.emplace_back(
            arguments.value(input).substr(0, arguments.value(input).find("::")));
    if (arguments.has("save-plan")) {
        targets.plan = arguments.value("save-plan");
        if (!targets.plan.ends_with(".npy"))
            return Error(ErrorCode::BadUsage, "--save-plan writes an .npy file.");
    }
    for (const std::string& path : {targets.output, targets.plan})
        if (!path.empty())
            if (auto checked = StagedFile::check(path, targets.staging); !checked)
                return std::move(checked).error();
    return targets;
}

JobNeeds needsOf(const OpenedSide& spatial, const OpenedSide& reference,
                 const impute::MappingOptions& options, Index budget, int threads)
{
    const Index n = spatial.side.cells.size();
    const Index m = reference.side.cells.size();
    const Index element = options.doublePrecision ? 8 : 4;
    const Index inner = std::min(options.features.components, reference.side.genes.size());
    impute::EmbeddingOptions embedding;
    embedding.components = options.features.components;
    const Index genes = std::min(spatial.side.genes.size(), reference.side.genes.size());
    Index space = impute::embeddingBytes(genes, embedding);
    if (space > budget / 2) {
        embedding.mostExactGenes = 0;
        space = impute::embeddingBytes(genes, embedding);
    }
    JobNeeds needs;
    needs.memory = 48 * (n + m) + 2 * element * (n + m) * (inner + 2) + space + budget / 4;
    needs.output = (n + m) * (element * inner + 16) + 8 * n;
    const double pairs = static_cast<double>(n) * static_cast<double>(m);
    needs.seconds = (2.5e-9 * pairs * static_cast<double>(kUsualIterations)
                     + 4e-10 * static_cast<double>(n + m) * static_cast<double>(genes)
                           * static_cast<double>(genes))
                  / threads;
    return needs;
}

MappingRecord recordOf(const OpenedSide& spatial, const OpenedSide& reference,
                       const impute::MappingOptions& options, const Arguments& arguments)
{
    const auto absolute = [](const std::string& location) {
        const std::size_t mark = location.find("::");
        std::error_code ignored;
        const auto path = std::filesystem::absolute(location.substr(0, mark), ignored);
        return path.string() + (mark == std::string::npos ? "" : location.substr(mark));
    };
    MappingRecord record;
    record.spatialFile = absolute(spatial.location);
    record.referenceFile = absolute(reference.location);
    record.spatialMatrix = spatial.side.matrix != nullptr ? spatial.side.matrix->path : "X";
    record.referenceMatrix = reference.side.matrix != nullptr ? reference.side.matrix->path : "X";
    record.spatialCells = spatial.side.cells;
    record.referenceCells = reference.side.cells;
    record.referenceGenes = reference.side.genes;
    record.cost = arguments.value("cost");
    record.features = arguments.value("features");
    record.entropy = arguments.value("entropy");
    record.epsilon = options.sinkhorn.epsilon;
    record.tauA = options.sinkhorn.tauA;
    record.tauB = options.sinkhorn.tauB;
    record.alpha = options.alpha.value_or(0);
    record.rank = options.rank;
    return record;
}

template <typename Real>
Result<int> solve(Session& session, const MapTargets& targets, const OpenedSide& spatial,
                  const OpenedSide& reference, impute::MappingOptions options, const JobClock& clock)
{
    const impute::Running running{session.reading->threads(), session.stop};
    std::optional<ProgressLine> line;
    options.stage = [&](const std::string& stage) {
        line.reset();
        line.emplace(session, stage);
    };
    options.report = [&](Index, double) { line->progress().advance(1); };
    auto mapping = impute::solveMapping<Real>(spatial.side, reference.side, options, session.reading, running);
    line.reset();
    if (!mapping)
        return std::move(mapping).error();
    MappingRecord record = recordOf(spatial, reference, options, session.arguments);
    for (const auto& [side, into] : {std::pair{&spatial, &record.spatialFingerprint},
                                     std::pair{&reference, &record.referenceFingerprint}}) {
        auto print = impute::fingerprintOf(*side->side.dataset);
        if (!print)
            return std::move(print).error();
        *into = std::move(*print);
    }
    const impute::MappingFigures& figures = mapping->figures;
    record.referenceLog1p = mapping->referenceLog1p;
    record.genes = mapping->genes;
    record.dimensions = mapping->features;
    record.iterations = figures.iterations;
    record.error = figures.error;
    record.converged = figures.converged;
    record.transportCost = figures.cost;
    record.mass = figures.mass;
    record.perplexity = figures.perplexity;
    auto written = impute::writeMapping<Real>(targets.output, targets.staging, record, *mapping);
    if (!written)
        return std::move(written).error();
    Index output = *written;
    if (!targets.plan.empty()) {
        auto saved = impute::writePlan<Real>(targets.plan, targets.staging, *mapping,
                                             record.spatialCells.size(), running);
        if (!saved)
            return std::move(saved).error();
        output += *saved;
    }

    std::vector<Finding> findings;
    for (const std::string& warning : mapping->warnings)
        findings.push_back(jobFinding(figures.converged ? "M002" : "M001", Severity::Warning, "/", warning));
    const Index n = record.spatialCells.size();
    const Index m = record.referenceCells.size();
    if (session.wantsJson) {
        JsonWriter& json = session.json;
        json.member("output", targets.output);
        std::vector<std::string> outputs{targets.output};
        if (!targets.plan.empty())
            outputs.push_back(targets.plan);
        json.member("outputs", outputs);
        json.member("changed", true);
        json.member("n", n);
        json.member("m", m);
        json.member("features", record.genes.empty() ? record.dimensions
                                                     : static_cast<Index>(record.genes.size()));
        json.member("epsilon", record.epsilon);
        json.member("iterations", record.iterations);
        json.member("converged", record.converged);
        json.member("error", record.error);
        json.member("cost", record.transportCost);
        json.member("mass", record.mass);
        if (record.perplexity > 0)
            json.member("perplexity", record.perplexity);
        else
            json.memberNull("perplexity");
        writeFindings(json, findings);
        writeEstimate(json, needsOf(spatial, reference, options, session.reading->budget().limit(),
                                    running.threads));
        JobNeeds used;
        used.output = output;
        writeUsed(json, used, clock);
        return 0;
    }
    session.output.write(
        counted(n, "spatial cell", "spatial cells") + " mapped onto "
        + counted(m, "reference cell", "reference cells") + " by "
        + (record.genes.empty() ? record.features
                                : counted(static_cast<Index>(record.genes.size()), "gene", "genes"))
        + ".\n");
    session.output.write("epsilon " + exactText(record.epsilon) + ", "
                         + counted(record.iterations, "iteration", "iterations") + ", error "
                         + exactText(static_cast<float>(record.error))
                         + (record.converged ? "" : " (not converged)") + ", mass "
                         + exactText(static_cast<float>(record.mass)) + ", averaging about "
                         + exactText(static_cast<float>(record.perplexity)) + " cells each.\n");
    session.output.write("Saved in " + targets.output + ".\n");
    for (const Finding& finding : findings)
        session.note(finding.message);
    return 0;
}

Result<int> estimate(Session& session, const OpenedSide& spatial, const OpenedSide& reference,
                     const impute::MappingOptions& options)
{
    const Index budget = session.reading->budget().limit();
    const JobNeeds needs = needsOf(spatial, reference, options, budget, session.reading->threads());
    const bool fits = needs.memory <= budget;
    const std::string reason =
        "This needs about " + byteText(needs.memory) + " of memory, and the budget is " + byteText(budget) + ".";
    if (session.wantsJson) {
        JsonWriter& json = session.json;
        json.memberNull("output");
        json.member("n", spatial.side.cells.size());
        json.member("m", reference.side.cells.size());
        json.member("fits", fits);
        if (!fits)
            json.member("reason", reason);
        writeEstimate(json, needs);
    } else {
        session.output.write("About " + byteText(needs.memory) + " of memory, " + byteText(needs.output)
                             + " on disk, " + durationText(needs.seconds) + ".\n");
        if (!fits)
            session.note(reason);
    }
    return fits ? 0 : 3;
}

Result<int> run(Session& session)
{
    const JobClock clock;
    auto targets = targetsOf(session.arguments);
    if (!targets)
        return std::move(targets).error();
    auto spatial = openSide(session, "spatial");
    if (!spatial)
        return std::move(spatial).error();
    auto reference = openSide(session, "reference");
    if (!reference)
        return std::move(reference).error();
    auto request = mappingRequest(session, *spatial, *reference);
    if (!request)
        return std::move(request).error();
    impute::MappingOptions& options = request->options;
    options.features.scratch = scratchFolder(session.arguments, targets->output);
    if (session.arguments.has("estimate"))
        return estimate(session, *spatial, *reference, options);
    if (request->epsilonAuto) {
        const ProgressLine line(session, "Choosing epsilon");
        auto epsilon = impute::chooseEpsilon(spatial->side, reference->side, options, session.reading,
                                             {session.reading->threads(), session.stop});
        if (!epsilon)
            return std::move(epsilon).error();
        options.sinkhorn.epsilon = *epsilon;
    }
    return options.doublePrecision ? solve<double>(session, *targets, *spatial, *reference, options, clock)
                                   : solve<float>(session, *targets, *spatial, *reference, options, clock);
}

} // namespace

int runMap(Session& session)
{
    return answerOne(session, session.arguments.value("spatial"), [&] { return run(session); });
}

} // namespace cellfolio::cli
