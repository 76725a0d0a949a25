// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/export_request.h"

#include "app/cli/job_target.h"
#include "core/base/text.h"

namespace cellfolio::cli {
namespace {

Error badUsage(std::string message, std::string fix = {})
{
    return Error(ErrorCode::BadUsage, std::move(message)).advise(std::move(fix));
}

Result<FileKind> kindOf(const Arguments& arguments, const std::string& output)
{
    if (arguments.has("format")) {
        const std::string name = arguments.value("format");
        if (const auto kind = fileKindNamed(name))
            return *kind;
        return badUsage("\"" + name + "\" is no format to export to.",
                        "One of h5ad, csv, tsv, mtx, 10x, seurat, loom, npy, npz.");
    }
    if (const auto kind = fileKindByName(output))
        return *kind;
    return badUsage("What kind of file shall \"" + output + "\" be?", "Say it with --format, such as --format h5ad.");
}

} // namespace

Result<AskedForm> matrixForm(const Arguments& arguments)
{
    AskedForm form;
    if (arguments.has("storage")) {
        const std::string name = arguments.value("storage");
        if (name == "csr")
            form.storage = Storage::Csr;
        else if (name == "csc")
            form.storage = Storage::Csc;
        else if (name == "dense")
            form.storage = Storage::Dense;
        else if (name != "keep")
            return badUsage("\"" + name + "\" is no way to store a matrix.", "One of keep, csr, csc, dense.");
    }
    if (arguments.has("dtype") && arguments.value("dtype") != "keep") {
        form.dtype = dtypeNamed(arguments.value("dtype"));
        if (!form.dtype || *form.dtype == DType::String || *form.dtype == DType::Other)
            return badUsage("\"" + arguments.value("dtype") + "\" is no type of numbers.", "Such as float32 or int64.");
    }
    return form;
}

Result<ExportRequest> exportRequest(const Arguments& arguments)
{
    if (arguments.positionals.size() > 1)
        return badUsage("`export` takes one FILE.", "cellfolio-cli export FILE -o OUT [selection]");
    ExportRequest request;
    request.output = arguments.value("output");
    if (request.output.empty())
        return badUsage("Where to?", "cellfolio-cli export FILE -o OUT [selection]");
    auto view = viewOptions(arguments);
    if (!view)
        return std::move(view).error();
    request.view = *std::move(view);
    auto kind = kindOf(arguments, request.output);
    if (!kind)
        return std::move(kind).error();
    request.kind = *kind;
    request.element = arguments.value("element");
    request.split = arguments.value("split");
    request.estimate = arguments.has("estimate");
    if (request.isSplit() != (request.output.find("{}") != std::string::npos))
        return badUsage(request.isSplit() ? "With --split, OUT holds {} where the category goes."
                                          : "{} in OUT stands for the category of --split, which was not given.",
                        "Such as --split cell_type -o 'part_{}.h5ad'.");
    ExportOptions& options = request.options;
    options.overwrite = arguments.has("overwrite");
    options.dropUnusedCategories = arguments.has("drop-unused-categories");
    options.fromRaw = arguments.has("from-raw");
    options.temporary = arguments.value("temp");
    const auto profile = profileNamed(arguments.value("profile"));
    if (!profile)
        return badUsage("\"" + arguments.value("profile") + "\" is no profile.", "One of keep, anndata, r, seuratdisk, cellxgene.");
    options.profile = *profile;
    const std::string unreadable = arguments.value("unreadable");
    if (unreadable == "drop")
        options.unreadable = Unreadable::Drop;
    else if (unreadable == "stop")
        options.unreadable = Unreadable::Stop;
    else if (unreadable != "keep")
        return badUsage("--unreadable is keep, drop or stop.");
    for (const auto& [name, list] : {std::pair{"slots", &options.slots}, std::pair{"without", &options.without}})
        if (arguments.has(name)) {
            auto names = parseNameList(arguments.value(name));
            if (!names)
                return std::move(names).error().within("--" + std::string(name));
            *list = *std::move(names);
        }
    const auto form = matrixForm(arguments);
    if (!form)
        return form.error();
    options.storage = form->storage;
    options.dtype = form->dtype;
    auto storing = storingOf(arguments);
    if (!storing)
        return std::move(storing).error();
    options.storing = *storing;
    const bool ofOneElement = request.kind != FileKind::H5ad && request.kind != FileKind::Seurat && request.kind != FileKind::Loom;
    if (!request.element.empty() && !ofOneElement)
        return badUsage("--element is for formats that hold one element.", "Use --slots for an h5ad.");
    if (request.kind != FileKind::H5ad)
        for (const char* name : {"slots", "without", "profile", "unreadable", "storage", "drop-unused-categories"})
            if (arguments.has(name))
                return badUsage("--" + std::string(name) + " is for h5ad files.");
    return request;
}

} // namespace cellfolio::cli
