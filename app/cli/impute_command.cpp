// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/element_axes.h"
#include "app/cli/failure.h"
#include "app/cli/mapping_options.h"
#include "app/cli/progress_line.h"
#include "app/cli/view_choice.h"
#include "core/anndata/column_reader.h"
#include "core/base/text.h"
#include "core/impute/impute_job.h"

#include <filesystem>
#include <limits>
#include <optional>
#include <unordered_set>

namespace cellfolio::cli {
namespace {

using impute::ImputeJob;

struct Preparation {
    ImputeJob job;
    std::vector<Finding> findings;
};

std::string pathOf(const std::string& location)
{
    std::error_code ignored;
    return std::filesystem::exists(location, ignored) ? location : location.substr(0, location.find("::"));
}

class Preparing
{
public:
    explicit Preparing(Session& session) : m_session(session), m_arguments(session.arguments) {}

    Result<Preparation> run()
    {
        for (const auto& step :
             {&Preparing::usage, &Preparing::plan, &Preparing::files, &Preparing::fit, &Preparing::genes,
              &Preparing::rows, &Preparing::options, &Preparing::key})
            if (auto done = (this->*step)(); !done)
                return std::move(done).error();
        return std::move(m_made);
    }

private:
    Result<void> usage()
    {
        if (m_arguments.has("map") == m_arguments.has("plan"))
            return Error(ErrorCode::BadUsage, "Through which mapping? Give --map or --plan.")
                .advise("cellfolio-cli impute --map MAPPING.h5 -o OUT.h5ad");
        if (m_arguments.has("map") && m_arguments.has("transposed"))
            return Error(ErrorCode::BadUsage, "--transposed is for a --plan.");
        if (m_arguments.has("plan") && !m_arguments.has("reference"))
            return Error(ErrorCode::BadUsage, "A plan wants the file of its columns: --reference FILE.");
        const std::string output = m_arguments.value("output");
        if (output.empty() && !m_arguments.has("estimate"))
            return Error(ErrorCode::BadUsage, "Where to? Give -o OUT.h5ad.");
        job().target = output;
        job().staging.overwrite = m_arguments.has("overwrite");
        job().scratch = scratchFolder(m_arguments, output);
        return {};
    }

    Result<void> plan()
    {
        if (m_arguments.has("map")) {
            auto mapping = impute::readMapping(m_arguments.value("map"));
            if (!mapping)
                return std::move(mapping).error();
            job().mapping = std::move(*mapping);
            job().staging.inputs.emplace_back(m_arguments.value("map"));
            return {};
        }
        auto plan = impute::StoredPlan::open(m_arguments.value("plan"), m_session.reading, job().scratch,
                                             m_session.stop);
        if (!plan)
            return std::move(plan).error();
        job().plan = std::move(*plan);
        job().staging.inputs.emplace_back(pathOf(m_arguments.value("plan")));
        return {};
    }

    Result<void> files()
    {
        const impute::MappingRecord* record = job().mapping ? &job().mapping->record : nullptr;
        const bool named = m_arguments.has("reference");
        const std::string reference = named ? m_arguments.value("reference") : record->referenceFile;
        auto dataset = openDataset(reference);
        if (!dataset)
            return std::move(dataset).error();
        job().reference = *dataset;
        if (record != nullptr)
            if (const std::string change =
                    impute::changeOf(**dataset, record->referenceFingerprint);
                !change.empty()) {
                if (!named)
                    return Error(ErrorCode::FileChanged, change)
                        .advise("Map anew, or name the file with --reference.");
                warn("I003", change);
            }
        std::string spatial = m_arguments.value("spatial");
        std::error_code ignored;
        if (spatial.empty() && record != nullptr) {
            if (std::filesystem::exists(pathOf(record->spatialFile), ignored))
                spatial = record->spatialFile;
            else
                warn("I002", record->spatialFile + " is not there, so cells are named by their numbers.");
        }
        if (!spatial.empty()) {
            auto opened = openDataset(spatial);
            if (!opened)
                return std::move(opened).error();
            job().spatial = *opened;
            job().staging.inputs.emplace_back(pathOf(spatial));
        }
        job().staging.inputs.emplace_back(pathOf(reference));

        const std::string matrix = m_arguments.has("matrix") ? m_arguments.value("matrix")
                                 : record != nullptr         ? record->referenceMatrix
                                                             : std::string("X");
        auto element = job().reference->find(matrix);
        if (!element)
            return std::move(element).error();
        if ((*element)->kind != ElementKind::Matrix || !(*element)->shape || (*element)->whyNot)
            return (*element)->whyNot
                     ? *(*element)->whyNot
                     : Error(ErrorCode::Refused, matrix + " is no matrix of cells × genes.").at(matrix);
        job().matrix = *element;
        return {};
    }

