// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/element_axes.h"
#include "app/cli/failure.h"
#include "app/cli/info_text.h"
#include "app/cli/progress_line.h"
#include "app/cli/session.h"
#include "core/base/text.h"
#include "core/select/selection_text.h"
#include "core/validate/validator.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <optional>

namespace cellfolio::cli {
namespace {

struct ValidateRequest {
    ValidationOptions options;
    std::optional<Severity> failOn; // none: never
};

// "A008": one letter of the lists, three digits, and "o" for one of them.
bool looksLikeRule(const std::string& id)
{
    const bool body = id.size() >= 4 && (id[0] == 'A' || id[0] == 'B' || id[0] == 'C')
                   && std::all_of(id.begin() + 1, id.begin() + 4,
                                  [](unsigned char c) { return std::isdigit(c) != 0; });
    return body && (id.size() == 4 || id.substr(4) == "o");
}

Result<ValidateRequest> readRequest(const Session& session)
{
    const Arguments& arguments = session.arguments;
    ValidateRequest request;
    request.options.quick = arguments.has("quick");
    request.options.stop = session.stop;
    const std::string schema = arguments.value("schema");
    if (schema == "cellxgene")
        return Error(ErrorCode::BadUsage, "The rules of cellxgene are not built yet.")
            .advise("Leave out --schema for those of anndata.");
    if (schema != "anndata")
        return Error(ErrorCode::BadUsage,
                     "--schema takes anndata or cellxgene, not \"" + schema + "\".");
    const std::string failOn = arguments.value("fail-on");
    if (failOn == "error")
        request.failOn = Severity::Error;
    else if (failOn == "warning")
        request.failOn = Severity::Warning;
    else if (failOn == "info")
        request.failOn = Severity::Info;
    else if (failOn != "never")
        return Error(ErrorCode::BadUsage,
                     "--fail-on takes error, warning, info or never, not \"" + failOn + "\".");
    if (arguments.has("only")) {
        auto list = parseNameList(arguments.value("only"));
        if (!list)
            return std::move(list).error();
        for (const std::string& id : *list) {
            if (!looksLikeRule(id))
                return Error(ErrorCode::BadUsage, "\"" + id + "\" is not the name of a rule.")
                    .advise("Rules are called like A008 or B013.");
        }
        request.options.only = std::move(*list);
    }
    return request;
}

bool fails(const ValidateRequest& request, const std::vector<Finding>& findings)
{
    return request.failOn &&
           std::any_of(findings.begin(), findings.end(),
                       [&](const Finding& finding) { return finding.severity <= *request.failOn; });
}

void writeCounts(JsonWriter& json, const ValidationReport& report)
{
    json.key("counts");
    json.beginObject();
    for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Info})
        json.member(nameOf(severity), report.count(severity));
    json.endObject();
}

void writeReportJson(JsonWriter& json, const ValidationReport& report, double seconds)
{
    json.member("schema", "anndata");
    writeCounts(json, report);
    writeFindings(json, report.findings);
    json.member("rules_checked", narrow<Index>(report.rulesChecked.size()));
    json.key("rules_left_out");
    json.beginArray();
    for (const ValidationReport::LeftOut& left : report.rulesLeftOut)
        json.text(left.id);
    json.endArray();
    json.key("unchecked");
    json.beginArray();
    for (const ValidationReport::Unchecked& element : report.unchecked) {
        json.beginObject();
        json.member("element", element.element);
        json.member("why", element.why);
        json.endObject();
    }
    json.endArray();
    json.member("seconds", seconds);
}

void writeReportText(Output& output, const ValidationReport& report, double seconds)
{
    const auto severities = [&report](Severity severity, std::string_view one,
                                      std::string_view many) {
        return counted(report.count(severity), one, many);
    };
    output.write(
        severities(Severity::Error, "error", "errors") + ", " +
        severities(Severity::Warning, "warning", "warnings") + ", " +
        severities(Severity::Info, "remark", "remarks") + " · " +
        counted(narrow<Index>(report.rulesChecked.size()), "rule", "rules") + " checked in " +
        exactText(static_cast<double>(static_cast<Index>(seconds * 100 + 0.5)) / 100) + " s\n");
    for (const Finding& finding : report.findings)
        output.write("  " + findingText(finding) + "\n");
    for (const ValidationReport::Unchecked& element : report.unchecked)
        output.write(toUtf8("  not checked  " + element.element + ": " + element.why) + "\n");
    // Rules left out for one reason stand on one line.
    std::vector<std::pair<std::string, std::string>> reasons;
    for (const ValidationReport::LeftOut& left : report.rulesLeftOut) {
        const auto same = std::find_if(reasons.begin(), reasons.end(), [&left](const auto& reason) {
            return reason.first == left.why;
        });
        if (same == reasons.end())
            reasons.emplace_back(left.why, left.id);
        else
            same->second += " " + left.id;
    }
    for (const auto& [why, ids] : reasons)
        output.write(toUtf8("  left out  " + ids + ": " + why) + "\n");
}

// What does not open has one finding: why.
std::optional<ValidationReport> reportOf(const Error& error)
{
    const bool told = error.code() == ErrorCode::NotHdf5 || error.code() == ErrorCode::NotAnnData
                   || error.code() == ErrorCode::Corrupt;
    if (!told)
        return std::nullopt;
    Finding finding;
    finding.id = error.ruleId().empty() ? "A001" : error.ruleId();
    finding.severity = Severity::Error;
    finding.element = "/";
    finding.message = error.message();
    finding.fix = error.fix();
    finding.count = 1;
    ValidationReport report;
    report.findings.push_back(std::move(finding));
    report.rulesChecked.push_back(report.findings.front().id);
    return report;
}

Result<int> check(Session& session, const ValidateRequest& request, const std::string& file)
{
    const auto start = std::chrono::steady_clock::now();
    const auto seconds = [start] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    const auto write = [&](const ValidationReport& report) {
        if (session.wantsJson)
            writeReportJson(session.json, report, seconds());
        else
            writeReportText(session.output, report, seconds());
    };
    auto dataset = Dataset::open(file);
    if (!dataset) {
        const auto report = reportOf(dataset.error());
        if (!report)
            return std::move(dataset).error();
        write(*report);
        return 1;
    }
    ProgressLine line(session, "Checking " + file);
    ValidationOptions options = request.options;
    options.progress = &line.progress();
    const auto report = validate(*dataset, session.reading, options);
    if (!report)
        return report.error();
    if (auto same = stillTheSame(**dataset); !same)
        return std::move(same).error();
    write(*report);
    return fails(request, report->findings) ? 1 : 0;
}

} // namespace

int runValidate(Session& session)
{
    const auto request = readRequest(session);
    if (!request)
        return answerOne(session, session.arguments.positionals.front(),
                         [&]() -> Result<int> { return request.error(); });
    return answerEach(session,
                      [&](const std::string& file) { return check(session, *request, file); });
}

} // namespace cellfolio::cli
