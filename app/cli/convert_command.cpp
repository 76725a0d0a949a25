// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/convert_request.h"
#include "app/cli/failure.h"
#include "app/cli/job_answer.h"
#include "app/cli/job_target.h"
#include "app/cli/progress_line.h"
#include "app/cli/view_choice.h"
#include "core/base/text.h"
#include "core/convert/converter.h"
#include "core/convert/tenx_folder.h"
#include "core/export/h5ad_export.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

namespace cellfolio::cli {
namespace {

struct Kind {
    std::string storage;
    std::optional<DType> dtype;
};

Kind kindOf(Storage storage, std::optional<DType> dtype)
{
    return {std::string(nameOf(storage)), dtype};
}

// One element of the answer.
struct ToldElement {
    std::string path;
    std::string action;
    std::optional<Kind> from = {}; // of a matrix
    std::optional<Kind> to = {};
};

std::string textOf(const Kind& kind)
{
    return kind.storage + " " + (kind.dtype ? std::string(nameOf(*kind.dtype)) : std::string());
}

class ConvertAnswer
{
public:
    ConvertAnswer(Session& session, ConvertRequest request, const JobTarget& target)
        : m_session(session), m_request(std::move(request)), m_target(target)
    {
    }

    Result<int> give(const std::string& file)
    {
        if (TenXFolder::isFolder(file))
            return convertFolder(file);
        auto dataset = openDataset(file);
        if (!dataset)
            return std::move(dataset).error();
        m_dataset = *std::move(dataset);
        m_nObs = m_dataset->nObs();
        m_nVars = m_dataset->nVars();
        const bool isH5ad = m_dataset->format() == FileFormat::H5ad;
        if (m_target.inPlace && !isH5ad)
            return Error(ErrorCode::Refused, "This is a " + std::string(nameOf(m_dataset->format()))
                                                 + " file, which cannot become an h5ad under its own name.")
                .advise("Name the new file (-o OUT), or a folder for it (--output-dir DIR).");
        const std::string path = m_dataset->file().path().string();
        auto output = m_target.outputFor(path, isH5ad ? std::string() : nameFor(path));
        if (!output)
            return std::move(output).error();
        m_output = *std::move(output);
        if (!m_target.inPlace)
            noteLeftovers(m_session, m_output);
        const Profile profile = m_request.profile.value_or(isH5ad ? Profile::Keep : Profile::AnnData);
        return isH5ad && profile == Profile::Keep ? convert() : exportAs(profile);
    }

private:
    // "cells.h5" becomes "cells.h5ad", a modality of "cells.h5mu" "cells_rna.h5ad".
    std::string nameFor(const std::string& path) const
    {
        std::string name = std::filesystem::path(path).stem().string();
        const std::string& location = m_dataset->location();
        if (location.size() > path.size() + 2 && location.starts_with(path + "::"))
            name += "_" + location.substr(path.size() + 2);
        std::replace(name.begin(), name.end(), '/', '_');
        return name + ".h5ad";
    }

    Result<int> convert()
    {
        auto job = Converter::open(m_dataset, m_session.reading, m_request.options);
        if (!job)
            return std::move(job).error();
        m_needs = job->needs();
        if (m_request.estimate)
            return estimate();
        JobNeeds used;
        {
            ProgressLine line(m_session, "Writing " + m_output);
            auto written = job->write(m_output, m_target.inPlace, m_session.stop, &line.progress());
            if (!written)
                return std::move(written).error();
            used.output = job->needed() || !m_target.inPlace ? *written : 0;
        }
        used.temporary = job->temporary();
        std::vector<ToldElement> elements;
        for (const ConvertedElement& element : job->elements())
            elements.push_back({element.path, element.action, kindOf(element.from, element.was), kindOf(element.to, element.type)});
        for (const auto& child : m_dataset->root().children) {
            const auto isTold = [&](const ToldElement& told) { return told.path == child->path; };
            if (std::none_of(elements.begin(), elements.end(), isTold))
                elements.push_back({child->path, "copied"});
        }
        const bool changed = job->changes() || (m_target.inPlace && job->needed());
        return answer(elements, job->findings(), used, changed, m_target.inPlace && !job->needed());
    }

