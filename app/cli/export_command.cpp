// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/element_axes.h"
#include "app/cli/export_request.h"
#include "app/cli/failure.h"
#include "app/cli/job_answer.h"
#include "app/cli/job_target.h"
#include "app/cli/progress_line.h"
#include "app/cli/view_choice.h"
#include "core/base/text.h"
#include "core/export/export_task.h"
#include "core/write/staged_file.h"

namespace cellfolio::cli {
namespace {

class ExportAnswer
{
public:
    ExportAnswer(Session& session, ExportRequest request) : m_session(session), m_request(std::move(request)) {}

    Result<int> give(const std::string& file)
    {
        auto dataset = openDataset(file);
        if (!dataset)
            return std::move(dataset).error();
        m_dataset = *std::move(dataset);
        m_context = {m_session.reading, m_session.stop, nullptr, {}};
        if (auto chosen = choose(); !chosen)
            return std::move(chosen).error();
        m_task = task();
        auto parts = exportParts(m_task, m_context);
        if (!parts)
            return m_request.isSplit() ? std::move(parts).error().within("--split") : std::move(parts).error();
        for (const ExportPart& part : *parts)
            noteLeftovers(m_session, part.output);
        auto code = m_request.estimate ? estimate(*parts) : write(*parts);
        if (!code)
            return code;
        if (auto same = stillTheSame(*m_dataset); !same)
            return std::move(same).error();
        return code;
    }

private:
    Result<void> choose()
    {
        const Element* raw = m_dataset->raw();
        const Element* rawVar = raw != nullptr ? raw->child("var") : nullptr;
        const bool ofRaw = m_request.options.fromRaw || m_request.element.starts_with("raw/");
        if (m_request.options.fromRaw && rawVar == nullptr)
            return Error(ErrorCode::NotFound, "The file has no raw with a table of its genes.").at("raw");
        auto view = chooseView(m_session, m_dataset, m_request.view, ofRaw ? rawVar : m_dataset->var());
        if (!view)
            return std::move(view).error();
        if (ofRaw) {
            m_view = DatasetView(m_dataset).with(Axis::Obs, std::move(view->obs));
            m_request.options.rawGenes = std::move(view->genes);
        } else {
            m_view = DatasetView(m_dataset, std::move(view->obs), std::move(view->genes));
        }
        for (const SelectionOption& option : m_request.view.selections)
            if (option.of == SelectionOption::Of::First || option.of == SelectionOption::Of::Second)
                return Error(ErrorCode::BadUsage, "An export follows cells and genes: --obs and --var.");
        return {};
    }

    ExportTask task() const
    {
        ExportTask task;
        task.file.kind = m_request.kind;
        task.file.element = m_request.element;
        task.file.options = m_request.options;
        task.file.options.view = m_view;
        task.split = m_request.split;
        task.output = m_request.output;
        return task;
    }

    Result<int> estimate(const std::vector<ExportPart>& parts)
    {
        const auto needs = estimateParts(m_task, parts, m_context);
        if (!needs)
            return needs.error();
        const ExportEstimate& sum = *needs;
        if (m_session.wantsJson) {
            JsonWriter& json = m_session.json;
            json.memberNull("output");
            json.member("n_obs", m_view.obs().size());
            json.member("n_vars", nVars());
            writeEstimate(json, sum);
            json.member("fits", sum.fits());
            if (!sum.fits())
                json.member("reason", sum.reason);
        } else {
            m_session.output.write("About " + byteText(sum.output) + " in " + counted(static_cast<Index>(parts.size()), "file", "files")
                                   + ", " + durationText(sum.seconds) + ", " + byteText(sum.memory) + " of memory"
                                   + (sum.temporary > 0 ? ", " + byteText(sum.temporary) + " of temporary files" : std::string())
                                   + ".\n");
            if (!sum.fits())
                m_session.output.write(sum.reason + "\n");
        }
        return sum.fits() ? 0 : 3;
    }

    Index nVars() const
    {
        return m_request.options.fromRaw || m_request.element.starts_with("raw/") ? m_request.options.rawGenes.size()
                                                                                  : m_view.var().size();
    }

    Result<int> write(const std::vector<ExportPart>& parts)
    {
        const JobClock clock;
        JobNeeds used;
        // They are told with the answer for programs alone, and finding them out walks lists of chunks.
        const auto needs = m_session.wantsJson ? estimateParts(m_task, parts, m_context) : Result<ExportEstimate>(ExportEstimate{});
        if (!needs)
            return needs.error();
        ExportResult last;
        std::vector<Finding> findings;
        std::vector<std::string> outputs;
        for (const ExportPart& part : parts) {
            ProgressLine line(m_session, "Writing " + part.output);
            ExportContext context = m_context;
            context.progress = &line.progress();
            auto done = writePart(m_task, part, context);
            if (!done)
                return std::move(done).error();
            outputs.push_back(part.output);
            used.output += done->bytes;
            used.temporary = std::max(used.temporary, done->temporary);
            if (parts.size() == 1)
                findings = done->findings;
            else
                findings.insert(findings.end(), done->findings.begin(), done->findings.end());
            last = *std::move(done);
        }
        if (m_session.wantsJson)
            tellJson(last, findings, outputs, *needs, used, clock);
        else
            tell(findings, outputs, used, clock);
        return 0;
    }

    void tellJson(const ExportResult& last, const std::vector<Finding>& findings, const std::vector<std::string>& outputs,
                  const ExportEstimate& needs, const JobNeeds& used, const JobClock& clock)
    {
        JsonWriter& json = m_session.json;
        if (outputs.size() == 1)
            json.member("output", outputs.front());
        else
            json.memberNull("output");
        json.member("outputs", outputs);
        json.member("changed", true);
        json.member("n_obs", m_view.obs().size());
        json.member("n_vars", nVars());
        json.key("elements");
        json.beginArray();
        for (const ExportedElement& element : last.elements) {
            json.beginObject();
            json.member("element", element.path);
            json.member("action", nameOf(element.action));
            json.endObject();
        }
        json.endArray();
        writeFindings(json, findings);
        writeEstimate(json, needs);
        writeUsed(json, used, clock);
    }

    void tell(const std::vector<Finding>& findings, const std::vector<std::string>& outputs, const JobNeeds& used,
              const JobClock& clock)
    {
        for (const Finding& finding : findings)
            m_session.note(finding.message);
        for (const std::string& output : outputs)
            m_session.output.write(output + "\n");
        m_session.output.write(grouped(m_view.obs().size()) + " × " + grouped(nVars()) + ", " + byteText(used.output) + ", "
                               + durationText(clock.seconds()) + "\n");
    }

    Session& m_session;
    ExportRequest m_request;
    std::shared_ptr<const Dataset> m_dataset;
    DatasetView m_view;
    ExportTask m_task;
    ExportContext m_context;
};

} // namespace

int runExport(Session& session)
{
    const std::string& file = session.arguments.positionals.front();
    return answerOne(session, file, [&]() -> Result<int> {
        auto request = exportRequest(session.arguments);
        if (!request)
            return std::move(request).error();
        return ExportAnswer(session, *std::move(request)).give(file);
    });
}

} // namespace cellfolio::cli
