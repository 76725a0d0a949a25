// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/element_axes.h"
#include "app/cli/failure.h"
#include "app/cli/job_answer.h"
#include "app/cli/job_target.h"
#include "app/cli/progress_line.h"
#include "app/cli/view_choice.h"
#include "core/base/text.h"
#include "core/canonical/canonicalizer.h"
#include "core/select/selection_text.h"

namespace cellfolio::cli {
namespace {

Result<CanonicalizeOptions> readOptions(const Arguments& arguments)
{
    CanonicalizeOptions options;
    options.dropZeros = arguments.has("drop-zeros");
    options.keepDuplicates = arguments.has("keep-duplicates");
    options.overwrite = arguments.has("overwrite");
    const std::string overflow = arguments.value("overflow");
    if (overflow == "widen")
        options.overflow = SumOverflowRule::Widen;
    else if (overflow == "wrap")
        options.overflow = SumOverflowRule::Wrap;
    else if (overflow != "stop")
        return Error(ErrorCode::BadUsage, "--overflow is stop, widen or wrap, not \"" + overflow + "\".");
    if (arguments.has("elements")) {
        auto names = parseNameList(arguments.value("elements"));
        if (!names)
            return std::move(names).error().within("--elements");
        options.elements = *std::move(names);
    }
    auto storing = storingOf(arguments);
    if (!storing)
        return std::move(storing).error();
    options.storing = *storing;
    return options;
}

class CanonicalizeAnswer
{
public:
    CanonicalizeAnswer(Session& session, CanonicalizeOptions options, const JobTarget& target)
        : m_session(session), m_options(std::move(options)), m_target(target)
    {
    }

    Result<int> give(const std::string& file)
    {
        const JobClock clock;
        auto dataset = openDataset(file);
        if (!dataset)
            return std::move(dataset).error();
        m_dataset = *std::move(dataset);
        if (m_dataset->format() != FileFormat::H5ad)
            return Error(ErrorCode::Refused, "Only h5ad files are put in order; this is a "
                                                 + std::string(nameOf(m_dataset->format())) + " file.")
                .advise("Make an h5ad of it first (`cellfolio-cli convert`).");
        auto output = m_target.outputFor(m_dataset->file().path().string());
        if (!output)
            return std::move(output).error();
        if (!m_target.inPlace)
            noteLeftovers(m_session, *output);
        auto job = Canonicalizer::open(m_dataset, m_session.reading, m_options);
        if (!job)
            return std::move(job).error();
        {
            ProgressLine line(m_session, "Looking at " + file);
            if (auto looked = job->look(m_session.stop, &line.progress()); !looked)
                return std::move(looked).error();
        }
        const JobNeeds needs = job->needs();
        if (m_session.arguments.has("estimate"))
            return estimate(needs, *output);
        Index bytes = 0;
        {
            ProgressLine line(m_session, "Writing " + *output);
            auto written = job->write(*output, m_target.inPlace, m_session.stop, &line.progress());
            if (!written)
                return std::move(written).error();
            bytes = *written;
        }
        JobNeeds used;
        used.output = job->needed() || !m_target.inPlace ? bytes : 0;
        if (m_session.wantsJson)
            tellJson(*job, *output, needs, used, clock);
        else
            tell(*job, *output, used, clock);
        return 0;
    }

private:
    Result<int> estimate(const JobNeeds& needs, const std::string& output)
    {
        StagedFile::Options staging;
        staging.overwrite = m_options.overwrite || m_target.inPlace;
        staging.bytesNeeded = needs.output;
        if (!m_target.inPlace)
            staging.inputs = {m_dataset->file().path()};
        const Result<void> fits = StagedFile::check(output, staging);
        if (!fits && fits.error().code() == ErrorCode::BadUsage)
            return fits.error();
        return tellEstimate(m_session, *m_dataset, needs, fits ? std::string() : fits.error().message());
    }

    void tellJson(const Canonicalizer& job, const std::string& output, const JobNeeds& needs, const JobNeeds& used,
                  const JobClock& clock)
    {
        JsonWriter& json = m_session.json;
        json.member("output", output);
        json.member("outputs", std::vector<std::string>{output});
        json.member("changed", job.needed());
        writeShape(json, *m_dataset);
        json.key("elements");
        json.beginArray();
        for (const CanonicalizedElement& element : job.elements()) {
            json.beginObject();
            json.member("element", element.path);
            json.member("action", element.rewritten ? "rewritten" : "copied");
            const RewriteTally& tally = element.tally;
            json.member("rows_sorted", tally.lines.unsorted);
            json.member("merged", tally.lines.merged);
            json.member("zeros_dropped", tally.lines.zeros);
            json.member("nan_sums", tally.lines.nan);
            json.member("stored_before", element.stored);
            json.member("stored_after", element.rewritten ? tally.after : element.stored);
            if (element.type != element.was) {
                json.member("dtype", nameOf(element.type));
                json.member("dtype_before", nameOf(element.was));
            }
            json.endObject();
        }
        for (const auto& child : m_dataset->root().children) {
            bool told = false;
            for (const CanonicalizedElement& element : job.elements())
                told = told || element.path == child->path;
            if (told)
                continue;
            json.beginObject();
            json.member("element", child->path);
            json.member("action", "copied");
            json.endObject();
        }
        json.endArray();
        writeFindings(json, job.findings());
        writeEstimate(json, needs);
        writeUsed(json, used, clock);
    }

    void tell(const Canonicalizer& job, const std::string& output, const JobNeeds& used, const JobClock& clock)
    {
        for (const Finding& finding : job.findings())
            m_session.note(finding.message);
        for (const CanonicalizedElement& element : job.elements()) {
            const RewriteTally& tally = element.tally;
            std::string line = element.path + ": ";
            if (!element.rewritten) {
                line += "in order already";
            } else {
                const char* lines = "rows";
                if (auto found = m_dataset->find(element.path); found && (*found)->storage == Storage::Csc)
                    lines = "columns";
                line += grouped(tally.lines.unsorted) + " " + lines + " sorted, " + grouped(tally.lines.merged)
                      + " entries merged";
                if (m_options.dropZeros)
                    line += ", " + grouped(tally.lines.zeros) + " zeros dropped";
                if (tally.lines.nan > 0)
                    line += ", " + counted(tally.lines.nan, "sum", "sums") + " not a number (infinities that cancel)";
                line += "; " + grouped(tally.after) + " of " + grouped(element.stored) + " entries left";
                if (element.type != element.was)
                    line += ", as " + std::string(nameOf(element.type));
            }
            m_session.output.write(line + "\n");
        }
        if (job.elements().empty())
            m_session.output.write("There is no sparse matrix in it.\n");
        if (m_target.inPlace && !job.needed())
            m_session.output.write("Nothing to do; the file was left as it is.\n");
        else
            m_session.output.write(output + ": " + byteText(used.output) + ", " + durationText(clock.seconds()) + "\n");
    }

    Session& m_session;
    CanonicalizeOptions m_options;
    const JobTarget& m_target;
    std::shared_ptr<const Dataset> m_dataset;
};

} // namespace

int runCanonicalize(Session& session)
{
    return answerJobs(session, [&session](const JobTarget& target, const std::string& file) -> Result<int> {
        auto options = readOptions(session.arguments);
        if (!options)
            return std::move(options).error();
        return CanonicalizeAnswer(session, *std::move(options), target).give(file);
    });
}

} // namespace cellfolio::cli