    Result<int> exportAs(Profile profile)
    {
        ConvertOptions& wanted = m_request.options;
        if (!wanted.as.empty())
            return Error(ErrorCode::Refused, "A new layer is made in an h5ad file that stays as it is otherwise.")
                .advise("Leave --as out, or convert the file first.");
        auto chosen = chooseMatrices(*m_dataset, wanted);
        if (!chosen)
            return std::move(chosen).error();
        ExportOptions options;
        options.view = DatasetView(m_dataset);
        options.profile = profile;
        options.storage = wanted.storage;
        options.dtype = wanted.dtype;
        options.rounding = wanted.lossy ? Rounding::Lossy : Rounding::Exact;
        options.indexWidth = wanted.indexWidth;
        options.storing = wanted.storing;
        for (const Element* element : *chosen)
            options.converted.push_back(element->path);
        options.overwrite = wanted.overwrite;
        options.inPlace = m_target.inPlace;
        options.temporary = wanted.temporary;
        ExportContext context{m_session.reading, m_session.stop, nullptr};
        auto job = H5adExport::plan(std::move(options), context);
        if (!job)
            return std::move(job).error();
        if (m_request.estimate || m_session.wantsJson) {
            auto needs = job->estimate(m_output, context);
            if (!needs)
                return std::move(needs).error();
            m_needs = {needs->memory, needs->temporary, needs->output, needs->seconds};
            if (m_request.estimate)
                return tellEstimate(m_session, m_nObs, m_nVars, m_needs, needs->reason);
        }
        Result<ExportResult> done = ExportResult{};
        {
            ProgressLine line(m_session, "Writing " + m_output);
            auto losses = checkLosses(m_dataset, *chosen, wanted, m_session.reading, m_session.stop, &line.progress());
            if (!losses)
                return std::move(losses).error();
            context.progress = &line.progress();
            done = job->run(m_output, context);
            if (!done)
                return std::move(done).error();
            done->findings.insert(done->findings.begin(), losses->begin(), losses->end());
        }
        JobNeeds used;
        used.output = done->bytes;
        used.temporary = done->temporary;
        // What became of the matrices is looked up in the new file.
        auto made = Dataset::open(m_output);
        if (!made)
            return std::move(made).error();
        std::vector<ToldElement> elements;
        for (const ExportedElement& element : done->elements) {
            ToldElement told{element.path, std::string(nameOf(element.action))};
            const auto before = m_target.inPlace ? Result<const Element*>(nullptr) : m_dataset->find(element.path);
            const auto after = (*made)->find(element.path);
            if (before && after && *before != nullptr && (*after)->kind == ElementKind::Matrix) {
                told.from = kindOf((*before)->storage, (*before)->dtype);
                told.to = kindOf((*after)->storage, (*after)->dtype);
            }
            elements.push_back(std::move(told));
        }
        return answer(elements, done->findings, used, true, false);
    }

    Result<int> convertFolder(const std::string& file)
    {
        auto folder = TenXFolder::open(file);
        if (!folder)
            return std::move(folder).error();
        ConvertOptions& wanted = m_request.options;
        const Profile profile = m_request.profile.value_or(Profile::AnnData);
        if (m_target.inPlace || !wanted.as.empty() || (profile != Profile::AnnData && profile != Profile::Keep))
            return Error(ErrorCode::Refused, "A folder becomes a new h5ad file; --in-place, --as and other profiles than anndata "
                                             "are for what is one.")
                .advise("Name the new file (-o OUT), and convert that further.");
        if (!wanted.elements.empty() && wanted.elements != std::vector<std::string>{"X"})
            return Error(ErrorCode::NotFound, "A folder of 10x holds one matrix, X.").at(wanted.elements.front());
        const std::string name = std::filesystem::path(file).lexically_normal().has_filename()
                                   ? std::filesystem::path(file).lexically_normal().filename().string()
                                   : std::filesystem::path(file).lexically_normal().parent_path().filename().string();
        auto output = m_target.outputFor(file, name + ".h5ad");
        if (!output)
            return std::move(output).error();
        m_output = *std::move(output);
        noteLeftovers(m_session, m_output);
        m_nObs = folder->nObs();
        m_nVars = folder->nVars();
        m_needs = folder->needs(wanted, *m_session.reading);
        if (m_request.estimate)
            return estimate();
        const Kind before{"mtx", folder->dtype()};
        Result<ConvertedElement> made = ConvertedElement{};
        {
            ProgressLine line(m_session, "Writing " + m_output);
            made = folder->write(m_output, wanted, m_session.reading, m_session.stop, &line.progress());
            if (!made)
                return std::move(made).error();
        }
        JobNeeds used;
        used.output = folder->bytes();
        used.temporary = folder->temporary();
        return answer({{"X", made->action, before, kindOf(made->to, made->type)}, {"obs", "created"}, {"var", "created"}},
                      folder->findings(), used, true, false);
    }

