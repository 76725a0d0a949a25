// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/failure.h"

#include "core/base/text.h"

#include <cstdio>

namespace cellfolio::cli {

std::string_view nameOf(Severity severity)
{
    switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Info: return "info";
    }
    return "info";
}

void writeError(JsonWriter& json, const Error& error)
{
    const auto textOrNull = [&json](std::string_view key, const std::string& text) {
        if (text.empty())
            json.memberNull(key);
        else
            json.member(key, text);
    };
    json.beginObject();
    json.member("code", cellfolio::nameOf(error.code()));
    textOrNull("id", error.ruleId());
    textOrNull("element", error.element());
    json.member("message", error.message());
    textOrNull("fix", error.fix());
    json.member("position", error.position());
    if (!error.suggestions().empty())
        json.member("suggestions", error.suggestions());
    json.endObject();
}

void writeFinding(JsonWriter& json, const Finding& finding)
{
    json.beginObject();
    if (finding.id.empty())
        json.memberNull("id");
    else
        json.member("id", finding.id);
    json.member("severity", nameOf(finding.severity));
    json.member("element", finding.element);
    json.member("message", finding.message);
    if (finding.fix.empty())
        json.memberNull("fix");
    else
        json.member("fix", finding.fix);
    json.member("fixable", finding.fixable);
    json.member("count", finding.count);
    json.key("positions");
    json.beginArray();
    for (const FindingPlace& place : finding.places) {
        json.beginObject();
        if (place.row)
            json.member("row", *place.row);
        if (place.column)
            json.member("column", *place.column);
        if (place.offset)
            json.member("offset", *place.offset);
        if (!place.value.empty())
            json.member("value", place.value);
        json.endObject();
    }
    json.endArray();
    json.endObject();
}

void writeFindings(JsonWriter& json, const std::vector<Finding>& findings)
{
    json.key("findings");
    json.beginArray();
    for (const Finding& finding : findings)
        writeFinding(json, finding);
    json.endArray();
}

void reportError(const std::string& file, const Error& error)
{
    std::string text = "cellfolio-cli: ";
    if (!file.empty())
        text += file + ": ";
    // Many sentences name the element themselves.
    if (!error.element().empty() && error.element() != "/"
        && error.message().find(error.element()) == std::string::npos)
        text += error.element() + ": ";
    text += error.message() + "\n";
    if (!error.fix().empty())
        text += "  " + error.fix() + "\n";
    text = toUtf8(text);
    std::fwrite(text.data(), 1, text.size(), stderr);
}

} // namespace cellfolio::cli
