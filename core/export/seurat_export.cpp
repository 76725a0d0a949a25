// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/seurat_export.h"

#include "core/anndata/column_reader.h"
#include "core/base/text.h"
#include "core/export/counts_export.h"
#include "core/export/export_run.h"
#include "core/export/sheet_export.h"
#include "core/export/text_sink.h"
#include "core/matrix/holds.h"
#include "core/paging/array_reader.h"
#include "core/write/staged_file.h"

#include <algorithm>
#include <unordered_map>

namespace cellfolio {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScript = R"(# Makes a Seurat object of this folder:
#     source("load_seurat.R"); object <- load_seurat("path/to/folder")
load_seurat <- function(folder = ".", project = "cellfolio") {
  place <- function(name) file.path(folder, name)
  counts <- methods::as(Matrix::readMM(gzfile(place("matrix.mtx.gz"))), "CsparseMatrix")
  features <- utils::read.delim(place("features.tsv.gz"), header = FALSE, quote = "",
                                stringsAsFactors = FALSE, colClasses = "character")
  rownames(counts) <- make.unique(features[[2]])
  colnames(counts) <- make.unique(readLines(place("barcodes.tsv.gz")))
  obs <- utils::read.csv(place("obs.csv"), row.names = NULL, check.names = FALSE,
                         stringsAsFactors = FALSE, na.strings = "")
  obs <- obs[, -1, drop = FALSE]
  rownames(obs) <- colnames(counts)
  levels <- utils::read.csv(place("categories.csv"), check.names = FALSE, stringsAsFactors = FALSE,
                            colClasses = "character", na.strings = character())
  for (column in unique(levels$column)) {
    known <- levels$category[levels$column == column]
    obs[[column]] <- factor(as.character(obs[[column]]), levels = known)
  }
  object <- Seurat::CreateSeuratObject(counts = counts, meta.data = obs, project = project)
  for (file in list.files(folder, pattern = "^obsm_.*[.]csv$")) {
    name <- sub("^obsm_", "", sub("[.]csv$", "", file))
    values <- as.matrix(utils::read.csv(place(file), row.names = NULL, check.names = FALSE)[, -1, drop = FALSE])
    key <- paste0(gsub("[^A-Za-z0-9]", "", sub("^X_", "", name)), "_")
    dimnames(values) <- list(colnames(object), paste0(key, seq_len(ncol(values))))
    object[[sub("^X_", "", name)]] <- Seurat::CreateDimReducObject(embeddings = values, key = key, assay = "RNA")
  }
  Seurat::Misc(object, slot = "colors") <- levels[levels$color != "", ]
  object
}
)";

class SeuratFolder
{
public:
    SeuratFolder(const ExportOptions& options, const ExportContext& context) : m_options(options), m_context(context) {}

    Result<ExportResult> write(const fs::path& target);

private:
    Result<const Element*> findCounts();
    Result<Selection> genesOfRaw() const;
    Result<void> writeSheet(const Element& element, const std::vector<const Element*>* columns, const fs::path& path);
    Result<void> writeCategories(const fs::path& path);
    std::vector<const Element*> columns() const;

    ExportOptions m_options;
    const ExportContext& m_context;
    ExportResult m_result;
};

std::vector<const Element*> SeuratFolder::columns() const
{
    std::vector<const Element*> columns;
    for (const auto& column : m_options.view.dataset()->obs()->children)
        if (column->kind == ElementKind::Column && column->readable && column->column != ColumnKind::Opaque)
            columns.push_back(column.get());
    return columns;
}