    // Lengths of the plan against those of the files.
    Result<void> fit()
    {
        const Index cells = (*job().matrix->shape)[0];
        if (job().mapping) {
            const impute::MappingRecord& record = job().mapping->record;
            job().referenceCells = record.referenceCells;
            job().spatialCells = record.spatialCells;
            if (record.referenceCells.extent() != cells)
                return Error(ErrorCode::Refused, "The mapping is of " + grouped(record.referenceCells.extent())
                                                     + " reference cells, and " + job().matrix->path
                                                     + " has " + grouped(cells) + ".");
            if (job().spatial && job().spatial->nObs() != record.spatialCells.extent()) {
                warn("I002", job().spatial->location()
                                 + " has another number of cells than were mapped, so cells are named by "
                                   "their numbers.");
                job().spatial.reset();
            }
            return {};
        }
        std::optional<Index> spatialCells;
        if (job().spatial)
            spatialCells = job().spatial->nObs();
        auto orientation = impute::orientationOf(*job().plan, spatialCells, cells,
                                                 m_arguments.has("transposed"));
        if (!orientation)
            return std::move(orientation).error();
        job().transposed = orientation->transposed;
        if (orientation->transposed && !m_arguments.has("transposed"))
            warn("I004", "The plan was taken as reference × spatial: that is how it fits.");
        if (orientation->ambiguous)
            warn("I004", "The plan is square and was taken as spatial × reference; --transposed turns it.");
        job().referenceCells = Selection::all(cells);
        job().spatialCells =
            Selection::all(job().transposed ? job().plan->columns() : job().plan->rows());
        return {};
    }

    Result<void> genes()
    {
        const Index extent = (*job().matrix->shape)[1];
        const std::string wanted = m_arguments.value("genes");
        job().genes = Selection::all(extent);
        const Element* table = job().reference->namesOf(*job().matrix, 1);
        if (wanted == "all")
            return {};
        if (wanted == "missing") {
            if (!job().spatial || job().spatial->var() == nullptr || table == nullptr)
                return Error(ErrorCode::BadUsage, "--genes missing wants a spatial file with named genes.");
            const Element& var = *job().spatial->var();
            auto measured = readNames(job().spatial, var, Selection::all(var.rows), m_session.reading,
                                      m_session.stop);
            if (!measured)
                return std::move(measured).error();
            auto names = readNames(job().reference, *table, job().genes, m_session.reading, m_session.stop);
            if (!names)
                return std::move(names).error();
            const std::unordered_set<std::string> known(measured->begin(), measured->end());
            std::vector<Index> missing;
            for (std::size_t k = 0; k < names->size(); ++k)
                if (!known.contains((*names)[k]))
                    missing.push_back(static_cast<Index>(k));
            job().genes = Selection::indices(extent, missing);
        } else {
            auto picked = pick(wanted, job().reference, job().matrix, 1, "var", table, extent);
            if (!picked)
                return std::move(picked).error();
            job().genes = std::move(*picked);
        }
        if (job().genes.empty())
            return Error(ErrorCode::Refused, "No gene is left to impute.");
        if (job().genes.toSet().size() != job().genes.size())
            return Error(ErrorCode::BadUsage, "A gene was chosen twice with --genes.");
        return {};
    }

    Result<Selection> pick(const std::string& text, const std::shared_ptr<const Dataset>& dataset,
                           const Element* element, std::size_t dimension, const char* key,
                           const Element* names, Index extent)
    {
        auto parsed = SelectionText::parse(text);
        if (!parsed)
            return std::move(parsed).error();
        ChosenAxis axis;
        axis.selection = Selection::all(extent);
        axis.names = names;
        axis.key = key;
        const SelectionOption option{dimension == 1 ? SelectionOption::Of::Var : SelectionOption::Of::Obs,
                                     std::move(*parsed)};
        if (auto done = pickWithin(m_session, {dataset, element}, dimension, axis, option); !done)
            return std::move(done).error();
        return std::move(axis.selection);
    }

