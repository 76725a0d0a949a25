// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/convert_request.h"

#include "app/cli/export_request.h"
#include "app/cli/job_target.h"
#include "core/select/selection_text.h"

#include <charconv>
#include <utility>

namespace cellfolio::cli {
namespace {

Error badUsage(std::string message, std::string fix = {})
{
    return Error(ErrorCode::BadUsage, std::move(message)).advise(std::move(fix));
}

} // namespace

Result<ConvertRequest> convertRequest(const Arguments& arguments)
{
    ConvertRequest request;
    ConvertOptions& options = request.options;
    auto form = matrixForm(arguments);
    if (!form)
        return std::move(form).error();
    options.storage = form->storage;
    options.dtype = form->dtype;
    options.lossy = arguments.has("lossy");
    if (options.lossy && !options.dtype)
        return badUsage("--lossy goes with --dtype.");
    const std::string width = arguments.value("index-width");
    if (width == "32")
        options.indexWidth = IndexWidth::Narrow;
    else if (width == "64")
        options.indexWidth = IndexWidth::Wide;
    else if (width != "keep")
        return badUsage("--index-width is keep, 32 or 64, not \"" + width + "\".");
    auto storing = storingOf(arguments);
    if (!storing)
        return std::move(storing).error();
    options.storing = *storing;
    if (arguments.has("chunk")) {
        const std::string text = arguments.value("chunk");
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), options.storing.chunk);
        if (failure != std::errc() || end != text.data() + text.size() || options.storing.chunk < 1)
            return badUsage("\"" + text + "\" is no length of a chunk.", "A number of entries, or of rows of a dense matrix, from 1 on.");
    }
    if (arguments.has("elements")) {
        auto names = parseNameList(arguments.value("elements"));
        if (!names)
            return std::move(names).error().within("--elements");
        options.elements = *std::move(names);
    }
    if (arguments.has("profile")) {
        request.profile = profileNamed(arguments.value("profile"));
        if (!request.profile)
            return badUsage("\"" + arguments.value("profile") + "\" is no profile.", "One of keep, anndata, r, seuratdisk, cellxgene.");
    }
    options.as = arguments.value("as");
    options.overwrite = arguments.has("overwrite");
    options.temporary = arguments.value("temp");
    request.estimate = arguments.has("estimate");
    return request;
}

} // namespace cellfolio::cli
