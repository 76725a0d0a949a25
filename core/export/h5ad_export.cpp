// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/h5ad_export.h"

#include "core/anndata/column_reader.h"
#include "core/base/text.h"
#include "core/export/export_size.h"
#include "core/export/h5ad_walk.h"
#include "core/hdf5/output_driver.h"

#include <algorithm>
#include <map>

namespace cellfolio {

namespace {

constexpr Index kMostParts = 1000;

Result<void> checkSlots(const Dataset& dataset, const std::vector<std::string>& slots)
{
    for (const std::string& slot : slots) {
        if (slot == "obs" || slot == "var")
            continue;
        if (auto found = dataset.find(slot); !found)
            return std::move(found).error();
    }
    return {};
}

// What stands in the way of a file that opens as it should.
Result<void> verify(const std::filesystem::path& part, const ExportResult& result, const ExportOptions& options)
{
    auto dataset = Dataset::open(part.string());
    if (!dataset)
        return std::move(dataset).error();
    const auto wrong = [](const std::string& what) {
        return Error(ErrorCode::Internal, "The new file is not what it should be: " + what + ".");
    };
    if ((*dataset)->nObs().value_or(0) != result.nObs || (*dataset)->nVars().value_or(0) != result.nVars)
        return wrong("it has " + std::to_string((*dataset)->nObs().value_or(0)) + " × "
                     + std::to_string((*dataset)->nVars().value_or(0)) + " instead of " + std::to_string(result.nObs)
                     + " × " + std::to_string(result.nVars));
    for (const ExportedElement& element : result.elements) {
        if (element.action == Action::Dropped)
            continue;
        const auto found = (*dataset)->find(element.path);
        if (!found)
            return wrong("\"" + element.path + "\" is not there");
        if (element.action == Action::Rewritten || element.action == Action::Converted)
            if (!(*found)->readable && options.profile != Profile::Keep)
                return wrong("\"" + element.path + "\" cannot be read (" + (*found)->whyNot->message() + ")");
    }
    return {};
}

} // namespace

Result<H5adExport> H5adExport::plan(ExportOptions options, const ExportContext& context)
{
    const Dataset& dataset = *options.view.dataset();
    if (auto known = checkSlots(dataset, options.slots); !known)
        return std::move(known).error().within("--slots");
    if (auto known = checkSlots(dataset, options.without); !known)
        return std::move(known).error().within("--without");
    const Element* raw = dataset.raw();
    if (options.fromRaw && (raw == nullptr || raw->child("X") == nullptr || raw->child("var") == nullptr))
        return Error(ErrorCode::NotFound, "The file has no raw with a matrix and a table of its genes.").at("raw");
    if (options.profile == Profile::SeuratDisk)
        return Error(ErrorCode::Refused, "The profile \"seuratdisk\" is not built yet.")
            .advise("Export a Seurat folder (--format seurat), or use the profile \"r\".");
    H5adExport planned(std::move(options));
    const ExportSize size = measureExport(planned.m_options, context);
    planned.m_bytes = size.bytesRead;
    planned.m_output = size.output;
    return planned;
}

Result<ExportResult> H5adExport::run(const std::filesystem::path& target, const ExportContext& context) const
{
    const hdf5::File& source = m_options.view.dataset()->file();
    StagedFile::Options staging;
    staging.overwrite = m_options.overwrite || m_options.inPlace;
    staging.bytesNeeded = m_output;
    if (!m_options.inPlace)
        staging.inputs = {source.path()};
    staging.system = m_options.system;
    hdf5::OutputOptions file;
    if (context.progress != nullptr)
        context.progress->begin(m_bytes);
    if (m_options.isPlainCopy())
        file = hdf5::optionsLike(source);
    else if (m_options.profile == Profile::Keep)
        file.superblock = source.superblockVersion();
    auto writer = H5adWriter::create(target, staging, m_options.storing, file);
    if (!writer)
        return std::move(writer).error();
    if (file.userBlock > 0)
        if (auto copied = (*writer)->copyUserBlock(source); !copied)
            return std::move(copied).error();
    hdf5::ObjectCopier::Options copying;
    copying.stop = context.stop;
    copying.progress = [&context](Index bytes) {
        if (context.progress != nullptr)
            context.progress->advance(bytes);
    };
    // A link inside of what is copied stays one where what it leads to is in the new file, too.
    copying.linkTarget = [this](const hdf5::Object& link) -> std::optional<std::string> {
        if (m_options.isPlainCopy())
            return link.linkTarget;
        std::string place = link.linkTarget;
        if (!place.starts_with('/'))
            place = link.path.substr(0, link.path.rfind('/') + 1) + place;
        const auto found = m_options.view.dataset()->find(place.substr(1));
        const bool same = found && (*found)->object != nullptr && (*found)->object->path == place
                       && !m_options.fromRaw && m_options.wants((*found)->path);
        return same ? std::optional(link.linkTarget) : std::nullopt;
    };
    hdf5::ObjectCopier copier(m_options.view.dataset()->filePointer(), (*writer)->filePointer(), copying);
    ExportRun run{m_options, context, **writer, copier};
    run.result.nObs = nObs();
    run.result.nVars = nVars();
    H5adWalk walk(run);
    if (auto written = walk.run(); !written)
        return std::move(written).error();
    run.result.temporary = walk.temporary();
    if (source.changedOnDisk())
        return Error(ErrorCode::FileChanged, "The file was changed by another program while it was read.")
            .at("/")
            .advise("Run this again when the other program is done.");
    if (auto on = run.mayGoOn(); !on)
        return std::move(on).error();
    auto committed = (*writer)->commit([&](const std::filesystem::path& part) {
        std::error_code ignored;
        run.result.bytes = static_cast<Index>(std::filesystem::file_size(part, ignored));
        auto sound = verify(part, run.result, m_options);
        return sound ? context.mayCommit() : sound;
    });
    if (!committed)
        return std::move(committed).error();
    sortFindings(run.result.findings);
    return std::move(run.result);
}

Result<ExportEstimate> H5adExport::estimate(const std::filesystem::path& target, const ExportContext& context) const
{
    return estimateExport(m_options, target, context);
}

Result<std::vector<SplitPart>> splitView(const DatasetView& view, const std::string& column, const ExportContext& context)
{
    const Dataset& dataset = *view.dataset();
    auto element = dataset.find(column.starts_with("obs/") ? column : "obs/" + column);
    if (!element)
        return std::move(element).error();
    auto reader = ColumnReader::open(view.dataset(), **element, context.reading);
    if (!reader)
        return std::move(reader).error();
    std::vector<std::string> labels;
    std::vector<std::vector<Index>> places;
    std::map<std::string, std::size_t> numbers;
    const auto partOf = [&](const std::string& label) {
        const auto known = numbers.emplace(label, labels.size());
        if (known.second) {
            labels.push_back(label);
            places.emplace_back();
        }
        return known.first->second;
    };
    if ((*element)->column == ColumnKind::Categorical && reader->holdsCategories()
        && (*element)->categoryCount.value_or(0) <= kMostParts) {
        auto categories = reader->categories(context.stop);
        if (!categories)
            return std::move(categories).error();
        for (Index c = 0; c < (*categories)->size(); ++c)
            partOf((*categories)->text(c));
    }
    constexpr Index kWindow = Index{1} << 16;
    const Index rows = view.obs().size();
    for (Index first = 0; first < rows; first += kWindow) {
        const Index count = std::min(kWindow, rows - first);
        auto values = reader->read(view.obs().part(first, count), context.stop);
        if (!values)
            return std::move(values).error();
        for (Index i = 0; i < count; ++i)
            if (!values->isMissing(i)) {
                const std::size_t part = partOf(values->text(i));
                if (labels.size() > at(kMostParts))
                    return Error(ErrorCode::Refused, "\"" + (*element)->path + "\" has more than "
                                                         + grouped(kMostParts) + " values; there would be a file for each.")
                        .at((*element)->path)
                        .advise("Split by a column with fewer values.");
                places[part].push_back(first + i);
            }
    }
    std::vector<SplitPart> parts;
    for (std::size_t p = 0; p < labels.size(); ++p)
        if (!places[p].empty())
            parts.push_back({labels[p], view.narrowed(Axis::Obs, Selection::indices(rows, places[p]))});
    return parts;
}

} // namespace cellfolio
