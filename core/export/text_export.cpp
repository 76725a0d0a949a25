// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/text_export.h"

#include "core/export/counts_export.h"
#include "core/export/export_size.h"
#include "core/export/loom_export.h"
#include "core/export/numpy_export.h"
#include "core/export/seurat_export.h"
#include "core/export/sheet_export.h"
#include "core/export/text_sink.h"
#include "core/write/staged_file.h"

#include <array>
#include <utility>

namespace cellfolio {

namespace {

constexpr std::array<std::pair<std::string_view, FileKind>, 9> kNames{{{"h5ad", FileKind::H5ad},
                                                                       {"csv", FileKind::Csv},
                                                                       {"tsv", FileKind::Tsv},
                                                                       {"mtx", FileKind::Mtx},
                                                                       {"10x", FileKind::TenX},
                                                                       {"seurat", FileKind::Seurat},
                                                                       {"loom", FileKind::Loom},
                                                                       {"npy", FileKind::Npy},
                                                                       {"npz", FileKind::Npz}}};

constexpr std::array<std::pair<std::string_view, FileKind>, 9> kEndings{{{".h5ad", FileKind::H5ad},
                                                                         {".csv", FileKind::Csv},
                                                                         {".csv.gz", FileKind::Csv},
                                                                         {".tsv", FileKind::Tsv},
                                                                         {".tsv.gz", FileKind::Tsv},
                                                                         {".h5", FileKind::TenX},
                                                                         {".loom", FileKind::Loom},
                                                                         {".npy", FileKind::Npy},
                                                                         {".npz", FileKind::Npz}}};

// What of the file is moved for it.
ExportOptions moved(const FileExport& wanted)
{
    ExportOptions options = wanted.options;
    if (wanted.kind == FileKind::Seurat || wanted.kind == FileKind::Loom)
        return options;
    const bool isSheet = wanted.kind == FileKind::Csv || wanted.kind == FileKind::Tsv;
    options.slots = {!wanted.element.empty() ? wanted.element : isSheet ? "obs" : "X"};
    if (options.fromRaw) // the element is named as the source has it
        options.fromRaw = false;
    return options;
}

// The total of the progress.
Index bytesToPass(const FileExport& wanted, const ExportContext& context)
{
    const ExportOptions options = moved(wanted);
    if (wanted.kind == FileKind::Csv || wanted.kind == FileKind::Tsv) {
        const auto element = options.view.dataset()->find(options.slots.front());
        if (element && (*element)->kind == ElementKind::Table) {
            const Selection* rows = options.along(**element, 0);
            return (rows != nullptr ? rows->size() : (*element)->rows) * SheetExport::bytesARow((*element)->children.size());
        }
    }
    return measureExport(options, context).bytesRead;
}

Result<ExportResult> exportSheet(const ExportOptions& options, const Element& element, const std::filesystem::path& target,
                                 const ExportContext& context, char mark)
{
    StagedFile::Options staging;
    staging.overwrite = options.overwrite;
    staging.inputs = {options.view.dataset()->file().path()};
    staging.system = options.system;
    auto staged = StagedFile::create(target, staging);
    if (!staged)
        return std::move(staged).error();
    const bool packs = target.extension() == ".gz";
    TextSink sink((*staged)->descriptor(), (*staged)->system(), packs ? TextSink::As::Gzip : TextSink::As::Plain);
    if (auto written = SheetExport(options, context).write(element, sink, {mark, {}}); !written)
        return std::move(written).error();
    sink.flush();
    if (auto sound = sink.check(); !sound)
        return std::move(sound).error();
    ExportResult result;
    result.bytes = sink.bytes();
    result.elements.push_back({element.path, Action::Converted});
    if (auto committed = (*staged)->commit([&](const std::filesystem::path&) { return context.mayCommit(); }); !committed)
        return std::move(committed).error();
    return result;
}

} // namespace

std::optional<FileKind> fileKindNamed(std::string_view name)
{
    for (const auto& [known, kind] : kNames)
        if (known == name)
            return kind;
    return std::nullopt;
}

std::optional<FileKind> fileKindByName(std::string_view name)
{
    for (const auto& [ending, kind] : kEndings)
        if (name.size() > ending.size() && name.ends_with(ending))
            return kind;
    return std::nullopt;
}

Result<ExportResult> exportFile(const FileExport& wanted, const std::filesystem::path& target,
                                const ExportContext& context)
{
    const ExportOptions& options = wanted.options;
    if (context.progress != nullptr)
        context.progress->begin(bytesToPass(wanted, context));
    if (wanted.kind == FileKind::Seurat)
        return exportSeurat(options, target, context);
    if (wanted.kind == FileKind::Loom)
        return exportLoom(options, target, context);
    const bool isSheet = wanted.kind == FileKind::Csv || wanted.kind == FileKind::Tsv;
    const std::string path = !wanted.element.empty() ? wanted.element : isSheet ? "obs" : "X";
    auto element = options.view.dataset()->find(path);
    if (!element)
        return std::move(element).error();
    switch (wanted.kind) {
    case FileKind::Csv:
    case FileKind::Tsv:
        return exportSheet(options, **element, target, context, wanted.kind == FileKind::Csv ? ',' : '\t');
    case FileKind::Npy:
        return exportNpy(options, **element, target, context);
    case FileKind::Npz:
        return exportNpz(options, **element, target, context);
    case FileKind::TenX:
        return CountsExport(options, context).writeFile(**element, target);
    case FileKind::Mtx: {
        StagedFile::Options staging;
        staging.overwrite = options.overwrite;
        staging.inputs = {options.view.dataset()->file().path()};
        staging.system = options.system;
        auto folder = StagedFolder::create(target, staging, CountsExport::folderFiles());
        if (!folder)
            return std::move(folder).error();
        auto written = CountsExport(options, context).writeFolder(**element, (*folder)->part());
        if (!written)
            return written;
        for (const auto& entry : std::filesystem::directory_iterator((*folder)->part()))
            written->bytes += static_cast<Index>(entry.file_size());
        if (auto may = context.mayCommit(); !may)
            return std::move(may).error();
        if (auto committed = (*folder)->commit(); !committed)
            return std::move(committed).error();
        return written;
    }
    case FileKind::H5ad:
    case FileKind::Seurat:
    case FileKind::Loom:
        break;
    }
    return Error(ErrorCode::Internal, "An h5ad is written elsewhere.");
}

Result<ExportEstimate> estimateFile(const FileExport& wanted, const std::filesystem::path& target,
                                    const ExportContext& context)
{
    const ExportOptions options = moved(wanted);
    if (wanted.kind != FileKind::Seurat && wanted.kind != FileKind::Loom)
        if (auto known = options.view.dataset()->find(options.slots.front()); !known)
            return std::move(known).error();
    return estimateExport(options, target, context);
}

} // namespace cellfolio
