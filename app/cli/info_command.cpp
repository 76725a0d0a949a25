// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/element_axes.h"
#include "app/cli/element_json.h"
#include "app/cli/failure.h"
#include "app/cli/info_text.h"
#include "app/cli/session.h"
#include "core/anndata/dataset.h"

#include <cstdio>

namespace cellfolio::cli {
namespace {

std::string fingerprintText(std::uint64_t value)
{
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

void writeModalities(JsonWriter& json, const Dataset& dataset)
{
    json.key("modalities");
    json.beginArray();
    for (const Modality& modality : dataset.modalities()) {
        json.beginObject();
        json.member("name", modality.name);
        json.member("n_obs", modality.nObs);
        json.member("n_vars", modality.nVars);
        json.endObject();
    }
    json.endArray();
}

Result<void> writeInfoJson(Session& session, const std::shared_ptr<const Dataset>& dataset)
{
    JsonWriter& json = session.json;
    json.member("format", nameOf(dataset->format()));
    json.member("generation", dataset->generation());
    json.member("bytes", dataset->file().size());
    const auto fingerprint = dataset->file().fingerprint();
    if (!fingerprint)
        return fingerprint.error();
    json.member("fingerprint", fingerprintText(*fingerprint));
    json.member("n_obs", dataset->nObs());
    json.member("n_vars", dataset->nVars());
    writeModalities(json, *dataset);
    json.key("elements");
    json.beginArray();
    for (const Element* element : dataset->elements()) {
        if (auto on = session.mayGoOn(); !on)
            return on;
        if (auto written = writeElementJson(session, dataset, *element); !written)
            return written;
    }
    json.endArray();
    writeFindings(json, dataset->findings());
    return {};
}

} // namespace

int runInfo(Session& session)
{
    return answerEach(session, [&session](const std::string& file) -> Result<int> {
        auto dataset = Dataset::open(file);
        if (!dataset)
            return std::move(dataset).error();
        auto written = session.wantsJson ? writeInfoJson(session, *dataset)
                                         : writeInfoText(session, *dataset);
        if (written)
            written = stillTheSame(**dataset);
        if (!written)
            return std::move(written).error();
        return 0;
    });
}

} // namespace cellfolio::cli