    Result<int> estimate()
    {
        StagedFile::Options staging;
        staging.overwrite = m_request.options.overwrite || m_target.inPlace;
        staging.bytesNeeded = m_needs.output + m_needs.temporary;
        if (!m_target.inPlace && m_dataset)
            staging.inputs = {m_dataset->file().path()};
        const Result<void> fits = StagedFile::check(m_output, staging);
        if (!fits && fits.error().code() == ErrorCode::BadUsage)
            return fits.error();
        return tellEstimate(m_session, m_nObs, m_nVars, m_needs, fits ? std::string() : fits.error().message());
    }

    Result<int> answer(const std::vector<ToldElement>& elements, const std::vector<Finding>& findings, const JobNeeds& used,
                       bool changed, bool nothing)
    {
        if (m_session.wantsJson)
            tellJson(elements, findings, used, changed);
        else
            tell(elements, findings, used, nothing);
        return 0;
    }

    void writeKind(std::string_view key, const Kind& kind)
    {
        JsonWriter& json = m_session.json;
        json.key(key);
        json.beginObject();
        json.member("storage", kind.storage);
        if (kind.dtype)
            json.member("dtype", nameOf(*kind.dtype));
        else
            json.memberNull("dtype");
        json.endObject();
    }

    void tellJson(const std::vector<ToldElement>& elements, const std::vector<Finding>& findings, const JobNeeds& used,
                  bool changed)
    {
        JsonWriter& json = m_session.json;
        json.member("output", m_output);
        json.member("outputs", std::vector<std::string>{m_output});
        json.member("changed", changed);
        writeShape(json, m_nObs, m_nVars);
        json.key("elements");
        json.beginArray();
        for (const ToldElement& element : elements) {
            json.beginObject();
            json.member("element", element.path);
            json.member("action", element.action);
            if (element.from)
                writeKind("from", *element.from);
            if (element.to)
                writeKind("to", *element.to);
            json.endObject();
        }
        json.endArray();
        writeFindings(json, findings);
        writeEstimate(json, m_needs);
        writeUsed(json, used, m_clock);
    }

    void tell(const std::vector<ToldElement>& elements, const std::vector<Finding>& findings, const JobNeeds& used, bool nothing)
    {
        for (const Finding& finding : findings)
            m_session.note(finding.message);
        for (const ToldElement& element : elements)
            if (element.from && element.to && element.action != "copied")
                m_session.output.write(element.path + ": " + textOf(*element.from) + " → " + textOf(*element.to) + "\n");
        if (nothing)
            m_session.output.write("Nothing to do; the file was left as it is.\n");
        else
            m_session.output.write(m_output + ": " + byteText(used.output) + ", " + durationText(m_clock.seconds()) + "\n");
    }

    Session& m_session;
    ConvertRequest m_request;
    const JobTarget& m_target;
    const JobClock m_clock;
    std::shared_ptr<const Dataset> m_dataset; // null: a folder
    std::optional<Index> m_nObs;
    std::optional<Index> m_nVars;
    std::string m_output;
    JobNeeds m_needs;
};

} // namespace

int runConvert(Session& session)
{
    return answerJobs(session, [&session](const JobTarget& target, const std::string& file) -> Result<int> {
        auto request = convertRequest(session.arguments);
        if (!request)
            return std::move(request).error();
        return ConvertAnswer(session, *std::move(request), target).give(file);
    });
}

} // namespace cellfolio::cli