    Result<void> rows()
    {
        const Index extent = job().spatialCells.size();
        if (!m_arguments.has("rows")) {
            for (Index row = 0; row < extent; ++row)
                job().rows.push_back(row);
            return {};
        }
        // Names are those of the spatial file where all its cells are rows of the plan.
        const bool named = job().spatial && job().spatialCells.isAll() && job().spatial->obs() != nullptr;
        auto picked = pick(m_arguments.value("rows"), named ? job().spatial : job().reference,
                           named ? job().spatial->obs() : job().matrix, 0, "obs",
                           named ? job().spatial->obs() : nullptr, extent);
        if (!picked)
            return std::move(picked).error();
        job().rows = picked->positions();
        if (job().rows.empty())
            return Error(ErrorCode::Refused, "No row of the plan is left.");
        return {};
    }

    Result<void> options()
    {
        const std::string scaling = m_arguments.value("scaling");
        if (scaling == "target")
            job().scaling = impute::Scaling::Target;
        else if (scaling == "none")
            job().scaling = impute::Scaling::None;
        else if (scaling != "source")
            return Error(ErrorCode::BadUsage, "--scaling is source, target or none, not \"" + scaling + "\".");
        const std::string zero = m_arguments.value("zero-mass");
        if (zero == "missing")
            job().zeroMass = impute::ZeroMass::Missing;
        else if (zero == "map")
            job().zeroMass = impute::ZeroMass::Map;
        else if (zero != "zero")
            return Error(ErrorCode::BadUsage, "--zero-mass is zero, missing or map, not \"" + zero + "\".");
        if (zero == "map" && (!job().mapping || job().mapping->factors))
            return Error(ErrorCode::BadUsage, "--zero-mass map wants a mapping with potentials.");
        for (const auto& [name, into] : {std::pair{"labels", &job().labels}, std::pair{"obsm", &job().obsm}}) {
            auto list = parseNameList(m_arguments.value(name));
            if (!list)
                return std::move(list).error();
            *into = std::move(*list);
        }
        for (const auto& [name, into] : {std::pair{"keep", &job().keep}, std::pair{"thin", &job().thin}}) {
            if (!m_arguments.has(name))
                continue;
            auto count = integerOption(m_arguments, name, 1, std::numeric_limits<std::int32_t>::max());
            if (!count)
                return std::move(count).error();
            *into = *count;
        }
        job().resume = m_arguments.has("resume");
        // As the mapping had it; of another matrix by its numbers; of a plan nothing is known.
        const bool same = job().mapping && job().mapping->record.referenceMatrix == job().matrix->path;
        auto normalize = normalizeOption(m_arguments, job().mapping && !same ? impute::Normalize::Auto
                                                                             : impute::Normalize::None);
        if (!normalize)
            return std::move(normalize).error();
        if (!m_arguments.has("normalize") && same) {
            job().log1p = job().mapping->record.referenceLog1p;
        } else {
            auto choice = impute::chooseNormalize(*normalize, job().reference, *job().matrix,
                                                  m_session.reading, m_session.stop);
            if (!choice)
                return std::move(choice).error();
            job().log1p = choice->log1p;
        }
        return {};
    }

    // Everything that decides about the values.
    Result<void> key()
    {
        if (!job().resume)
            return {};
        static const std::unordered_set<std::string_view> kOthers{
            "memory", "threads", "progress", "quiet", "json", "resume", "overwrite", "temp", "output"};
        std::string& key = job().resumeKey;
        key = CELLFOLIO_VERSION;
        for (const auto& [option, value] : m_arguments.options)
            if (!kOthers.contains(option->name))
                key += "\n" + std::string(option->name) + "=" + value;
        auto print = impute::fingerprintOf(*job().reference);
        if (!print)
            return std::move(print).error();
        key += "\n" + *print;
        const std::string plan = pathOf(m_arguments.value(m_arguments.has("map") ? "map" : "plan"));
        std::error_code failed;
        key += "\n" + std::to_string(std::filesystem::file_size(plan, failed)) + " "
             + std::to_string(std::filesystem::last_write_time(plan, failed).time_since_epoch().count());
        return {};
    }

    ImputeJob& job() { return m_made.job; }
    void warn(const char* id, std::string message)
    {
        m_made.findings.push_back(jobFinding(id, Severity::Warning, "/", std::move(message)));
    }