Result<const Element*> SeuratFolder::findCounts()
{
    const Dataset& dataset = *m_options.view.dataset();
    std::vector<const Element*> candidates;
    if (dataset.x() != nullptr)
        candidates.push_back(dataset.x());
    const Element* layers = dataset.root().child("layers");
    if (const Element* counts = layers != nullptr ? layers->child("counts") : nullptr)
        candidates.push_back(counts);
    if (const Element* raw = dataset.raw(); raw != nullptr && raw->child("X") != nullptr && raw->child("var") != nullptr)
        candidates.push_back(raw->child("X"));
    if (layers != nullptr)
        for (const auto& layer : layers->children)
            candidates.push_back(layer.get());
    for (const Element* matrix : candidates) {
        if (!matrix->readable || !matrix->shape || matrix->shape->size() != 2)
            continue;
        const auto holds = sampleHolds(m_options.view.dataset(), *matrix, m_context.reading, m_context.stop, HoldsEffort::Thorough);
        if (holds && holds->holds == Holds::Counts)
            return matrix;
    }
    return Error(ErrorCode::Refused, "No matrix of the file holds whole counts, which Seurat starts from.")
        .at("/")
        .advise("Export the matrix by itself with --format mtx.");
}

// The genes of the view among those of raw, by their names.
Result<Selection> SeuratFolder::genesOfRaw() const
{
    const auto& dataset = m_options.view.dataset();
    const Element& rawVar = *dataset->raw()->child("var");
    if (m_options.view.var().isAll() || dataset->var() == nullptr)
        return Selection::all(rawVar.rows);
    auto wanted = readNames(dataset, *dataset->var(), m_options.view.var(), m_context.reading, m_context.stop);
    if (!wanted)
        return std::move(wanted).error();
    auto there = readNames(dataset, rawVar, Selection::all(rawVar.rows), m_context.reading, m_context.stop);
    if (!there)
        return std::move(there).error();
    std::unordered_map<std::string_view, Index> places;
    for (std::size_t i = there->size(); i-- > 0;)
        places[(*there)[i]] = static_cast<Index>(i);
    std::vector<Index> positions;
    for (const std::string& name : *wanted)
        if (const auto found = places.find(name); found != places.end())
            positions.push_back(found->second);
    return Selection::indices(rawVar.rows, positions);
}

Result<void> SeuratFolder::writeSheet(const Element& element, const std::vector<const Element*>* columns, const fs::path& path)
{
    auto file = PlainFile::create(path);
    if (!file)
        return std::move(file).error();
    FileSystem& system = m_options.system != nullptr ? *m_options.system : FileSystem::real();
    TextSink sink(file->descriptor(), system, TextSink::As::Plain);
    ExportOptions plain = m_options;
    plain.fromRaw = false;
    SheetExport sheet(plain, m_context);
    auto written = columns != nullptr ? sheet.writeTable(element, *columns, sink, {}) : sheet.write(element, sink, {});
    if (!written)
        return written;
    sink.flush();
    m_result.elements.push_back({element.path, Action::Converted});
    return sink.check();
}

// The categories of each column in their order, with their colours.
Result<void> SeuratFolder::writeCategories(const fs::path& path)
{
    auto file = PlainFile::create(path);
    if (!file)
        return std::move(file).error();
    FileSystem& system = m_options.system != nullptr ? *m_options.system : FileSystem::real();
    TextSink sink(file->descriptor(), system, TextSink::As::Plain);
    sink.write("column,category,color\n");
    const auto& dataset = m_options.view.dataset();
    const Element* uns = dataset->root().child("uns");
    for (const Element* column : columns()) {
        if (column->column != ColumnKind::Categorical)
            continue;
        auto reader = ColumnReader::open(dataset, *column, m_context.reading);
        if (!reader)
            return std::move(reader).error();
        if (!reader->holdsCategories())
            continue;
        auto categories = reader->categories(m_context.stop);
        if (!categories)
            return std::move(categories).error();
        std::vector<std::string> colours;
        const Element* stored = uns != nullptr ? uns->child(column->name + "_colors") : nullptr;
        if (stored != nullptr && stored->readable && stored->dtype == DType::String && stored->shape
            && stored->shape->size() == 1 && stored->shape->front() <= ColumnReader::kMostHeld) {
            auto texts = ArrayReader(stored->values, m_context.reading, stored->path).all(m_context.stop);
            if (!texts)
                return std::move(texts).error();
            colours = std::move(texts->texts());
        }
        colours.resize(at((*categories)->size()));
        for (Index c = 0; c < (*categories)->size(); ++c) {
            sink.cell(toUtf8(column->name), ',');
            sink.write(',');
            sink.cell(toUtf8((*categories)->text(c)), ',');
            sink.write(',');
            sink.cell(toUtf8(colours[at(c)]), ',');
            sink.write('\n');
        }
    }
    sink.flush();
    return sink.check();
}

