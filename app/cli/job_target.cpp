// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/job_target.h"

#include "core/base/text.h"
#include "core/write/staged_file.h"

#include <filesystem>

namespace cellfolio::cli {

namespace fs = std::filesystem;

Result<JobTarget> JobTarget::read(const Arguments& arguments, std::size_t files)
{
    JobTarget target{arguments.value("output"), arguments.value("output-dir"), arguments.has("in-place")};
    const int given = (target.output.empty() ? 0 : 1) + (target.folder.empty() ? 0 : 1) + (target.inPlace ? 1 : 0);
    if (given != 1)
        return Error(ErrorCode::BadUsage, given == 0 ? "Where to?" : "Only one of -o, --output-dir and --in-place.")
            .advise("-o OUT, --output-dir DIR for several files, or --in-place.");
    if (files > 1 && !target.output.empty())
        return Error(ErrorCode::BadUsage, "-o names one file, and there are several to be read.")
            .advise("Use --output-dir DIR.");
    if (!target.folder.empty()) {
        std::error_code failure;
        if (!fs::is_directory(target.folder, failure))
            return Error(ErrorCode::NotFound, "There is no folder \"" + target.folder + "\".").advise("Make it first.");
    }
    return target;
}

Result<std::string> JobTarget::outputFor(const std::string& file, const std::string& name) const
{
    if (inPlace)
        return file;
    const std::string place =
        folder.empty() ? output : (fs::path(folder) / (name.empty() ? fs::path(file).filename() : fs::path(name))).string();
    std::error_code failure;
    if (fs::equivalent(place, file, failure))
        return Error(ErrorCode::BadUsage, "\"" + place + "\" is the file being read.")
            .advise("Choose another name, or say --in-place.");
    return place;
}

int answerJobs(Session& session,
               const std::function<Result<int>(const JobTarget& target, const std::string& file)>& each)
{
    const std::vector<std::string>& operands = session.arguments.positionals;
    const std::size_t files = operands.size() > 1 || operands.front().starts_with("@") ? 2 : 1;
    const auto target = JobTarget::read(session.arguments, files);
    return answerEach(session, [&](const std::string& file) -> Result<int> {
        if (!target)
            return target.error();
        return each(*target, file);
    });
}

Result<Storing> storingOf(const Arguments& arguments)
{
    const std::string name = arguments.value("compression");
    if (name.empty() || name == "keep")
        return Storing{};
    const auto compression = hdf5::Compression::named(name);
    if (!compression)
        return Error(ErrorCode::BadUsage, "\"" + name + "\" is no compression.")
            .advise("One of keep, none, gzip, gzip:1 … gzip:9, lzf, zstd, zstd:1 … zstd:19.");
    return Storing{Storing::As::Chosen, *compression};
}

void noteLeftovers(const Session& session, const std::string& output)
{
    for (const auto& path : StagedFile::leftovers(output))
        session.note("An earlier run left \"" + path.string() + "\" behind; it can be removed.");
}

void writeShape(JsonWriter& json, const Dataset& dataset)
{
    writeShape(json, dataset.nObs(), dataset.nVars());
}

void writeShape(JsonWriter& json, std::optional<Index> nObs, std::optional<Index> nVars)
{
    for (const auto& [key, size] : {std::pair{"n_obs", nObs}, std::pair{"n_vars", nVars}}) {
        if (size)
            json.member(key, *size);
        else
            json.memberNull(key);
    }
}

namespace {

int tellEstimateText(Session& session, const JobNeeds& needs, const std::string& reason)
{
    session.output.write("About " + byteText(needs.output) + ", " + durationText(needs.seconds) + ", "
                         + byteText(needs.memory) + " of memory"
                         + (needs.temporary > 0 ? ", " + byteText(needs.temporary) + " of temporary files" : std::string())
                         + ".\n");
    if (!reason.empty())
        session.output.write(reason + "\n");
    return reason.empty() ? 0 : 3;
}

} // namespace

int tellEstimate(Session& session, const Dataset& dataset, const JobNeeds& needs, const std::string& reason)
{
    return tellEstimate(session, dataset.nObs(), dataset.nVars(), needs, reason);
}

int tellEstimate(Session& session, std::optional<Index> nObs, std::optional<Index> nVars, const JobNeeds& needs,
                 const std::string& reason)
{
    if (!session.wantsJson)
        return tellEstimateText(session, needs, reason);
    JsonWriter& json = session.json;
    json.memberNull("output");
    writeShape(json, nObs, nVars);
    writeEstimate(json, needs);
    json.member("fits", reason.empty());
    if (!reason.empty())
        json.member("reason", reason);
    return reason.empty() ? 0 : 3;
}

} // namespace cellfolio::cli
