// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/export_task.h"

#include "core/export/h5ad_export.h"

#include <algorithm>

namespace cellfolio {

namespace {

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

FileExport fileOf(const ExportTask& task, const ExportPart& part)
{
    FileExport file = task.file;
    file.options.view = part.view;
    if (file.kind != FileKind::H5ad && file.element.starts_with("raw/"))
        file.options.fromRaw = true; // the genes chosen are its own
    return file;
}

} // namespace

Result<std::vector<ExportPart>> exportParts(const ExportTask& task, const ExportContext& context)
{
    const DatasetView& view = task.file.options.view;
    if (!task.isSplit())
        return std::vector<ExportPart>{{task.output, view}};
    auto split = splitView(view, task.split, context);
    if (!split)
        return std::move(split).error();
    std::vector<ExportPart> parts;
    const std::size_t place = task.output.find("{}");
    if (place == std::string::npos)
        return Error(ErrorCode::BadUsage, "The name of the files needs {} where the value of \"" + task.split + "\" goes.");
    for (SplitPart& part : *split) {
        std::string output = task.output;
        output.replace(place, 2, asFileName(part.label));
        for (const ExportPart& other : parts)
            if (other.output == output)
                return Error(ErrorCode::Refused,
                             "Two categories of \"" + task.split + "\" would both become \"" + output + "\".");
        parts.push_back({std::move(output), std::move(part.view)});
    }
    return parts;
}

Result<ExportEstimate> estimateParts(const ExportTask& task, const std::vector<ExportPart>& parts,
                                     const ExportContext& context)
{
    ExportEstimate sum;
    for (const ExportPart& part : parts) {
        if (context.stop.stop_requested())
            return Error::cancelled();
        const FileExport file = fileOf(task, part);
        Result<ExportEstimate> one = ExportEstimate{};
        if (file.kind == FileKind::H5ad) {
            auto planned = H5adExport::plan(file.options, context);
            if (!planned)
                return std::move(planned).error();
            one = planned->estimate(part.output, context);
        } else {
            one = estimateFile(file, part.output, context);
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

Result<ExportResult> writePart(const ExportTask& task, const ExportPart& part, const ExportContext& context)
{
    FileExport file = fileOf(task, part);
    if (file.kind != FileKind::H5ad)
        return exportFile(file, part.output, context);
    auto planned = H5adExport::plan(std::move(file.options), context);
    if (!planned)
        return std::move(planned).error();
    return planned->run(part.output, context);
}

} // namespace cellfolio