    Session& m_session;
    const Arguments& m_arguments;
    Preparation m_made;
};

Result<int> estimate(Session& session, const Preparation& made)
{
    auto needs = impute::needsOf(made.job, session.reading);
    if (!needs && needs.error().code() != ErrorCode::OutOfBudget)
        return std::move(needs).error();
    if (session.wantsJson) {
        JsonWriter& json = session.json;
        json.memberNull("output");
        json.member("n_obs", static_cast<Index>(made.job.rows.size()));
        json.member("n_vars", made.job.genes.size());
        json.member("fits", needs.ok());
        if (!needs)
            json.member("reason", needs.error().message());
        writeFindings(json, made.findings);
        if (needs) {
            writeEstimate(json, *needs);
            json.member("row_block", needs->chunks.rowBlock);
            json.member("row_passes", needs->chunks.rowPasses);
            json.member("gene_passes", needs->chunks.genePasses);
            json.member("resident", needs->chunks.resident);
        }
    } else if (needs) {
        session.output.write(
            "About " + byteText(needs->memory) + " of memory, " + byteText(needs->output) + " on disk, "
            + durationText(needs->seconds) + "; " + counted(needs->chunks.rowPasses, "block", "blocks")
            + " of " + counted(needs->chunks.rowBlock, "row", "rows") + ".\n");
    } else {
        session.note(needs.error().message());
    }
    return needs ? 0 : 3;
}

Result<int> run(Session& session)
{
    const JobClock clock;
    auto made = Preparing(session).run();
    if (!made)
        return std::move(made).error();
    if (session.arguments.has("estimate"))
        return estimate(session, *made);
    ImputeJob& job = made->job;
    std::optional<ProgressLine> line;
    Progress unseen;
    job.progress = &unseen;
    job.stage = [&](const std::string& stage) {
        line.reset();
        line.emplace(session, stage);
        job.progress = &line->progress();
    };
    auto outcome = impute::runImputation(job, session.reading,
                                         {session.reading->threads(), session.stop});
    line.reset();
    if (!outcome)
        return std::move(outcome).error();
    for (const std::string& warning : outcome->warnings)
        made->findings.push_back(jobFinding("I005", Severity::Info, "/", warning));
    if (outcome->zeroMass > 0) {
        Finding finding = jobFinding("I001", Severity::Warning, "obs/ot_mass",
                                     counted(outcome->zeroMass, "cell has", "cells have")
                                         + " no mass in the plan: nothing is known of them.");
        finding.count = outcome->zeroMass;
        made->findings.push_back(std::move(finding));
    }
    std::error_code failed;
    const auto size = std::filesystem::file_size(job.target, failed);
    JobNeeds used;
    used.output = failed ? 0 : static_cast<Index>(size);
    used.temporary = outcome->temporary;
    if (session.wantsJson) {
        JsonWriter& json = session.json;
        json.member("output", job.target.string());
        json.member("outputs", std::vector<std::string>{job.target.string()});
        json.member("changed", true);
        json.member("n_obs", outcome->nObs);
        json.member("n_vars", outcome->nVars);
        json.member("blocks", outcome->blocks);
        json.member("resumed_at", outcome->resumedAt);
        json.member("zero_mass", outcome->zeroMass);
        json.key("elements");
        json.beginArray();
        for (const char* element : {"X", "obs", "var", "uns/imputation"}) {
            json.beginObject();
            json.member("element", element);
            json.member("action", "created");
            json.endObject();
        }
        json.endArray();
        writeFindings(json, made->findings);
        if (auto needs = impute::needsOf(job, session.reading); needs)
            writeEstimate(json, *needs);
        writeUsed(json, used, clock);
        return 0;
    }
    session.output.write(counted(outcome->nVars, "gene", "genes") + " imputed for "
                         + counted(outcome->nObs, "cell", "cells") + " in "
                         + job.target.string() + " (" + byteText(used.output) + ").\n");
    for (const Finding& finding : made->findings)
        session.note(finding.message);
    return 0;
}

} // namespace

int runImpute(Session& session)
{
    const Arguments& arguments = session.arguments;
    return answerOne(session, arguments.value(arguments.has("plan") ? "plan" : "map"),
                     [&] { return run(session); });
}

} // namespace cellfolio::cli
