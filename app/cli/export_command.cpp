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
#include "core/export/h5ad_export.h"
#include "core/write/staged_file.h"

namespace cellfolio::cli {
namespace {

// One of the files to be written.
struct Part {
    std::string output;
    DatasetView view;
};

// A category as part of a file name.
std::string asFileName(const std::string& label)
{
    std::string name;
    for (const char c : label)
        name += c == '/' || c == '\0' || c == '\\' ? '_' : c;
    if (name.empty() || name == "." || name == "..")
        name = "_" + name;
    return name;
}

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
        m_context = {m_session.reading, m_session.stop, nullptr};
        if (auto chosen = choose(); !chosen)
            return std::move(chosen).error();
        auto parts = this->parts();
        if (!parts)
            return std::move(parts).error();
        for (const Part& part : *parts)
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

    Result<std::vector<Part>> parts()
    {
        if (!m_request.isSplit())
            return std::vector<Part>{{m_request.output, m_view}};
        auto split = splitView(m_view, m_request.split, m_context);
        if (!split)
            return std::move(split).error().within("--split");
        std::vector<Part> parts;
        const std::size_t place = m_request.output.find("{}");
        for (SplitPart& part : *split) {
            std::string output = m_request.output;
            output.replace(place, 2, asFileName(part.label));
            for (const Part& other : parts)
                if (other.output == output)
                    return Error(ErrorCode::Refused, "Two categories of \"" + m_request.split + "\" would both become \"" + output + "\".");
            parts.push_back({output, std::move(part.view)});
        }
        return parts;
    }

    Result<H5adExport> plan(const Part& part)
    {
        ExportOptions options = m_request.options;
        options.view = part.view;
        return H5adExport::plan(std::move(options), m_context);
    }

    // What all parts need together.
    Result<ExportEstimate> needed(const std::vector<Part>& parts)
    {
        ExportEstimate sum;
        for (const Part& part : parts) {
            Result<ExportEstimate> one = ExportEstimate{};
            if (m_request.kind == FileKind::H5ad) {
                auto planned = plan(part);
                if (!planned)
                    return std::move(planned).error();
                one = planned->estimate(part.output, m_context);
            } else {
                one = estimateFile(fileExport(part), part.output, m_context);
            }
            if (!one)
                return std::move(one).error();
            sum.memory = std::max(sum.memory, one->memory);
            sum.temporary = std::max(sum.temporary, one->temporary);
            sum.output += one->output;
            sum.seconds += one->seconds;
            if (sum.reason.empty())
                sum.reason = one->reason;
        }
        return sum;
    }

    Result<int> estimate(const std::vector<Part>& parts)
    {
        const auto needs = needed(parts);
        if (!needs)
            return needs.error();
        const ExportEstimate& sum = *needs;
        if (m_session.wantsJson) {
            JsonWriter& json = m_session.json;
            json.memberNull("output");
            json.member("n_obs", m_view.obs().size());
            json.member("n_vars", nVars());
            writeEstimate(json, {sum.memory, sum.temporary, sum.output, sum.seconds});
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

    FileExport fileExport(const Part& part) const
    {
        FileExport wanted;
        wanted.kind = m_request.kind;
        wanted.element = m_request.element;
        wanted.options = m_request.options;
        wanted.options.view = part.view;
        if (m_request.element.starts_with("raw/"))
            wanted.options.fromRaw = true; // the genes chosen are its own
        return wanted;
    }

    Index nVars() const
    {
        return m_request.options.fromRaw || m_request.element.starts_with("raw/") ? m_request.options.rawGenes.size()
                                                                                  : m_view.var().size();
    }

    Result<int> write(const std::vector<Part>& parts)
    {
        const JobClock clock;
        JobNeeds used;
        // They are told with the answer for programs alone, and finding them out walks lists of chunks.
        const auto needs = m_session.wantsJson ? needed(parts) : Result<ExportEstimate>(ExportEstimate{});
        if (!needs)
            return needs.error();
        ExportResult last;
        std::vector<Finding> findings;
        std::vector<std::string> outputs;
        for (const Part& part : parts) {
            ProgressLine line(m_session, "Writing " + part.output);
            ExportContext context = m_context;
            context.progress = &line.progress();
            Result<ExportResult> done = ExportResult{};
            if (m_request.kind == FileKind::H5ad) {
                auto planned = plan(part);
                if (!planned)
                    return std::move(planned).error();
                done = planned->run(part.output, context);
            } else {
                done = exportFile(fileExport(part), part.output, context);
            }
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
        json.key("findings");
        json.beginArray();
        for (const Finding& finding : findings)
            writeFinding(json, finding);
        json.endArray();
        writeEstimate(json, {needs.memory, needs.temporary, needs.output, needs.seconds});
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