Result<ExportResult> SeuratFolder::write(const fs::path& target)
{
    const Dataset& dataset = *m_options.view.dataset();
    if (dataset.obs() == nullptr || dataset.obs()->kind != ElementKind::Table)
        return Error(ErrorCode::NotFound, "The file has no table of its cells.").at("obs");
    auto counts = findCounts();
    if (!counts)
        return std::move(counts).error();
    if ((*counts)->ofRaw) {
        auto genes = genesOfRaw();
        if (!genes)
            return std::move(genes).error();
        m_options.fromRaw = true;
        m_options.rawGenes = *std::move(genes);
    }
    std::vector<const Element*> embeddings;
    if (const Element* obsm = dataset.root().child("obsm")) {
        for (const auto& entry : obsm->children) {
            const bool fits = entry->readable && entry->shape && entry->shape->size() == 2 && entry->dtype
                           && isReal(*entry->dtype)
                           && (entry->kind == ElementKind::Array || entry->kind == ElementKind::Matrix)
                           && entry->name.find('/') == std::string::npos;
            if (fits)
                embeddings.push_back(entry.get());
            else
                m_result.findings.push_back(
                    exportFinding("A015", entry->path, "\"" + entry->path + "\" is left out: it is no plain embedding."));
        }
    }
    std::vector<std::string> known = CountsExport::folderFiles();
    known.insert(known.end(), {"obs.csv", "categories.csv", "load_seurat.R"});
    for (const Element* embedding : embeddings)
        known.push_back("obsm_" + embedding->name + ".csv");
    StagedFile::Options staging;
    staging.overwrite = m_options.overwrite;
    staging.inputs = {dataset.file().path()};
    staging.system = m_options.system;
    auto folder = StagedFolder::create(target, staging, known);
    if (!folder)
        return std::move(folder).error();
    auto written = CountsExport(m_options, m_context).writeFolder(**counts, (*folder)->part());
    if (!written)
        return std::move(written).error();
    m_result.elements = std::move(written->elements);
    const std::vector<const Element*> labels = columns();
    if (auto sheet = writeSheet(*dataset.obs(), &labels, (*folder)->part() / "obs.csv"); !sheet)
        return std::move(sheet).error();
    for (const Element* embedding : embeddings)
        if (auto sheet = writeSheet(*embedding, nullptr, (*folder)->part() / ("obsm_" + embedding->name + ".csv")); !sheet)
            return std::move(sheet).error();
    if (auto categories = writeCategories((*folder)->part() / "categories.csv"); !categories)
        return std::move(categories).error();
    {
        auto file = PlainFile::create((*folder)->part() / "load_seurat.R");
        if (!file)
            return std::move(file).error();
        FileSystem& system = m_options.system != nullptr ? *m_options.system : FileSystem::real();
        TextSink sink(file->descriptor(), system, TextSink::As::Plain);
        sink.write(kScript);
        sink.flush();
        if (auto sound = sink.check(); !sound)
            return std::move(sound).error();
    }
    for (const auto& entry : fs::directory_iterator((*folder)->part()))
        m_result.bytes += static_cast<Index>(entry.file_size());
    if (auto may = m_context.mayCommit(); !may)
        return std::move(may).error();
    if (auto committed = (*folder)->commit(); !committed)
        return std::move(committed).error();
    return std::move(m_result);
}

} // namespace

Result<ExportResult> exportSeurat(const ExportOptions& options, const fs::path& target, const ExportContext& context)
{
    return SeuratFolder(options, context).write(target);
}

} // namespace cellfolio
